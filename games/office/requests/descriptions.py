"""What a request and its tests contain, in words, for the page and the PDF.

The PDF of a request has a cover sheet with its parts, its odds sheet, and its documents with their SHA-256.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from reportlab.platypus import Flowable

from audit.days import day_in_words
from games.engine import Rules
from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from games.models import Document, Facility, GameRequest, GameTest
from games.office.odds import sheet_story, source_text
from games.office.pdf import approval_text, day, moment
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
        return [
            "%(sum)s, paid on %(day)s" % {"sum": in_dollars(value["cents"]), "day": day_in_words(value["on"])}
        ]
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
        return [
            "%(first)s to %(last)s"
            % {"first": day_in_words(value["from"]), "last": day_in_words(value["to"])}
        ]
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


# The PDF of a request


def request_pdf(row: GameRequest) -> bytes:
    """Return the PDF of a request. A filed request is printed as it was filed."""
    look, figures = styles(), parts.filed_or_computed(row)
    sheet = parts.figures_sheet(figures) if figures else None
    title = f"{row.code} {row.title}"
    story: list[Flowable] = [
        text(title, look["title"]),
        text(f"Request for a {row.get_kind_display()}", look["body"]),
        table(list(_facts(row)), (1, 3), head=0),
        text("What it holds", look["heading"]),
    ]
    for description in describe_request(row):
        story += _part(description)
    if sheet:
        story += [
            text("Odds sheet", look["heading"]),
            text(source_text(sheet), look["body"]),
            *sheet_story(sheet, None, landscape=sheet.throws is None),
        ]
    story += _documents(row)
    return render(
        story,
        title=title,
        facility_name=row.facility.name,
        approved=approval_text(row, row.facility),
        landscape=bool(sheet and sheet.throws is None),
    )


def _facts(row: GameRequest) -> Iterator[tuple[Cell, Cell]]:
    """Return who asks for what, and the dates so far."""
    facility = row.facility
    yield "Facility", f"{facility.name}, {facility.get_jurisdiction_display()}"
    if row.petitioner:
        yield "Petitioner", str(parts.PETITIONERS[row.petitioner])
    if row.wagers:
        names = dict(parts.families(row.rules)) if row.rules else {}
        yield "Wagers", ", ".join(names.get(code, code) for code in row.wagers)
    yield (
        "Drafted",
        _with_name(moment(row.drafted_at, facility), row.drafted_by.name if row.drafted_by else ""),
    )
    if row.filed_at:
        yield "Filed", moment(row.filed_at, facility)
    if row.decided_at:
        yield (
            "Denied" if row.status == "denied" else "Approved",
            _with_name(day(row.decided_at, facility), f"{row.decided_by}, reference {row.reference}"),
        )
    if row.withdrawn_at:
        yield "Withdrawn", _with_name(day(row.withdrawn_at, facility), row.withdrawn_why)


def _with_name(when: str, who: str) -> str:
    return f"{when}, {who}" if who else when


def _part(description: PartDescription) -> list[Flowable]:
    """Return one part: its name, its paragraph and its contents."""
    look, part = styles(), description.status.part
    name = str(part.name)
    head = text(name[0].upper() + name[1:], look["strong"])
    head.keepWithNext = 1
    story: list[Flowable] = [head]
    if part.cite:
        cite = text(part.cite, look["small"])
        cite.keepWithNext = 1
        story.append(cite)
    if not description.status.is_present:
        return [
            *story,
            text("Not said" if description.status.is_required else "Not said (not required)", look["body"]),
        ]
    story += [text(point, look["body"]) for point in description.points]
    if description.text:
        story.append(text(description.text, look["body"]))
    if description.documents:
        codes = ", ".join(f"{document.code} {document.title}" for document in description.documents)
        story.append(text(f"Attached: {codes}", look["body"]))
    return story


def _documents(row: GameRequest) -> list[Flowable]:
    """Return the list of attachments with the SHA-256 of their bytes."""
    look, documents = styles(), parts.documents_of(row)
    head: list[Any] = [text("Attached documents", look["heading"])]
    if not documents:
        return [*head, text("None.", look["body"])]
    rows: list[list[Cell]] = [["Code", "Title", "SHA-256"]]
    rows += [
        [
            document.code,
            f"{document.title}\n{document.filename}",
            f"{document.sha256[:32]}\n{document.sha256[32:]}",
        ]
        for document in documents
    ]
    return [*head, table(rows, (1, 3, 4))]
