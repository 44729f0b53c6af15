"""Who prepares, who approves and who is told: the rows of a jurisdiction, by subject.

A row is data: practice.toml has those of the trade, and `[separation.<subject>]` in the file of a jurisdiction replaces
one. A role counts only in the department that the row names for it.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from audit.models import Department, Person, Role
from games.jurisdictions import Jurisdiction, SeparationRow, read_separation

PRACTICE = Path(__file__).with_name("practice.toml")


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


def in_words(roles: Mapping[str, str]) -> str:
    """Roles with their departments, for people: "compliance, shift manager of table games"."""
    return ", ".join(_role_in_words(role, department) for role, department in roles.items())


def _role_in_words(role: str, department: str) -> str:
    words, place = Role(role).label.lower(), Department(department).label.lower()
    return words if words == place else f"{words} of {place}"
