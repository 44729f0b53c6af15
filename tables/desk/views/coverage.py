"""The clauses of the regulations for auditors to read: what each asks, where it is answered, which tests show it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from games.regulations import coverage as shown
from games.regulations.clauses import Clause, all_clauses
from tables.desk.access import desk_of
from tables.desk.page import desk

KINDS = {
    "compute": ("Worked out", "the program computes it"),
    "enforce": ("Held", "the program refuses what breaks it"),
    "record": ("Recorded", "it stands on the record or on file"),
    "publish": ("Shown", "people at the table or the patrons see it"),
    "physical": ("By hand", "people and equipment; the program asks or guides"),
    "authority": ("By others", "the Board or the Division decides it"),
}
ROOMS = {"games": "Rules office", "tables": "Floor", "audit": "Record"}
PROVEN = ("yes", "no")
READING = re.compile(r"\[(A\d\d)\]")
MOST_TYPED = 80


@dataclass(frozen=True)
class Test:
    """A test as a sentence, and the file in which it stands."""

    sentence: str
    file: str


@dataclass(frozen=True)
class Row:
    """One clause with its kind and room in words, and the tests that show it."""

    clause: Clause
    kind: str
    room: str
    reading: str
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class Part:
    """A stretch of a bar: where it begins, how long it is, of which kind, in clauses."""

    kind: str
    at: int
    width: int


@dataclass(frozen=True)
class Total:
    """One document: how many clauses it has, how many of them tests show, and its bar by kind."""

    document: str
    clauses: int
    proven: int
    parts: tuple[Part, ...]


@require_GET
def coverage(request: HttpRequest, facility: str) -> HttpResponse:
    """All clauses in the order of the documents, narrowed by document, kind, room, having tests or not, and words."""
    person, house = desk_of(request, facility)
    clauses, tests = list(all_clauses().values()), shown.recorded()
    asked = _asked(request, clauses)
    found = [one for one in clauses if _answers(one, asked, tests)] if any(asked.values()) else []
    context = desk(person, house, "coverage") | {
        "asked": asked,
        "documents": list(dict.fromkeys(one.document for one in clauses)),
        "kinds": [(code, *words) for code, words in KINDS.items()],
        "rooms": ROOMS.items(),
        "totals": _totals(clauses, tests),
        "widest": max(total.clauses for total in _totals(clauses, tests)),
        "count": len(clauses),
        "proven": sum(one.id in tests for one in clauses),
        "found": len(found),
        "sections": _sections(found, tests),
    }
    return render(request, "desk/coverage.html", context)


def sentence(test: str) -> str:
    """`A lapsed round is refused` of `test_a_lapsed_round_is_refused`, which may stand in a class."""
    words = test.rpartition("::")[2].removeprefix("test_").replace("_", " ")
    return words[:1].upper() + words[1:]


def _asked(request: HttpRequest, clauses: Iterable[Clause]) -> dict[str, str]:
    """What the page narrows by; what it does not know narrows nothing."""
    known = {
        "document": {one.document for one in clauses},
        "kind": set(KINDS),
        "where": set(ROOMS),
        "tests": set(PROVEN),
    }
    asked = {
        name: text if (text := request.GET.get(name, "")) in values else "" for name, values in known.items()
    }
    typed = request.GET.get("q", "").strip()[:MOST_TYPED]
    return asked | {"q": typed if typed.isprintable() else ""}


def _answers(clause: Clause, asked: Mapping[str, str], tests: Mapping[str, Any]) -> bool:
    if any(asked[name] not in ("", getattr(clause, name)) for name in ("document", "kind", "where")):
        return False
    if asked["tests"] and (clause.id in tests) != (asked["tests"] == "yes"):
        return False
    text = f"{clause.id} {clause.cite} {clause.rule} {clause.shows} {clause.note}".lower()
    return all(word in text for word in asked["q"].lower().split())


def _sections(found: Iterable[Clause], tests: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """The clauses under their sections, each section once, in the order of the documents."""
    sections: dict[tuple[str, str], list[Row]] = {}
    for clause in found:
        sections.setdefault((clause.document, clause.section), []).append(_row(clause, tests))
    return [
        {"document": document, "section": section, "rows": rows}
        for (document, section), rows in sections.items()
    ]


def _row(clause: Clause, tests: Mapping[str, tuple[str, ...]]) -> Row:
    readings = ", ".join(dict.fromkeys(READING.findall(clause.note)))
    names = tests.get(clause.id, ())
    return Row(
        clause,
        str(KINDS[clause.kind][0]),
        str(ROOMS.get(clause.where, "Nowhere")),
        readings,
        tuple(Test(sentence(one), one.partition("::")[0]) for one in names),
    )


def _totals(clauses: Iterable[Clause], tests: Mapping[str, Any]) -> list[Total]:
    """Each document with its bar by kind."""
    by_document: dict[str, list[Clause]] = {}
    for clause in clauses:
        by_document.setdefault(clause.document, []).append(clause)
    return [
        Total(document, len(those), sum(one.id in tests for one in those), tuple(_parts(those)))
        for document, those in by_document.items()
    ]


def _parts(clauses: list[Clause]) -> Iterable[Part]:
    at = 0
    for kind in KINDS:
        width = sum(one.kind == kind for one in clauses)
        if width:
            yield Part(kind, at, width)
        at += width


urlpatterns = [path("record/<slug:facility>/clauses/", coverage, name="record-coverage")]
