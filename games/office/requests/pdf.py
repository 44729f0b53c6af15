"""The PDF of a request: a cover sheet with its parts, its odds sheet, and its documents with their SHA-256."""

from collections.abc import Iterator
from typing import Any

from reportlab.platypus import Flowable

from games.kit.paper import Cell, render, styles, table, text
from games.models import GameRequest
from games.office.odds.pdf import sheet_story, source_text
from games.office.pdf.approval import approval_text, day, moment
from games.office.requests import descriptions, odds_figures, parts
from games.office.requests.descriptions import PartDescription


def request_pdf(row: GameRequest) -> bytes:
    """Return the PDF of a request. A filed request is printed as it was filed."""
    look, figures = styles(), odds_figures.filed_or_computed(row)
    sheet = odds_figures.figures_sheet(figures) if figures else None
    title = f"{row.code} {row.title}"
    story: list[Flowable] = [
        text(title, look["title"]),
        text(f"Request for a {row.get_kind_display()}", look["body"]),
        table(list(_facts(row)), (1, 3), head=0),
        text("What it holds", look["heading"]),
    ]
    for description in descriptions.describe_request(row):
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
        names = dict(odds_figures.families(row.rules)) if row.rules else {}
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
