"""What every printed document of the office has in common, and a printed sign.

Each page says who approved the document, or that nobody did. A sign has its approved size: the wording in each language
as large as it fits, with the odds below. The PDF and the preview on the page share one layout in millimeters.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Protocol

from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from audit.days import day_in_words
from games.kit import paper
from games.models import Facility


class DecidedRecord(Protocol):
    """A row with a decision: a rules submission, or anything else that is filed with a body."""

    status: str
    filed_at: dt.datetime | None
    decided_at: dt.datetime | None
    decided_by: str
    reference: str
    withdrawn_at: dt.datetime | None


def approval_text(row: DecidedRecord, facility: Facility) -> str:
    """Return `Approved 12 Oct 2026 by the Board, reference RS-77` or `Draft, not approved`, with local dates."""
    withdrawn = f"withdrawn {day(row.withdrawn_at, facility)}" if row.withdrawn_at else ""
    if row.decided_at is None or row.status in ("draft", "filed"):
        filed = f"Filed {day(row.filed_at, facility)}" if row.filed_at else "Draft"
        return f"{filed}, {withdrawn or 'not approved'}"
    word = "Denied" if row.status == "denied" else "Approved"
    by = f" by {row.decided_by}" if row.decided_by else ""
    reference = f", reference {row.reference}" if row.reference else ""
    later = getattr(row, "superseded_at", None)
    since = withdrawn or (f"superseded from {day(later, facility)}" if later else "")
    return f"{word} {day(row.decided_at, facility)}{by}{reference}{f', {since}' if since else ''}"


def day(instant: dt.datetime | None, facility: Facility) -> str:
    """Return `12 Oct 2026` in the facility's time zone; "" for None."""
    return day_in_words(facility.local(instant)) if instant else ""


def moment(instant: dt.datetime | None, facility: Facility) -> str:
    """Return `12 Oct 2026 10:30` in the facility's time zone; "" for None."""
    return f"{day(instant, facility)} {facility.local(instant):%H:%M}" if instant else ""


# Signs


EDGE, FOOT_MM = 0.07, 0.022  # fractions of the shorter side
OTHERS, ROW = 0.6, 0.62  # sizes of further languages and of odds, relative to the first language
LEADING, BETWEEN = 1.25, 0.8
LONG = 26  # longer lines are broken in two
ALIGN = {"start": 0, "middle": 1, "end": 2}


@dataclass(frozen=True)
class SignSheet:
    """The contents of a sign: lines by language, rows of odds (label, payout), and a small line with its approval."""

    title: str
    texts: Sequence[tuple[str, Sequence[str]]]
    rows: Sequence[tuple[str, str]]
    foot: str
    width_mm: int
    height_mm: int


@dataclass(frozen=True)
class SignLine:
    """One placed line: its anchor and baseline from the upper left corner, and its size, in millimeters."""

    text: str
    x: float
    y: float
    size: float
    anchor: str = "middle"
    strong: bool = False
    language: str = "en"


def sign_lines(sign: SignSheet) -> list[SignLine]:
    """Return all lines of the sign, placed. All lines of one language have the same size."""
    width, height = sign.width_mm, sign.height_mm
    edge, foot = EDGE * min(width, height), max(2.2, FOOT_MM * min(width, height))
    room, across = height - 2 * edge - 2 * foot, width - 2 * edge
    blocks = _blocks(sign, width / 2, edge, width - edge)
    rows = sum(_block_height(block) for block in blocks) + BETWEEN * (len(blocks) - 1)
    sized = [_fit_block(block, room / max(rows, 1.0), across) for block in blocks]
    between = min(block[0].size for block in sized) * BETWEEN if sized else 0.0
    y = edge + (room - sum(_block_height(block) for block in sized) - between * (len(sized) - 1)) / 2
    laid_out = []
    for block in sized:
        for line in block:
            y += LEADING * line.size if line.anchor != "end" else 0.0
            laid_out.append(replace(line, y=y - 0.3 * line.size))
        y += between
    if not sign.foot:
        return laid_out
    return [
        *laid_out,
        SignLine(sign.foot, width / 2, height - edge, min(foot, _fitting_size(sign.foot, across))),
    ]


def _blocks(sign: SignSheet, middle: float, left_x: float, right: float) -> list[list[SignLine]]:
    """Return the lines of each language and of the odds, sized relative to the first language."""
    blocks = [
        [
            SignLine(part, middle, 0, OTHERS if place else 1.0, strong=not place, language=language)
            for text in texts
            for part in _break_line(text)
        ]
        for place, (language, texts) in enumerate(sign.texts)
    ]
    odds = [
        line
        for label, pays in sign.rows
        for line in (
            SignLine(label, left_x, 0, ROW, "start"),
            SignLine(pays, right, 0, ROW, "end", strong=True),
        )
    ]
    return [block for block in [*blocks, odds] if block]


def _block_height(block: list[SignLine]) -> float:
    return LEADING * sum(line.size for line in block if line.anchor != "end")


def _fit_block(block: list[SignLine], unit: float, across: float) -> list[SignLine]:
    """Return a block at the largest size at which all its lines fit."""
    halves = {"middle": 1.0, "start": 0.58, "end": 0.42}
    fits = min(_fitting_size(line.text, halves[line.anchor] * across, strong=line.strong) for line in block)
    return [replace(line, size=min(unit * line.size, fits)) for line in block]


def _break_line(line: str) -> list[str]:
    """Break a long line at the space nearest its middle."""
    if len(line) <= LONG or " " not in line:
        return [line]
    middle = min(
        (place for place, sign in enumerate(line) if sign == " "),
        key=lambda index: abs(index - len(line) / 2),
    )
    return [line[:middle].rstrip(" ·"), line[middle + 1 :].lstrip(" ·")]


def _fitting_size(text: str, room: float, *, strong: bool = False) -> float:
    """Return the largest size in millimeters at which a text fits this width."""
    drawable = paper.fonts()
    latin = paper.BOLD if strong else paper.INTER
    wide = sum(
        pdfmetrics.stringWidth(sign, latin if ord(sign) in drawable[latin] else paper.CHINESE, 1)
        for sign in text
    )
    return room / wide if wide else room


def sign_pdf(sign: SignSheet, facility_name: str) -> bytes:
    """Return the PDF: one page of the approved size. The same sign always gives the same bytes."""
    paper.fonts()
    file = BytesIO()
    canvas = Canvas(file, pagesize=(sign.width_mm * mm, sign.height_mm * mm), invariant=1, pageCompression=1)
    canvas.setTitle(sign.title)
    canvas.setAuthor(facility_name)
    canvas.setCreator("Pitside")
    edge = EDGE / 2 * min(sign.width_mm, sign.height_mm) * mm
    canvas.setStrokeColor(paper.BRASS)
    canvas.setLineWidth(paper.HAIR * 2)
    canvas.rect(edge, edge, sign.width_mm * mm - 2 * edge, sign.height_mm * mm - 2 * edge)
    for line in sign_lines(sign):
        _draw(canvas, line, sign)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Canvas, line: SignLine, sign: SignSheet) -> None:
    size, width = line.size * mm, sign.width_mm * mm
    style = ParagraphStyle(
        "sign",
        fontName=paper.BOLD if line.strong else paper.INTER,
        fontSize=size,
        leading=size,
        textColor=paper.INK,
        alignment=ALIGN[line.anchor],
    )
    paragraph = paper.text(line.text, style)
    room = 2 * width
    paragraph.wrap(room, 10 * size)
    start = line.x * mm - {"start": 0.0, "middle": room / 2, "end": room}[line.anchor]
    paragraph.drawOn(canvas, start, (sign.height_mm - line.y) * mm - 0.22 * size)
