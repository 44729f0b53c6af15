"""The page of every PDF of the office: ink on paper, brass hairlines, its approval on each page.

`text` makes paragraphs of plain text in any language: it escapes them and finds a font for each character. Fonts are
embedded (static/fonts/pdf, made by script/pdf_fonts). The same input always gives the same bytes.
"""

from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any, TypeAlias
from unicodedata import combining, normalize
from xml.sax.saxutils import escape

from django.conf import settings
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.pagesizes import landscape as turned
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    PageTemplate,
    Paragraph,
    Table,
    TableStyle,
)

INK, DIM, FAINT = HexColor("#16201c"), HexColor("#55605a"), HexColor("#d9d5c6")
BRASS, STOP = HexColor("#8a713a"), HexColor("#a63a22")
MARGIN, HEAD, FOOT = 46.0, 74.0, 58.0  # points
HAIR = 0.6
HEADING_NEEDS = 100.0  # points that a heading needs together with the first lines after it

INTER, BOLD, CHINESE = "Inter-Regular", "Inter-SemiBold", "NotoSansSC-Regular"
LANGUAGES = ("en", "es", "zh")
PAGE_OF = {"en": "%d of %d", "es": "%d de %d", "zh": "%d / %d"}
UNDRAWABLE = "?"


@lru_cache(maxsize=1)
def fonts() -> dict[str, frozenset[int]]:
    """Register the fonts once. Returns the characters that each font has."""
    for name in (INTER, BOLD, CHINESE):
        pdfmetrics.registerFont(TTFont(name, str(settings.BASE_DIR / "static/fonts/pdf" / f"{name}.ttf")))
    pdfmetrics.registerFontFamily(INTER, normal=INTER, bold=BOLD, italic=INTER, boldItalic=BOLD)
    pdfmetrics.registerFontFamily(BOLD, normal=BOLD, bold=BOLD, italic=BOLD, boldItalic=BOLD)
    pdfmetrics.registerFontFamily(CHINESE, normal=CHINESE, bold=CHINESE, italic=CHINESE, boldItalic=CHINESE)
    return {name: frozenset(pdfmetrics.getFont(name).face.charToGlyph) for name in (INTER, BOLD, CHINESE)}


def styles(language: str = "en") -> dict[str, ParagraphStyle]:
    """Return the paragraph styles of a language by name. `number`, `head-number` and `fine` are right-aligned."""
    fonts()
    chinese = language.startswith("zh")
    plain, strong = (CHINESE, CHINESE) if chinese else (INTER, BOLD)
    wrap = {"wordWrap": "CJK"} if chinese else {"splitLongWords": 1}

    def style(
        name: str, size: float, line: float, font: str = plain, color: Color = INK, **more: Any
    ) -> ParagraphStyle:
        settings = {"fontSize": size, "leading": line, "fontName": font, "textColor": color, **wrap, **more}
        return ParagraphStyle(name, **settings)

    right = {"alignment": TA_RIGHT}
    made = (
        style("title", 20, 25, strong, spaceAfter=6),
        style("heading", 12.5, 16, strong, spaceBefore=12, spaceAfter=5),
        style("body", 10, 14.5, spaceAfter=6),
        style("small", 8, 11, color=DIM, spaceAfter=3),
        style("dim", 9, 12, color=DIM),
        style("cell", 9, 12),
        style("number", 9, 12, **right),
        style("strong", 9, 12, strong),
        style("head", 8, 10.5, color=DIM),
        style("head-number", 8, 10.5, color=DIM, **right),
        style("fine", 7, 10, color=DIM, **right),
    )
    return {paragraph_style.name: paragraph_style for paragraph_style in made}


def text(words: object, style: ParagraphStyle) -> Paragraph:
    """Return a paragraph of plain text. Nothing in it is read as markup; a line feed breaks the line."""
    return Paragraph(as_markup(words, style.fontName), style)


def as_markup(words: object, font: str) -> str:
    """Return plain text as markup, with each run of characters in a font that has them.

    A character in no font is decomposed ("ắ" to "a"), or else becomes a question mark.
    """
    runs: list[tuple[str, str]] = []
    for sign in str(words):
        drawn, by = _drawable(sign, font)
        if runs and runs[-1][1] == by:
            runs[-1] = (runs[-1][0] + drawn, by)
        else:
            runs.append((drawn, by))
    return "".join(
        _escaped(run) if by == font else f'<font name="{by}">{_escaped(run)}</font>' for run, by in runs
    )


def _drawable(sign: str, font: str) -> tuple[str, str]:
    if sign == "\n":
        return sign, font
    drawable = fonts()
    for by in (font, CHINESE, INTER):
        if ord(sign) in drawable[by]:
            return sign, by
    apart = "".join(
        letter
        for letter in normalize("NFKD", sign)
        if ord(letter) in drawable[font] and not combining(letter)
    )
    return (apart or (" " if sign.isspace() else UNDRAWABLE)), font


def _escaped(run: str) -> str:
    return escape(run).replace("\n", "<br/>")


Cell: TypeAlias = str | int | Flowable | list[Flowable]


def table(
    rows: Sequence[Sequence[Cell]],
    widths: Sequence[float],
    *,
    language: str = "en",
    numbers: Sequence[int] = (),
    head: int = 1,
    more: Sequence[tuple[Any, ...]] = (),
    size: float = 9,
) -> Table:
    """Return a table over the full width of the page. Its head rows repeat on each page.

    `widths` are relative. `numbers` are the right-aligned columns. `more` are further commands of a TableStyle. A
    cell that is not a flowable or a list of flowables is plain text. `size` is that of its letters, in points.
    """
    look, shares = styles(language), sum(widths)
    look |= {name: look[name].clone(name, fontSize=size, leading=size + 3) for name in ("cell", "number")}
    cells = [
        [
            cell
            if isinstance(cell, Flowable | list)
            else text(cell, look[_style_of(place < head, column in numbers)])
            for column, cell in enumerate(row)
        ]
        for place, row in enumerate(rows)
    ]
    lines: list[tuple[Any, ...]] = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ("LEFTPADDING", (0, 0), (0, -1), 0),
        ("RIGHTPADDING", (-1, 0), (-1, -1), 0),
        ("TOPPADDING", (0, 0), (-1, -1), 3.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
        ("LINEBELOW", (0, head), (-1, -2), 0.4, FAINT),
        ("LINEBELOW", (0, -1), (-1, -1), HAIR, BRASS),
    ]
    if head:
        lines.append(("LINEBELOW", (0, head - 1), (-1, head - 1), HAIR, BRASS))
    return Table(
        cells,
        colWidths=[f"{100 * width / shares:.4f}%" for width in widths],
        repeatRows=head,
        style=TableStyle([*lines, *more]),
        spaceBefore=2,
        spaceAfter=8,
    )


NAME_WIDTH = 84.0  # points that the first column of a wide table has at least
CELL_SIZES = (9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5)  # points
PADDING = 8.5  # points on both sides of a cell, with what rounding takes


def unbroken(rows: Sequence[Sequence[str]], width: float) -> tuple[list[float], float]:
    """Return widths and a size of letters with which no number of a table breaks over two lines.

    The first column has names, which may break, and gets what the others leave of the width in points.
    """
    fonts()
    for size in CELL_SIZES:
        needed = [
            PADDING + max(_width_of(row[column], size, is_head=not place) for place, row in enumerate(rows))
            for column in range(1, len(rows[0]))
        ]
        if width - sum(needed) >= NAME_WIDTH:
            break
    return [max(width - sum(needed), NAME_WIDTH), *needed], size


def _width_of(cell: str, size: float, *, is_head: bool) -> float:
    """The width of a number, or of the longest word of a heading."""
    if is_head:
        return max(float(pdfmetrics.stringWidth(word, INTER, 8)) for word in cell.split(" "))
    return float(pdfmetrics.stringWidth(cell, INTER, size))


def _style_of(heads: bool, is_number: bool) -> str:
    if heads:
        return "head-number" if is_number else "head"
    return "number" if is_number else "cell"


def render(
    story: Sequence[Flowable],
    *,
    title: str,
    facility_name: str,
    approved: str,
    language: str = "en",
    size: tuple[float, float] = LETTER,
    landscape: bool = False,
) -> bytes:
    """Return the PDF of a story. Each page has the facility, the title, its number and `approved`.

    Raises reportlab's `LayoutError` if an element is larger than a page.
    """
    fonts()
    width, height = turned(size) if landscape else size
    file = BytesIO()
    document = BaseDocTemplate(
        file,
        pagesize=(width, height),
        title=title,
        author=facility_name,
        subject=approved,
        creator="Pitside",
        lang=language,
        invariant=1,
        pageCompression=1,
    )
    frame = Frame(
        MARGIN, FOOT, width - 2 * MARGIN, height - HEAD - FOOT,
        leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0,
    )  # fmt: skip
    document.addPageTemplates([PageTemplate(frames=[frame])])
    edge = PageFrame(title, facility_name, approved, language, (width, height))
    document.build(
        _with_heading_breaks(story), canvasmaker=lambda *args, **kwargs: NumberedCanvas(edge, *args, **kwargs)
    )
    return file.getvalue()


def _with_heading_breaks(story: Sequence[Flowable]) -> list[Flowable]:
    """Return the story with a conditional page break before each heading, so none is left alone at the foot of a
    page.
    """
    parts: list[Flowable] = []
    for part in story:
        if isinstance(part, Paragraph) and part.style.name == "heading":
            parts.append(CondPageBreak(HEADING_NEEDS))
        parts.append(part)
    return parts


def content_size(size: tuple[float, float] = LETTER, landscape: bool = False) -> tuple[float, float]:
    """Return the width and height in points inside the margins of a page."""
    width, height = turned(size) if landscape else size
    return width - 2 * MARGIN, height - HEAD - FOOT


class PageFrame:
    """The lines and texts above and below the story on each page."""

    def __init__(
        self, title: str, facility_name: str, approved: str, language: str, size: tuple[float, float]
    ) -> None:
        self.look, self.language, (self.width, self.height) = styles(language), language, size
        self.title, self.facility_name, self.approved = title, facility_name, approved

    def draw(self, canvas: Canvas, page: int, pages: int) -> None:
        """Draw the frame of one page."""
        left_x, right = MARGIN, self.width - MARGIN
        canvas.setStrokeColor(BRASS)
        canvas.setLineWidth(HAIR)
        canvas.line(left_x, self.height - 58, right, self.height - 58)
        canvas.line(left_x, 46, right, 46)
        across = right - left_x - 12
        self._put(canvas, self.facility_name, "strong", left_x, self.height - 54, across * 0.35)
        self._put(canvas, self.title, "number", right - across * 0.65, self.height - 54, across * 0.65)
        count = PAGE_OF.get(self.language[:2], PAGE_OF["en"]) % (page, pages)
        self._put(canvas, self.approved, "head", left_x, 42, right - left_x - 70, under=True)
        self._put(canvas, count, "head-number", right - 66, 42, 66, under=True)

    def _put(
        self, canvas: Canvas, words: str, style: str, x: float, y: float, width: float, under: bool = False
    ) -> None:
        """Draw one text with its baseline at y, or hanging below y if `under`. At most two lines fit."""
        paragraph = text(words, self.look[style])
        _, tall = paragraph.wrap(width, self.height)
        paragraph.drawOn(canvas, x, y - tall if under else y)


class NumberedCanvas(Canvas):
    """A canvas that draws the page frames at the end, when it knows the number of pages."""

    def __init__(self, edge: PageFrame, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.edge, self.pages = edge, list[dict[str, Any]]()

    def showPage(self) -> None:
        self.pages.append(dict(self.__dict__))
        self._startPage()

    def save(self) -> None:
        for page, state in enumerate(self.pages, start=1):
            self.__dict__.update(state)
            self.edge.draw(self, page, len(self.pages))
            super().showPage()
        super().save()
