"""Relief at a table: how long its dealers have worked, and which dealers on duty may come next.

Who is planned for the table comes first, then dealers by rest alone, the longest rested first.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from audit.models import Person
from games.engine.game import PostCode
from games.models import Facility
from games.registry import game_by_code
from tables.core import posts
from tables.core.permissions import DEALERS
from tables.models import Assignment, PlannedMove, Qualification, Table
from tables.staffing.breaks import break_due, is_break, overdue_at
from tables.staffing.roster import POSTS
from tables.words.sentences import span

NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass(frozen=True)
class PostInRelief:
    """A post of the table. `worked`: how long its person has been there, in words; "" where that is not known."""

    post: PostCode
    label: str
    person: Person | None
    since: dt.datetime | None
    worked: str
    break_due: dt.datetime | None
    is_due: bool
    is_overdue: bool


@dataclass(frozen=True)
class DealerOnDuty:
    """A dealer on duty at the facility. `obstacle` says why they cannot take a post here now; "" if nothing does.

    `planned`: the table that they take next by plan, and `post` the post of this table by that plan; else "".
    """

    person: Person
    note: str
    obstacle: str
    rests_since: dt.datetime
    planned: str = ""
    post: str = ""


def posts_in_relief(table: Table, now: dt.datetime) -> list[PostInRelief]:
    """Return the posts of a table with the people there. The table is read with its facility and people."""
    return [_post_in_relief(table, post, now) for post in posts.posts_of(table)]


def tables_in_rotation(facility: str) -> QuerySet[Table]:
    """Return the tables of a facility (its code) whose people are relieved: all but those that a program deals."""
    tables = Table.objects.filter(facility__code=facility, stream__closed_at=None)
    return tables.exclude(kind=Table.Kind.SIMULATED).order_by("code")


def breaks_due(posts_by_table: Mapping[str, Iterable[PostInRelief]]) -> list[tuple[str, PostInRelief]]:
    """Return the posts whose person's break is due, by the code of the table: what the board and the wall count."""
    return [
        (code, post)
        for code, posts_in in posts_by_table.items()
        for post in posts_in
        if post.is_due and post.person is not None
    ]


def _post_in_relief(table: Table, post: PostCode, now: dt.datetime) -> PostInRelief:
    field = posts.FIELDS[post]
    since: dt.datetime | None = getattr(table, f"{field}_since")
    is_closed = table.status == Table.Status.CLOSED
    due = None if is_closed else break_due(table.facility, getattr(table, f"{field}_works_since"))
    return PostInRelief(
        post,
        POSTS[post],
        posts.holder(table, post),
        since,
        span((now - since).total_seconds()) if since else "",
        due,
        due is not None and due <= now,
        due is not None and overdue_at(due) <= now,
    )


def post_to_relieve(in_relief: Sequence[PostInRelief], moves: Iterable[PlannedMove]) -> PostCode:
    """Return the post that is relieved next: an empty one, the first by plan, or where a break is due first."""
    empty = next((row.post for row in in_relief if row.person is None), None)
    planned = next((row.post for move in moves for row in in_relief if row.post == move.post), None)
    due = min(in_relief, key=lambda row: row.break_due or NEVER)
    return empty or planned or due.post


def dealers_on_duty(table: Table, now: dt.datetime) -> list[DealerOnDuty]:
    """Return the dealers on duty at the table's facility who are not at a post here.

    Who is planned for this table comes first, then the longest rested, and who is planned for another one last.
    Simulated people, who have no PIN, are left out.
    """
    by_person = duties_of_dealers(table.facility, now)
    tables = _tables_of(table, by_person)
    trained = _trained_ids(table, now)
    here = set(posts.holder_ids(table))
    dealers = [
        _dealer(table, assignments, tables.get(person_id), person_id in trained, now)
        for person_id, assignments in by_person.items()
        if person_id not in here
    ]
    moves = PlannedMove.objects.open_moves(table.facility).select_related("table")
    move_of = {move.person_id: move for move in moves}
    dealers = [_with_plan(dealer, move_of.get(dealer.person.pk), table) for dealer in dealers]
    return sorted(
        dealers,
        key=lambda dealer: (
            dealer.planned != table.code,
            bool(dealer.planned),
            dealer.rests_since,
            dealer.person.name,
        ),
    )


def _with_plan(dealer: DealerOnDuty, move: PlannedMove | None, table: Table) -> DealerOnDuty:
    """The dealer with the table that they take next by plan, if they have one."""
    if move is None:
        return dealer
    where = "here" if move.table_id == table.pk else f"for {move.table.code}"
    time = table.facility.local(move.planned_for).strftime("%H:%M")
    note = f"planned {where} at {time}, {dealer.note}"
    return replace(dealer, planned=move.table.code, post=move.post if where == "here" else "", note=note)


def duties_of_dealers(facility: Facility, now: dt.datetime) -> dict[int, list[Assignment]]:
    """Return the duties at a facility of each dealer there, by the id of the person, the first duty first.

    Simulated people, who have no PIN, are left out, and people on leave.
    """
    today = facility.gaming_day(now)
    duty = Assignment.objects.at_facility(facility).filter(person__role__in=DEALERS)
    by_person: dict[int, list[Assignment]] = {}
    for assignment in duty.filter(person__is_active=True).select_related("person").order_by("started_at"):
        if assignment.person.has_usable_password() and not assignment.person.is_on_leave(today):
            by_person.setdefault(assignment.person_id, []).append(assignment)
    return by_person


def rest_of(facility: Facility, duties: list[Assignment], now: dt.datetime) -> tuple[dt.datetime, str]:
    """Return since when a dealer who is at no post rests, and that in words. Before a first post: since their duty."""
    rests = [duty.rests_since for duty in duties if duty.rests_since]
    began = min(duty.started_at for duty in duties)
    if not rests:
        return began, f"no table yet, on duty since {facility.local(began).strftime('%H:%M')}"
    return max(rests), _rest(facility, max(rests), now)


def _tables_of(table: Table, people: Iterable[int]) -> dict[int, Table]:
    """The open table where each of these people (ids) works, other than this one."""
    ids = set(people)
    others = Table.objects.filter(facility=table.facility).exclude(pk=table.pk)
    return {
        person_id: other
        for other in others.exclude(status=Table.Status.CLOSED).order_by("code")
        for person_id in posts.holder_ids(other)
        if person_id in ids
    }


def _trained_ids(table: Table, now: dt.datetime) -> set[int]:
    today = table.facility.local(now).date()
    trainings = Qualification.objects.in_effect(today).filter(game=table.game)
    return set(trainings.values_list("person_id", flat=True))


def _dealer(
    table: Table, assignments: list[Assignment], other: Table | None, is_trained: bool, now: dt.datetime
) -> DealerOnDuty:
    person = assignments[0].person
    rests_since, note = rest_of(table.facility, assignments, now)
    if other is not None:
        obstacle = f"Works at {other.code}"
    elif not any(assignment.covers(table) for assignment in assignments):
        obstacle = f"On duty elsewhere: the floor assigns them to {table.code}"
    elif table.kind == Table.Kind.LIVE and not is_trained:
        obstacle = f"No training for {game_by_code(table.game).name} in effect"
    elif not _fits_a_post(table, person):
        obstacle = "Works at the stick only"
    else:
        obstacle = ""
    return DealerOnDuty(person, note, obstacle, rests_since)


def _rest(facility: Facility, rests_since: dt.datetime, now: dt.datetime) -> str:
    """`rested 44 min`; `rested 8 of 20 min` before the break is over."""
    rest, whole = now - rests_since, facility.break_minutes
    if whole and not is_break(facility, rest):
        return f"rested {int(rest.total_seconds() // 60)} of {whole} min"
    return f"rested {span(rest.total_seconds())}"


def _fits_a_post(table: Table, person: Person) -> bool:
    return person.role != "stickperson" or "stick" in posts.posts_of(table)
