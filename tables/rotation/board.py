"""The rotation board: each post with its dealer and who comes next, the dealers without a post, and what is planned.

Reads only. With a dealer picked, each post says whether they may be planned for it, by the checks of the act itself.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from audit.models import Person
from games.engine import Refusal
from games.engine.game import PostCode
from games.models import Facility
from games.registry import GAMES
from tables.core import posts
from tables.core.context import TableContext
from tables.core.scope import EVERYWHERE, Scope
from tables.models import Assignment, PlannedMove, Qualification, Table
from tables.rotation.checks import DealerFacts, dealer_facts, planned_time, verify_move
from tables.rotation.history import DealerHistory, dealer_history
from tables.rotation.lanes import Lane, Stay, Window, lane, past_stays, stays_at_post, with_breaks
from tables.staffing.relief import (
    PostInRelief,
    breaks_due,
    duties_of_dealers,
    posts_in_relief,
    rest_of,
    tables_in_rotation,
)
from tables.staffing.roster import FloorpersonSpan, floorperson_spans, staffed_tables
from tables.words.sentences import say

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


def _clock(facility: Facility, moment: dt.datetime) -> str:
    return f"{facility.local(moment):%H:%M}"
