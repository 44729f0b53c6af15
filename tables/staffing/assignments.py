"""Duties and trainings: who is on duty where, who puts them there, and who is trained to deal which game.

1. Somebody is on duty at a table, at the tables of a pit or at the whole facility (`assign_person`). Each department
   puts its own people on duty, and an administrator with a second person anybody (row `duties` of the policy): table
   games neither starts nor ends the duty of people who watch it. Where nobody of a department is on duty, one of them
   starts their own (`begin_own_duty`).
2. A floorperson may also supervise a table of a game that is not dealt with Pitside (`assign_elsewhere`); it counts in
   their span (tables.staffing.supervision).
3. A duty ends (`end_assignment`) once no open table needs its person: somebody relieves them first
   (`verify_not_needed`). What was planned for them ends with it. An end of access and a leave end all duty at once
   (`end_all_duty`).
4. A training is on file from a day on (`record_qualification`), until another day (`end_qualification`). Today is the
   facility's local day.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, NotRequired, TypedDict, cast

from django.db.models import Q, QuerySet

from audit.columns import declare, same
from audit.entry_types import entry_type
from audit.models import Department, Person
from games.act_forms import Day, OptionalDay, Text, one_of, text, whole
from games.engine import Refusal, RefusalCode
from games.jurisdictions import SeparationRow
from games.models import Facility
from games.params import malformed
from games.registry import GAMES
from games.separation import policy
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import FLOOR, STAFFERS, covers, locked_duty, person_here, verify_not_on_leave
from tables.models import Assignment, Pit, Qualification, Table
from tables.models.staffing import GameElsewhere
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.dealers import PlannedMoves, end_moves_without_duty
from tables.staffing.supervision import (
    ROLE_DOES_NOT_SUPERVISE,
    game_or_table_name,
    verify_may_supervise_elsewhere,
    words_for_codes,
)

# Refusals

STILL_AT_A_POST = RefusalCode(
    "still-at-a-post",
    "%(person)s works at %(table)s as %(post)s. Send a relief first.",
    "Relief needed",
)
STILL_SUPERVISES = RefusalCode(
    "still-supervises",
    "%(person)s supervises %(table)s. Another floorperson must take it first.",
    "Relief needed",
)
DUTY_OF_ANOTHER_DEPARTMENT = RefusalCode(
    "duty-of-another-department",
    "%(person)s belongs to %(department)s. Only %(who)s may change this duty.",
    "Another department",
)
SECOND_PERSON_FOR_DUTY = RefusalCode(
    "second-person-for-duty",
    "A second person must sign with their own PIN: somebody of the department of %(person)s, of compliance or of the "
    "regulator, but not %(person)s.",
    "Second person needed",
)
COLLEAGUE_STARTS_YOUR_DUTY = RefusalCode(
    "colleague-starts-your-duty",
    "%(colleague)s of your department is on duty and starts your duty.",
    "A colleague is on duty",
)
NO_SUCH_PLACE = RefusalCode("no-such-place", "There is no %(place)s at this facility.")
NO_SUCH_ASSIGNMENT = RefusalCode(
    "no-such-assignment",
    "This duty does not exist or has already ended. Reload the page.",
)
ALREADY_ASSIGNED = RefusalCode("already-assigned", "%(person)s is already on duty at %(place)s.")
NO_SUCH_QUALIFICATION = RefusalCode(
    "no-such-qualification",
    "There is no such training on file. Reload the page.",
)
QUALIFICATION_FILED_ALREADY = RefusalCode(
    "qualification-filed-already",
    "A training of %(person)s for %(game)s from that day is already on file.",
)
QUALIFICATION_HAS_ENDED = RefusalCode("qualification-has-ended", "This training already ends on %(on)s.")
QUALIFICATION_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "qualification-ends-before-it-begins",
    "The training would end before it begins. Check both days.",
)


# What the record says of duties


class AssignmentData(TypedDict):
    """Where: a table, a pit, or (all three null) the whole facility."""

    assignment: int
    elsewhere: Annotated[
        GameElsewhere | None, "the game of a table without Pitside that the person supervises; otherwise null"
    ]
    person: str
    pit: Annotated[str | None, "code of the pit; null where the assignment is not to a pit"]
    table: Annotated[str | None, "code of the table; null where the assignment is not to a table"]


class AssignmentEnded(AssignmentData):
    planned_moves: NotRequired[PlannedMoves]


class PersonNamed(TypedDict):
    person: Annotated[str, "code of the person"]


class DutyEnded(PersonNamed):
    """What of a person ended at once."""

    assignments: Annotated[list[int], "the assignments that ended with it"]
    devices: Annotated[list[str], "names of the devices where the person was signed off"]
    planned_moves: NotRequired[PlannedMoves]


def _place_in_words(data: AssignmentData) -> str:
    """Where a duty is, for a line of the record."""
    if data["elsewhere"]:
        return game_or_table_name(data["elsewhere"])
    return str(data["table"] or data["pit"] or "the whole facility")


ASSIGNMENT_STARTED = entry_type(
    "assignment.started",
    AssignmentData,
    "A person was assigned to a table, a pit, the whole facility (neither named) or a game elsewhere.",
    lambda data: "%(person)s on duty: %(place)s" % {**data, "place": _place_in_words(data)},
)
ASSIGNMENT_ENDED = entry_type(
    "assignment.ended",
    AssignmentEnded,
    "A person's assignment to a table, a pit, the facility or a game elsewhere ended.",
    lambda data: "%(person)s off duty: %(place)s" % {**data, "place": _place_in_words(data)},
)


# What the record says of trainings


class QualificationData(TypedDict):
    game: str
    person: str
    qualification: Annotated[int, "number of the training"]
    reference: Annotated[str, "reference of the training"]
    since: Annotated[str, "the first day on which it is in effect"]


class QualificationRecorded(QualificationData):
    ends_on: Annotated[str | None, "the first day on which it is no longer in effect; null without an end"]


class QualificationEnded(QualificationData):
    ends_on: Annotated[str, "the first day on which it is no longer in effect"]


QUALIFICATION_RECORDED = entry_type(
    "qualification.recorded",
    QualificationRecorded,
    "A person's training for a game was recorded.",
    lambda data: "Training of %(person)s recorded: %(game)s" % words_for_codes(data),
)
QUALIFICATION_ENDED = entry_type(
    "qualification.ended",
    QualificationEnded,
    "A person's training for a game ends.",
    lambda data: "Training of %(person)s ends on %(ends_on)s: %(game)s" % words_for_codes(data),
)

TRAINING = same("person", "game", "reference", "since", "ends_on")
declare(
    Qualification,
    "training",
    may_be_seeded=True,
    key={"id": "qualification"},
    created={QUALIFICATION_RECORDED: TRAINING},
    changed={QUALIFICATION_ENDED: TRAINING},
)


# Who may change whose duty

DUTIES = "duties"  # the row of the policy
DUTY_ROLES = policy.roles_of(DUTIES, "alone", "prepare")
OWN_DUTY_ROLES = policy.roles_of(DUTIES, "alone")


def departments_of(person: Person, facility: Facility) -> frozenset[str]:
    """The departments whose duty this person may change here; some only with a second person."""
    row = policy.row_of(facility.law, DUTIES)
    if policy.may_prepare(row, person):
        return frozenset(Department.values)
    return frozenset({person.department} if policy.may_do_alone(row, person, person.department) else ())


def needs_second_person(person: Person, facility: Facility) -> bool:
    """Whether this person changes duties only together with a second person."""
    return policy.may_prepare(policy.row_of(facility.law, DUTIES), person)


def second_departments_for_duty(facility: Facility) -> str:
    """Return who may sign for a duty beside an administrator, in words: `compliance or regulator or …`."""
    row = policy.row_of(facility.law, DUTIES)
    words = policy.departments_in_words(row.approve.values())
    return f"{words} or the department of the duty" if row.signed_by_own_department else words


def why_not_begin_own_duty(person: Person, facility: Facility) -> Refusal | None:
    """Why this person may not start their own duty now, or None.

    They may where nobody on duty starts it: they change the duty of their department alone, and so does nobody else
    of it who is on duty.
    """
    row = policy.row_of(facility.law, DUTIES)
    on_duty = Assignment.objects.at_facility(facility)
    if on_duty.filter(person=person).exists():
        return Refusal(ALREADY_ASSIGNED, person=person.name, place=facility.name)
    if not policy.may_do_alone(row, person, person.department):
        department = Department(person.department)
        who = _who(row, department)
        return Refusal(DUTY_OF_ANOTHER_DEPARTMENT, person=person.name, department=department.label, who=who)
    colleagues = Person.objects.filter(
        assignments__in=on_duty, is_active=True, department=person.department, role__in=row.alone
    )
    colleague = colleagues.order_by("name").first()
    if colleague is not None:
        return Refusal(COLLEAGUE_STARTS_YOUR_DUTY, colleague=colleague.name)
    return None


def verify_may_change_duty(ctx: FacilityContext, person: Person) -> None:
    """Raises `duty-of-another-department`, or `second-person-for-duty` for an administrator alone.

    The second person belongs to the department, to compliance or to the regulator, and is not whom it is about.
    """
    department = Department(person.department)
    row = policy.row_of(ctx.facility.law, DUTIES)
    if policy.may_do_alone(row, ctx.actor, department):
        return
    if not policy.may_prepare(row, ctx.actor):
        raise Refusal(
            DUTY_OF_ANOTHER_DEPARTMENT,
            person=person.name,
            department=department.label,
            who=_who(row, department),
        )
    signer = ctx.witness
    if signer is None or signer == person or not policy.may_sign(row, signer, department):
        raise Refusal(SECOND_PERSON_FOR_DUTY, person=person.name)


def _who(row: SeparationRow, department: Department) -> str:
    administrator = f"a {policy.roles_in_words(row.prepare)} with a second person"
    return f"{department.label} or {administrator}" if department in row.alone.values() else administrator


# Duties


@facility_act(STAFF, roles=DUTY_ROLES, witness=True)
def assign_person(ctx: FacilityContext, *, person_code: Text, pit: Text = "", table: Text = "") -> ActOutcome:
    """Put a person on duty at a table, at all tables of a pit, or at the whole facility if neither is named.

    Each department puts its own people on duty (`verify_may_change_duty`).
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
    """End a duty of the own department.

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


def _place(ctx: FacilityContext, pit: str, table: str) -> tuple[Pit | None, Table | None]:
    """The pit or the table with this code. Raises `no-such-place`, or `malformed` if both are named."""
    if pit and table:
        raise malformed("table")
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


# Trainings

MAX_REFERENCE_LENGTH = 60


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


def qualification_data(qualification: Qualification) -> QualificationData:
    """A training as the record names it."""
    return {
        "qualification": qualification.pk,
        "person": qualification.person.code,
        "game": qualification.game,
        "reference": qualification.reference,
        "since": qualification.since.isoformat(),
    }
