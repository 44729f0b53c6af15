"""Planned moves: the floor plans that a dealer takes a post next (`plan_move`), and cancels it (`cancel_planned_move`).

Before a move is planned, it is checked by the rules that the relief itself has, and those of the breaks
(`verify_move`). No section of the law is about plans, so a refusal here has a section only where the relief would have
it. The relief at the table is never refused because of a plan.

A planned move ends by itself when the post gets another person, or when the dealer goes off duty
(`tables/staffing/dealers.py`).
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

from django.db.models import Max

from audit.clock import format_moment
from audit.columns import ACTOR, AT, FACILITY, NONE, Body, Rows, constant, declare, same
from audit.entry_types import entry_type
from audit.models import Person
from games.act_forms import whole
from games.engine import Refusal, RefusalCode
from games.engine.game import PostCode
from games.models import Facility
from games.params import Params, malformed
from tables.core import posts
from tables.core.context import TableContext, locked_table
from tables.core.duty import DEALERS, FLOOR, covers, locked_duty, person_here, verify_not_on_leave
from tables.models import Assignment, PlannedMove, Table
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.access import ACCESS_ENDED
from tables.staffing.assignments import ASSIGNMENT_ENDED, NO_SUCH_PLACE
from tables.staffing.dealers import (
    ALREADY_DEALING,
    DEALER_BEGAN,
    DEALER_RELIEVED,
    break_due,
    is_break,
    verify_post,
    verify_qualified,
)
from tables.staffing.leaves import LEAVE_BEGAN, LEAVE_RECORDED
from tables.staffing.supervision import breach_in_play

NOT_A_DEALER = RefusalCode(
    "not-a-dealer", "%(person)s is not a dealer and cannot take a post.", "Not a dealer"
)
DEALER_NOT_ON_DUTY = RefusalCode(
    "dealer-not-on-duty",
    "%(person)s is not on duty at %(table)s. Assign them there first.",
    "Not on duty there",
)
MOVE_PLANNED_ALREADY = RefusalCode(
    "move-planned-already",
    "%(person)s is already planned for %(table)s at %(time)s. Cancel that move first.",
    "Planned already",
)
POST_PLANNED_ALREADY = RefusalCode(
    "post-planned-already",
    "%(person)s is already planned to come to %(table)s at %(time)s. Cancel that move first.",
    "Planned already",
)
BREAK_DUE_BEFORE = RefusalCode(
    "break-due-before",
    "%(person)s has a break due at %(due)s, before this move at %(time)s. Send somebody who has rested.",
    "Break due",
)
NOT_RESTED = RefusalCode(
    "not-rested",
    "%(person)s has worked %(worked)s min and has been off only since %(since)s. A break of %(break)s min ends at "
    "%(until)s. Plan the move for then.",
    "Break not over",
)
MOVE_IN_THE_PAST = RefusalCode(
    "move-in-the-past", "%(time)s has passed. Choose a later time.", "Time has passed"
)
NO_SUCH_MOVE = RefusalCode(
    "no-such-move",
    "This move has already taken place, or was canceled. Look at the board again.",
    "No longer planned",
)


# What the record says of plans


@entry_type("rotation.planned")
def MOVE_PLANNED(
    *,
    move: Annotated[int, "number of the planned move, from 1 in each facility"],
    person: Annotated[str, "code of the dealer"],
    table: Annotated[str, "code of the table that they take"],
    post: PostCode,
    planned_for: Annotated[str, "when, in UTC"],
    relieves: Annotated[str | None, "code of the person at the post when it was planned; null for nobody"],
) -> str:
    """The floor planned that a dealer takes a post of a table next."""
    return f"{person} planned for {table}{f', for {relieves}' if relieves else ''}"


@entry_type("rotation.canceled")
def MOVE_CANCELED(
    *,
    move: Annotated[int, "number of the planned move"],
    person: Annotated[str, "code of the dealer"],
    table: Annotated[str, "code of the table"],
) -> str:
    """The floor canceled a planned move of a dealer."""
    return f"Planned move of {person} to {table} canceled"


# May this dealer be planned for this post then?


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
        facts.supervision[table.pk] = breach_in_play(table, ctx.now)
    _raise(facts.supervision[table.pk])


def _raise(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal


def _time(facility: Facility, moment: dt.datetime) -> str:
    return facility.local(moment).strftime("%H:%M")


# Planned, and canceled


FARTHEST = dt.timedelta(hours=12)


@facility_act(STAFF, roles=FLOOR)
def plan_move(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Plan that a dealer takes a post of a table: when the break there is due, or at a chosen time.

    Nothing changes at the table before the dealer takes the post there with their PIN. Raises what `verify_move`
    raises, and `no-such-person` or `no-such-place`.
    """
    person, table = person_here(ctx.facility, params.text("person")), _locked_table(ctx, params.code("table"))
    post: PostCode = params.choice("post", posts.POSTS, default=posts.post_for(table, person))
    planned_for = _moment(params, ctx.now) or planned_time(table, post, ctx.now)
    duty = [row for row in locked_duty(person) if row.facility_id == ctx.facility.pk]
    table_ctx = TableContext(table, ctx.actor, ctx.device, None, ctx.now)
    verify_move(dealer_facts(ctx.facility, person, duty), table_ctx, post, planned_for)
    relieved: Person | None = posts.holder(table, post)
    moves = PlannedMove.objects.filter(facility=ctx.facility)
    move = PlannedMove.objects.create(
        facility=ctx.facility,
        number=(moves.aggregate(newest=Max("number"))["newest"] or 0) + 1,
        person=person,
        table=table,
        post=post,
        planned_for=planned_for,
        planned_by=ctx.actor,
        planned_at=ctx.now,
    )
    entry = MOVE_PLANNED(
        move=move.number,
        person=person.code,
        table=table.code,
        post=post,
        planned_for=format_moment(planned_for),
        relieves=relieved.code if relieved else None,
    )
    return ActOutcome(entry, {"move": move.number}, changes="nothing")


@facility_act(STAFF, roles=FLOOR)
def cancel_planned_move(ctx: FacilityContext, *, move_id: Annotated[int, whole(1, 2**31 - 1)]) -> ActOutcome:
    """Cancel a planned move. Raises `no-such-move` for one that has ended."""
    move = (
        PlannedMove.objects.open_moves(ctx.facility)
        .select_for_update(of=("self",))
        .filter(number=move_id)
        .select_related("person", "table")
        .first()
    )
    if move is None:
        raise Refusal(NO_SUCH_MOVE)
    move.outcome, move.ended_by, move.ended_at = PlannedMove.Outcome.CANCELED, ctx.actor, ctx.now
    move.save(update_fields=["outcome", "ended_by", "ended_at"])
    return ActOutcome(
        MOVE_CANCELED(move=move.number, person=move.person.code, table=move.table.code),
        {"move": move.number},
        changes="nothing",
    )


def _locked_table(ctx: FacilityContext, code: str) -> Table:
    """The table, locked, so that nobody takes its post meanwhile. Raises `no-such-place`."""
    try:
        table = locked_table(ctx.facility.code, code).table
    except Table.DoesNotExist:
        raise Refusal(NO_SUCH_PLACE, place=code) from None
    if table.kind == Table.Kind.SIMULATED or table.stream.closed_at is not None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


def _moment(params: Params, now: dt.datetime) -> dt.datetime | None:
    """The chosen time, a moment with its offset; None if none was sent. Raises `malformed` for one that is far away."""
    text = params.text("planned_for", default="")
    if not text:
        return None
    try:
        moment = dt.datetime.fromisoformat(text).astimezone(dt.UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise malformed("planned_for") from None
    if not dt.datetime.fromisoformat(text).tzinfo or abs(moment - now) > FARTHEST:
        raise malformed("planned_for")
    return moment


# What the entries state of planned moves


OFF_DUTY = (ASSIGNMENT_ENDED, ACCESS_ENDED, LEAVE_RECORDED, LEAVE_BEGAN)
OFF_DUTY_NAMES = frozenset(type_.name for type_ in OFF_DUTY)


def ended(rows: Rows, body: Body) -> None:
    """A move ends when somebody takes the post, or when its person goes off duty."""
    data: dict[str, Any] = body["data"]
    for number in data.get("planned_moves", ()):
        move = rows.get(FACILITY(body), number) or {}
        if body["_type"] in OFF_DUTY_NAMES:
            outcome = "off-duty"
        else:
            # The person who came takes the post named here; who was relieved there takes the post that was left.
            is_post = data.get("post", move.get("post")) == move.get("post")
            arrived = data.get("dealer") if is_post else data.get("follows")
            outcome = "taken" if arrived == move.get("person") else "overtaken"
        rows.put(body, FACILITY(body), number, outcome=outcome, ended_by=body["actor"], ended_at=body["at"])


declare(
    PlannedMove,
    "planned move",
    key={"facility": FACILITY, "number": "move"},
    created={
        MOVE_PLANNED: {
            **same("person", "table", "post", "planned_for"),
            "planned_by": ACTOR,
            "planned_at": AT,
            "outcome": constant(""),
            "ended_by": NONE,
            "ended_at": NONE,
        }
    },
    changed={MOVE_CANCELED: {"outcome": constant("canceled"), "ended_by": ACTOR, "ended_at": AT}},
    folded=dict.fromkeys((DEALER_BEGAN, DEALER_RELIEVED, *OFF_DUTY), ended),
)
