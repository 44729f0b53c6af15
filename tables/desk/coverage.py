"""The clauses of the regulations for auditors: what each asks, where it is met, and which tests show it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.models import Person
from games.access import opened_by
from games.kit.searches import OneOf, Search, Words
from games.models import Facility
from games.regulations.clauses import Clause, all_clauses, recorded_proofs
from tables.desk.desk import DESK, desk_context

KINDS = {
    "compute": ("Worked out", "the program computes it"),
    "enforce": ("Held", "the program refuses what breaks it"),
    "record": ("Recorded", "it stands on the record or on file"),
    "publish": ("Shown", "people at the table or the patrons see it"),
    "physical": ("By hand", "people and equipment; the program asks or guides"),
    "authority": ("By others", "the Board or the Division decides it"),
}
OFFICES = {"games": "Rules office", "tables": "Floor", "audit": "Record"}
PROVEN = ("yes", "no")
READING = re.compile(r"\[(A\d\d)\]")
MAX_TYPED = 80


@dataclass(frozen=True)
class ClauseRow:
    """One clause with its kind and office in words, and the tests that show it: each as a sentence, and its file."""

    clause: Clause
    kind: str
    office: str
    reading: str
    tests: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DocumentTotal:
    """One document: its number of clauses, and how many of them tests show.

    `parts` are those of its bar, in clauses: a kind, where it begins, and its width.
    """

    document: str
    clauses: int
    proven: int
    parts: tuple[tuple[str, int, int], ...]


class ClauseSearch(Search):
    """Clauses by document, kind, office, whether tests show them, and words."""

    document = OneOf(lambda: {clause.document for clause in all_clauses().values()})
    kind = OneOf(KINDS)
    where = OneOf(OFFICES)
    tests = OneOf(PROVEN)
    q = Words(max_length=MAX_TYPED)


@require_GET
@opened_by(DESK)
def coverage(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show all clauses in order, filtered by document, kind, office, tests, and words."""
    clauses = list(all_clauses().values()) if facility.law.clauses_in_catalog else []
    tests = recorded_proofs()
    filters = ClauseSearch(request.GET).values
    shown_clauses = (
        [clause for clause in clauses if _matches(clause, filters, tests)] if any(filters.values()) else []
    )
    context = desk_context(person, facility, "coverage") | {
        "filters": filters,
        "documents": list(dict.fromkeys(clause.document for clause in clauses)),
        "kinds": [(code, *words) for code, words in KINDS.items()],
        "offices": OFFICES.items(),
        "totals": _totals(clauses, tests),
        "widest": max((total.clauses for total in _totals(clauses, tests)), default=0),
        "law": facility.law,
        "count": len(clauses),
        "proven": sum(clause.id in tests for clause in clauses),
        "shown_count": len(shown_clauses),
        "sections": _sections(shown_clauses, tests),
    }
    return render(request, "desk/coverage.html", context)


def sentence(test: str) -> str:
    """`A lapsed round is refused` for `test_a_lapsed_round_is_refused`, with or without its class."""
    words = test.rpartition("::")[2].removeprefix("test_").replace("_", " ")
    return words[:1].upper() + words[1:]


def _matches(clause: Clause, filters: Mapping[str, str], tests: Mapping[str, Any]) -> bool:
    if any(filters[name] not in ("", getattr(clause, name)) for name in ("document", "kind", "where")):
        return False
    if filters["tests"] and (clause.id in tests) != (filters["tests"] == "yes"):
        return False
    text = f"{clause.id} {clause.cite} {clause.rule} {clause.shows} {clause.note}".lower()
    return all(word in text for word in filters["q"].lower().split())


def _sections(clauses: Iterable[Clause], tests: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """The clauses by section, each section once, in the order of the documents."""
    sections: dict[tuple[str, str], list[ClauseRow]] = {}
    for clause in clauses:
        sections.setdefault((clause.document, clause.section), []).append(_row(clause, tests))
    return [
        {"document": document, "section": section, "rows": rows}
        for (document, section), rows in sections.items()
    ]


def _row(clause: Clause, tests: Mapping[str, tuple[str, ...]]) -> ClauseRow:
    readings = ", ".join(dict.fromkeys(READING.findall(clause.note)))
    names = tests.get(clause.id, ())
    return ClauseRow(
        clause,
        str(KINDS[clause.kind][0]),
        str(OFFICES.get(clause.where, "Nowhere")),
        readings,
        tuple((sentence(test), test.partition("::")[0]) for test in names),
    )


def _totals(clauses: Iterable[Clause], tests: Mapping[str, Any]) -> list[DocumentTotal]:
    """Each document with its bar by kind."""
    by_document: dict[str, list[Clause]] = {}
    for clause in clauses:
        by_document.setdefault(clause.document, []).append(clause)
    return [
        DocumentTotal(
            document,
            len(document_clauses),
            sum(clause.id in tests for clause in document_clauses),
            tuple(_parts(document_clauses)),
        )
        for document, document_clauses in by_document.items()
    ]


def _parts(clauses: list[Clause]) -> Iterable[tuple[str, int, int]]:
    position = 0
    for kind in KINDS:
        width = sum(clause.kind == kind for clause in clauses)
        if width:
            yield kind, position, width
        position += width


urlpatterns = [path("record/<slug:facility>/clauses/", coverage, name="record-coverage")]
