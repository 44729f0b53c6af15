"""Play rounds at simulated tables through the same acts as people, with drawn dice. Never at a live table."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from audit.devices import enroll
from audit.models import Device, Person
from games import registry
from games.engine import Refusal, Rules
from games.models import Facility
from games.registry import game_by_code, game_of
from games.simulated_wagers import TableWager
from games.snapshot_types import NextStep, Snapshot
from tables.demo.refusals import SIMULATE_AT_LIVE_TABLE
from tables.demo.seeding import (
    approve_equipment,
    assign,
    do,
    make_lot,
    open_table,
    rules_at,
)
from tables.models import DiceLot, Pit, Shaker, Table
from tables.opening.new_tables import make_table, newest_submission
from tables.screens.snapshot import of_table

FIRST_SUBMISSION = "RS-0009"
MAX_ACTS = 200  # of a round


@dataclass(frozen=True)
class SimulatedTable:
    """One simulated table with the people who act at it."""

    table: Table
    dealer: Person
    floor: Person
    device: Device
    rules: Rules


def verify_simulated(table: Table) -> None:
    """Refuse a table where people play for money."""
    if table.kind != Table.Kind.SIMULATED:
        raise Refusal(SIMULATE_AT_LIVE_TABLE, table=table.code)


def simulated_tables(facility: Facility, count: int, submission: str) -> list[SimulatedTable]:
    """Return `count` simulated tables, created where they are missing, each opened with fresh dice."""
    device, _ = enroll(f"Simulation {Device.objects.count() + 1}", facility.code, "podium")
    numbers = range(1, count + 1)
    played = [simulated_table(facility, submission, device, number) for number in numbers]
    for simulated in played:
        prepare(simulated)
    return played


def simulated_table(
    facility: Facility, submission: str, device: Device, number: int = 1, pit: Pit | None = None
) -> SimulatedTable:
    """Return a simulated table, created if it is missing. It is not open then: see `prepare`."""
    dealer, floor = _crew(facility)
    if pit is None:
        pit, _ = Pit.objects.get_or_create(facility=facility, code="sim", defaults={"name": "Simulated"})
    table = _table(facility, pit, _code(submission, number), submission)
    return SimulatedTable(table, dealer, floor, device, rules_at(table))


def _code(submission: str, number: int) -> str:
    """Return `SIM-01`, or `SIM-RS-0021-01` for another submission than the first."""
    return f"SIM-{number:02d}" if submission == FIRST_SUBMISSION else f"SIM-{submission}-{number:02d}"


def _crew(facility: Facility) -> tuple[Person, Person]:
    """Return the dealer and the floorperson of the simulation. They have no PIN, so nobody can sign in as them."""
    people = []
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
        people.append(person)
    return people[0], people[1]


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
        seats=game_by_code(newest_submission(facility, submission).game).seats,
        min_cents=500,
        max_cents=100_000,
    )
    kind = rules_at(table).edition.default_shaker
    Shaker.objects.create(facility=facility, table=table, code=f"X-{code}", kind=kind)
    approve_equipment(table)
    for person in _crew(facility):
        assign(person, facility, code)
    return table


def prepare(simulated: SimulatedTable) -> None:
    """Put fresh dice in the shaker and open the table."""
    verify_simulated(simulated.table)
    facility, code = simulated.table.facility.code, simulated.table.code
    lot = make_lot(simulated.table, f"X-{code}-{DiceLot.objects.count() + 1}")
    if Table.objects.get(pk=simulated.table.pk).status == Table.Status.OPEN:
        do(simulated.floor, simulated.device, facility, code, "close_table", {"secured": True})
    do(
        simulated.floor,
        simulated.device,
        facility,
        code,
        "change_dice_lot",
        {"lot": lot.code, "seal": lot.code},
    )
    open_table(simulated.floor, simulated.device, facility, code)


def play_round(
    simulated: SimulatedTable, draw: random.Random, after_act: Callable[[Table], None] = lambda table: None
) -> None:
    """Play one round with random wagers and dice. Calls `after_act` after each act."""
    verify_simulated(simulated.table)
    for _ in acts_of_round(simulated, draw):
        after_act(simulated.table)


def acts_of_round(simulated: SimulatedTable, draw: random.Random) -> Iterator[None]:
    """Play one round, or the rest of the round that is being played. Stops after each act.

    The caller makes sure that play may be invented at this table.
    """
    facility, code = simulated.table.facility.code, simulated.table.code

    def act(name: str, params: dict[str, Any] | None = None) -> str:
        answer = do(simulated.dealer, simulated.device, facility, code, name, params or {})
        return str(answer.body.get("phase", ""))

    if not of_table(simulated.table.pk)["round"]["wagers"]:
        laid = wagers_of(simulated, draw)
        if simulated.rules.section("seated"):
            seated = Table.objects.values_list("seated", flat=True).get(pk=simulated.table.pk)
            for seat in sorted({line["seat"] for line in laid} - set(seated)):
                act("seat_player", {"seat": seat})
                yield
        act("place_wagers", {"wagers": laid})
        yield
    for _ in range(MAX_ACTS):
        state = of_table(simulated.table.pk)
        next_step = state["next"]
        assert next_step is not None
        if wagers := _simulation(simulated).wagers_before_act(state, draw):
            act("place_wagers", {"wagers": wagers})
            yield
        phase = act(*_next_act(state, next_step, draw))
        yield
        if phase == "cleared":
            return
    raise RuntimeError(f"round {state['round']['number']} of {code} did not end")


def _next_act(state: Snapshot, next_step: NextStep, draw: random.Random) -> tuple[str, dict[str, Any]]:
    """Return the act that the round waits for, with its parameters; dice are drawn. Who sits out declines the dice."""
    if next_step["act"] == "offer_dice":
        seats = {wager["seat"] for wager in state["round"]["wagers"]}
        return "offer_dice", {**next_step["params"], "accepted": next_step["params"]["seat"] in seats}
    if next_step["act"] != "call_dice":
        return next_step["act"], {**next_step["params"]}
    assert next_step["dice"] is not None
    return "call_dice", {"dice": [draw.randint(1, 6) for _ in range(next_step["dice"])]}


def wagers_of(simulated: SimulatedTable, draw: random.Random) -> list[TableWager]:
    """The wagers with which a round begins, at some seats of the table."""
    seats = set(draw.sample(range(1, simulated.table.seats + 1), draw.randint(1, simulated.table.seats)))
    quarterback = Table.objects.values_list("quarterback", flat=True).get(pk=simulated.table.pk)
    seats |= {quarterback} if quarterback else set()
    codes = [type_.code for type_ in game_of(simulated.rules).wager_types(simulated.rules)]
    return [
        {"seat": seat, "wager": line["wager"], "cents": line["cents"]}
        for seat in sorted(seats)
        for line in _simulation(simulated).wagers_of_seat(codes, draw)
    ]


def _simulation(simulated: SimulatedTable) -> ModuleType:
    """What simulated players do at this game: `simulation` in its folder."""
    return registry.part(simulated.table.game, "simulation")
