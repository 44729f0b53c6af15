"""A request for a new game on paper: a cover sheet with its parts, its odds sheet, its documents with their SHA-256."""

from collections.abc import Iterator
from typing import Any

from reportlab.platypus import Flowable

from games.models import GameRequest
from games.office.odds.pdf import sheet_story, source
from games.office.pdf.approval import approval_of, day, moment
from games.office.pdf.paper import Cell, render, styles, table, text
from games.office.requests import contents, odds_figures
from games.office.requests import descriptions as said
from games.office.requests.descriptions import Said


def pdf(row: GameRequest) -> bytes:
    """The PDF of the whole request as it stands; of a filed one as it was filed."""
    look, told = styles(), odds_figures.shown(row)
    sheet = odds_figures.sheet(told) if told else None
    title = f"{row.code} {row.title}"
    story: list[Flowable] = [
        text(title, look["title"]),
        text(f"Request for a {row.get_kind_display()}", look["body"]),
        table(list(_facts(row)), (1, 3), head=0),
        text("What it holds", look["heading"]),
    ]
    for one in said.of_request(row):
        story += _part(one)
    if sheet:
        story += [
            text("Odds sheet", look["heading"]),
            text(source(sheet), look["body"]),
            *sheet_story(sheet, None, landscape=sheet.throws is None),
        ]
    story += _documents(row)
    return render(
        story,
        title=title,
        house=row.facility.name,
        approved=approval_of(row, row.facility),
        landscape=bool(sheet and sheet.throws is None),
    )


def _facts(row: GameRequest) -> Iterator[tuple[Cell, Cell]]:
    """Who asks, for what, and where it stands."""
    house = row.facility
    yield "Facility", f"{house.name}, {house.get_jurisdiction_display()}"
    if row.petitioner:
        yield "Petitioner", str(contents.PETITIONERS[row.petitioner])
    if row.wagers:
        names = dict(odds_figures.families(row.rules)) if row.rules else {}
        yield "Wagers", ", ".join(names.get(one, one) for one in row.wagers)
    yield "Drafted", _by(moment(row.drafted_at, house), row.drafted_by.name if row.drafted_by else "")
    if row.filed_at:
        yield "Filed", moment(row.filed_at, house)
    if row.decided_at:
        yield (
            "Denied" if row.status == "denied" else "Approved",
            _by(day(row.decided_at, house), f"{row.decided_by}, reference {row.reference}"),
        )
    if row.withdrawn_at:
        yield "Withdrawn", _by(day(row.withdrawn_at, house), row.withdrawn_why)


def _by(when: str, who: str) -> str:
    return f"{when}, {who}" if who else when


def _part(one: Said) -> list[Flowable]:
    """One part: its name and its paragraph, then what was said."""
    look, part = styles(), one.line.part
    name = str(part.name)
    head = text(name[0].upper() + name[1:], look["strong"])
    head.keepWithNext = 1
    found: list[Flowable] = [head]
    if part.cite:
        cite = text(part.cite, look["small"])
        cite.keepWithNext = 1
        found.append(cite)
    if not one.line.there:
        return [*found, text("Not said" if one.line.must else "Not said (not required)", look["body"])]
    found += [text(point, look["body"]) for point in one.points]
    if one.text:
        found.append(text(one.text, look["body"]))
    if one.documents:
        codes = ", ".join(f"{document.code} {document.title}" for document in one.documents)
        found.append(text(f"Attached: {codes}", look["body"]))
    return found


def _documents(row: GameRequest) -> list[Flowable]:
    """The list of what is attached, each with the SHA-256 of its bytes."""
    look, found = styles(), contents.documents(row)
    head: list[Any] = [text("Attached documents", look["heading"])]
    if not found:
        return [*head, text("None.", look["body"])]
    rows: list[list[Cell]] = [["Code", "Title", "SHA-256"]]
    rows += [
        [one.code, f"{one.title}\n{one.filename}", f"{one.sha256[:32]}\n{one.sha256[32:]}"] for one in found
    ]
    return [*head, table(rows, (1, 3, 4))]
