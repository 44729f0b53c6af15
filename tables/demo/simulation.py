"""Play rounds at simulated tables through the same acts as people, with drawn dice. Never at a live table."""

import itertools
import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from audit.devices import enroll
from audit.models import Device, Person
from games import registry
from games.chips import payable_step
from games.engine import Refusal, Rules
from games.engine.editions import edition
from games.engine.game import PostCode
from games.engine.odds import Prize
from games.models import Facility
from games.registry import game_by_code, game_of, seats_of
from games.simulated_wagers import SeatWager, TableInPlay, TableWager
from games.snapshot_types import NextStep, TableKind
from tables.core.context import read_table
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
from tables.opening.view import Opening
from tables.screens.round_view import round_part
from tables.screens.snapshot import DisplayContext

FIRST_SUBMISSION = "RS-0009"
MAX_ACTS = 200  # of a round


@dataclass(frozen=True)
class SimulatedTable:
    """One simulated table with the people who act at it.

    `crew`: who is at which post, where a table has several; `dealer` does what belongs to no post. `most_players` sit
    there at once, if it is not 0.
    """

    table: Table
    dealer: Person
    floor: Person
    device: Device
    rules: Rules
    crew: Mapping[PostCode, Person] = field(default_factory=dict)
    most_players: int = 0
    least_players: int = 1
    weights: tuple[int, ...] = ()


def verify_simulated(table: Table) -> None:
    """Refuse a table where people play for money."""
    if table.kind != Table.Kind.SIMULATED:
        raise Refusal(SIMULATE_AT_LIVE_TABLE, table=table.code)


def simulated_tables(facility: Facility, count: int, submission: str) -> list[SimulatedTable]:
    """Return `count` simulated tables, created where they are missing, each opened with fresh dice.

    The tables of an evening are left to their own people.
    """
    device, _ = enroll(f"Simulation {Device.objects.count() + 1}", facility.code, "podium")
    of_evenings = _codes_of_evenings(facility)
    numbers = (number for number in itertools.count(1) if table_code(submission, number) not in of_evenings)
    played = [
        simulated_table(facility, submission, device, number) for number in itertools.islice(numbers, count)
    ]
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
    table = _table(facility, pit, table_code(submission, number), submission)
    return SimulatedTable(table, dealer, floor, device, rules_at(table))


def _codes_of_evenings(facility: Facility) -> set[str]:
    """Return the codes of the simulated tables at which the crew of the simulation never was on duty."""
    tables = Table.objects.filter(facility=facility, kind=Table.Kind.SIMULATED)
    return set(tables.exclude(assignments__person__in=_crew(facility)).values_list("code", flat=True))


def table_code(submission: str, number: int) -> str:
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
    table = equipped_table(facility, pit, code, submission, "simulated")
    for person in _crew(facility):
        assign(person, facility, code)
    return table


def equipped_table(
    facility: Facility, pit: Pit, code: str, submission: str, kind: TableKind, min_cents: int = 500
) -> Table:
    """Make a table with a shaker and every approval that it requires. It is closed and has no dice."""
    table = make_table(
        facility,
        code=code,
        pit=pit,
        submission=submission,
        kind=kind,
        seats=seats_of(edition(newest_submission(facility, submission).edition)),
        min_cents=min_cents,
        max_cents=max(100_000, 100 * min_cents),
    )
    shaker = rules_at(table).edition.default_shaker
    Shaker.objects.create(facility=facility, table=table, code=f"X-{code}", kind=shaker)
    approve_equipment(table)
    return table


def prepare(simulated: SimulatedTable) -> None:
    """Put fresh dice in the shaker and open the table."""
    verify_simulated(simulated.table)
    facility, code = simulated.table.facility.code, simulated.table.code
    if Table.objects.get(pk=simulated.table.pk).status == Table.Status.OPEN:
        do(simulated.floor, simulated.device, facility, code, "close_table", {"secured": True})
    change_dice(simulated)
    open_table(simulated.floor, simulated.device, facility, code)


def change_dice(simulated: SimulatedTable) -> None:
    """Put the dice of a new lot in the shaker, between two rounds."""
    facility, code = simulated.table.facility.code, simulated.table.code
    lot = make_lot(simulated.table, f"X-{code}-{DiceLot.objects.count() + 1}")
    params = {"lot": lot.code, "seal": lot.code}
    do(simulated.floor, simulated.device, facility, code, "change_dice_lot", params)


def play_round(
    simulated: SimulatedTable, draw: random.Random, after_act: Callable[[Table], None] = lambda table: None
) -> None:
    """Play one round with random wagers and dice. Calls `after_act` after each act."""
    verify_simulated(simulated.table)
    for _ in acts_of_round(simulated, draw):
        after_act(simulated.table)


def acts_of_round(simulated: SimulatedTable, draw: random.Random) -> Iterator[str]:
    """Play one round, or the rest of the round that is being played. Stops after each act, and yields its name.

    The caller makes sure that play may be invented at this table.
    """
    facility, code = simulated.table.facility.code, simulated.table.code

    def act(person: Person, name: str, params: dict[str, Any]) -> str:
        answer = do(person, simulated.device, facility, code, name, params)
        return str(answer.body.get("phase", ""))

    state = _table_in_play(simulated.table.pk)
    if not state["round"]["wagers"]:
        laid = wagers_of(simulated, draw, state["refused_seats"])
        if simulated.rules.section("seated"):
            seated = Table.objects.values_list("seated", flat=True).get(pk=simulated.table.pk)
            for seat in sorted({line["seat"] for line in laid} - set(seated)):
                act(simulated.dealer, "seat_player", {"seat": seat})
                yield "seat_player"
        act(simulated.dealer, "place_wagers", {"wagers": payable(simulated, laid)})
        yield "place_wagers"
    for _ in range(MAX_ACTS):
        state = _table_in_play(simulated.table.pk)
        next_step = state["next"]
        assert next_step is not None
        wagers = _simulation(simulated).wagers_before_act(state, draw)
        accepted = [wager for wager in wagers if wager["seat"] not in state["refused_seats"]]
        if accepted:
            act(simulated.dealer, "place_wagers", {"wagers": payable(simulated, accepted)})
            yield "place_wagers"
        name, params = _next_act(state, next_step, draw, simulated.weights)
        phase = act(_person_at_post(simulated, state, name), name, params)
        yield name
        if phase == "cleared":
            return
    raise RuntimeError(f"round {state['round']['number']} of {code} did not end")


def payable(simulated: SimulatedTable, wagers: list[TableWager]) -> list[TableWager]:
    """Return the wagers with stakes that the chips of the house can pay, all of them as many times as large.

    A wager with a fixed prize stays as it is. With half dollars every invented stake can be paid.
    """
    rules, chips = simulated.rules, simulated.table.facility.chip_values
    odds = {line["wager"]: game_of(rules).possible_odds(rules, line["wager"]) for line in wagers}
    scaled = [line for line in wagers if not any(isinstance(pays, Prize) for pays in odds[line["wager"]])]
    steps = [(line["cents"], payable_step(chips, odds[line["wager"]])) for line in scaled]
    factor = math.lcm(*(step // math.gcd(cents, step) for cents, step in steps))
    return [{**line, "cents": line["cents"] * factor} if line in scaled else line for line in wagers]


def _table_in_play(table_id: int) -> TableInPlay:
    """Read the round of a table and its next step: a fraction of the work of the whole snapshot."""
    ctx = DisplayContext(read_table(table_id))
    part = round_part(ctx, Opening(ctx))
    return {**part, "seats": ctx.table.seats, "refused_seats": ctx.table.refused_seats}


def _person_at_post(simulated: SimulatedTable, state: TableInPlay, act: str) -> Person:
    """Return who does an act: where the table has a crew, the person at the post of the act."""
    game = game_by_code(simulated.table.game)
    needed = game.post_acts.get(act)
    if needed is None or not simulated.crew:
        return simulated.dealer
    steps = (state["round"]["settle"] or {"steps": []})["steps"]
    halves = [
        game.settling_post(seat["seat"])
        for step in steps
        if step["state"] == "now"
        for seat in step["seats"]
        if not seat["done"]
    ]
    post = next((half for half in halves if half in needed.posts), None) or needed.posts[0]
    return simulated.crew[post]


def _next_act(
    state: TableInPlay, next_step: NextStep, draw: random.Random, weights: Sequence[int] = ()
) -> tuple[str, dict[str, Any]]:
    """Return the act that the round waits for, with its parameters; dice are drawn. Who sits out declines the dice."""
    if next_step["act"] == "offer_dice":
        seats = {wager["seat"] for wager in state["round"]["wagers"]}
        return "offer_dice", {**next_step["params"], "accepted": next_step["params"]["seat"] in seats}
    if next_step["act"] != "call_dice":
        return next_step["act"], {**next_step["params"]}
    assert next_step["dice"] is not None
    dice = next_step["dice"]
    if weights:
        return "call_dice", {"dice": draw.choices(range(1, 7), weights, k=dice)}
    return "call_dice", {"dice": [draw.randint(1, 6) for _ in range(dice)]}


def wagers_of(
    simulated: SimulatedTable, draw: random.Random, refused_seats: Collection[int] = ()
) -> list[TableWager]:
    """The wagers with which a round begins, at some seats of the table; none is under its minimum."""
    accepted = [seat for seat in range(1, simulated.table.seats + 1) if seat not in refused_seats]
    most = min(simulated.most_players or simulated.table.seats, len(accepted))
    seats = set(draw.sample(accepted, draw.randint(min(simulated.least_players, most), most)))
    quarterback = Table.objects.values_list("quarterback", flat=True).get(pk=simulated.table.pk)
    return _wagers_of_seats(simulated, draw, seats | ({quarterback} if quarterback else set()))


def place_wagers(simulated: SimulatedTable, draw: random.Random, seats: Collection[int]) -> None:
    """Place some wagers at these seats of a table whose bets are open."""
    laid = payable(simulated, _wagers_of_seats(simulated, draw, seats))
    facility = simulated.table.facility.code
    do(
        simulated.dealer,
        simulated.device,
        facility,
        simulated.table.code,
        "place_wagers",
        {"wagers": laid},
    )


def _wagers_of_seats(
    simulated: SimulatedTable, draw: random.Random, seats: Collection[int]
) -> list[TableWager]:
    codes = [type_.code for type_ in game_of(simulated.rules).wager_types(simulated.rules)]
    return [
        {"seat": seat, "wager": line["wager"], "cents": _at_least(simulated, line)}
        for seat in sorted(seats)
        for line in _simulation(simulated).wagers_of_seat(codes, draw)
    ]


def _at_least(simulated: SimulatedTable, line: SeatWager) -> int:
    """The stake of a wager, in cents: at least the minimum of the table, where the game limits it."""
    is_limited = game_by_code(simulated.table.game).is_limited(line["wager"])
    return max(line["cents"], simulated.table.min_cents) if is_limited else line["cents"]


def _simulation(simulated: SimulatedTable) -> ModuleType:
    """What simulated players do at this game: `simulation` in its folder."""
    return registry.part(simulated.table.game, "simulation")
