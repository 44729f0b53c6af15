"""An evening at new simulated tables: hours of play in the past, up to now, by several games, pits and dealers.

Every act is executed as at any table, at the moment of the evening. At simulated tables only their own streams get
entries, so what the facility did meanwhile does not matter. A demo may have its evening at live tables, too: then
players are rated, limits change, and the shift is handed over, so that no page of the pit stays empty.

What happens besides rounds and chips, and what is left for the visitor, are events. Each consists of acts of the people
who would do it, between two rounds of a table.
"""

import datetime as dt
import random
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any

from django.db.models import Max

from audit import clock
from audit.devices import enroll
from audit.models import Device, Person, Stream
from audit.runner import one_transaction
from games.engine import Refusal
from games.models import Facility, RulesSubmission
from games.office.submissions.filing import NO_SUCH_SUBMISSION
from games.registry import game_by_code
from games.snapshot_types import TableKind
from games.submissions import rules_of
from tables.alerts.calls import REASONS
from tables.core.alerts import kind_of
from tables.corrections import settlements
from tables.corrections.settlements import RoundOutcome, outcome_of
from tables.demo.evening import Hands, verify_demo
from tables.demo.seeding import inspection_of, rules_at
from tables.demo.simulation import (
    CREDIT,
    FILL,
    PitCrew,
    SimulatedTable,
    Staff,
    TableChips,
    act,
    acts_of_round,
    change_dice,
    equipped_table,
    staff_of,
    table_code,
)
from tables.handover.handover import handover_draft, shift_to_hand_over
from tables.limits import pending_change
from tables.models import Alert, Pit, Round, Slip, Table, Throw
from tables.opening.opening import newest_submission
from tables.rounds.settlement import Totals
from tables.rules import NEW_RULES, record_rules_changes
from tables.runner import facility as facility_runner
from tables.staffing.roster import dealers_on_duty
from tables.ticker import watch_tables

TIME_AT_TABLE = dt.timedelta(minutes=40)
PLANNED_RELIEFS, LEAST_NOTICE = 2, dt.timedelta(minutes=3)  # of a pit
ANSWERED_AFTER = dt.timedelta(minutes=3)
UNDERPAID_CENTS, ROUNDS_SEARCHED = 500, 6
REPAIR_SECONDS = 120
MISSING_CENTS = 10_000  # from the tray whose count differs
Event = Callable[["EveningTable", random.Random], None]


@dataclass
class EveningTable:
    """A table of an evening, and who is there. `events` come in the order of their moments."""

    simulated: SimulatedTable
    pit: PitCrew
    staff: Staff
    hands: Hands
    chips: TableChips | None
    events: deque[tuple[dt.datetime, Event]] = field(default_factory=deque)
    seconds_between_rounds: tuple[float, float] = (0.0, 0.0)
    closes_at: dt.datetime | None = None
    is_open: bool = False
    relieved_at: dt.datetime | None = None
    misreads_dice: bool = False  # the next ones that are called

    @property
    def is_live(self) -> bool:
        return self.simulated.table.kind == Table.Kind.LIVE

    def open(self) -> None:
        """Put in dice, bring dealers, count the opener, inspect and open."""
        change_dice(self.simulated)
        self.relieve()
        if self.chips is not None:
            self.chips.begin(self.simulated)
        self.act(self.simulated.floor, "inspect_table", inspection_of(self.simulated.table))
        lapsed = self.simulated.rules.edition.lapses_on is not None
        self.act(self.simulated.floor, "open_table", {"acknowledge_lapsed": lapsed})
        self.is_open = True

    def relieve(self) -> None:
        """Bring the longest rested dealers of the pit to every post. Who was there rests."""
        crew = dict(self.simulated.crew)
        for post in game_by_code(self.simulated.table.game).posts:
            dealer = self.pit.resting.popleft()
            self.act(dealer, "take_over_table", {"post": post})
            if post in crew:
                self.pit.resting.append(crew[post])
            crew[post] = dealer
        self.simulated = replace(self.simulated, crew=crew, dealer=next(iter(crew.values())))
        self.relieved_at = clock.now()

    def close(self) -> None:
        """Count the closer and close. The dealers leave."""
        if self.chips is not None:
            self.chips.end(self.simulated)
        self.act(self.simulated.floor, "close_table", {"secured": True})
        for dealer in self.simulated.crew.values():
            self.act(dealer, "leave_table", {})
            self.pit.resting.append(dealer)
        self.is_open = False

    def act(
        self, person: Person, name: str, params: dict[str, Any], witness: Person | None = None
    ) -> dict[str, Any]:
        """Execute an act. The next takes place some seconds later."""
        answer = act(self.simulated, person, name, params, witness)
        self.hands.move(4)
        return answer

    def act_without_table(
        self, person: Person, name: str, params: dict[str, Any], witness: Person | None = None
    ) -> dict[str, Any]:
        """Execute an act of the facility."""
        return act_at_facility(
            self.simulated.table.facility, self.simulated.device, person, name, params, witness
        )


def act_at_facility(
    facility: Facility,
    device: Device,
    person: Person,
    name: str,
    params: dict[str, Any],
    witness: Person | None = None,
    earliest: dt.datetime | None = None,
) -> dict[str, Any]:
    """Execute one act without a table, and return its answer.

    Its stream may have an entry of a later moment, from another table or from before the evening was played: then the
    act takes that moment, never before `earliest`.
    """
    moment = _recorded_moment(facility, facility_runner.RUNNER.streams[name])
    moment = max(moment, earliest or moment)
    request = facility_runner.ActRequest(
        facility.code, "", name, uuid.uuid4(), 0, params, person, device, witness
    )
    with clock.override(lambda: moment):
        return facility_runner.execute(request).body


def _recorded_moment(facility: Facility, stream_name: str) -> dt.datetime:
    """The moment that an act on this stream takes now."""
    stream = Stream.objects.filter(name=f"{facility.code}/{stream_name}").first()
    return max(clock.now(), stream.last_at) if stream is not None and stream.last_at else clock.now()


# Events of an evening


def new_dice(table: EveningTable, draw: random.Random) -> None:
    change_dice(table.simulated)


def decided_dispute(table: EveningTable, draw: random.Random) -> None:
    """A player disputes a payment, the floor decides, and the table reads the decision."""
    open_dispute(table, draw)
    _decide(table, "as-recorded")


def answered_call(table: EveningTable, draw: random.Random) -> None:
    """The dealer calls the floor, who comes and settles it."""
    open_call(table, draw)
    reason = draw.choice([code for code in REASONS["floor"] if code != "dispute"])
    alert = _newest_alert(table)
    table.act(table.simulated.dealer, "explain_call", {"alert": alert.pk, "reason": reason})
    table.act(table.simulated.floor, "answer_alert", {"alert": alert.pk})
    table.hands.move(90)
    _decide(table, "settled")


def acknowledge_rules(table: EveningTable) -> None:
    """The floor acknowledges the rules that came into force."""
    alerts = Alert.objects.filter(table=table.simulated.table, kind=NEW_RULES.code, acknowledged_at=None)
    for alert in alerts:
        table.act(table.simulated.floor, "acknowledge_alert", {"alert": alert.pk})


def answer_alerts(table: EveningTable) -> None:
    """The floor acknowledges what has called for a while. A dispute or call is decided by its own event."""
    waiting = Alert.objects.filter(table=table.simulated.table, acknowledged_at=None)
    for pk in waiting.filter(raised_at__lte=clock.now() - ANSWERED_AFTER).values_list("pk", flat=True):
        alert = Alert.objects.get(pk=pk)
        if alert.acknowledged_at is None and not kind_of(alert.kind, alert.key).needs_note:
            table.act(table.simulated.floor, "acknowledge_alert", {"alert": pk})


def refused_seat(table: EveningTable, draw: random.Random) -> None:
    """The floor refuses a seat at which nobody plays, until it is allowed again."""
    seats = _seats(table)
    free = sorted(set(range(1, table.simulated.table.seats + 1)) - set(seats))
    if free:
        params = {"seat": draw.choice(free), "reason": "conduct"}
        table.act(table.simulated.floor, "refuse_seat", params)


def allowed_seats(table: EveningTable, draw: random.Random) -> None:
    """The floor accepts wagers at the refused seats again."""
    refused = Table.objects.values_list("refused_seats", flat=True).get(pk=table.simulated.table.pk)
    for seat in refused:
        table.act(table.simulated.floor, "allow_seat", {"seat": seat})


def rated_player(table: EveningTable, draw: random.Random) -> None:
    """A player asks to be rated at the seat where they play."""
    rated = Table.objects.values_list("rated_seats", flat=True).get(pk=table.simulated.table.pk)
    seats = [seat for seat in _seats(table) if str(seat) not in rated]
    if seats:
        name = f"Guest {draw.randrange(1_000, 10_000)}"
        floor = table.simulated.floor
        player = table.act_without_table(floor, "register_player", {"name": name})["player"]
        table.act(floor, "start_rating", {"seat": draw.choice(seats), "player": player})


def ended_rating(table: EveningTable, draw: random.Random) -> None:
    """The rated player who came first leaves."""
    rated = Table.objects.values_list("rated_seats", flat=True).get(pk=table.simulated.table.pk)
    for seat in list(rated)[:1]:
        table.act(table.simulated.floor, "end_rating", {"seat": int(seat)})


def counted_tray(table: EveningTable, draw: random.Random) -> None:
    if table.chips is not None:
        table.chips.count(table.simulated)


def changed_drop_box(table: EveningTable, draw: random.Random) -> None:
    if table.chips is not None:
        table.chips.change_box(table.simulated)


def raised_limits(table: EveningTable, draw: random.Random) -> None:
    """The floor doubles the maximum, with sign and announcement. The notice runs."""
    if pending_change(table.simulated.table) is not None:
        return
    announced_limits_missing(table, draw)
    table.act(table.simulated.floor, "post_limits_sign", {})
    table.act(table.simulated.dealer, "announce_limits", {})


def misread_dice(table: EveningTable, draw: random.Random) -> None:
    """The dealer reads the next dice wrongly, and corrects them before the first payment."""
    table.misreads_dice = True


def correct_dice(table: EveningTable) -> None:
    """The dealer corrects the dice that were called just now, with the floor."""
    throws = Throw.objects.filter(round__table=table.simulated.table, round__ended_at=None)
    first, *others = throws.exclude(dice=[]).latest("pk").dice
    params = {"dice": [1 + first % _faces(table), *others], "reason": "Read from the side"}
    table.act(table.simulated.dealer, "correct_dice", params, table.simulated.floor)


def settled_slip(table: EveningTable, draw: random.Random) -> None:
    """A slip about the last round is filed and settled at once, unless somebody reviews it first."""
    slip = file_slip(table, draw)
    if slip is not None and slip.status == Slip.Status.FILED and not slip.review_comes_first:
        amounts = [{"seat": amount["seat"], "cents": amount["cents"]} for amount in slip.due]
        params = {"slip": slip.code, "moved": amounts}
        table.act(table.simulated.dealer, "settle_slip", params, table.simulated.floor)


def file_slip(table: EveningTable, draw: random.Random) -> Slip | None:
    """A seat was paid a chip too little in one of the last rounds, which somebody sees when it is over.

    Nothing happens where those rounds paid nobody so much.
    """
    rounds = Round.objects.filter(table=table.simulated.table, phase="cleared", slips=None)
    for round_ in rounds.order_by("-number")[:ROUNDS_SEARCHED]:
        outcome = outcome_of(round_)
        paid = settlements.by_seat(outcome.lines if outcome else ())
        seats = [seat for seat in sorted(paid) if paid[seat]["paid_cents"] > UNDERPAID_CENTS]
        if outcome and seats:
            return _file_payment_slip(table, round_, outcome, draw.choice(seats), paid)
    return None


def _file_payment_slip(
    table: EveningTable, round_: Round, outcome: RoundOutcome, seat: int, paid: Mapping[int, Totals]
) -> Slip:
    handed = {
        "seat": seat,
        "paid_cents": paid[seat]["paid_cents"] - UNDERPAID_CENTS,
        "taken_cents": paid[seat]["taken_cents"],
    }
    params = {
        "round": round_.number,
        "kind": "payment",
        "corrects": outcome.paid.get(seat, outcome.version).seq,
        "payments": [handed],
        "reason": "One chip too little, as the recording shows",
    }
    table.act(table.simulated.dealer, "file_slip", params, table.simulated.floor)
    return Slip.objects.filter(round=round_).latest("pk")


def failed_device(table: EveningTable, draw: random.Random) -> None:
    """The device fails between two rounds. It is repaired and inspected, and gaming goes on."""
    table.act(table.simulated.dealer, "report_device_failure", {})
    table.act(table.simulated.floor, "acknowledge_alert", {"alert": _newest_alert(table).pk})
    table.hands.move(REPAIR_SECONDS)
    table.act(table.simulated.floor, "record_repair", {"what": "Repaired and tested"})
    table.act(table.simulated.floor, "inspect_table", inspection_of(table.simulated.table))


# What is left for the visitor


def open_dispute(table: EveningTable, draw: random.Random) -> None:
    seat = draw.choice(_seats(table) or [1])
    params = {"seat": seat, "about": "Says that the last payment was one chip short."}
    table.act(table.simulated.dealer, "report_dispute", params)


def open_call(table: EveningTable, draw: random.Random) -> None:
    table.act(table.simulated.dealer, "call_floor", {})


def differing_count(table: EveningTable, draw: random.Random) -> None:
    if table.chips is not None:
        table.chips.count(table.simulated, MISSING_CENTS)


def requested_fill(table: EveningTable, draw: random.Random) -> None:
    if table.chips is not None and table.chips.next_step_at is None:
        table.chips.request(table.simulated, "fill", FILL)


def requested_credit(table: EveningTable, draw: random.Random) -> None:
    if table.chips is not None and table.chips.next_step_at is None:
        table.chips.request(table.simulated, "credit", CREDIT)


def carried_fill(table: EveningTable, draw: random.Random) -> None:
    """A fill that has left the cage."""
    if table.chips is not None and table.chips.next_step_at is None:
        table.chips.request(table.simulated, "fill", FILL)
        table.chips.advance(table.simulated)
        table.chips.advance(table.simulated)


def unsettled_slip(table: EveningTable, draw: random.Random) -> None:
    """A slip whose money has not moved."""
    file_slip(table, draw)


def plan_reliefs(tables: Sequence[EveningTable]) -> None:
    """Plan reliefs for the tables of a pit that were relieved longest ago, at their first post."""
    dealers = dealers_on_duty(tables[0].simulated.table, clock.now())
    able = {dealer.person.pk for dealer in dealers if not dealer.obstacle}
    resting = [dealer for dealer in tables[0].pit.resting if dealer.pk in able]
    by_relief = sorted(tables, key=lambda table: table.relieved_at or clock.now())
    for table, dealer in zip(by_relief[:PLANNED_RELIEFS], resting, strict=False):
        planned_for = max((table.relieved_at or clock.now()) + TIME_AT_TABLE, clock.now() + LEAST_NOTICE)
        params = {
            "person": dealer.code,
            "table": table.simulated.table.code,
            "post": game_by_code(table.simulated.table.game).posts[0],
            "planned_for": planned_for.replace(second=0, microsecond=0).isoformat(),
        }
        table.act_without_table(table.simulated.floor, "plan_move", params)


def announced_limits_missing(table: EveningTable, draw: random.Random) -> None:
    """New limits that nobody has announced yet."""
    if pending_change(table.simulated.table) is not None:
        return
    limits = Table.objects.get(pk=table.simulated.table.pk)
    params = {"min_cents": limits.min_cents, "max_cents": 2 * limits.max_cents, "nobody_plays": False}
    table.act(table.simulated.floor, "change_limits", params)


# By the part of the tables at which they happen. Those of real play need a house with signs and a register of players.
EVENTS: tuple[tuple[float, Event], ...] = (
    (0.5, new_dice),
    (0.2, decided_dispute),
    (0.3, answered_call),
    (0.5, counted_tray),
    (1.0, changed_drop_box),
    (0.2, refused_seat),
    (0.5, misread_dice),
    (0.2, misread_dice),
)
EVENTS_OF_REAL_PLAY: tuple[tuple[float, Event], ...] = (
    (0.5, rated_player),
    (0.5, rated_player),
    (0.3, ended_rating),
    (0.2, raised_limits),
    (0.2, settled_slip),
    (0.2, failed_device),
)
LEFT: tuple[Event, ...] = (
    open_dispute,
    requested_fill,
    differing_count,
    carried_fill,
    open_call,
    requested_credit,
)
LEFT_OF_REAL_PLAY: tuple[Event, ...] = (*LEFT, unsettled_slip, raised_limits, announced_limits_missing)


def hand_over_shift(facility: Facility, device: Device, staff: Staff, tables: Sequence[EveningTable]) -> None:
    """The next manager takes over everything that is open, and both sign.

    It takes the time of the newest entry of any table, because it may only list items that exist by then. Nothing
    happens if that time is already in the next shift, or if something open arose later: the demo's own tables, beside
    which the evening is played in the past, are at the present time, and nobody took over then what came after.
    """
    recorded_at = _recorded_moment(facility, facility_runner.RUNNER.streams["sign_handover"])
    streams = Stream.objects.filter(pk__in=[table.simulated.table.stream_id for table in tables])
    recorded_at = max(filter(None, [recorded_at, streams.aggregate(newest=Max("last_at"))["newest"]]))
    if shift_to_hand_over(facility, recorded_at) != shift_to_hand_over(facility, clock.now()):
        return
    draft = handover_draft(facility, recorded_at)
    if any(item.since is not None and item.since > recorded_at for item in draft.without_owner):
        return
    items = [item.key for item in draft.without_owner]
    shift = {"shift": draft.shift.key}
    people = (staff.manager, staff.next_manager)

    def act_of_managers(name: str, params: dict[str, Any]) -> None:
        act_at_facility(facility, device, people[0], name, {**shift, **params}, people[1], recorded_at)

    if items:
        act_of_managers("accept_open_items", {"items": items})
    act_of_managers("sign_handover", {"note": ""})


def _decide(table: EveningTable, decision: str) -> None:
    alert = _newest_alert(table)
    table.act(table.simulated.floor, "decide_alert", {"alert": alert.pk, "decision": decision})
    table.act(table.simulated.dealer, "read_decision", {"alert": alert.pk})


def _newest_alert(table: EveningTable) -> Alert:
    return Alert.objects.filter(table=table.simulated.table).latest("pk")


def _seats(table: EveningTable) -> list[int]:
    """The seats at which somebody plays."""
    seats: list[int] = Table.objects.values_list("seated", flat=True).get(pk=table.simulated.table.pk)
    return seats


def _faces(table: EveningTable) -> int:
    return game_by_code(table.simulated.table.game).faces


# The evening


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
