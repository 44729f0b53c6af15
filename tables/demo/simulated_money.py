"""Chips at the simulated tables of an evening: openers, sales, and fills that the cage sends. Through the same acts."""

import random
from dataclasses import dataclass

from audit.models import Person
from games.models import Facility
from tables.demo.seeding import assign, do
from tables.demo.simulation import SimulatedTable
from tables.models import Table
from tables.money.tray import value_cents

OPENER = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}
FILL = {"500": 150, "2500": 200, "10000": 100}
FILL_UNDER = 0.6  # of the opener
SALES_CENTS = (10_000, 20_000, 30_000, 50_000)
SALE_CHANCE = 0.3  # of a sale before a round
# Role, department and name of who carries chips
CARRIERS = (("cage", "cage", "Simulated Cashier"), ("security", "security", "Simulated Guard"))


@dataclass(frozen=True)
class ChipRoom:
    """Who brings chips to simulated tables: a cashier and a guard. Nobody can sign in as them."""

    cashier: Person
    guard: Person

    def open(self, simulated: SimulatedTable) -> None:
        """Count the opener of a table, and put on its drop box. The dealer counts, the floor observes."""
        _do(simulated, simulated.dealer, "count_opener", {"chips": OPENER}, simulated.floor)
        box = f"BOX-{simulated.table.pk}"
        _do(simulated, simulated.floor, "put_on_drop_box", {"box": box}, self.guard)

    def serve(self, simulated: SimulatedTable, draw: random.Random) -> None:
        """Sell chips to a player, and bring a fill when the tray is low. Between two rounds."""
        if draw.random() < SALE_CHANCE:
            cents = draw.choice(SALES_CENTS)
            _do(simulated, simulated.dealer, "sell_chips", {"cents": cents})
        tray_cents = Table.objects.values_list("tray_cents", flat=True).get(pk=simulated.table.pk)
        if tray_cents is not None and tray_cents < FILL_UNDER * value_cents(OPENER):
            self._fill(simulated)

    def _fill(self, simulated: SimulatedTable) -> None:
        number = _do(simulated, simulated.floor, "request_fill", {"chips": FILL})["transfer"]
        transfer = {"transfer": number}
        _do(simulated, self.cashier, "prepare_transfer", transfer)
        _do(simulated, self.cashier, "hand_over_transfer", transfer, self.guard)
        _do(simulated, simulated.dealer, "receive_transfer", {**transfer, "chips": FILL}, simulated.floor)


def chip_room(facility: Facility) -> ChipRoom:
    """Return the cashier and the guard of the simulation, on duty at the whole facility."""
    people = []
    for role, department, name in CARRIERS:
        person, is_new = Person.objects.get_or_create(
            code=f"sim-{role}-{facility.code}",
            defaults={
                "name": name,
                "role": role,
                "department": department,
                "facility": facility.code,
                "password": "!",
            },
        )
        if is_new:
            assign(person, facility, "")
        people.append(person)
    return ChipRoom(*people)


def _do(
    simulated: SimulatedTable,
    person: Person,
    act: str,
    params: dict[str, object],
    witness: Person | None = None,
) -> dict[str, object]:
    facility, code = simulated.table.facility.code, simulated.table.code
    return do(person, simulated.device, facility, code, act, params, witness).body
