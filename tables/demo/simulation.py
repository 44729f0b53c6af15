"""Play rounds at simulated tables through the same acts as people, with drawn dice. Never at a live table.

A simulated evening has its crew (`Staff`): dealers in turn, a floorperson for two tables, the cage, security and
managers. Those of simulated tables have no PIN, so nobody can sign in as them. Those of live tables have one, `PIN`,
because only people who can sign in are offered for reliefs; only a demo has such tables.

Its chips (`TableChips`) move through the same acts too: openers, sales, fills, credits, drop boxes.
"""

import datetime as dt
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from django.contrib.auth.hashers import make_password

from audit import clock
from audit.devices import enroll
from audit.models import Device, Person
from games import registry
from games.chips import DEFAULT_CHIPS_CENTS, payable_step
from games.engine import Refusal, RefusalCode, Rules
from games.engine.editions import edition
from games.engine.game import PostCode
from games.engine.odds import Prize
from games.models import Facility
from games.registry import game_by_code, game_of, seats_of
from games.simulated_wagers import SeatWager, TableInPlay, TableWager
from games.snapshot_types import NextStep, TableKind
from tables.core.context import read_table
from tables.demo.seeding import approve_equipment, assign, do, make_lot, open_table, rules_at
from tables.models import ChipTransfer, DiceLot, DropBox, Pit, Qualification, Shaker, Table, TableInventory
from tables.money.chips import value_cents
from tables.opening.opening import make_table, newest_submission
from tables.opening.steps import Opening
from tables.screens.snapshot import DisplayContext, round_part

SIMULATE_AT_LIVE_TABLE = RefusalCode(
    "simulate-at-live-table",
    "%(table)s is not a simulated table, so no play is generated there.",
)
EVENING_OUTSIDE_DEMO = RefusalCode(
    "evening-outside-demo",
    "Only a demo floor is dealt by a program.",
)


# Rounds


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


# The people of an evening


PIN = "404040"
DEALERS_FOR_THREE_POSTS = 5  # each deals 40 minutes and rests more than 20
TABLES_OF_A_FLOORPERSON = 2
FIRST_NAMES = (
    *("Ada", "Bruno", "Celia", "Dario", "Elena", "Farid", "Grace", "Hana", "Idris", "Joan", "Karim", "Leila"),
    *("Milan", "Nadia", "Oscar", "Paula", "Quinn", "Rafael", "Sonia", "Tomas", "Uma", "Vera", "Wade", "Yara"),
)
LAST_NAMES = (
    *("Abbott", "Brooks", "Castro", "Dunn", "Ellis", "Fuentes", "Grant", "Hayes", "Ito", "Jensen", "Kane"),
    *(
        "Lowe",
        "Mercer",
        "Novak",
        "Ortiz",
        "Perry",
        "Quist",
        "Rossi",
        "Shaw",
        "Tully",
        "Vance",
        "Walsh",
        "Young",
    ),
)
DEPARTMENTS = {"cage": "cage", "security": "security"}  # by role; everybody else is of table games


@dataclass
class PitCrew:
    """Who works in a pit: dealers who rest, the longest rested first, and the floorperson of each table, by its code.

    A floorperson has two tables of the same game at most, which the span of every edition allows.
    """

    resting: deque[Person] = field(default_factory=deque)
    floor: dict[str, Person] = field(default_factory=dict)


@dataclass(frozen=True)
class Staff:
    """Everybody of an evening. `pits`: by the pit's code."""

    pits: dict[str, PitCrew]
    cashier: Person
    second_cashier: Person
    guard: Person
    manager: Person
    next_manager: Person


def staff_of(facility: Facility, tables: Sequence[Table]) -> Staff:
    """Make the people of an evening at these new tables, and put them on duty."""
    recruits = _Recruits(facility, has_names=any(table.kind == Table.Kind.LIVE for table in tables))
    pits: dict[str, PitCrew] = {}
    for pit in dict.fromkeys(table.pit for table in tables):
        tables_of_pit = [table for table in tables if table.pit_id == pit.pk]
        posts = sum(len(game_by_code(table.game).posts) for table in tables_of_pit)
        games = {table.game for table in tables_of_pit}
        crew = PitCrew()
        for game in sorted(games):
            codes = [table.code for table in tables_of_pit if table.game == game]
            for number in range(0, len(codes), TABLES_OF_A_FLOORPERSON):
                person = recruits.hire("floorperson", pit)
                crew.floor |= dict.fromkeys(codes[number : number + TABLES_OF_A_FLOORPERSON], person)
        dealers = -(-posts * DEALERS_FOR_THREE_POSTS // 3)
        crew.resting.extend(recruits.hire("dealer", pit, games) for _ in range(dealers))
        pits[pit.code] = crew
    return Staff(
        pits,
        recruits.hire("cage"),
        recruits.hire("cage"),
        recruits.hire("security"),
        recruits.hire("pit-manager"),
        recruits.hire("shift-manager"),
    )


class _Recruits:
    """Hires people of a facility, each with the next number."""

    def __init__(self, facility: Facility, *, has_names: bool) -> None:
        self.facility, self.has_names = facility, has_names
        self.password = make_password(PIN) if has_names else "!"
        known = Person.objects.filter(facility=facility.code, code__startswith="sim-").count()
        self.numbers: Iterator[int] = itertools.count(known + 1)

    def hire(self, role: str, pit: Pit | None = None, games: Collection[str] = ()) -> Person:
        """Return a new person on duty at this pit, or at the whole facility, who is trained for these games."""
        facility, number = self.facility, next(self.numbers)
        person = Person.objects.create(
            code=f"sim-{role}-{number}-{facility.code}",
            name=self._name(role, number),
            role=role,
            department=DEPARTMENTS.get(role, "table-games"),
            facility=facility.code,
            password=self.password,
        )
        assign(person, facility, pit.code if pit else "")
        today = facility.local(clock.now()).date()
        for game in sorted(games):
            Qualification.objects.create(person=person, game=game, reference=f"TR-SIM-{number}", since=today)
        return person

    def _name(self, role: str, number: int) -> str:
        if not self.has_names:
            return f"Simulated {role.replace('-', ' ').title()} {number}"
        # 24 and 23 have no common factor, so the first 552 names differ.
        return f"{FIRST_NAMES[number % len(FIRST_NAMES)]} {LAST_NAMES[number % len(LAST_NAMES)]}"


# Chips at the tables of an evening


OPENER = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}
FILL = {"500": 150, "2500": 200, "10000": 100}
CREDIT = {"2500": 100, "10000": 100, "50000": 20}
FILL_UNDER, CREDIT_OVER = 0.6, 1.3  # of the opener
SALES_CENTS = (10_000, 20_000, 30_000, 50_000)
SALE_CHANCE = 0.3  # of a sale before a round
STEP_OF_A_TRANSFER = dt.timedelta(minutes=3)
COUNTED_AFTER = dt.timedelta(minutes=40)  # so long after a drop box was taken off
UNDER_WAY = (ChipTransfer.Status.REQUESTED, ChipTransfer.Status.PREPARING, ChipTransfer.Status.ON_THE_WAY)
Chips = dict[str, int]


@dataclass
class TableChips:
    """The chips of one table of an evening, between two rounds. `staff` brings and counts them."""

    staff: Staff
    uncounted: dict[int, dt.datetime] = field(
        default_factory=dict
    )  # drop boxes, by number: when they are counted
    next_step_at: dt.datetime | None = None  # of the fill or credit under way
    boxes: int = 0

    @classmethod
    def of(cls, table: Table, staff: Staff) -> "TableChips":
        """The chips of a table that was dealt before: its boxes, and a fill or credit under way go on."""
        boxes = DropBox.objects.filter(table=table)
        off = boxes.filter(counted_at=None).values_list("number", "taken_off_at")
        uncounted = {number: taken_off_at + COUNTED_AFTER for number, taken_off_at in off if taken_off_at}
        is_under_way = ChipTransfer.objects.filter(table=table, status__in=UNDER_WAY).exists()
        return cls(staff, uncounted, clock.now() if is_under_way else None, boxes.count())

    def begin(self, simulated: SimulatedTable) -> None:
        """Count the opener, which is the par of the table, and put on a drop box."""
        act(simulated, self.staff.manager, "set_par", {"chips": OPENER}, self.staff.cashier)
        act(simulated, simulated.dealer, "count_opener", {"chips": OPENER}, simulated.floor)
        self._put_on_box(simulated)

    def begin_another_day(self, simulated: SimulatedTable) -> None:
        """Count the opener of the next gaming day, which is what the last closer left, and put on a drop box."""
        last = TableInventory.objects.filter(table=simulated.table).latest("number")
        act(simulated, simulated.dealer, "count_opener", {"chips": last.closer_chips}, simulated.floor)
        self._put_on_box(simulated)

    def serve(self, simulated: SimulatedTable, draw: random.Random) -> None:
        """Sell chips to a player, and bring chips when the tray is low, or take some away when it is full."""
        if draw.random() < SALE_CHANCE:
            cents = draw.choice(SALES_CENTS)
            act(simulated, simulated.dealer, "sell_chips", {"cents": cents})
        self.count_boxes(simulated)
        if self.next_step_at is not None:
            if clock.now() >= self.next_step_at:
                self.advance(simulated)
            return
        tray_cents = tray_of(simulated)
        if tray_cents < FILL_UNDER * value_cents(OPENER):
            self.request(simulated, "fill", FILL)
        elif tray_cents > CREDIT_OVER * value_cents(OPENER):
            self.request(simulated, "credit", CREDIT)

    def request(self, simulated: SimulatedTable, kind: str, chips: Chips) -> None:
        act(simulated, simulated.floor, f"request_{kind}", {"chips": chips})
        self.next_step_at = clock.now() + STEP_OF_A_TRANSFER

    def advance(self, simulated: SimulatedTable) -> None:
        """Take the next step of the fill or credit under way: prepare it, carry it, receive it."""
        transfer = ChipTransfer.objects.filter(table=simulated.table).latest("number")
        cage, guard, is_fill = self.staff.cashier, self.staff.guard, transfer.kind == ChipTransfer.Kind.FILL
        at_table, at_cage = (simulated.dealer, simulated.floor), (cage, guard)
        if transfer.status not in UNDER_WAY:  # somebody else has ended it
            self.next_step_at = None
            return
        params: dict[str, Any] = {"transfer": transfer.number}
        self.next_step_at = clock.now() + STEP_OF_A_TRANSFER
        if transfer.status == ChipTransfer.Status.REQUESTED:
            act(simulated, cage, "prepare_transfer", params)
        elif transfer.status == ChipTransfer.Status.PREPARING:
            person, witness = at_cage if is_fill else at_table
            if not is_fill:
                act(simulated, simulated.dealer, "sign_to_carry", params, guard)
            act(simulated, person, "hand_over_transfer", params, witness)
        else:
            person, witness = at_table if is_fill else at_cage
            act(simulated, person, "receive_transfer", {**params, "chips": transfer.chips}, witness)
            self.next_step_at = None

    def count(self, simulated: SimulatedTable, missing_cents: int = 0) -> None:
        """Count the tray. Chips of this value are missing, so that the count differs."""
        chips = chips_of(tray_of(simulated) - missing_cents)
        act(simulated, simulated.dealer, "count_tray", {"chips": chips}, simulated.floor)

    def change_box(self, simulated: SimulatedTable) -> None:
        """Take off the drop box for the count room, and put on an empty one."""
        self._take_off_box(simulated)
        self._put_on_box(simulated)

    def count_boxes(self, simulated: SimulatedTable) -> None:
        """Enter the count room's figures of the drop boxes that have been counted by now."""
        for number in [number for number, counted_at in self.uncounted.items() if counted_at <= clock.now()]:
            del self.uncounted[number]
            box = DropBox.objects.get(table=simulated.table, number=number)
            params = {"drop_box": number, "cents": box.sold_cents}
            act(simulated, self.staff.cashier, "count_drop", params, self.staff.second_cashier)

    def end(self, simulated: SimulatedTable) -> None:
        """Bring what is under way to its end, take off the drop box and count the closer."""
        while self.next_step_at is not None:
            self.advance(simulated)
        self._take_off_box(simulated)
        chips = chips_of(tray_of(simulated))
        act(simulated, simulated.dealer, "count_closer", {"chips": chips}, simulated.floor)

    def _put_on_box(self, simulated: SimulatedTable) -> None:
        self.boxes += 1
        box = {"box": f"BOX-{simulated.table.code}-{self.boxes}"}
        act(simulated, simulated.floor, "put_on_drop_box", box, self.staff.guard)

    def _take_off_box(self, simulated: SimulatedTable) -> None:
        answer = act(simulated, simulated.floor, "take_off_drop_box", {}, self.staff.guard)
        self.uncounted[int(str(answer["drop_box"]))] = clock.now() + COUNTED_AFTER


def tray_of(simulated: SimulatedTable) -> int:
    """The exact value of the tray between two rounds, in cents."""
    cents = Table.objects.values_list("tray_cents", flat=True).get(pk=simulated.table.pk)
    assert cents is not None
    return cents


def chips_of(cents: int) -> Chips:
    """Chips of this value: as the opener where there are enough, the rest in the largest."""
    chips: Chips = {}
    for chip in sorted(DEFAULT_CHIPS_CENTS):
        count = min(OPENER[str(chip)], cents // chip)
        chips[str(chip)] = count
        cents -= count * chip
    for chip in DEFAULT_CHIPS_CENTS:
        chips[str(chip)] += cents // chip
        cents %= chip
    return {chip: count for chip, count in chips.items() if count}


def act(
    simulated: SimulatedTable,
    person: Person,
    name: str,
    params: dict[str, Any],
    witness: Person | None = None,
) -> dict[str, Any]:
    """Execute one act at a simulated table, and return its answer."""
    facility, code = simulated.table.facility.code, simulated.table.code
    return do(person, simulated.device, facility, code, name, params, witness).body
