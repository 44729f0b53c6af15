"""Who prepares, who approves and who is told: the rows of a jurisdiction, by subject.

A row is data: practice.toml has those of the trade, and `[separation.<subject>]` in the file of a jurisdiction replaces
one. A role counts only in the department that the row names for it.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from audit.models import Department, Person, Role
from games.jurisdictions import (
    ALONE,
    CHANGE,
    SIGNATURE,
    Jurisdiction,
    SeparationRow,
    all_jurisdictions,
    read_separation,
)
from games.models import Facility

PRACTICE = Path(__file__).with_name("practice.toml")
# The department in which somebody of a role is told. The roles that are not named work in table games.
DEPARTMENTS = {
    Role.SECURITY: Department.SECURITY,
    Role.SURVEILLANCE: Department.SURVEILLANCE,
    Role.COMPLIANCE: Department.COMPLIANCE,
    Role.GAMES_ADMINISTRATOR: Department.COMPLIANCE,
    Role.GAMING_AGENT: Department.REGULATOR,
    Role.SYSTEM_ADMINISTRATOR: Department.INFORMATION_TECHNOLOGY,
    Role.CAGE: Department.CAGE,
}


def row_of(law: Jurisdiction, subject: str) -> SeparationRow:
    """The row for a subject in this jurisdiction. Raises KeyError for a subject that no file names."""
    return law.separation.get(subject) or practice()[subject]


def rows_of(law: Jurisdiction) -> dict[str, SeparationRow]:
    """Every row of this jurisdiction by its subject, in the order of practice.toml."""
    return {**practice(), **law.separation}


@lru_cache(maxsize=1)
def practice() -> Mapping[str, SeparationRow]:
    """The rows of the trade. Raises ValueError for a malformed file."""
    return read_separation(tomllib.loads(PRACTICE.read_text("utf-8")))


def may_prepare(row: SeparationRow, person: Person) -> bool:
    """Whether the person's role and department prepare what this row covers."""
    return row.prepare.get(person.role) == person.department


def may_approve(row: SeparationRow, person: Person) -> bool:
    """Whether the person's role and department approve it. Whether they made it themselves is another question."""
    return row.approve.get(person.role) == person.department


def is_told(row: SeparationRow, person: Person) -> bool:
    """Whether the person is to be told of what this row covers."""
    return person.role in row.told and department_of(person.role) == person.department


def department_of(role: str) -> str:
    """The department in which somebody of this role is told."""
    return DEPARTMENTS.get(Role(role), Department.TABLE_GAMES).value


def departments_told(row: SeparationRow) -> list[str]:
    """The departments that are told of an approved change, also where somebody of them approved it."""
    return sorted({department_of(role) for role in row.told})


def may_do_alone(row: SeparationRow, person: Person, about: str) -> bool:
    """Whether the person needs no second person for what is about this department, which is their own."""
    return row.alone.get(person.role) == person.department == about


def may_at_any_time(row: SeparationRow, person: Person) -> bool:
    """Whether the signature of this person suffices for what is older, or at other tables, than the row allows."""
    return row.at_any_time.get(person.role) == person.department


def may_sign(row: SeparationRow, person: Person, about: str = "") -> bool:
    """Whether the person may be the second one who signs. `about`: the department that the act is about."""
    return may_approve(row, person) or (row.signed_by_own_department and person.department == about)


def roles_of(subject: str, *columns: str) -> frozenset[str]:
    """Return every role that the rows of a subject name in these columns, in any jurisdiction.

    An act that is registered with them is open to all of them; the row of its facility then says who may do it there.
    """
    rows = [practice()[subject], *(row_of(law, subject) for law in all_jurisdictions().values())]
    return frozenset(role for row in rows for column in columns for role in getattr(row, column))


def changed(rows: Mapping[str, SeparationRow]) -> dict[str, SeparationRow]:
    """Those rows whose subject is approved later, as a prepared change."""
    return {subject: row for subject, row in rows.items() if row.control == CHANGE}


def review_first_from(facility: Facility) -> int:
    """The sum in cents from which a slip is reviewed before money moves at this facility; 0: none is.

    A facility may set a lower sum than its jurisdiction, never a higher one.
    """
    sums = (row_of(facility.law, "corrections").first_from_cents, facility.review_first_from_cents)
    return min(filter(None, sums), default=0)


def sha256_of(data: Any) -> str:
    """SHA-256 of an entry's data in hexadecimal: JSON with sorted keys and without spaces."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def departments_in_words(departments: Iterable[str]) -> str:
    """Departments for people, each once: "surveillance or compliance"."""
    return " or ".join(Department(department).label.lower() for department in dict.fromkeys(departments))


def prepared_in_words(row: SeparationRow) -> str:
    """Who prepares what a row covers, for people."""
    if not row.alone:
        return in_words(row.prepare)
    return f"{in_words(row.alone)}, each for their own department alone; {in_words(row.prepare)} for any"


def approved_in_words(row: SeparationRow) -> str:
    """Who is the second person of a row, for people."""
    if row.control == ALONE:
        return "nobody"
    words = in_words(row.approve)
    return f"{words}, or somebody of the department itself" if row.signed_by_own_department else words


def control_in_words(row: SeparationRow) -> str:
    """How the second person controls what a row covers, for people."""
    if row.control == ALONE:
        return "the first person does it alone"
    if row.control == CHANGE:
        return "approves it before it is done"
    if row.control != SIGNATURE:
        return "reviews it after it is done"
    return f"signs the same act{_free_in_words(row)}"


def _free_in_words(row: SeparationRow) -> str:
    """What needs no signature, for people."""
    if not row.free_count:
        return ""
    return f", after the first {row.free_count} of a person in {free_time_in_words(row)}"


def free_time_in_words(row: SeparationRow) -> str:
    """Within what time the free acts of a row are counted, for people: "60 minutes", "24 hours"."""
    hours, minutes = divmod(row.free_minutes, 60)
    return f"{row.free_minutes} minutes" if minutes or hours < 2 else f"{hours} hours"


def limits_in_words(row: SeparationRow) -> str:
    """For what and how long a row holds, for people; "" for every age and every table."""
    if not row.within_hours:
        return ""
    words = f"at their own tables, within {row.within_hours} h"
    return f"{words}; older or elsewhere with {in_words(row.at_any_time)}" if row.at_any_time else words


def in_words(roles: Mapping[str, str]) -> str:
    """Roles with their departments, for people: "compliance, shift manager of table games"."""
    return ", ".join(_role_in_words(role, department) for role, department in roles.items())


def roles_in_words(roles: Iterable[str]) -> str:
    """Roles without their departments, for people: "system administrator"."""
    return " or ".join(Role(role).label.lower() for role in roles)


def _role_in_words(role: str, department: str) -> str:
    words, place = Role(role).label.lower(), Department(department).label.lower()
    return words if words == place else f"{words} of {place}"
