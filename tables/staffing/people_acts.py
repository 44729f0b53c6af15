"""Who has access: add a person, change a role or a license, replace a forgotten PIN or a lost sign-in, end access, for
good or for the time of a leave.

One person prepares such a change and another one approves it (games/separation, rows `people` and `leaves`). Nobody
does either for themselves, and table games prepares nothing about people of other departments: it can never end the
access of those who watch it. A one-time PIN or password is made and read by who approved it, never by who asked for it.
What happens to the person's row is in `audit/staff.py`, as for the commands of the server.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, cast

from django.core.exceptions import ValidationError
from django.db.models import Q

from audit import clock, factors, one_time_secrets, passwords, people, staff
from audit.entries import (
    PASSWORD_GIVEN,
    SIGN_IN_ENDED,
    LeaveReasonCode,
    OneTimeSecretData,
    SecretAllowed,
)
from audit.models import Department, OneTimeSecret, Person, Role
from audit.models.people import badge_validator, code_validator, day_in_words
from audit.staff import Answerable
from games.act_forms import Day, OptionalDay, Text, found, text
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.models import Facility
from games.params import Params
from games.separation import policy
from tables.core.duty import locked_duty, person_here, verify_not_on_leave
from tables.models import Assignment
from tables.runner.facility import SIGN_INS, STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.entry_types import (
    ACCESS_ENDED,
    LEAVE_ENDED,
    LEAVE_RECORDED,
    PEOPLE_ADDED,
    PERSON_ADDED,
    PERSON_CHANGED,
    PIN_ENDED,
    PIN_MADE,
    AccessEnded,
    ChangedField,
    FieldChange,
    Leave,
    LeaveRecorded,
    PersonAdded,
    PinMade,
)
from tables.staffing.refusals import (
    ACCESS_OF_ANOTHER_DEPARTMENT,
    BADGE_TAKEN,
    HAS_A_LEAVE,
    LAST_WITH_ACCESS_RIGHTS,
    LEAVE_BEGINS_IN_THE_PAST,
    LEAVE_ENDS_BEFORE_IT_BEGINS,
    NO_SECRET_ALLOWED,
    NOT_A_BADGE,
    NOT_A_PERSON_CODE,
    NOT_ON_LEAVE,
    NOT_YOUR_OWN_ACCESS,
    NOTHING_TO_CHANGE,
    PERSON_CODE_TAKEN,
    SECRET_FOR_ANOTHER,
    WORKS_EVERYWHERE,
)
from tables.staffing.staff_acts import end_all_duty, tables_of, verify_not_needed

SUBJECT, LEAVES = "people", "leaves"
ROLES = tuple(Role.values)
PREPARERS = frozenset(policy.practice()[SUBJECT].prepare)
APPROVERS = policy.roles_of(SUBJECT, "approve")
LEAVE_PREPARERS = frozenset(policy.practice()[LEAVES].prepare)
Kind = OneTimeSecret.Kind
MAX_WHY = 200
MAX_CODE, MAX_NAME, MAX_LICENSE, MAX_BADGE = 40, 120, 40, 6
MOST_PEOPLE = 200  # of one file


@dataclass(frozen=True)
class NewPerson:
    """What is said of somebody who is to have access. `badge`, `licence`: "" without one."""

    code: str
    name: str
    role: str
    badge: str
    licence: str
    licence_ends_on: dt.date | None


def _person(ctx: FacilityContext, code: str) -> Person:
    """The person whom a change is about, who may not approve it. Raises `no-such-person` or `works-everywhere`.

    Raises `not-your-own-access` and `access-of-another-department` as Forbidden.
    """
    person = person_here(ctx.facility, code)
    if not person.facility:
        raise Refusal(WORKS_EVERYWHERE, person=person.name)
    if ctx.approving is None and person.pk == ctx.actor.pk:
        raise Forbidden(NOT_YOUR_OWN_ACCESS)
    _verify_department(_answerable(ctx).by, person.role)
    ctx.add_makers(person)
    return person


_Named = Annotated[Person, found(Text, _person)]


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def add_person(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add a person, who gets a one-time PIN then, or a one-time password where a PIN is not enough.

    Raises `not-a-person-code`, `person-code-taken`, `not-a-badge` or `badge-taken`; as Forbidden,
    `access-of-another-department`.
    """
    added = _add(ctx, read_new_person(params))
    return ActOutcome(PERSON_ADDED(added), {"person": added["person"]}, changes="nothing")


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def add_people(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add several people at once, as `add_person` adds each of them: all of them, or nobody.

    Raises what `add_person` raises.
    """
    people = params.objects("people", read_new_person, max_items=MOST_PEOPLE)
    added = [_add(ctx, person) for person in people]
    return ActOutcome(PEOPLE_ADDED({"people": added}), changes="nothing")


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def change_access(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give a person another role, badge or license. Another role signs them off, and takes them from no post.

    Raises `nothing-to-change`, `not-a-badge`, `badge-taken`, `last-with-access-rights`, or what `end_access` raises of
    somebody at work; as Forbidden, `access-of-another-department` and `not-your-own-access`.
    """
    person = _person(ctx, params.text("person"))
    role = params.choice("role", ROLES, default=Role(person.role).value)
    badge = params.text("badge", default="", max_length=MAX_BADGE)
    licence = params.text("licence", default="", max_length=MAX_LICENSE)
    ends_on = params.date("licence_ends_on", optional=True)
    _verify_badge(ctx.facility, badge, person)
    _verify_department(_answerable(ctx).by, role)
    after: dict[ChangedField, str] = {
        "role": role,
        "badge": badge,
        "licence": licence,
        "licence_ends_on": ends_on.isoformat() if ends_on else "",
    }
    changes = _changes(person, after)
    if not changes:
        raise Refusal(NOTHING_TO_CHANGE, person=person.name)
    new_role = role if role != person.role else ""
    if new_role:
        _verify_not_at_work(ctx, person)
        _verify_not_last(person, role)
    devices = staff.change(
        person, _answerable(ctx), role=new_role, badge=badge, licence=licence, licence_ends_on=ends_on,
        at_tables=True,
    )  # fmt: skip
    entry = PERSON_CHANGED({"person": person.code, "changes": changes, "devices": devices})
    return ActOutcome(entry, {"person": person.code}, changes="nothing")


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def replace_pin(ctx: FacilityContext, *, person: _Named) -> ActOutcome:
    """End the PIN of a person who forgot it, and let who approves that make a one-time PIN.

    Raises `person-on-leave`, `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    verify_not_on_leave(person, ctx.gaming_day)
    devices = staff.change(person, _answerable(ctx), loses_pin=True)
    secret = _allow(ctx, person, Kind.PIN)
    entry = PIN_ENDED({"person": person.code, "devices": devices, **secret})
    return ActOutcome(entry, {"person": person.code}, changes="nothing")


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def end_access(ctx: FacilityContext, *, person: _Named, why: Text) -> ActOutcome:
    """End a person's access: they leave. Their sessions and their duty end at once; the record keeps their name.

    Raises `still-at-a-post` or `still-supervises` for somebody whom an open table needs, `last-with-access-rights`,
    `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    duty = _verify_not_at_work(ctx, person)
    _verify_not_last(person, "")
    ctx.affect(tables_of(person))
    assignments, moves = end_all_duty(person, ctx.facility, duty, ctx.actor, ctx.now)
    devices = staff.change(person, _answerable(ctx), leaves=True, at_tables=True)
    data: AccessEnded = {
        "person": person.code, "why": why, "devices": devices, "assignments": assignments
    }  # fmt: skip
    if moves:
        data["planned_moves"] = moves
    return ActOutcome(ACCESS_ENDED(data), {"person": person.code})


@facility_act(STAFF, roles=LEAVE_PREPARERS, subject=LEAVES, step_up="office")
def record_leave(
    ctx: FacilityContext,
    *,
    person: _Named,
    begins_on: Day,
    last_day: OptionalDay = None,
    reason: LeaveReasonCode,
) -> ActOutcome:
    """Record that a person is on leave from a gaming day on, or change the last day or the reason of their leave.

    While on leave nobody signs in, signs, or is on duty, planned or given a PIN. Of a leave that begins today,
    sessions, duty and planned moves end at once, as at `end_access`; of a later one when its first day comes
    (`watch.py`). The PIN and the second factors stay, and are accepted again once the return is recorded.

    Raises `leave-begins-in-the-past`, `leave-ends-before-it-begins`, `has-a-leave`, or what `end_access` raises.
    """
    _verify_leave(ctx, person, begins_on, last_day, reason)
    _verify_not_last(person, "")
    data: LeaveRecorded = {
        "person": person.code,
        "begins_on": begins_on.isoformat(),
        "last_day": last_day.isoformat() if last_day else None,
        "reason": reason,
        "assignments": [],
        "devices": [],
    }
    begins_now = begins_on <= ctx.gaming_day and not person.is_on_leave(ctx.gaming_day)
    if begins_now:
        duty = _verify_not_at_work(ctx, person)
        ctx.affect(tables_of(person))
        data["assignments"], moves = end_all_duty(person, ctx.facility, duty, ctx.actor, ctx.now)
        if moves:
            data["planned_moves"] = moves
    staff.set_leave(person, _answerable(ctx), begins_on=begins_on, last_day=last_day, reason=reason)
    if begins_now:
        data["devices"] = people.end_sessions(person, at_tables=True)
    return ActOutcome(LEAVE_RECORDED(data), {"person": person.code}, changes="nothing")


@facility_act(STAFF, roles=LEAVE_PREPARERS, subject=LEAVES, step_up="office")
def record_return(ctx: FacilityContext, *, person: _Named) -> ActOutcome:
    """Record that a person is back from their leave, or that a leave is called off before it begins.

    They sign in with the PIN or the second factor that they had. Their duty starts anew. Raises `not-on-leave`,
    `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    if person.leave_from is None:
        raise Refusal(NOT_ON_LEAVE, person=person.name)
    data: Leave = {
        "person": person.code,
        "begins_on": person.leave_from.isoformat(),
        "last_day": person.leave_until.isoformat() if person.leave_until else None,
        "reason": cast(LeaveReasonCode, person.leave_reason),
    }
    staff.set_leave(person, _answerable(ctx))
    return ActOutcome(LEAVE_ENDED(data), {"person": person.code}, changes="nothing")


@facility_act(SIGN_INS, roles=PREPARERS, subject=SUBJECT, step_up="office")
def replace_sign_in(
    ctx: FacilityContext, *, person: _Named, why: Annotated[str, text(MAX_WHY)], lost: bool = False
) -> ActOutcome:
    """Let who approves it make a one-time password of a person who forgot theirs, or `lost` every second factor.

    The finder of a lost key may have an open sign-in too, so lost factors end at once, and so do sign-ins everywhere
    but at a table. A forgotten password stays until the one-time password is made.

    Raises `person-on-leave`, `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    verify_not_on_leave(person, ctx.gaming_day)
    ended = factors.end_all(person, ctx.now) if lost else []
    devices = people.end_sessions(person) if lost else []
    secret = _allow(ctx, person, Kind.PASSWORD)
    entry = SIGN_IN_ENDED(
        {
            "person": person.code,
            "why": why,
            "factors": [factor["factor"] for factor in ended],
            "devices": devices,
            **secret,
        }
    )
    return ActOutcome(entry, {"person": person.code}, changes="nothing")


@facility_act(STAFF, roles=APPROVERS, step_up="always")
def make_pin(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Make the one-time PIN that was approved. Only who approved it does, once, and reads it on the page then.

    Raises `no-such-person`, `person-on-leave`, `no-secret-allowed`, or, as Forbidden, `secret-for-another`.
    """
    allowed = _allowed(ctx, params, Kind.PIN)
    one_time_secrets.make_pin(allowed, ctx.command, ctx.now)
    data: PinMade = {
        "person": allowed.person.code,
        "ends_at": clock.format_moment(ctx.now + one_time_secrets.LIFETIME),
    }
    return ActOutcome(PIN_MADE(data), {"person": allowed.person.code}, changes="nothing")


@facility_act(SIGN_INS, roles=APPROVERS, step_up="always")
def give_password(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Make the one-time password that was approved. As `make_pin`. Second factors that have not ended stay."""
    allowed = _allowed(ctx, params, Kind.PASSWORD)
    row = one_time_secrets.give_password(allowed, ctx.command, ctx.now)
    return ActOutcome(PASSWORD_GIVEN(passwords.statement_of(row)), changes="nothing")


def _allowed(ctx: FacilityContext, params: Params, kind: OneTimeSecret.Kind) -> OneTimeSecret:
    """The one-time secret that the actor may make, locked. It lapses after the hours of the policy.

    Raises as `make_pin`.
    """
    person = person_here(ctx.facility, params.text("person"))
    verify_not_on_leave(person, ctx.gaming_day)
    allowed = (
        OneTimeSecret.objects.select_for_update(of=("self",))
        .filter(person=person, kind=kind, made_at=None, approved_by__isnull=False)
        .filter(allowed_at__gt=ctx.now - policy.row_of(ctx.facility.law, SUBJECT).time)
        .select_related("person", "approved_by")
        .first()
    )
    if allowed is None or allowed.approved_by is None:
        raise Refusal(NO_SECRET_ALLOWED, person=person.name, secret=kind.label)
    if allowed.approved_by_id != ctx.actor.pk:
        raise Forbidden(SECRET_FOR_ANOTHER, by=allowed.approved_by.name, secret=kind.label)
    return allowed


def _answerable(ctx: FacilityContext) -> Answerable:
    """Who prepared the change and who approves it; while it is prepared, nobody approves it yet."""
    if ctx.approving is None:
        return Answerable(ctx.actor, None)
    return Answerable(ctx.approving.prepared_by, ctx.actor)


def _verify_department(by: Person, role: str) -> None:
    """Raise `access-of-another-department` where table games prepares something for a role of another department."""
    if by.department == Department.TABLE_GAMES and staff.department_of(role) != Department.TABLE_GAMES:
        raise Forbidden(ACCESS_OF_ANOTHER_DEPARTMENT)


def _verify_not_at_work(ctx: FacilityContext, person: Person) -> list[Assignment]:
    """The unended duties of a person here, locked. Refuses somebody whom an open table needs.

    Raises `still-at-a-post` or `still-supervises`.
    """
    tables = tables_of(person)
    tables.select_for_update(of=("self",)).in_bulk()
    duty = [row for row in locked_duty(person) if row.facility_id == ctx.facility.pk]
    for ending in duty:
        verify_not_needed(ctx, ending, [], tables.all())
    return duty


def _verify_leave(
    ctx: FacilityContext, person: Person, begins_on: dt.date, last_day: dt.date | None, reason: str
) -> None:
    """Refuse days that cannot be, and another first day of a leave that is recorded: it would bring somebody back.

    Raises `leave-begins-in-the-past`, `leave-ends-before-it-begins` or `has-a-leave`.
    """
    prepared_at = ctx.approving.prepared_at if ctx.approving else ctx.now
    if last_day is not None and last_day < begins_on:
        raise Refusal(LEAVE_ENDS_BEFORE_IT_BEGINS)
    if person.leave_from is None:
        if begins_on < ctx.facility.gaming_day(prepared_at):
            raise Refusal(LEAVE_BEGINS_IN_THE_PAST, person=person.name)
    elif (begins_on, last_day, reason) == (person.leave_from, person.leave_until, person.leave_reason) or (
        begins_on != person.leave_from
    ):
        begins = day_in_words(person.leave_from)
        raise Refusal(HAS_A_LEAVE, person=person.name, begins=begins, until=person.leave_end_in_words)


def _verify_not_last(person: Person, new_role: str) -> None:
    """Raise `last-with-access-rights` unless others without a leave are left to prepare access and to approve it."""
    here = Person.objects.filter(is_active=True, leave_from=None, facility__in=("", person.facility))
    others = here.exclude(pk=person.pk)
    roles = [*others.values_list("role", flat=True), new_role]
    administrators = roles.count(Role.SYSTEM_ADMINISTRATOR)
    if person.role not in (Role.SYSTEM_ADMINISTRATOR, Role.COMPLIANCE):
        return
    if administrators == 0 or administrators + roles.count(Role.COMPLIANCE) < 2:
        raise Refusal(LAST_WITH_ACCESS_RIGHTS, person=person.name)


def _allow(ctx: FacilityContext, person: Person, kind: OneTimeSecret.Kind) -> SecretAllowed:
    """Let who approves the change make a one-time secret of the person. The entry names who asked and who approved."""
    answerable = _answerable(ctx)
    one_time_secrets.allow(person, kind, answerable.by, answerable.witness, ctx.now)
    allowed: OneTimeSecretData = {
        "kind": "pin" if kind == Kind.PIN else "password",
        "asked_by": answerable.by.code,
        "approved_by": answerable.witness.code if answerable.witness else None,
    }
    return {"secret": allowed}


def read_new_person(params: Params) -> NewPerson:
    """The parameters of `add_person`, or of one of `add_people`. Nothing is checked yet."""
    return NewPerson(
        code=params.text("person", max_length=MAX_CODE),
        name=params.text("name", max_length=MAX_NAME),
        role=params.choice("role", ROLES),
        badge=params.text("badge", default="", max_length=MAX_BADGE),
        licence=params.text("licence", default="", max_length=MAX_LICENSE),
        licence_ends_on=params.date("licence_ends_on", optional=True),
    )


def verify_new_person(facility: Facility, by: Person, person: NewPerson) -> None:
    """Raise what `add_person` refuses about a person whom `by` prepares."""
    _verify_department(by, person.role)
    try:
        code_validator(person.code)
    except ValidationError:
        raise Refusal(NOT_A_PERSON_CODE, person=person.code) from None
    if Person.objects.filter(code=person.code).exists():
        raise Refusal(PERSON_CODE_TAKEN, person=person.code)
    _verify_badge(facility, person.badge)


def _add(ctx: FacilityContext, person: NewPerson) -> PersonAdded:
    answerable = _answerable(ctx)
    verify_new_person(ctx.facility, answerable.by, person)
    row = staff.add(
        person.code, person.name, facility=ctx.facility.code, role=person.role, badge=person.badge,
        licence=person.licence, licence_ends_on=person.licence_ends_on, answerable=answerable,
    )  # fmt: skip
    secret = _allow(ctx, row, Kind.PASSWORD if people.needs_password(row) else Kind.PIN)
    return {
        "person": person.code,
        "name": person.name,
        "role": person.role,
        "badge": person.badge,
        "licence": person.licence,
        "licence_ends_on": person.licence_ends_on.isoformat() if person.licence_ends_on else None,
        **secret,
    }


def _verify_badge(facility: Facility, badge: str, holder: Person | None = None) -> None:
    """Raise `not-a-badge`, or `badge-taken` where somebody else than the `holder` has it. "" is no badge."""
    if not badge:
        return
    try:
        badge_validator(badge)
    except ValidationError:
        raise Refusal(NOT_A_BADGE) from None
    with_it = Person.objects.filter(Q(facility=facility.code) | Q(facility=""), badge=badge)
    other = next((person for person in with_it if person != holder), None)
    if other is not None:
        raise Refusal(BADGE_TAKEN, badge=badge, person=other.name)


def _changes(person: Person, after: dict[ChangedField, str]) -> list[FieldChange]:
    """What is given and differs from the person's row."""
    ends_on = person.licence_ends_on
    before: dict[ChangedField, str] = {
        "role": person.role,
        "badge": person.badge,
        "licence": person.licence,
        "licence_ends_on": ends_on.isoformat() if ends_on else "",
    }
    return [
        {"field": field, "before": before[field], "after": value}
        for field, value in after.items()
        if value and value != before[field]
    ]
