"""Plays rounds at simulated tables through the same acts as people, with dice that it draws. Never at a live one."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from audit.devices import enrol
from audit.models import Device, Person
from games.engine import Refusal, Rules
from games.models import Facility

from .models import DiceLot, Pit, Shaker, Table
from .seeding import assign, do, make_table, open_table, rules_at

CODES_PLAYED = (
    "small",
    "big",
    "total:9",
    "total:12",
    "two-dice:2-5",
    "one-of-a-kind:3",
    "two-of-a-kind:5",
    "any-three-of-a-kind",
)
ACTS_A_ROUND = 7


@dataclass(frozen=True)
class Played:
    """One simulated table with the people who act at it."""

    table: Table
    dealer: Person
    floor: Person
    device: Device
    rules: Rules


def verify_simulated(table: Table) -> None:
    """Raises `Refusal` at a table where people play for money."""
    if table.kind != Table.Kind.SIMULATED:
        raise Refusal("simulate-at-live-table", table=table.code)


def simulated_tables(facility: Facility, count: int, submission: str) -> list[Played]:
    """So many simulated tables, made where they are missing, each opened with fresh dice."""
    dealer, floor = _crew(facility)
    device, _ = enrol(f"Simulation {Device.objects.count() + 1}", facility.code, "podium")
    pit, _ = Pit.objects.get_or_create(facility=facility, code="sim", defaults={"name": "Simulated"})
    tables = [_table(facility, pit, f"SIM-{number:02d}", submission) for number in range(1, count + 1)]
    played = [Played(table, dealer, floor, device, rules_at(table)) for table in tables]
    for one in played:
        ready(one)
    return played


def _crew(facility: Facility) -> tuple[Person, Person]:
    """The dealer and the floorperson of the simulation. They have no PIN: nobody can sign in as them."""
    found = []
    for role, name in (("dealer", "Simulated Dealer"), ("floorperson", "Simulated Floorperson")):
        person, _made = Person.objects.get_or_create(
            code=f"sim-{role}-{facility.code}",
            defaults={
                "name": name,
                "role": role,
                "department": "table-games",
                "facility": facility.code,
                "password": "!",
            },
        )
        found.append(person)
    return found[0], found[1]


def _table(facility: Facility, pit: Pit, code: str, submission: str) -> Table:
    table = Table.objects.filter(facility=facility, code=code).first()
    if table is not None:
        verify_simulated(table)
        return table
    table = make_table(
        facility,
        code=code,
        pit=pit,
        submission=submission,
        kind="simulated",
        seats=8,
        min_cents=500,
        max_cents=100_000,
    )
    Shaker.objects.create(
        facility=facility, table=table, code=f"X-{code}", kind="manual", approval="simulated"
    )
    for person in _crew(facility):
        assign(person, facility, code)
    return table


def ready(one: Played) -> None:
    """Fresh dice in the shaker, and the table open."""
    verify_simulated(one.table)
    facility, code = one.table.facility.code, one.table.code
    lot = DiceLot.objects.create(
        facility=one.table.facility,
        code=f"X-{code}-{DiceLot.objects.count() + 1}",
        dice=one.rules.edition.dice,
    )
    if Table.objects.get(pk=one.table.pk).status == Table.Status.OPEN:
        do(one.floor, one.device, facility, code, "close_table", {})
    do(one.floor, one.device, facility, code, "change_dice_lot", {"lot": lot.code})
    open_table(one.floor, one.device, facility, code)


def play_round(one: Played, draw: random.Random, told: Callable[[Table], None] = lambda table: None) -> None:
    """One whole round: wagers of some seats, the dice as drawn, taken, paid and cleared. `told` after each act."""
    verify_simulated(one.table)
    facility, code = one.table.facility.code, one.table.code

    def act(name: str, params: dict | None = None) -> str:
        answer = do(one.dealer, one.device, facility, code, name, params or {})
        told(one.table)
        return str(answer.body.get("phase", ""))

    act("place_wagers", {"wagers": _wagers(one.table, draw)})
    phase = ""
    while phase != "cleared":
        phase = act(*_next(one, draw))


def _next(one: Played, draw: random.Random) -> tuple[str, dict]:
    """The act that the round waits for."""
    from .snapshot import of_table

    following = of_table(one.table.pk)["next"]
    if following["act"] == "call_dice":
        faces, dice = one.rules.game.faces, one.rules.edition.dice
        return "call_dice", {"dice": [draw.randint(1, faces) for _ in range(dice)]}
    return following["act"], following["params"]


def _wagers(table: Table, draw: random.Random) -> list[dict]:
    seats = draw.sample(range(1, table.seats + 1), draw.randint(1, table.seats))
    return [
        {"seat": seat, "wager": code, "cents": draw.choice((500, 1_000, 2_500, 5_000, 10_000))}
        for seat in sorted(seats)
        for code in draw.sample(CODES_PLAYED, draw.randint(1, 4))
    ]
