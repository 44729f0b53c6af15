"""Who has access: add a person, change a role or a license, replace a forgotten PIN or a lost sign-in, end access.

One person prepares such a change and another one approves it (games/separation, row `people`). Nobody does either for
themselves, and table games prepares nothing about people of other departments: it can never end the access of those who
watch it.

1. People are added one by one (`add_person`) or at once from a CSV of the personnel office (`read_people`,
   `add_people`). The first line of the file names the columns. A spreadsheet of any country may have written it: with
   commas, semicolons or tabs, in UTF-8 or in Windows' Western encoding, with days as 2028-11-30 or, as in the United
   States, 11/30/2028. Each line is checked as the act checks it, and shown before anything is prepared.
2. A role, badge or license changes (`change_access`); another role signs them off. Somebody whom an open table needs
   keeps theirs until a relief is there (`verify_not_at_work`), and the last who could give access keeps it for good
   (`verify_not_last`).
3. A forgotten PIN ends at once (`replace_pin`), and so do second factors that are lost, but not a forgotten password
   (`replace_sign_in`). A one-time PIN or password is made and read by who approved it, never by who asked for it, once
   and within the hours of the policy (`make_pin`, `give_password`).
4. Somebody leaves (`end_access`), for good; for a time see tables.staffing.leaves.

What happens to the person's row is in `audit/staff.py`, as for the commands of the server. Compliance reviews the
result (tables.staffing.access_review).
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db.models import Q

from audit import clock, factors, passwords, staff
from audit.columns import Body, Rows, declare
from audit.entries import (
    PASSWORD_GIVEN,
    RESET_WITHDRAWN,
    SIGN_IN_ENDED,
    OneTimeSecretData,
    SecretAllowed,
    SignInEnded,
)
from audit.entry_types import ABSENT, entry_type
from audit.models import ROLES_OF_PEOPLE, Department, OneTimeSecret, Person, Role
from audit.models.people import badge_validator, code_validator
from audit.people import end_sessions, needs_password
from audit.staff import Answerable
from games.act_forms import Text, found, text
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden
from games.models import Facility
from games.params import Params
from games.separation import policy
from tables.core.duty import locked_duty, person_here, verify_not_on_leave
from tables.models import Assignment
from tables.runner.facility import SIGN_INS, STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.assignments import DutyEnded, PersonNamed, end_all_duty, tables_of, verify_not_needed
from tables.words import line, register

# Refusals

NOT_YOUR_OWN_ACCESS = RefusalCode(
    "not-your-own-access",
    "Nobody prepares a change of their own access. Somebody else must.",
    "Your own access",
)
ACCESS_OF_ANOTHER_DEPARTMENT = RefusalCode(
    "access-of-another-department",
    "Table games prepares changes for people of table games alone. A system administrator prepares this one.",
    "Another department",
)
WORKS_EVERYWHERE = RefusalCode(
    "works-everywhere",
    "%(person)s works in every facility. Their access is changed on the server, with `manage.py change_person`.",
    "Changed on the server",
)
NOT_A_PERSON_CODE = RefusalCode(
    "not-a-person-code",
    "The code %(person)s is not possible. Use lowercase letters, digits and single hyphens, such as park-z.",
    "Another code",
)
PERSON_CODE_TAKEN = RefusalCode(
    "person-code-taken",
    "Somebody has the code %(person)s already, perhaps somebody who left.",
    "Another code",
)
BADGE_TAKEN = RefusalCode("badge-taken", "Badge %(badge)s is that of %(person)s.", "Another badge")
NOT_A_BADGE = RefusalCode("not-a-badge", "A badge number has at most six digits.", "Another badge")
NOTHING_TO_CHANGE = RefusalCode(
    "nothing-to-change", "%(person)s has this role, badge and license already.", "Nothing to change"
)
LAST_WITH_ACCESS_RIGHTS = RefusalCode(
    "last-with-access-rights",
    "Without %(person)s nobody could give anybody access here: it takes a system administrator who prepares, and a "
    "second person who approves, another administrator or compliance. Add somebody first.",
    "Needed for access",
)
NO_SECRET_ALLOWED = RefusalCode(
    "no-secret-allowed",
    "There is no one-time %(secret)s of %(person)s to make: it was made already, or was not approved. Prepare another "
    "one under People.",
    "Nothing to make",
)
SECRET_FOR_ANOTHER = RefusalCode(
    "secret-for-another",
    "%(by)s approved this one-time %(secret)s, and alone makes and reads it, while its person is there.",
    "Not yours to read",
)

SUBJECT = "people"  # the row of the policy
ROLES = ROLES_OF_PEOPLE
PREPARERS = frozenset(policy.practice()[SUBJECT].prepare)
APPROVERS = policy.roles_of(SUBJECT, "approve")
Kind = OneTimeSecret.Kind
MAX_WHY = 200
MAX_CODE, MAX_NAME, MAX_LICENSE, MAX_BADGE = 40, 120, 40, 6
MOST_PEOPLE = 200  # of one file


# What the record says


class PersonAdded(PersonNamed, SecretAllowed):
    badge: Annotated[str, "number of the badge; empty without one"]
    licence: Annotated[str, "number of the license; empty without one"]
    licence_ends_on: Annotated[str | None, "the last day on which the license is in effect; null without one"]
    name: str
    role: str


ChangedField = Literal["role", "badge", "licence", "licence_ends_on"]


class FieldChange(TypedDict):
    """What changed about a person."""

    after: Annotated[str, "empty without one"]
    before: Annotated[str, "empty without one"]
    field: Annotated[ChangedField, "what changed; a day is written as 2026-11-21"]


class PinEnded(PersonNamed, SecretAllowed):
    devices: Annotated[list[str], "names of the devices where the person was signed off"]


CHANGED_FIELDS = {
    "role": "role",
    "badge": "badge",
    "licence": "license",
    "licence_ends_on": "end of the license",
}


def _role_in_words(code: str) -> str:
    return str(Role(code).label).lower() if code in Role.values else code


def _person_added(data: PersonAdded) -> str:
    badge = f", badge {data['badge']}" if data["badge"] else ""
    return f"{data['name']} ({data['person']}) added as {_role_in_words(data['role'])}{badge}"


def _change_in_words(change: FieldChange) -> str:
    before, after = change["before"], change["after"]
    if change["field"] == "role":
        before, after = _role_in_words(before), _role_in_words(after)
    return f"{CHANGED_FIELDS[change['field']]} {after}{f' instead of {before}' if before else ''}"


def _sign_in_ended(data: SignInEnded) -> str:
    what = "lost every second factor, which end" if data["factors"] else "forgot the password"
    return f"{data['person']} {what}; a one-time password may be made: {data['why']}"


PERSON_ADDED = entry_type(
    "person.added",
    PersonAdded,
    "A person was added. They have no PIN and no password yet.",
    _person_added,
)


@entry_type("people.added")
def PEOPLE_ADDED(*, people: list[PersonAdded]) -> str:
    """Several people were added at once. They have no PIN and no password yet."""
    return f"{len(people)} {'person' if len(people) == 1 else 'people'} added: {'; '.join(map(_person_added, people))}"


@entry_type("person.changed")
def PERSON_CHANGED(
    *,
    changes: list[FieldChange],
    devices: Annotated[list[str], "names of the devices where the person was signed off"],
    **data: Unpack[PersonNamed],
) -> str:
    """The role, the badge or the license of a person changed."""
    return f"{data['person']}: {', '.join(map(_change_in_words, changes))}"


PIN_ENDED = entry_type(
    "pin.ended",
    PinEnded,
    "The PIN of a person who forgot it ended. They may get a one-time PIN.",
    lambda data: "PIN of %(person)s ends; a one-time PIN takes its place" % data,
)


@entry_type("pin.made")
def PIN_MADE(
    *,
    ends_at: Annotated[str, "until when the person can sign in with it, to choose a PIN of their own"],
    **data: Unpack[PersonNamed],
) -> str:
    """A one-time PIN was made, and could be read for ten minutes by the person who made it."""
    return f"One-time PIN of {data['person']} made"


@entry_type("access.ended")
def ACCESS_ENDED(*, why: Annotated[str, "why, in a person's words"], **data: Unpack[DutyEnded]) -> str:
    """A person's access ended: sign-in, duty and sessions."""
    return f"Access of {data['person']} ends: {why}"


register(
    act_lines=[
        line(SIGN_IN_ENDED, _sign_in_ended),
        line(RESET_WITHDRAWN, lambda data: "Reset of the second factors of %(person)s withdrawn" % data),
    ]
)


# What the entries state of one-time PINs and passwords


def secret_allowed(rows: Rows, body: Body) -> None:
    """Who approved the addition of a person, or the end of a sign-in that is lost, may make a one-time secret."""
    data = body["data"]
    secret = data.get("secret")
    if secret is not None:
        names = {name: secret[name] for name in ("asked_by", "approved_by")}
        rows.put(
            body, data["person"], secret["kind"], **names, allowed_at=body["at"], made_at=None, command=None
        )


def secrets_allowed(rows: Rows, body: Body) -> None:
    for person in body["data"]["people"]:
        secret_allowed(rows, {**body, "data": person})


def pin_made(rows: Rows, body: Body) -> None:
    person = body["data"]["person"]
    if rows.get(person, "pin") is not None:
        rows.put(body, person, "pin", made_at=body["at"], command=body["command"])


def password_given(rows: Rows, body: Body) -> None:
    """A command of the server gives one without asking two people."""
    if rows.get(body["data"]["code"], "password") is not None:
        rows.put(body, body["data"]["code"], "password", made_at=body["at"])


def access_gone(rows: Rows, body: Body) -> None:
    for kind in ("pin", "password"):
        rows.remove(body["data"]["person"], kind)


declare(
    OneTimeSecret,
    "one-time secret of",
    key={"person": "person", "kind": "kind"},
    folded={
        PERSON_ADDED: secret_allowed,
        PEOPLE_ADDED: secrets_allowed,
        PIN_ENDED: secret_allowed,
        SIGN_IN_ENDED: secret_allowed,
        PIN_MADE: pin_made,
        PASSWORD_GIVEN: password_given,
        ACCESS_ENDED: access_gone,
    },
    folded_columns=("asked_by", "approved_by", "allowed_at", "made_at", "command"),
    may_be_gone=True,  # a command of the server that sets a PIN deletes the row
)


# Whom a change may be about


def person_to_change(ctx: FacilityContext, code: str) -> Person:
    """The person whom a change is about, who may not approve it. Raises `no-such-person` or `works-everywhere`.

    Raises `not-your-own-access` and `access-of-another-department` as Forbidden.
    """
    person = person_here(ctx.facility, code)
    if not person.facility:
        raise Refusal(WORKS_EVERYWHERE, person=person.name)
    if ctx.approving is None and person.pk == ctx.actor.pk:
        raise Forbidden(NOT_YOUR_OWN_ACCESS)
    _verify_department(answerable_for(ctx).by, person.role)
    ctx.add_makers(person)
    return person


PersonToChange = Annotated[Person, found(Text, person_to_change)]


def answerable_for(ctx: FacilityContext) -> Answerable:
    """Who prepared the change and who approves it; while it is prepared, nobody approves it yet."""
    if ctx.approving is None:
        return Answerable(ctx.actor, None)
    return Answerable(ctx.approving.prepared_by, ctx.actor)


def _verify_department(by: Person, role: str) -> None:
    """Raise `access-of-another-department` where table games prepares something for a role of another department."""
    if by.department == Department.TABLE_GAMES and staff.department_of(role) != Department.TABLE_GAMES:
        raise Forbidden(ACCESS_OF_ANOTHER_DEPARTMENT)


def verify_not_at_work(ctx: FacilityContext, person: Person) -> list[Assignment]:
    """The unended duties of a person here, locked. Refuses somebody whom an open table needs.

    Raises `still-at-a-post` or `still-supervises`.
    """
    tables = tables_of(person)
    tables.select_for_update(of=("self",)).in_bulk()
    duty = [row for row in locked_duty(person) if row.facility_id == ctx.facility.pk]
    for ending in duty:
        verify_not_needed(ctx, ending, [], tables.all())
    return duty


def verify_not_last(person: Person, new_role: str) -> None:
    """Raise `last-with-access-rights` unless others without a leave are left to prepare access and to approve it."""
    here = Person.objects.filter(is_active=True, leave_from=None, facility__in=("", person.facility))
    others = here.exclude(pk=person.pk)
    roles = [*others.values_list("role", flat=True), new_role]
    administrators = roles.count(Role.SYSTEM_ADMINISTRATOR)
    if person.role not in (Role.SYSTEM_ADMINISTRATOR, Role.COMPLIANCE):
        return
    if administrators == 0 or administrators + roles.count(Role.COMPLIANCE) < 2:
        raise Refusal(LAST_WITH_ACCESS_RIGHTS, person=person.name)


# Adding people


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
    return ActOutcome(PEOPLE_ADDED(people=added), changes="nothing")


def read_new_person(params: Params) -> Person:
    """The person whom `add_person` names, or one of `add_people`, not stored. Nothing is checked yet."""
    return Person(
        code=params.text("person", max_length=MAX_CODE),
        name=params.text("name", max_length=MAX_NAME),
        role=params.choice("role", ROLES),
        badge=params.text("badge", default="", max_length=MAX_BADGE),
        licence=params.text("licence", default="", max_length=MAX_LICENSE),
        licence_ends_on=params.date("licence_ends_on", optional=True),
    )


def verify_new_person(facility: Facility, by: Person, person: Person) -> None:
    """Raise what `add_person` refuses about a person whom `by` prepares."""
    _verify_department(by, person.role)
    try:
        code_validator(person.code)
    except ValidationError:
        raise Refusal(NOT_A_PERSON_CODE, person=person.code) from None
    if Person.objects.filter(code=person.code).exists():
        raise Refusal(PERSON_CODE_TAKEN, person=person.code)
    _verify_badge(facility, person.badge)


def _add(ctx: FacilityContext, person: Person) -> PersonAdded:
    answerable = answerable_for(ctx)
    verify_new_person(ctx.facility, answerable.by, person)
    row = staff.add(
        person.code, person.name, facility=ctx.facility.code, role=person.role, badge=person.badge,
        licence=person.licence, licence_ends_on=person.licence_ends_on, answerable=answerable,
    )  # fmt: skip
    secret = _allow(ctx, row, Kind.PASSWORD if needs_password(row) else Kind.PIN)
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


# Adding people from a file

MOST_BYTES = 256 * 1024
# The heading of each column with the parameter of `add_person` that it has.
FILE_COLUMNS = {
    "name": "name",
    "code": "person",
    "role": "role",
    "badge": "badge",
    "license": "licence",
    "license ends": "licence_ends_on",
}
AMERICAN_DAY = re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})", re.ASCII)
NEEDED_COLUMNS = ("name", "code", "role")
EXAMPLE_FILE = (
    "name,code,role,badge,license,license ends\n"
    "Zoe Park,park-z,dealer,4417,G-20417,2028-01-31\n"
    "Viktor Lind,lind-v,shift manager,1101,G-11810,2027-06-30\n"
)
ROLE_BY_LABEL = {Role(code).label.casefold(): code for code in ROLES} | {code: code for code in ROLES}
UNREADABLE = {
    "name": "“%s” is too long for a name, or has a character that nobody can type.",
    "code": "“%s” is too long for a code.",
    "role": "“%s” is not a role here.",
    "badge": "“%s” is too long for a badge.",
    "license": "“%s” is too long for a license.",
    "license ends": "“%s” is not a day. Write 2028-11-30 or 11/30/2028.",
}
# What a refused parameter is called in the file.
HEADINGS = {param: heading for heading, param in FILE_COLUMNS.items()}


class UnreadableFile(Exception):
    """The file as a whole cannot be read. Its text is a sentence."""


@dataclass(frozen=True)
class PersonLine:
    """A line of the file. `person`: None where it cannot be read. `problem`: why it cannot be added, or ""."""

    number: int
    cells: Mapping[str, str]
    person: Person | None
    problem: str

    @property
    def ends_on(self) -> str:
        """The day on which the license ends, as it is written."""
        return self.cells["license ends"]

    @property
    def role_label(self) -> str:
        """The role as people call it; as it is written where it is none."""
        return str(Role(self.person.role).label) if self.person else self.cells["role"]


def read_people(content: bytes, facility: Facility, by: Person) -> list[PersonLine]:
    """The lines of a file, each checked as the act checks it whose preparer is `by`. Raises UnreadableFile."""
    lines = _file_rows(content)
    if not lines:
        raise UnreadableFile("The file has no people: only a line of headings, or nothing.")
    if len(lines) > MOST_PEOPLE:
        raise UnreadableFile(f"The file has {len(lines)} people. At most {MOST_PEOPLE} come at once.")
    checked = [_person_line(number, cells, facility, by) for number, cells in lines]
    return _without_repetitions(checked)


def _file_rows(content: bytes) -> list[tuple[int, dict[str, str]]]:
    """The number and the cells of each line, by heading. Empty lines are left out."""
    text = _decoded(content)
    try:
        reader = csv.reader(io.StringIO(text), _dialect(text), strict=True)
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except csv.Error as error:
        raise UnreadableFile(f"This is not a CSV: {error}.") from None
    rows = [(number, row) for number, row in rows if any(row)]
    if not rows:
        return []
    headings = [" ".join(heading.casefold().split()) for heading in rows[0][1]]
    _verify_headings(headings)
    lines = []
    for number, row in rows[1:]:
        if len(row) > len(headings) and any(row[len(headings) :]):
            raise UnreadableFile(f"Line {number} has more columns than the first line.")
        cells = dict(zip(headings, row + [""] * len(headings), strict=False))
        lines.append((number, {heading: cells.get(heading, "") for heading in FILE_COLUMNS}))
    return lines


def _decoded(content: bytes) -> str:
    if len(content) > MOST_BYTES:
        raise UnreadableFile(f"The file is larger than {MOST_BYTES // 1024} kB.")
    if b"\0" in content:
        raise UnreadableFile("This is not a CSV. Save the sheet as CSV in your spreadsheet.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _dialect(text: str) -> type[csv.Dialect]:
    class Dialect(csv.excel):
        delimiter = max(",;\t", key=text.partition("\n")[0].count)

    return Dialect


def _verify_headings(headings: list[str]) -> None:
    known = ", ".join(FILE_COLUMNS)
    missing = [heading for heading in NEEDED_COLUMNS if heading not in headings]
    if missing:
        raise UnreadableFile(f"The first line has no column “{missing[0]}”. It names the columns: {known}.")
    unknown = [heading for heading in headings if heading and heading not in FILE_COLUMNS]
    if unknown:
        raise UnreadableFile(f"There is no column “{unknown[0][:40]}” here. The columns are: {known}.")
    twice = [heading for heading in FILE_COLUMNS if headings.count(heading) > 1]
    if twice:
        raise UnreadableFile(f"The column “{twice[0]}” is there twice.")


def _person_line(number: int, cells: dict[str, str], facility: Facility, by: Person) -> PersonLine:
    missing = next((heading for heading in NEEDED_COLUMNS if not cells[heading]), None)
    if missing:
        return PersonLine(number, cells, None, f"The {missing} is missing.")
    values: dict[str, object] = {param: cells[heading] for heading, param in FILE_COLUMNS.items()}
    values["role"] = ROLE_BY_LABEL.get(" ".join(cells["role"].casefold().split()), "")
    values["licence_ends_on"] = _written_day(cells["license ends"])
    try:
        person = read_new_person(Params(values))
    except Refusal as refusal:
        heading = HEADINGS[str(refusal.params["name"])]
        return PersonLine(number, cells, None, UNREADABLE[heading] % cells[heading][:40])
    try:
        verify_new_person(facility, by, person)
    except Refusal as refusal:
        return PersonLine(number, cells, person, refusal.sentence)
    return PersonLine(number, cells, person, "")


def _written_day(text: str) -> str | None:
    """The day as 2028-11-30; None without one. What is no day stays as it is, so that it is refused."""
    if not text:
        return None
    american = AMERICAN_DAY.fullmatch(text)
    return f"{american['year']}-{american['month']:0>2}-{american['day']:0>2}" if american else text


def _without_repetitions(lines: list[PersonLine]) -> list[PersonLine]:
    """The same lines, where a code or badge of an earlier line is a problem."""
    first: dict[tuple[str, str], int] = {}
    checked = []
    for written in lines:
        problem = written.problem
        for heading in ("code", "badge"):
            value = written.cells[heading]
            earlier = first.setdefault((heading, value), written.number)
            if value and earlier != written.number:
                problem = problem or f"Line {earlier} has the same {heading}."
        checked.append(PersonLine(written.number, written.cells, written.person, problem))
    return checked


# Changing and ending access


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def change_access(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give a person another role, badge or license. Another role signs them off, and takes them from no post.

    Raises `nothing-to-change`, `not-a-badge`, `badge-taken`, `last-with-access-rights`, or what `end_access` raises of
    somebody at work; as Forbidden, `access-of-another-department` and `not-your-own-access`.
    """
    person = person_to_change(ctx, params.text("person"))
    role = params.choice("role", ROLES, default=Role(person.role).value)
    badge = params.text("badge", default="", max_length=MAX_BADGE)
    licence = params.text("licence", default="", max_length=MAX_LICENSE)
    ends_on = params.date("licence_ends_on", optional=True)
    _verify_badge(ctx.facility, badge, person)
    _verify_department(answerable_for(ctx).by, role)
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
        verify_not_at_work(ctx, person)
        verify_not_last(person, role)
    devices = staff.change(
        person, answerable_for(ctx), role=new_role, badge=badge, licence=licence, licence_ends_on=ends_on,
        at_tables=True,
    )  # fmt: skip
    entry = PERSON_CHANGED(person=person.code, changes=changes, devices=devices)
    return ActOutcome(entry, {"person": person.code}, changes="nothing")


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


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def end_access(ctx: FacilityContext, *, person: PersonToChange, why: Text) -> ActOutcome:
    """End a person's access: they leave. Their sessions and their duty end at once; the record keeps their name.

    Raises `still-at-a-post` or `still-supervises` for somebody whom an open table needs, `last-with-access-rights`,
    `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    duty = verify_not_at_work(ctx, person)
    verify_not_last(person, "")
    ctx.affect(tables_of(person))
    assignments, moves = end_all_duty(person, ctx.facility, duty, ctx.actor, ctx.now)
    devices = staff.change(person, answerable_for(ctx), leaves=True, at_tables=True)  # fmt: skip
    return ActOutcome(
        ACCESS_ENDED(
            person=person.code,
            why=why,
            devices=devices,
            assignments=assignments,
            planned_moves=moves or ABSENT,
        ),
        {"person": person.code},
    )


# One-time PINs and passwords


@facility_act(STAFF, roles=PREPARERS, subject=SUBJECT, step_up="office")
def replace_pin(ctx: FacilityContext, *, person: PersonToChange) -> ActOutcome:
    """End the PIN of a person who forgot it, and let who approves that make a one-time PIN.

    Raises `person-on-leave`, `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    verify_not_on_leave(person, ctx.gaming_day)
    devices = staff.change(person, answerable_for(ctx), loses_pin=True)
    secret = _allow(ctx, person, Kind.PIN)
    entry = PIN_ENDED({"person": person.code, "devices": devices, **secret})
    return ActOutcome(entry, {"person": person.code}, changes="nothing")


@facility_act(SIGN_INS, roles=PREPARERS, subject=SUBJECT, step_up="office")
def replace_sign_in(
    ctx: FacilityContext, *, person: PersonToChange, why: Annotated[str, text(MAX_WHY)], lost: bool = False
) -> ActOutcome:
    """Let who approves it make a one-time password of a person who forgot theirs, or `lost` every second factor.

    The finder of a lost key may have an open sign-in too, so lost factors end at once, and so do sign-ins everywhere
    but at a table. A forgotten password stays until the one-time password is made.

    Raises `person-on-leave`, `no-such-person` or `works-everywhere`; as Forbidden, as `change_access`.
    """
    verify_not_on_leave(person, ctx.gaming_day)
    ended = factors.end_all(person, ctx.now) if lost else []
    devices = end_sessions(person) if lost else []
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
    passwords.make_pin(allowed, ctx.command, ctx.now)
    return ActOutcome(
        PIN_MADE(
            person=allowed.person.code, ends_at=clock.format_moment(ctx.now + passwords.SECRET_LIFETIME)
        ),
        {"person": allowed.person.code},
        changes="nothing",
    )


@facility_act(SIGN_INS, roles=APPROVERS, step_up="always")
def give_password(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Make the one-time password that was approved. As `make_pin`. Second factors that have not ended stay."""
    allowed = _allowed(ctx, params, Kind.PASSWORD)
    row = passwords.give_password(allowed, ctx.command, ctx.now)
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


def _allow(ctx: FacilityContext, person: Person, kind: OneTimeSecret.Kind) -> SecretAllowed:
    """Let who approves the change make a one-time secret of the person. The entry names who asked and who approved."""
    answerable = answerable_for(ctx)
    passwords.allow_secret(person, kind, answerable.by, answerable.witness, ctx.now)
    allowed: OneTimeSecretData = {
        "kind": "pin" if kind == Kind.PIN else "password",
        "asked_by": answerable.by.code,
        "approved_by": answerable.witness.code if answerable.witness else None,
    }
    return {"secret": allowed}
