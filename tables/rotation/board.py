"""The rotation board: each post with its dealer and who comes next, the dealers without a post, and what is planned.

Reads only. With a dealer picked, each post says whether they may be planned for it, by the checks of the act itself
(`tables.rotation.plans`). The file goes from what the board shows of a dealer to the board and the walls:

- A dealer's own figures: rounds an hour by game and corrections, today and in the four weeks before. Exact, from the
  rollups of the settled rounds and from the entries. A dealer is compared with their own past alone, never with others:
  tables differ in game, players and wagers.
- Lanes: where each dealer was in the last hour and will be in the next, as blocks in time. What was comes from the
  entries of the tables, and what is now from their rows. What comes is a break that is due or a planned move; both are
  dashed, because neither has happened.
- The board itself.
- The breaks that are due and the planned reliefs, which a wall announces beside limits and dice.
"""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, cast

from django.template.loader import render_to_string

from audit import clock
from audit.models import Entry, Person
from games.engine import Refusal
from games.engine.game import PostCode
from games.models import Facility
from games.registry import GAMES
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import EVERYWHERE, Scope
from tables.core.figure_sums import Sums
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.models import Assignment, HourFigures, PlannedMove, Qualification, Table
from tables.rotation.plans import DealerFacts, dealer_facts, planned_time, verify_move
from tables.staffing.dealers import DEALER_BEGAN, DEALER_LEFT, DEALER_RELIEVED, break_due
from tables.staffing.roster import (
    POSTS,
    FloorpersonSpan,
    PostInRelief,
    breaks_due,
    duties_of_dealers,
    floorperson_spans,
    posts_in_relief,
    rest_of,
    staffed_tables,
    tables_in_rotation,
)
from tables.words.sentences import moment, say

HISTORY_DAYS = 28
CORRECTIONS = (DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name)


@dataclass
class GameHistory:
    """One game that the dealer dealt: today, and in the days before.

    Summed are the settled rounds with this dealer at a post, and for how long those tables were open and staffed then.
    """

    name: str
    today: Sums = field(default_factory=Sums)
    before: Sums = field(default_factory=Sums)


@dataclass(frozen=True)
class DealerHistory:
    """A dealer against their own past. Corrections are those that they entered at live tables."""

    games: list[GameHistory]
    corrections_today: int
    corrections_before: int

    @property
    def rounds_today(self) -> int:
        return sum(game.today.rounds for game in self.games)

    @property
    def rounds_before(self) -> int:
        return sum(game.before.rounds for game in self.games)

    @property
    def rate_today(self) -> str:
        """Corrections in a thousand rounds of today, with one decimal; "" without a round."""
        return _in_a_thousand(self.corrections_today, self.rounds_today)

    @property
    def rate_before(self) -> str:
        """The same in the days before, which is what today's rate is compared with."""
        return _in_a_thousand(self.corrections_before, self.rounds_before)


def _in_a_thousand(corrections: int, rounds: int) -> str:
    tenths = round(Fraction(10_000 * corrections, rounds)) if rounds else 0
    return f"{tenths // 10:,}.{tenths % 10}" if rounds else ""


def dealer_history(
    facility: Facility, person: Person, tables: Iterable[Table], now: dt.datetime
) -> DealerHistory:
    """Return the figures of a dealer at the live ones of these tables."""
    live = {table.pk: table for table in tables if table.kind == Table.Kind.LIVE}
    today = facility.gaming_day(now)
    first = today - dt.timedelta(days=HISTORY_DAYS)
    by_game: dict[str, GameHistory] = {}
    rows = HourFigures.objects.filter(
        table__in=live, gaming_day__gte=first, gaming_day__lte=today, dealers__contains=person.code
    )
    for table, day, dealers, rounds, open_us in rows.values_list(
        "table", "gaming_day", "dealers", "rounds", "open_us"
    ):
        if person.code not in dealers.split():
            continue
        game = live[table].game
        history = by_game.setdefault(game, GameHistory(GAMES[game].name))
        days = history.today if day == today else history.before
        days.rounds += rounds
        days.open_us += open_us
    counts = _corrections(person, live.values(), first, today)
    return DealerHistory(
        [by_game[game] for game in GAMES if game in by_game],
        counts[today],
        sum(count for day, count in counts.items() if day != today),
    )


def _corrections(
    person: Person, tables: Iterable[Table], first: dt.date, today: dt.date
) -> defaultdict[dt.date, int]:
    """How many corrections the person entered at these tables, by gaming day."""
    entries = Entry.objects.filter(
        actor=person.code,
        type__in=CORRECTIONS,
        stream__in=[table.stream_id for table in tables],
        gaming_day__gte=first,
        gaming_day__lte=today,
    )
    counts: defaultdict[dt.date, int] = defaultdict(int)
    for day in entries.values_list("gaming_day", flat=True):
        counts[day] += 1
    return counts


# Lanes


MIN_TEXT_WIDTH, MIN_TEXT_WIDTH_ON_A_PHONE = 8, 17  # percent of a lane
STEP = dt.timedelta(minutes=20)
BEFORE, AFTER = 4, 4  # steps of the board before and after the moment
TONES = 3
MINUTE = dt.timedelta(minutes=1)
BlockKind = Literal["past", "now", "overdue", "break", "next", "next-break"]
LABELS = {
    "past": "{table}",
    "now": "{table}",
    "overdue": "break due",
    "break": "break",
    "next": "{table} planned",
    "next-break": "break after the relief",
}


@dataclass(frozen=True)
class Window:
    """The time that the board shows, in steps of 20 minutes."""

    begins: dt.datetime
    ends: dt.datetime
    now: dt.datetime

    @classmethod
    def around(cls, now: dt.datetime) -> "Window":
        step = now - dt.timedelta(minutes=now.minute % 20, seconds=now.second, microseconds=now.microsecond)
        return cls(step - BEFORE * STEP, step + (AFTER + 1) * STEP, now)

    def percent(self, moment: dt.datetime) -> float:
        """Where a moment is, in percent of the width; within it."""
        inside = min(max(moment, self.begins), self.ends)
        return round(100 * ((inside - self.begins) / (self.ends - self.begins)), 2)

    def ticks(self, facility: Facility) -> list[tuple[float, str]]:
        """The lines of the time, with the clock of the facility."""
        moments = [self.begins + step * STEP for step in range(BEFORE + AFTER + 1)]
        return [(self.percent(moment), f"{facility.local(moment):%H:%M}") for moment in moments]


@dataclass(frozen=True)
class Stay:
    """A time that a dealer spent, spends or will spend somewhere. `table` and `game` are "" on a break."""

    kind: BlockKind
    begins: dt.datetime
    ends: dt.datetime
    table: str = ""
    game: str = ""
    note: str = ""


@dataclass(frozen=True)
class Block:
    """A stay as it is drawn, in percent of the width."""

    kind: BlockKind
    x: float
    width: float
    table: str
    game: str
    text: str
    tone: int  # the color of its game

    @property
    def has_room(self) -> bool:
        """Whether the block is wide enough for its text on a podium."""
        return self.width >= MIN_TEXT_WIDTH

    @property
    def has_room_on_a_phone(self) -> bool:
        return self.width >= MIN_TEXT_WIDTH_ON_A_PHONE


@dataclass(frozen=True)
class Lane:
    """The blocks of a dealer, and the same in words."""

    blocks: list[Block]
    words: str


def lane(stays: Sequence[Stay], window: Window, facility: Facility) -> Lane:
    """Draw the stays of a dealer that the board shows."""
    within = [stay for stay in stays if stay.ends > window.begins and stay.begins < window.ends]
    blocks = []
    for stay in within:
        x, end = window.percent(stay.begins), window.percent(stay.ends)
        blocks.append(
            Block(
                stay.kind, x, round(max(end - x, 0.4), 2), stay.table, stay.game, stay.note, _tone(stay.game)
            )
        )
    words = ", ".join(
        f"{LABELS[stay.kind].format(table=stay.table)} {_clock(facility, max(stay.begins, window.begins))} to "
        f"{_clock(facility, min(stay.ends, window.ends))}"
        for stay in within
    )
    return Lane(blocks, words or "at no table in this time")


def past_stays(facility: Facility, tables: Iterable[Table], window: Window) -> dict[str, list[Stay]]:
    """Where dealers were until now, by the code of the person: the posts that ended within the window."""
    by_stream = {table.stream_id: table for table in tables}
    entries = Entry.objects.filter(
        type__in=(DEALER_BEGAN.name, DEALER_RELIEVED.name, DEALER_LEFT.name),
        at__gte=window.begins,
        stream__in=by_stream,
    )
    stays: dict[str, list[Stay]] = defaultdict(list)
    began: dict[tuple[int, str], dt.datetime] = {}
    for stream, at, body in entries.order_by("at", "pk").values_list("stream", "at", "body"):
        table = by_stream[stream]
        for person, arrives in _changes(_data(body)):
            if arrives:
                began[table.pk, person] = at
                continue
            begins = began.pop((table.pk, person), window.begins)
            stays[person].append(Stay("past", begins, at, table.code, table.game))
    return stays


def _data(body: bytes | memoryview) -> dict[str, Any]:
    try:
        data = json.loads(bytes(body))["data"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _changes(data: dict[str, Any]) -> Iterable[tuple[str, bool]]:
    """Who leaves a post by an entry, and then who arrives. Somebody who changes the post does both."""
    dealer, relieved = data.get("dealer"), data.get("relieves")
    if not isinstance(dealer, str):
        return
    if "takes_shaker" not in data:
        yield dealer, False
        return
    if isinstance(relieved, str):
        yield relieved, False
    if data.get("leaves_post"):
        yield dealer, False
    yield dealer, True
    if data.get("follows"):
        yield data["follows"], True


def stays_at_post(table: Table, post: PostCode, relief: PlannedMove | None, window: Window) -> list[Stay]:
    """The stay of the person at a post, until they are relieved by plan or their break is due, and the break then."""
    since = getattr(table, f"{posts.FIELDS[post]}_since") or window.begins
    now, where = window.now, (table.code, table.game)
    if table.status == Table.Status.CLOSED:
        return [Stay("past", since, table.closed_at or now, *where)]
    due = break_due(table.facility, getattr(table, f"{posts.FIELDS[post]}_works_since"))
    leaves = (
        max(relief.planned_for, now + MINUTE) if relief else max(due, now + MINUTE) if due else window.ends
    )
    stays = [Stay("now", since, leaves, *where)]
    if due is not None and due < now:
        stays.append(Stay("overdue", max(due, since), leaves))
    if relief is not None or due is not None:
        break_time = dt.timedelta(minutes=table.facility.break_minutes or 0) or STEP
        minutes = int(break_time.total_seconds() // 60)
        stays.append(Stay("next-break", leaves, leaves + break_time, note=str(minutes)))
    return stays


def with_breaks(stays: Iterable[Stay], free_since: dt.datetime, window: Window) -> list[Stay]:
    """Add the breaks between the stays of a dealer, until now or the next stay.

    `free_since`: the beginning of the duty or of the last rest. A break that began before the board does, and after
    stays that it does not show, has no minutes.
    """
    filled: list[Stay] = []
    cursor, is_exact = free_since, True
    ordered = sorted(stays, key=lambda stay: stay.begins)
    if any(stay.begins < window.now for stay in ordered):
        cursor, is_exact = max(free_since, window.begins), free_since >= window.begins
    for stay in ordered:
        if stay.begins - cursor >= MINUTE:
            filled.append(_break(cursor, stay.begins, window.now, is_exact))
        filled.append(stay)
        cursor, is_exact = max(cursor, stay.ends), True
    if window.now - cursor >= MINUTE:
        filled.append(_break(cursor, window.now, window.now, is_exact))
    return filled


def _break(begins: dt.datetime, ends: dt.datetime, now: dt.datetime, is_exact: bool) -> Stay:
    minutes = int((min(ends, now) - begins).total_seconds() // 60)
    return Stay("break", begins, ends, note=str(minutes) if is_exact and minutes > 0 else "")


def _tone(game: str) -> int:
    return list(GAMES).index(game) % TONES if game in GAMES else 0


def _clock(facility: Facility, moment: dt.datetime) -> str:
    return f"{facility.local(moment):%H:%M}"


# The board


# Minutes from now at which a move can be planned, in addition to the break that is due
TIMES = (0, 10, 20, 40, 60, 80)


@dataclass(frozen=True)
class Mark:
    """A game, and whether a dealer is trained for it today."""

    game: str
    name: str
    has: bool


@dataclass(frozen=True)
class MoveOnBoard:
    """A planned move in words. `relieves`: who is at the post now, "" for nobody."""

    number: int
    person: str
    table: str
    post: str
    time: str
    relieves: str
    by: str
    planned: str
    is_late: bool


@dataclass(frozen=True)
class Target:
    """A post for the picked dealer: the time that a move there would have, or why it cannot be planned.

    `planned_for` is the chosen moment; "" for the time that the act computes.
    """

    planned_for: str
    time: str
    refusal: str
    section: str

    @property
    def is_open(self) -> bool:
        return not self.refusal


@dataclass(frozen=True)
class BoardRow:
    """A post with its person, or a dealer without a post (`table` is "" then)."""

    code: str
    name: str
    marks: list[Mark]
    note: str
    is_overdue: bool
    lane: Lane
    table: str = ""
    game: str = ""
    post: PostCode | str = ""
    post_label: str = ""
    relief: MoveOnBoard | None = None
    own_move: MoveOnBoard | None = None
    is_picked: bool = False
    target: Target | None = None


@dataclass(frozen=True)
class BoardSection:
    """The posts of a floorperson's tables, or the dealers without a post."""

    title: str
    note: str
    span: str
    warnings: list[str]
    rows: list[BoardRow]


@dataclass(frozen=True)
class ProposedMove:
    """The move that the board proposes: for the break that is due first, who has rested longest and may take it."""

    person: str
    table: str
    post: str
    text: str


@dataclass(frozen=True)
class TimeChoice:
    """A time at which a picked dealer may be planned: its value as the address has it, and in words."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class Board:
    """Everything that the page shows."""

    sections: list[BoardSection]
    moves: list[MoveOnBoard]
    ticks: list[tuple[float, str]]
    now_percent: float
    now: str
    picked: Person | None
    history: DealerHistory | None
    times: list[TimeChoice]
    next_step: ProposedMove | None
    house_rule: str
    due_count: int


@dataclass
class _Facts:
    """What the board reads, once."""

    facility: Facility
    window: Window
    tables: list[Table]
    duties: dict[int, list[Assignment]]
    trained: dict[int, set[str]]
    moves: list[PlannedMove]
    past: dict[str, list[Stay]]
    by_post: dict[tuple[int, str], PlannedMove] = field(default_factory=dict)
    by_person: dict[int, PlannedMove] = field(default_factory=dict)
    holders: dict[tuple[int, str], Person | None] = field(default_factory=dict)


def board(
    facility: Facility,
    now: dt.datetime,
    picked: str = "",
    in_minutes: int | None = None,
    *,
    scope: Scope = EVERYWHERE,
) -> Board:
    """Return the board of a facility. `picked`: the code of a dealer; `in_minutes`: when they are to be planned.

    `scope`: where the next move is proposed and breaks are counted.
    """
    facts = _read(facility, now)
    person = next((duty[0].person for duty in facts.duties.values() if duty[0].person.code == picked), None)
    targets = _targets(facts, person, in_minutes) if person else {}
    relieved = {table.pk: posts_in_relief(table, now) for table in facts.tables}
    sections = [*_table_sections(facts, relieved, person, targets), _free_section(facts, person)]
    moves = [_on_board(facts, move) for move in facts.moves]
    own = scope.of(facts.tables)
    return Board(
        [section for section in sections if section.rows],
        moves,
        facts.window.ticks(facility),
        facts.window.percent(now),
        f"{facility.local(now):%H:%M}",
        person,
        dealer_history(facility, person, facts.tables, now) if person else None,
        _time_choices(facility, now, in_minutes) if person else [],
        None if person else _next_step(facts, {table.pk: relieved[table.pk] for table in own}),
        _house_rule(facility),
        len(breaks_due({table.code: relieved[table.pk] for table in own})),
    )


def _read(facility: Facility, now: dt.datetime) -> _Facts:
    tables = list(
        tables_in_rotation(facility.code).select_related(
            "facility", "stream", "pit", "floorperson", "dealer", "dealer_left", "stickperson"
        )
    )
    moves = PlannedMove.objects.open_moves(facility).select_related("person", "table", "planned_by")
    window, trained = Window.around(now), defaultdict[int, set[str]](set)
    in_effect = Qualification.objects.in_effect(facility.local(now).date())
    duties = duties_of_dealers(facility, now)
    for person_id, game in in_effect.filter(person__in=duties).values_list("person", "game"):
        trained[person_id].add(game)
    facts = _Facts(
        facility, window, tables, duties, trained, list(moves), past_stays(facility, tables, window)
    )
    facts.by_post = {(move.table_id, move.post): move for move in facts.moves}
    facts.by_person = {move.person_id: move for move in facts.moves}
    facts.holders = {
        (table.pk, post): posts.holder(table, post) for table in tables for post in posts.posts_of(table)
    }
    return facts


def _targets(facts: _Facts, person: Person, in_minutes: int | None) -> dict[tuple[int, str], Target]:
    """What each post says about the picked dealer."""
    checked = dealer_facts(facts.facility, person, facts.duties[person.pk])
    now = facts.window.now
    chosen_time = None if in_minutes is None else _after(now, in_minutes)
    return {
        (table.pk, post): _target(checked, table, post, chosen_time, now)
        for table in facts.tables
        for post in posts.posts_of(table)
    }


def _target(
    checked: DealerFacts, table: Table, post: PostCode, chosen_time: dt.datetime | None, now: dt.datetime
) -> Target:
    refusal, section, planned_for = "", "", chosen_time or planned_time(table, post, now)
    try:
        verify_move(checked, TableContext(table, None, None, None, now), post, planned_for)
    except Refusal as refused:
        refusal, section = say(refused), refused.section
    time = "now" if planned_for <= now else f"at {_clock(table.facility, planned_for)}"
    return Target(chosen_time.isoformat() if chosen_time else "", time, refusal, section)


def _table_sections(
    facts: _Facts,
    relieved: dict[int, list[PostInRelief]],
    person: Person | None,
    targets: dict[tuple[int, str], Target],
) -> Iterable[BoardSection]:
    """Open tables by their floorperson, those without one first; then closed tables."""
    spans = {span.person.pk: span for span in _spans(facts)}
    by_floorperson: dict[int | None, list[Table]] = defaultdict(list)
    closed = []
    for table in facts.tables:
        if table.status == Table.Status.CLOSED:
            closed.append(table)
        else:
            by_floorperson[table.floorperson_id].append(table)
    for floorperson, tables in sorted(
        by_floorperson.items(), key=lambda pair: (pair[0] is not None, pair[1][0].code)
    ):
        rows = [
            _post_row(facts, table, post, person, targets) for table in tables for post in relieved[table.pk]
        ]
        span = spans.get(floorperson) if floorperson else None
        supervisor = tables[0].floorperson
        yield BoardSection(
            supervisor.short_name if supervisor else "Nobody supervises",
            ", ".join(table.code for table in tables),
            _span_words(span),
            [*_breach_words(span), *_warnings(facts, tables)],
            rows,
        )
    rows = [
        _post_row(facts, table, post, person, targets)
        for table in closed
        if person is not None or any((table.pk, post) in facts.by_post for post in posts.posts_of(table))
        for post in relieved[table.pk]
    ]
    yield BoardSection("Closed tables", "they open by their own inspection", "", [], rows)


def _spans(facts: _Facts) -> list[FloorpersonSpan]:
    return floorperson_spans(
        facts.facility, staffed_tables(facts.facility, facts.window.now), facts.window.now
    )


def _span_words(span: FloorpersonSpan | None) -> str:
    """`3 of 4 tables`."""
    if span is None:
        return ""
    most = f" of {span.max_tables}" if span.max_tables else ""
    return f"{span.count}{most} table{'' if (span.max_tables or span.count) == 1 else 's'}"


def _breach_words(span: FloorpersonSpan | None) -> list[str]:
    return [say(breach) for breach in span.breaches] if span else []


def _warnings(facts: _Facts, tables: Iterable[Table]) -> list[str]:
    """Posts that a planned move leaves empty, because nobody is planned for them by then."""
    warnings = []
    for table in tables:
        for post in posts.posts_of(table):
            holder = facts.holders[table.pk, post]
            leaves = facts.by_person.get(holder.pk) if holder else None
            comes = facts.by_post.get((table.pk, post))
            if (
                leaves
                and leaves.table_id != table.pk
                and not (comes and comes.planned_for <= leaves.planned_for)
            ):
                warnings.append(f"{_clock(facts.facility, leaves.planned_for)} {table.code} has nobody")
    return warnings


def _post_row(
    facts: _Facts,
    table: Table,
    post: PostInRelief,
    picked: Person | None,
    targets: dict[tuple[int, str], Target],
) -> BoardRow:
    person, relief = post.person, facts.by_post.get((table.pk, post.post))
    stays: list[Stay] = []
    if person is not None:
        own = facts.by_person.get(person.pk)
        stays = [*facts.past.get(person.code, []), *stays_at_post(table, post.post, relief, facts.window)]
        stays = with_breaks(_with_move(facts, stays, own), _duty_began(facts, person), facts.window)
    elif relief is not None:
        stays = _with_move(facts, [], relief)
    several = len(posts.posts_of(table)) > 1
    return BoardRow(
        code=person.code if person else "",
        name=person.short_name if person else "Nobody",
        marks=_marks(facts, person) if person else [],
        note=_post_note(facts.facility, table, post),
        is_overdue=post.is_overdue,
        lane=lane(stays, facts.window, facts.facility),
        table=table.code,
        game=table.game,
        post=post.post,
        post_label=post.label.lower() if several else "",
        relief=_on_board(facts, relief) if relief else None,
        own_move=_own_move(facts, person),
        is_picked=picked is not None and person is not None and picked.pk == person.pk,
        target=targets.get((table.pk, post.post)),
    )


def _post_note(facility: Facility, table: Table, post: PostInRelief) -> str:
    """`since 20:22, break due 21:42`."""
    if table.status == Table.Status.CLOSED:
        return "closed"
    if post.person is None:
        return "post is empty"
    words = f"since {_clock(facility, post.since)}" if post.since else "time at the table not recorded"
    if post.break_due is None:
        return words
    return f"{words}, break {'was due' if post.is_due else 'due'} {_clock(facility, post.break_due)}"


def _free_section(facts: _Facts, picked: Person | None) -> BoardSection:
    """The dealers on duty who are at no post of an open table, the longest rested first."""
    at_work = {
        holder.pk
        for table in facts.tables
        if table.status != Table.Status.CLOSED
        for post in posts.posts_of(table)
        if (holder := facts.holders[table.pk, post]) is not None
    }
    rows = []
    for person_id, duties in facts.duties.items():
        if person_id in at_work:
            continue
        person = duties[0].person
        rests_since, note = rest_of(facts.facility, duties, facts.window.now)
        stays = _with_move(facts, facts.past.get(person.code, []), facts.by_person.get(person_id))
        row = BoardRow(
            code=person.code,
            name=person.short_name,
            marks=_marks(facts, person),
            note=note,
            is_overdue=False,
            lane=lane(with_breaks(stays, rests_since, facts.window), facts.window, facts.facility),
            own_move=_own_move(facts, person),
            is_picked=picked is not None and picked.pk == person_id,
        )
        rows.append((rests_since, person.name, row))
    rows.sort(key=lambda row: row[:2])
    return BoardSection("Free", "longest rested first", "", [], [row for _since, _name, row in rows])


def _with_move(facts: _Facts, stays: Sequence[Stay], move: PlannedMove | None) -> list[Stay]:
    """Add the planned stay of a dealer. What they do now ends by then."""
    if move is None:
        return list(stays)
    begins = max(move.planned_for, facts.window.now)
    minutes = facts.facility.work_minutes
    ends = begins + dt.timedelta(minutes=minutes) if minutes else facts.window.ends
    holder = facts.holders.get((move.table_id, move.post))
    note = f"for {holder.short_name}" if holder and holder.pk != move.person_id else ""
    earlier = [stay for stay in stays if stay.begins < begins]
    return [*earlier, Stay("next", begins, max(ends, begins), move.table.code, move.table.game, note)]


def _duty_began(facts: _Facts, person: Person) -> dt.datetime:
    """When the duty of a person began; now for somebody who is not on duty."""
    return min((duty.started_at for duty in facts.duties.get(person.pk, ())), default=facts.window.now)


def _marks(facts: _Facts, person: Person) -> list[Mark]:
    games = sorted({table.game for table in facts.tables}, key=list(GAMES).index)
    return [Mark(game, GAMES[game].name, game in facts.trained[person.pk]) for game in games]


def _own_move(facts: _Facts, person: Person | None) -> MoveOnBoard | None:
    move = facts.by_person.get(person.pk) if person else None
    return _on_board(facts, move) if move else None


def _on_board(facts: _Facts, move: PlannedMove) -> MoveOnBoard:
    holder = facts.holders.get((move.table_id, move.post))
    return MoveOnBoard(
        number=move.number,
        person=move.person.short_name,
        table=move.table.code,
        post=move.post,
        time=_clock(facts.facility, move.planned_for),
        relieves=holder.short_name if holder else "",
        by=move.planned_by.short_name,
        planned=_clock(facts.facility, move.planned_at),
        is_late=move.planned_for < facts.window.now - dt.timedelta(minutes=1),
    )


def _next_step(facts: _Facts, relieved: dict[int, list[PostInRelief]]) -> ProposedMove | None:
    """The relief for the break that is due first at these tables, if somebody free may be planned for it."""
    due = [
        (post.break_due, table.code, table, post)
        for table in facts.tables
        for post in relieved.get(table.pk, ())
        if post.break_due
        and post.break_due < facts.window.ends
        and (table.pk, post.post) not in facts.by_post
    ]
    due.sort(key=lambda row: row[:2])
    free = [row.code for row in _free_section(facts, None).rows]
    people = {duty[0].person.code: duty[0].person for duty in facts.duties.values()}
    checked = {
        code: dealer_facts(facts.facility, people[code], facts.duties[people[code].pk]) for code in free[:8]
    }
    for _due, _code, table, post in due[:3]:
        for code, dealer in checked.items():
            if _target(dealer, table, post.post, None, facts.window.now).is_open:
                relieves = f", {post.person.short_name} to break" if post.person else ""
                text = f"{people[code].short_name} to {table.code}{relieves}"
                return ProposedMove(code, table.code, post.post, text)
    return None


def _time_choices(facility: Facility, now: dt.datetime, in_minutes: int | None) -> list[TimeChoice]:
    at_the_break = TimeChoice("", "when the break is due", in_minutes is None)
    return [
        at_the_break,
        *(
            TimeChoice(str(minutes), f"{_clock(facility, _after(now, minutes))}", in_minutes == minutes)
            for minutes in TIMES
        ),
    ]


def _after(now: dt.datetime, minutes: int) -> dt.datetime:
    return (now + dt.timedelta(minutes=minutes)).replace(second=0, microsecond=0)


def _house_rule(facility: Facility) -> str:
    if not facility.work_minutes:
        return ""
    break_words = f", then {facility.break_minutes} off" if facility.break_minutes else ""
    return f"House rule: at most {facility.work_minutes} min at tables{break_words}."


# What walls announce


TEMPLATE = "tables/parts/wall_reliefs.html"
MOST_RELIEFS = 12  # the wall has room for three events, of reliefs and others


@dataclass(frozen=True)
class WallRelief:
    """A planned relief: its table, when it is due (a moment in UTC), and what happens in words."""

    table: str
    due_at: str
    text: str


def wall_reliefs(facility: str) -> list[WallRelief]:
    """Return the breaks that are due, on one line, and the open planned moves of a facility (its code) by time."""
    moves = (
        PlannedMove.objects.open_moves()
        .filter(table__in=tables_in_rotation(facility))
        .select_related("person", "table__dealer", "table__dealer_left", "table__stickperson")
    )
    return [*_breaks_due(facility), *(_wall_relief(move) for move in moves[:MOST_RELIEFS])]


def _breaks_due(facility: str) -> list[WallRelief]:
    """Return one line for the breaks that are due now, counted as the rotation board counts them."""
    tables = tables_in_rotation(facility).select_related("facility", "dealer", "dealer_left", "stickperson")
    now = clock.now()
    due = breaks_due({table.code: posts_in_relief(table, now) for table in tables})
    if not due:
        return []
    tables_due = sorted({code for code, _post in due})
    where = tables_due[0] if len(tables_due) == 1 else "Pits"
    text = "A break is due" if len(due) == 1 else f"{len(due)} breaks are due"
    return [WallRelief(where, moment(min(post.break_due for _code, post in due if post.break_due)), text)]


def wall_reliefs_html(facility: str) -> str:
    """Return these reliefs as the list items that a wall shows, the same for its page and its socket."""
    return render_to_string(TEMPLATE, {"reliefs": wall_reliefs(facility)}).strip()


def _wall_relief(move: PlannedMove) -> WallRelief:
    post = cast(PostCode, move.post)
    holder = posts.holder(move.table, post)
    text = f"{move.person.short_name} {f'relieves {holder.short_name}' if holder else 'takes the post'}"
    if len(posts.posts_of(move.table)) > 1:
        text = f"{text}, {POSTS[post].lower()}"
    return WallRelief(move.table.code, moment(move.planned_for), text)
