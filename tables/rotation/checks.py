"""What is checked before a move is planned, by the rules that the relief itself has, and those of the breaks.

No section of the law is about plans, so a refusal here has a section only where the relief would have it. The relief at
the table is never refused because of a plan.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field

from audit.models import Person
from games.engine import Refusal
from games.engine.game import PostCode
from games.models import Facility
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import covers, verify_not_on_leave
from tables.core.permissions import DEALERS
from tables.models import Assignment, PlannedMove, Table
from tables.rotation.refusals import (
    BREAK_DUE_BEFORE,
    DEALER_NOT_ON_DUTY,
    MOVE_IN_THE_PAST,
    MOVE_PLANNED_ALREADY,
    NOT_A_DEALER,
    NOT_RESTED,
    POST_PLANNED_ALREADY,
)
from tables.staffing.acts import verify_post, verify_qualified
from tables.staffing.breaks import break_due, is_break
from tables.staffing.refusals import ALREADY_DEALING
from tables.staffing.spans import breach_in_play

GRACE = dt.timedelta(minutes=5)  # a time that passed while the board was looked at


@dataclass
class DealerFacts:
    """A dealer, as every check of one of their moves needs them; what does not depend on the post is read once."""

    person: Person
    duty: list[Assignment]
    open_moves: list[PlannedMove]
    work_table: Table | None = None  # the open table where they are at a post
    is_trained: dict[tuple[str, str], Refusal | None] = field(default_factory=dict)
    supervision: dict[int, Refusal | None] = field(default_factory=dict)

    @property
    def works_since(self) -> dt.datetime | None:
        """Since when the person has worked without a break, as their duty or the post says."""
        if self.work_table is not None:
            post = posts.post_of(self.work_table, self.person)
            since: dt.datetime | None = (
                getattr(self.work_table, f"{posts.FIELDS[post]}_works_since") if post else None
            )
            return since
        return max((duty.works_since for duty in self.duty if duty.works_since), default=None)

    @property
    def rests_since(self) -> dt.datetime | None:
        if self.work_table is not None:
            return None
        return max((duty.rests_since for duty in self.duty if duty.rests_since), default=None)


def dealer_facts(facility: Facility, person: Person, duty: Iterable[Assignment] | None = None) -> DealerFacts:
    """Read what the checks need of a person. `duty`: their unended duties here, where they are read already."""
    duties = Assignment.objects.at_facility(facility).filter(person=person) if duty is None else duty
    tables = Table.objects.filter(posts.at_any_post(person), facility=facility)
    moves = PlannedMove.objects.open_moves(facility).select_related("person", "table")
    return DealerFacts(
        person,
        list(duties),
        list(moves),
        tables.exclude(status=Table.Status.CLOSED).order_by("code").first(),
    )


def planned_time(table: Table, post: PostCode, now: dt.datetime) -> dt.datetime:
    """Return when a move is planned for unless somebody chooses a time: when the break there is due, or at once."""
    works_since = getattr(table, f"{posts.FIELDS[post]}_works_since")
    due = None if table.status == Table.Status.CLOSED else break_due(table.facility, works_since)
    return max(due or now, now).replace(second=0, microsecond=0)


def verify_move(facts: DealerFacts, ctx: TableContext, post: str, planned_for: dt.datetime) -> None:
    """Refuse to plan that this person takes this post then.

    Raises `not-a-dealer`, `person-on-leave`, `no-such-post`, `post-of-another`, `already-dealing`, `move-in-the-past`,
    `move-planned-already`, `post-planned-already`, `dealer-not-on-duty`, `not-qualified`, `break-due-before`,
    `not-rested`, and for the table's supervision `unsupervised`, `supervisor-off-duty` or `span-exceeded`.
    """
    person, table = facts.person, ctx.table
    if person.role not in DEALERS or not person.is_active:
        raise Refusal(NOT_A_DEALER, person=person.name)
    verify_not_on_leave(person, table.facility.gaming_day(max(planned_for, ctx.now)))
    verify_post(ctx, person, post)
    if posts.post_of(table, person) == post and table.status != Table.Status.CLOSED:
        raise Refusal(ALREADY_DEALING, dealer=person.name)
    if planned_for < ctx.now - GRACE:
        raise Refusal(MOVE_IN_THE_PAST, time=_time(table.facility, planned_for))
    _verify_not_planned(facts, table, post)
    if not covers(facts.duty, table):
        raise Refusal(DEALER_NOT_ON_DUTY, person=person.name, table=table.code)
    _verify_qualified(facts, ctx)
    _verify_rest(facts, table.facility, planned_for)
    _verify_supervision(facts, ctx)


def _verify_not_planned(facts: DealerFacts, table: Table, post: str) -> None:
    for move in facts.open_moves:
        values = {
            "person": move.person.name,
            "table": move.table.code,
            "time": _time(table.facility, move.planned_for),
        }
        if move.person_id == facts.person.pk:
            raise Refusal(MOVE_PLANNED_ALREADY, **values)
        if (move.table_id, move.post) == (table.pk, post):
            raise Refusal(POST_PLANNED_ALREADY, **values)


def _verify_qualified(facts: DealerFacts, ctx: TableContext) -> None:
    """As at the relief; once for each kind of play and game."""
    key = ctx.table.kind, ctx.table.game
    if key not in facts.is_trained:
        facts.is_trained[key] = None
        try:
            verify_qualified(ctx, facts.person)
        except Refusal as refusal:
            facts.is_trained[key] = refusal
    _raise(facts.is_trained[key])


def _verify_rest(facts: DealerFacts, facility: Facility, planned_for: dt.datetime) -> None:
    """By the facility's minutes of work and breaks: a short pause counts as work, as it does at a relief."""
    rests_since, due = facts.rests_since, break_due(facility, facts.works_since)
    if due is None or due > planned_for:
        return
    time = _time(facility, planned_for)
    if rests_since is None:
        raise Refusal(BREAK_DUE_BEFORE, person=facts.person.name, due=_time(facility, due), time=time)
    rests_since = rests_since.replace(second=0, microsecond=0)
    if is_break(facility, planned_for - rests_since):
        return
    break_minutes = facility.break_minutes or 0
    worked = int((rests_since - (facts.works_since or rests_since)).total_seconds() // 60)
    raise Refusal(
        NOT_RESTED,
        person=facts.person.name,
        worked=worked,
        since=_time(facility, rests_since),
        until=_time(facility, rests_since + dt.timedelta(minutes=break_minutes)),
        **{"break": break_minutes},
    )


def _verify_supervision(facts: DealerFacts, ctx: TableContext) -> None:
    """A live table must have a floorperson on duty within their span, also if it would open only by this move."""
    table = ctx.table
    if table.kind != Table.Kind.LIVE:
        return
    if table.pk not in facts.supervision:
        breach = breach_in_play(table, ctx.now)
        facts.supervision[table.pk] = (
            Refusal(breach.code, breach.section, **breach.params) if breach else None
        )
    _raise(facts.supervision[table.pk])


def _raise(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal


def _time(facility: Facility, moment: dt.datetime) -> str:
    return facility.local(moment).strftime("%H:%M")
