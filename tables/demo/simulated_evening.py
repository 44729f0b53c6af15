"""An evening at new simulated tables: hours of play in the past, up to now, by several games, pits and dealers.

Every act is executed as at any table, at the moment of the evening. At simulated tables only their own streams get
entries, so what the facility did meanwhile does not matter. A demo may have its evening at live tables, too: then
players are rated, limits change, and the shift is handed over, so that no page of the pit stays empty.
"""

import datetime as dt
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from audit import clock
from audit.devices import enroll
from audit.models import Device
from audit.runner import one_transaction
from games.engine import Refusal
from games.models import Facility, RulesSubmission
from games.office.submissions.filing import NO_SUCH_SUBMISSION
from games.snapshot_types import TableKind
from games.submissions import rules_of
from tables.demo.evening import Hands, verify_demo
from tables.demo.seeding import rules_at
from tables.demo.simulated_crew import Staff, staff_of
from tables.demo.simulated_events import (
    EVENTS,
    EVENTS_OF_REAL_PLAY,
    LEFT,
    LEFT_OF_REAL_PLAY,
    TIME_AT_TABLE,
    EveningTable,
    Event,
    acknowledge_rules,
    allowed_seats,
    answer_alerts,
    correct_dice,
    hand_over_shift,
    plan_reliefs,
    refused_seat,
)
from tables.demo.simulated_money import TableChips
from tables.demo.simulation import SimulatedTable, acts_of_round, equipped_table, table_code
from tables.models import Pit, Table
from tables.opening.new_tables import newest_submission
from tables.rules import record_rules_changes
from tables.ticker import watch_tables

TABLES_OF_A_PIT = 8
LEAST_PITS = 3
MIN_CENTS = (500, 500, 1_000, 2_500)
MOST_OPENING_DELAY = dt.timedelta(minutes=40)
# Before the end of a shift. What another table records ahead of its turn is still of the same shift then.
HANDED_OVER_BEFORE = dt.timedelta(minutes=15)
LAST_ROUND_BEFORE = dt.timedelta(minutes=4)
WATCHED_EVERY = dt.timedelta(minutes=1)  # live tables, by the rules of the alerts
SEAT_REFUSED_FOR = dt.timedelta(minutes=30)
CLOSED_EARLY = 0.1  # of the tables, in the last hour
SECONDS_OF_AN_ACT = (1.5, 4.0)
SECONDS_BETWEEN_ROUNDS = (15.0, 60.0)
PACES = (0.8, 1.4)  # of a table: the longer, the slower


@dataclass(frozen=True)
class Evening:
    """What is played: `hours` up to now at `tables` new tables, under these rules submissions in turn.

    `is_live`: at live tables, which only a demo lets a program deal.
    """

    facility: Facility
    submissions: Sequence[str]
    tables: int
    hours: int
    seed: int
    is_live: bool = False


def play_evening(
    evening: Evening, after_round: Callable[[dt.timedelta], None] = lambda played: None
) -> tuple[list[Table], int]:
    """Play an evening. Return its tables and the number of rounds. Calls `after_round` with how much of it is played.

    The rounds of all tables are played in the order of their moments; what happens before one, and the round itself,
    are one transaction each. Raises `no-such-submission`, or `evening-outside-demo` for live tables.
    """
    if evening.is_live:
        verify_demo()
    for code in evening.submissions:
        if not RulesSubmission.objects.filter(facility=evening.facility, code=code).exists():
            raise Refusal(NO_SUCH_SUBMISSION, code=code, version=1)
    end, draw, rounds = clock.now(), random.Random(evening.seed), 0
    begin = end - dt.timedelta(hours=evening.hours)
    hands = Hands(begin)
    device, _ = enroll(f"Simulation {Device.objects.count() + 1}", evening.facility.code, "podium")
    with clock.override(hands.now):
        with one_transaction():
            tables, staff = _new_tables(evening, device, hands, draw, end)
        handover_at = evening.facility.shift_of(begin).ends - HANDED_OVER_BEFORE if evening.is_live else None
        rules_change_at = _rules_changes(evening, begin, end)
        watched = [table.simulated.table.pk for table in tables] if evening.is_live else []
        watched_at = begin
        delay = min(MOST_OPENING_DELAY, (end - begin) / 2)
        waiting = sorted((begin + draw.random() * delay, number) for number in range(len(tables)))
        while waiting and waiting[0][0] < end - LAST_ROUND_BEFORE:
            hands.moment, number = heappop(waiting)
            if handover_at is not None and begin <= handover_at <= hands.moment:
                hand_over_shift(evening.facility, device, staff, tables)
                handover_at = None
            if watched and watched_at <= hands.moment:
                watch_tables(watched)
                watched_at = hands.moment + WATCHED_EVERY
            with one_transaction():
                is_dealt = _do_what_is_due(tables[number], draw)
            # What is due takes time, in which newer rules may come into force.
            while rules_change_at and rules_change_at[0] <= hands.moment:
                rules_change_at.popleft()
                record_rules_changes()
            if is_dealt:
                with one_transaction():
                    _play_once(tables[number], draw)
                rounds += 1
            if tables[number].is_open:
                heappush(waiting, (hands.moment, number))
            after_round(hands.moment - begin)
        with one_transaction():
            _leave_work(evening, [table for table in tables if table.is_open], end, draw)
    return [table.simulated.table for table in tables], rounds


def _rules_changes(evening: Evening, begin: dt.datetime, end: dt.datetime) -> deque[dt.datetime]:
    """When newer rules come into force while live tables are dealt: there the floor acknowledges them."""
    submissions = RulesSubmission.objects.filter(facility=evening.facility, code__in=evening.submissions)
    changes = submissions.filter(status="approved", in_force_from__range=(begin, end))
    moments = changes.order_by("in_force_from").values_list("in_force_from", flat=True)
    return deque(moment for moment in moments if moment is not None and evening.is_live)


def _do_what_is_due(table: EveningTable, draw: random.Random) -> bool:
    """Open or close a table at its time; otherwise do what is due there. Return whether a round follows."""
    if not table.is_open:
        table.open()
    if table.closes_at is not None and table.closes_at <= clock.now():
        table.close()
        return False
    if table.relieved_at is not None and table.relieved_at + TIME_AT_TABLE <= clock.now():
        table.relieve()
    if table.is_live:
        answer_alerts(table)
    while table.events and table.events[0][0] <= clock.now():
        _, event = table.events.popleft()
        event(table, draw)
    if table.chips is not None:
        table.chips.serve(table.simulated, draw)
    return True


def _play_once(table: EveningTable, draw: random.Random) -> None:
    """Acknowledge the rules that came into force, and play a round."""
    if table.is_live:
        acknowledge_rules(table)
    for name in acts_of_round(table.simulated, draw):
        table.hands.move(draw.uniform(*SECONDS_OF_AN_ACT))
        if name == "call_dice" and table.misreads_dice:
            table.misreads_dice = False
            correct_dice(table)
    table.hands.move(draw.uniform(*table.seconds_between_rounds))


def _leave_work(
    evening: Evening, tables: Sequence[EveningTable], end: dt.datetime, draw: random.Random
) -> None:
    """Leave something at some of the open tables, each time at another one, in the last minutes.

    At live tables the reliefs of the next minutes are planned.
    """
    left = LEFT_OF_REAL_PLAY if evening.is_live else LEFT
    for number, event in zip(range(len(left)), left, strict=True):
        place = number * max(1, len(tables) // len(left))
        if place < len(tables):
            tables[place].hands.moment = end - LAST_ROUND_BEFORE / 2
            event(tables[place], draw)
    if evening.is_live:
        for pit in dict.fromkeys(table.simulated.table.pit for table in tables):
            plan_reliefs([table for table in tables if table.simulated.table.pit == pit])


def _new_tables(
    evening: Evening, device: Device, hands: Hands, draw: random.Random, end: dt.datetime
) -> tuple[list[EveningTable], Staff]:
    """Make the tables, those of one submission side by side, and the people who work there."""
    pits = _pits(evening)
    made: list[Table] = []
    for number in range(evening.tables):
        submission = evening.submissions[number * len(evening.submissions) // evening.tables]
        pit = pits[number * len(pits) // evening.tables]
        kind: TableKind = "live" if evening.is_live else "simulated"
        is_limited = rules_of(newest_submission(evening.facility, submission)).payout_limit_cents is not None
        # A payout limit covers the wagers at the lowest minimum only.
        min_cents = MIN_CENTS[0 if is_limited or not evening.is_live else number % len(MIN_CENTS)]
        code = _free_code(evening, submission)
        made.append(equipped_table(evening.facility, pit, code, submission, kind, min_cents))
    staff = staff_of(evening.facility, made)
    return [_evening_table(evening, table, staff, device, hands, draw, end) for table in made], staff


def _pits(evening: Evening) -> list[Pit]:
    count = max(LEAST_PITS, -(-evening.tables // TABLES_OF_A_PIT))
    first = Pit.objects.filter(facility=evening.facility).count() + 1
    if evening.is_live:
        names = [(f"p{number}", f"Pit {number}") for number in range(first, first + count)]
    else:
        names = [(f"sim-{number}", f"Simulated {number}") for number in range(1, count + 1)]
    return [
        Pit.objects.get_or_create(facility=evening.facility, code=code, defaults={"name": name})[0]
        for code, name in names
    ]


def _free_code(evening: Evening, submission: str) -> str:
    tables = Table.objects.filter(facility=evening.facility)
    if not evening.is_live:
        return table_code(submission, tables.filter(kind=Table.Kind.SIMULATED).count() + 1)
    number = 101
    while tables.filter(code=f"T-{number}").exists():
        number += 1
    return f"T-{number}"


def _evening_table(
    evening: Evening,
    table: Table,
    staff: Staff,
    device: Device,
    hands: Hands,
    draw: random.Random,
    end: dt.datetime,
) -> EveningTable:
    """Draw how many players a table has, how fast it is, and what happens there."""
    pit, pace = staff.pits[table.pit.code], draw.uniform(*PACES)
    simulated = SimulatedTable(
        table,
        pit.resting[0],
        pit.floor[table.code],
        device,
        rules_at(table),
        most_players=draw.randint((table.seats + 1) // 2, table.seats),
    )
    last_hour = end - dt.timedelta(hours=min(1, evening.hours / 2))
    closes = draw.random() < CLOSED_EARLY
    low, high = SECONDS_BETWEEN_ROUNDS
    return EveningTable(
        simulated,
        pit,
        staff,
        hands,
        TableChips(staff) if evening.facility.keeps_inventory else None,
        _events(evening, hands.moment, end, draw),
        (low * pace, high * pace),
        last_hour + draw.random() * (end - last_hour) if closes else None,
    )


def _events(
    evening: Evening, begin: dt.datetime, end: dt.datetime, draw: random.Random
) -> deque[tuple[dt.datetime, Event]]:
    """Draw what happens at a table, between the first and the last quarter of the evening."""
    events: list[tuple[dt.datetime, Event]] = []
    for chance, event in (*EVENTS, *(EVENTS_OF_REAL_PLAY if evening.is_live else ())):
        if draw.random() < chance:
            moment = begin + (0.25 + draw.random() / 2) * (end - begin)
            events.append((moment, event))
            if event is refused_seat:
                events.append((moment + SEAT_REFUSED_FOR, allowed_seats))
    return deque(sorted(events, key=lambda planned: planned[0]))
