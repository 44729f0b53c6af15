"""Declarations of cases: what each kind says, which outcomes it has, and the rule that finds its subjects.

A kind is declared once, in a module of `case_rules/`, which are imported at the start. The ticker, the acts and the
pages all use the declaration. How long a case may take is in the file of its jurisdiction (`[cases]`).
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.models import Facility
from tables.models import Case, Table

GOODWILL = "goodwill"
BY_SLIP = "by-slip"


@dataclass(frozen=True)
class CaseSubject:
    """Something that needs a case. `key` names it, so that it never gets two. `since` is when it arose.

    `due_at`: set where the time does not follow from the kind.
    """

    key: str
    since: dt.datetime
    params: dict[str, Any] = field(default_factory=dict)
    table: Table | None = None
    round: int | None = None
    seat: int | None = None
    due_at: dt.datetime | None = None


Query = Callable[[Facility, dt.datetime], Iterable[CaseSubject]]


@dataclass(frozen=True)
class CaseKind:
    """What a case of one kind says.

    `describe` returns the title and the text for its params. `outcomes` are words by code. `query` returns the subjects
    that arose in the last days, without locks; None: only people open such a case. `actors` returns the codes of those
    who acted in what the case is about, who may not sign it. `needs_camera`: whether surveillance is to look at it.
    `signatures`: how many people sign its outcome. `waits_for` returns what has to be done elsewhere before anybody
    signs, in words; "" for nothing. `is_slow`: the query reads much, so the ticker asks once a minute.
    `writes_letters`: whether a patron is answered by a letter. `sum_up` returns title and text of several cases of one
    table, for their params; None: only their number is said.
    """

    code: str
    label: str
    outcomes: Mapping[str, str]
    describe: Callable[[Mapping[str, Any]], tuple[str, str]]
    query: Query | None = None
    actors: Callable[[Case], set[str]] = lambda case: set()
    needs_camera: bool = False
    is_warning: bool = True
    is_slow: bool = False
    signatures: int = 2
    waits_for: Callable[[Case], str] = lambda case: ""
    writes_letters: bool = False
    sum_up: Callable[[Sequence[Mapping[str, Any]]], tuple[str, str]] | None = None


CASE_KINDS: dict[str, CaseKind] = {}


def case_kind(kind: CaseKind) -> CaseKind:
    """Declare a kind. Raises ValueError for a code that is declared already."""
    if kind.code in CASE_KINDS:
        raise ValueError(f"declared twice: {kind.code}")
    CASE_KINDS[kind.code] = kind
    return kind


def kind_of(case: Case) -> CaseKind:
    """Return the declaration of a stored case."""
    return CASE_KINDS[case.kind]


def words_of_case(case: Case) -> tuple[str, str]:
    """Return the title and the text of a case."""
    return kind_of(case).describe(case.params)
