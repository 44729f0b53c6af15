"""Acts of the staff room: who is on duty where, who supervises elsewhere, and who is trained to deal which game."""

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, cast

from django.db.models import Q, QuerySet

from audit.models import Person
from games.act_forms import Day, OptionalDay, Text, one_of, text, whole
from games.engine import Refusal
from games.models import Facility
from games.refusals import MALFORMED
from games.registry import GAMES
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import covers, locked_duty, person_here, verify_not_on_leave
from tables.core.permissions import FLOOR, STAFFERS
from tables.models import Assignment, Pit, Qualification, Table
from tables.models.staffing import GameElsewhere
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.duty_rights import (
    DUTY_ROLES,
    OWN_DUTY_ROLES,
    verify_may_change_duty,
    why_not_begin_own_duty,
)
from tables.staffing.entry_types import (
    ASSIGNMENT_ENDED,
    ASSIGNMENT_STARTED,
    QUALIFICATION_ENDED,
    QUALIFICATION_RECORDED,
    AssignmentEnded,
    QualificationData,
    QualificationEnded,
    QualificationRecorded,
)
from tables.staffing.entry_types import Assignment as AssignmentData
from tables.staffing.planned_moves import end_moves_without_duty
from tables.staffing.refusals import (
    ALREADY_ASSIGNED,
    NO_SUCH_ASSIGNMENT,
    NO_SUCH_PLACE,
    NO_SUCH_QUALIFICATION,
    QUALIFICATION_ENDS_BEFORE_IT_BEGINS,
    QUALIFICATION_FILED_ALREADY,
    QUALIFICATION_HAS_ENDED,
    ROLE_DOES_NOT_SUPERVISE,
    STILL_AT_A_POST,
    STILL_SUPERVISES,
)
from tables.staffing.spans import verify_may_supervise_elsewhere

MAX_REFERENCE_LENGTH = 60


@facility_act(STAFF, roles=DUTY_ROLES, witness=True)
def assign_person(ctx: FacilityContext, *, person_code: Text, pit: Text = "", table: Text = "") -> ActOutcome:
    """Put a person on duty at a table, at all tables of a pit, or at the whole facility if neither is named.

    Each department puts its own people on duty (`duty_rights`).
    """
    person = person_here(ctx.facility, person_code)
    duty = Assignment(person=person, facility=ctx.facility, started_at=ctx.now)
    duty.pit, duty.table = _place(ctx, pit, table)
    verify_may_change_duty(ctx, person)
    verify_not_on_leave(person, ctx.gaming_day)
    same = Assignment.objects.at_facility(ctx.facility).filter(person=person)
    if same.filter(pit=duty.pit, table=duty.table).exists():
        raise Refusal(ALREADY_ASSIGNED, person=person.name, place=table or pit or ctx.facility.name)
    duty.save()
    ctx.affect(tables_of(person))
    return _assignment_started(duty)


@facility_act(STAFF, roles=OWN_DUTY_ROLES, step_up="office", off_duty=True)
def begin_own_duty(ctx: FacilityContext) -> ActOutcome:
    """Start one's own duty at the whole facility, where nobody of the department is on duty who could.

    Without it a department with nobody on duty could come back only by an administrator and a second person.
    """
    person = person_here(ctx.facility, ctx.actor.code)
    refusal = why_not_begin_own_duty(person, ctx.facility)
    if refusal is not None:
        raise refusal
    duty = Assignment.objects.create(person=person, facility=ctx.facility, started_at=ctx.now)
    ctx.affect(tables_of(person))
    return _assignment_started(duty)


@facility_act(STAFF, roles=STAFFERS)
def assign_elsewhere(ctx: FacilityContext, *, person_code: Text, game: GameElsewhere) -> ActOutcome:
    """Record that a floorperson supervises one more table of a game that is not dealt with Pitside.

    It counts in the floorperson's span (§ 577.9(c), § 465a.35).
    """
    person = person_here(ctx.facility, person_code)
    if person.role not in FLOOR:
        raise Refusal(ROLE_DOES_NOT_SUPERVISE, person=person.name)
    verify_may_change_duty(ctx, person)
    verify_not_on_leave(person, ctx.gaming_day)
    verify_may_supervise_elsewhere(person, game, locked_duty(person), ctx.now)
    duty = Assignment.objects.create(person=person, facility=ctx.facility, elsewhere=game, started_at=ctx.now)
    return _assignment_started(duty)


@facility_act(STAFF, roles=DUTY_ROLES, witness=True)
def end_assignment(ctx: FacilityContext, *, assignment_id: Annotated[int, whole(1, 2**53)]) -> ActOutcome:
    """End a duty of the own department (`duty_rights`).

    Refused while the person supervises an open table, or works a post of one, that no other duty of theirs covers:
    somebody must relieve them first.
    """
    ending = (
        Assignment.objects.filter(facility=ctx.facility, pk=assignment_id).select_related("person").first()
    )
    if ending is None:
        raise Refusal(NO_SUCH_ASSIGNMENT)
    verify_may_change_duty(ctx, ending.person)
    tables = tables_of(ending.person)
    tables.select_for_update(of=("self",)).in_bulk()
    duty = locked_duty(ending.person)
    if ending not in duty:
        raise Refusal(NO_SUCH_ASSIGNMENT)
    remaining = [assignment for assignment in duty if assignment != ending]
    verify_not_needed(ctx, ending, remaining, tables.all())
    ctx.affect(tables.all())
    ending.ended_at = ctx.now
    ending.save(update_fields=["ended_at"])
    moves = end_moves_without_duty(ending.person, ctx.facility, remaining, ctx.actor, ctx.now)
    ended = cast(AssignmentEnded, _assignment_data(ending))
    if moves:
        ended["planned_moves"] = moves
    return ActOutcome(ASSIGNMENT_ENDED(ended), {"assignment": ending.pk}, changes="nothing")


def end_all_duty(
    person: Person, facility: Facility, duty: list[Assignment], by: Person | None, now: dt.datetime
) -> tuple[list[int], list[int]]:
    """End these duties of a person, which are all of theirs here, and what was planned for them.

    `duty` is locked. `by` is None where the clock does it. Returns the ids of the duties, and the numbers of the moves.
    """
    for assignment in duty:
        assignment.ended_at = now
        assignment.save(update_fields=["ended_at"])
    return [assignment.pk for assignment in duty], end_moves_without_duty(person, facility, (), by, now)


def verify_not_needed(
    ctx: FacilityContext, ending: Assignment, remaining: list[Assignment], tables: Iterable[Table]
) -> None:
    """Refuse to end a duty while an open table that only this duty covers needs the person.

    Raises `still-at-a-post` or `still-supervises`, for the first such table.
    """
    person = ending.person
    for table in tables:
        in_play = table.status != Table.Status.CLOSED and table.kind != Table.Kind.SIMULATED
        if not in_play or not covers([ending], table) or covers(remaining, table):
            continue
        ctx_there = TableContext(table, None, None, None, ctx.now)
        post = posts.post_of(table, person)
        if post is not None:
            section = posts.staffing_section(ctx_there.rules) if ctx_there.deals else ""
            raise Refusal(STILL_AT_A_POST, section, person=person.name, post=post, table=table.code)
        section = ctx_there.rules.section("span") if ctx_there.deals else ""
        raise Refusal(STILL_SUPERVISES, section, person=person.name, table=table.code)


def tables_of(person: Person) -> QuerySet[Table]:
    """The tables that this person supervises or works at, including closed ones, whose screens show it.

    They are locked before the assignments, and read afterward: the person may have taken a table meanwhile.
    """
    tables = Table.objects.filter(Q(floorperson=person) | posts.at_any_post(person))
    return tables.select_related("stream", "facility").order_by("pk")


@facility_act(STAFF, roles=STAFFERS)
def record_qualification(
    ctx: FacilityContext,
    *,
    person_code: Text,
    game: Annotated[str, one_of(tuple(GAMES))],
    reference: Annotated[str, text(MAX_REFERENCE_LENGTH)],
    since: Day,
    ends_on: OptionalDay = None,
) -> ActOutcome:
    """Record a person's training to deal a game: its reference, and its first day."""
    qualification = Qualification(
        person=person_here(ctx.facility, person_code),
        game=game,
        reference=reference,
        since=since,
        ends_on=ends_on,
    )
    if qualification.ends_on and qualification.ends_on <= qualification.since:
        raise Refusal(QUALIFICATION_ENDS_BEFORE_IT_BEGINS)
    same = Qualification.objects.filter(
        person=qualification.person, game=qualification.game, since=qualification.since
    )
    if same.exists():
        raise Refusal(QUALIFICATION_FILED_ALREADY, person=qualification.person.name, game=qualification.game)
    qualification.save()
    data: QualificationRecorded = {
        **qualification_data(qualification),
        "ends_on": qualification.ends_on.isoformat() if qualification.ends_on else None,
    }
    return ActOutcome(QUALIFICATION_RECORDED(data), {"qualification": qualification.pk}, changes="nothing")


@facility_act(STAFF, roles=STAFFERS)
def end_qualification(
    ctx: FacilityContext, *, qualification_id: Annotated[int, whole(1, 2**53)], ends_on: Day
) -> ActOutcome:
    """End a training. `ends_on` is the first day on which it no longer holds.

    A training that was recorded by mistake ends on its first day.
    """
    qualification = (
        Qualification.objects.select_for_update(of=("self",))
        .filter(pk=qualification_id)
        .select_related("person")
        .first()
    )
    if qualification is None or not qualification.person.belongs_to(ctx.facility.code):
        raise Refusal(NO_SUCH_QUALIFICATION)
    if qualification.ends_on is not None and qualification.ends_on <= ends_on:
        raise Refusal(QUALIFICATION_HAS_ENDED, on=qualification.ends_on)
    if ends_on < qualification.since:
        raise Refusal(QUALIFICATION_ENDS_BEFORE_IT_BEGINS)
    qualification.ends_on = ends_on
    qualification.save(update_fields=["ends_on"])
    data: QualificationEnded = {**qualification_data(qualification), "ends_on": ends_on.isoformat()}
    return ActOutcome(QUALIFICATION_ENDED(data), {"qualification": qualification.pk}, changes="nothing")


def _place(ctx: FacilityContext, pit: str, table: str) -> tuple[Pit | None, Table | None]:
    """The pit or the table with this code. Raises `no-such-place`, or `malformed` if both are named."""
    if pit and table:
        raise Refusal(MALFORMED, name="table")
    pit_row = Pit.objects.filter(facility=ctx.facility, code=pit).first() if pit else None
    table_row = Table.objects.filter(facility=ctx.facility, code=table).first() if table else None
    if (pit and pit_row is None) or (table and table_row is None):
        raise Refusal(NO_SUCH_PLACE, place=table or pit)
    return pit_row, table_row


def _assignment_started(duty: Assignment) -> ActOutcome:
    return ActOutcome(ASSIGNMENT_STARTED(_assignment_data(duty)), {"assignment": duty.pk}, changes="nothing")


def _assignment_data(duty: Assignment) -> AssignmentData:
    return {
        "assignment": duty.pk,
        "person": duty.person.code,
        "pit": duty.pit.code if duty.pit else None,
        "table": duty.table.code if duty.table else None,
        "elsewhere": cast(GameElsewhere, duty.elsewhere) if duty.elsewhere else None,
    }


def qualification_data(qualification: Qualification) -> QualificationData:
    """A training as the record names it."""
    return {
        "qualification": qualification.pk,
        "person": qualification.person.code,
        "game": qualification.game,
        "reference": qualification.reference,
        "since": qualification.since.isoformat(),
    }
