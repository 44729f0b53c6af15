"""What a request and its tests contain, in words, for the page and the PDF."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from games.engine import Rules
from games.engine.odds import in_dollars
from games.models import Document, Facility, GameRequest, GameTest
from games.office.requests import final_approvals, game_tests, parts
from games.office.requests.parts import PartStatus

STATES = {
    "draft": "draft",
    "filed": "filed",
    "approved": "approved",
    "denied": "denied",
    "withdrawn": "withdrawn",
}
LOOKS = {"filed": "wait", "approved": "ok", "denied": "stop", "withdrawn": "past"}


@dataclass(frozen=True)
class PartDescription:
    """One part in words: text, points, and documents. All are empty if the part is missing."""

    status: PartStatus
    text: str = ""
    points: list[str] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)


def describe_request(request: GameRequest) -> list[PartDescription]:
    """Return every part of a request in words, in the order of the section."""
    on_file = {document.code: document for document in parts.documents_of(request)}
    return [
        PartDescription(
            line,
            line.value.get("text", ""),
            _points(request, line),
            [on_file[code] for code in line.value.get("documents", []) if code in on_file],
        )
        for line in parts.part_statuses(request)
    ]


def describe_test(test: GameTest) -> list[PartDescription]:
    """Return every part of a test's submission in words, in the order of the paragraph."""
    codes = test.parts.get("forms", [])
    on_file = _on_file(test.request.facility, codes)
    return [
        PartDescription(
            line,
            line.value.get("text", ""),
            _test_points(test, line),
            [on_file[code] for code in codes if code in on_file] if line.part.key == "forms" else [],
        )
        for line in game_tests.test_part_statuses(test)
    ]


def next_step(request: GameRequest, today: dt.date) -> str:
    """Return the next thing that this request needs."""
    if request.status == "draft":
        absent = len(parts.missing_parts(request))
        if not absent:
            return "Ready to file"
        return "%s parts are missing" % absent if absent > 1 else "1 part is missing"
    if request.status != "filed":
        return ""
    if not request.facility.law.requests.tests:
        return f"Decision of the {request.facility.law.body('requests')}"
    still = sum(not condition.is_met for condition in final_approvals.conditions(request, today))
    if not still:
        return "Final approval"
    return "%s of 4 conditions are open" % still if still > 1 else "1 of 4 conditions is open"


def versions(numbers: list[int]) -> str:
    """Return `version 1`, `versions 1 and 2`."""
    if len(numbers) == 1:
        return "version %s" % numbers[0]
    if not numbers:
        return "no version"
    return "versions %(some)s and %(last)s" % {
        "some": ", ".join(map(str, numbers[:-1])),
        "last": numbers[-1],
    }


def day(value: dt.date | str) -> str:
    """Return `21 Nov 2026`."""
    date = dt.date.fromisoformat(value) if isinstance(value, str) else value
    return f"{date.day} {date:%b %Y}"


def _points(request: GameRequest, line: PartStatus) -> list[str]:
    value, key = line.value, line.part.key
    if value.get("none"):
        return [NONE_TEXTS[key]]
    if key == "class" and value:
        game_class = str(parts.CLASSES[value["class"]]).capitalize()
        return [f"{game_class}: {value['of']}" if value["of"] else game_class]
    if key == "odds" and request.rules:
        title = Rules.of(request.rules).edition.title
        return ["Counted exactly, wager by wager, under %s." % title]
    if key == "property":
        return [_right(item) for item in value.get("items", [])]
    if key == "application" and value.get("license"):
        return ["Type of license: %s" % value["license"]]
    if key == "fee" and value:
        return ["%(sum)s, paid on %(day)s" % {"sum": in_dollars(value["cents"]), "day": day(value["on"])}]
    return list(value.get("places", []))


NONE_TEXTS = {
    "layout": "It has no layout.",
    "elsewhere": "Offered nowhere else.",
    "property": "None, neither granted nor pending.",
    "waiver": "Not required.",
}


def _right(item: dict[str, str]) -> str:
    text = f"{item['right'].capitalize()} ({item['state']}) on {item['about']}: {item['name']}"
    text += f", {item['number']}" if item["number"] else ""
    holder = f"{item['holder']} ({item['provider']})" if item["provider"] else item["holder"]
    return f"{text}; {holder}" if holder else text


def _test_points(test: GameTest, line: PartStatus) -> list[str]:
    value, key = line.value, line.part.key
    if key == "dates" and value:
        return ["%(first)s to %(last)s" % {"first": day(value["from"]), "last": day(value["to"])}]
    if key == "sign" and value:
        form = value["form"]
        return [
            "In the approved form, %s." % form
            if form
            else "In this casino's own words; no form is approved yet."
        ]
    if key == "further":
        questions = list(test.request.further.all())
        still = sum(question.answered_on is None for question in questions)
        if not questions:
            return ["No further questions."]
        return ["%(asked)s asked, %(open)s open" % {"asked": len(questions), "open": still}]
    return list(value.get("items", [])) if key in ("casinos", "tables") else []


def _on_file(facility: Facility, codes: list[str]) -> dict[str, Any]:
    documents = Document.objects.filter(facility=facility, code__in=codes).defer("content")
    return {document.code: document for document in documents}
