"""Paper: the page of every PDF, ink with brass hairlines; its tables, and the plots of the screen.

A table of columns (`column_table`) is as wide as its content asks: no number is ever broken, its heads are repeated on
each page, and a total stays with the row above it. `text` makes paragraphs of plain text in any language: it escapes
them and finds a font for each character. Fonts are embedded (static/fonts/pdf, made by script/pdf_fonts). The same
input always gives the same bytes.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any, NamedTuple, TypeAlias
from unicodedata import combining, normalize
from xml.sax.saxutils import escape

from django.conf import settings
from reportlab.lib.colors import Color, HexColor
from reportlab.lib.colors import white as WHITE
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

from games.kit.plots import Circle, Line, Mark, Path, Plot, Rect, Text
from games.kit.tables import Column
from games.kit.tables import Table as ColumnTable

INK, DIM, FAINT = HexColor("#16201c"), HexColor("#55605a"), HexColor("#d9d5c6")
BRASS, STOP = HexColor("#8a713a"), HexColor("#a63a22")
MARGIN, HEAD, FOOT = 46.0, 74.0, 58.0  # points
HAIR = 0.6
HEADING_NEEDS = 100.0  # points that a heading needs together with the first lines after it

INTER, BOLD, CHINESE = "Inter-Regular", "Inter-SemiBold", "NotoSansSC-Regular"
LANGUAGES = ("en", "es", "zh")
PAGE_OF = {"en": "%d of %d", "es": "%d de %d", "zh": "%d / %d"}
UNDRAWABLE = "?"
CELL_SIZES = (9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0, 5.5)  # points
PADDING = 8.5  # points on both sides of a cell, with what rounding takes
MIN_WIDTH = 12.0  # points
APART = 12.0  # points more between a number and a text at its right
ROW_HEIGHT = 12.0  # points of a plot beside its row


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
    paragraph = Paragraph(as_markup(words, style.fontName), style)
    paragraph.words = str(words)
    return paragraph


def as_markup(words: object, font: str) -> str:
    """Return plain text as markup, with each run of characters in a font that has them."""
    return "".join(
        _escaped(run) if by == font else f'<font name="{by}">{_escaped(run)}</font>'
        for run, by in runs_of(words, font)
    )


def runs_of(words: object, font: str) -> list[tuple[str, str]]:
    """Return plain text in runs of characters, each with a font that has them.

    A character in no font is decomposed ("ắ" to "a"), or else becomes a question mark.
    """
    runs: list[tuple[str, str]] = []
    for sign in str(words):
        drawn, by = _drawable(sign, font)
        if runs and runs[-1][1] == by:
            runs[-1] = (runs[-1][0] + drawn, by)
        else:
            runs.append((drawn, by))
    return runs


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
) -> Table:
    """Return a table over the full width of the page. Its head rows repeat on each page.

    `widths` are relative. `numbers` are the right-aligned columns. `more` are further commands of a TableStyle. A
    cell that is not a flowable or a list of flowables is plain text.
    """
    look, shares = styles(language), sum(widths)
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


def fitted(
    rows: Sequence[Sequence[Cell]], width: float, *, numbers: Sequence[int] = (), language: str = "en"
) -> Table:
    """Return a table whose columns are as wide as their content asks, within a width in points.

    Its first row is a head. Where numbers have no room, its letters are smaller; flowables keep their size.
    """
    look = styles(language)

    def lines(size: float) -> list[list[Cell]]:
        return [
            [
                cell if isinstance(cell, Flowable | list) else [_sized(cell, look, place in numbers, size)]
                for place, cell in enumerate(row)
            ]
            for row in rows[1:]
        ]

    return _fit([str(head) for head in rows[0]], lines, width, numbers, ())


def column_table(declared: ColumnTable[Any], width: float) -> Table:
    """Return a table of columns on paper, within a width in points."""
    rows, columns = declared.paper_rows, declared.paper_columns
    drawings = {place: column.draw(rows) for place, column in enumerate(columns) if column.draw}

    def lines(size: float) -> list[list[Cell]]:
        return [
            [
                _drawn(drawings[place][number]) if place in drawings else _cell(column, row, size)
                for place, column in enumerate(columns)
            ]
            for number, row in enumerate(rows)
        ]

    heads = ["" if column.draw else paper_words(column.heading) for column in columns]
    numbers = [place for place, column in enumerate(columns) if column.is_number and not column.draw]
    total = [] if declared.total is None else [("NOSPLIT", (0, -2), (-1, -1))]  # stays with the row above it
    return _fit(heads, lines, width, numbers, total)


def _fit(
    heads: Sequence[str],
    lines_of: Callable[[float], list[list[Cell]]],
    width: float,
    numbers: Sequence[int],
    more: Sequence[tuple[Any, ...]],
) -> Table:
    for size in CELL_SIZES:
        lines = lines_of(size)
        texts = [
            place
            for place, cell in enumerate(lines[0] if lines else ())
            if place not in numbers and isinstance(cell, list)
        ]
        apart = [place for place in texts if place - 1 in numbers]
        rooms = [
            _room([line[place] for line in lines], head, place in numbers, APART * (place in apart))
            for place, head in enumerate(heads)
        ]
        if sum(room.least for room in rooms) <= width:
            break
    gaps = [("LEFTPADDING", (place, 0), (place, -1), 4 + APART) for place in apart]
    return table([heads, *lines], _shared(rooms, width), numbers=numbers, more=[*gaps, *more])


def _sized(words: object, look: dict[str, ParagraphStyle], is_number: bool, size: float) -> Paragraph:
    style = look["number" if is_number else "cell"]
    return text(words, style.clone(style.name, fontSize=size, leading=size + 3))


def paper_words(heading: str) -> str:
    """Return a heading without what the fonts lack: on paper σ is written "std. dev."."""
    words = heading.replace("σ", "std. dev.")
    return words[:1].upper() + words[1:]


def _cell(column: Column[Any], row: Any, size: float) -> list[Flowable]:
    """The value with its notes under it."""
    look, is_number = styles(), column.is_number
    style = look["number" if is_number else "strong" if column.is_strong else "cell"]
    note = look["head-number" if is_number else "head"]
    value = text(column.paper_text(row), style.clone(style.name, fontSize=size, leading=size + 3))
    return [value, *(text(words, note) for words in column.notes(row))]


def _drawn(plot: Plot | None) -> Cell:
    return PlotDrawing(plot, plot.paper_width, ROW_HEIGHT) if plot else ""


class Room(NamedTuple):
    """Widths of a column in points: the least, that with which nothing of it wraps, and then its heading neither."""

    least: float
    whole: float
    wide: float


def _room(cells: Sequence[Cell], head: str, is_number: bool, apart: float) -> Room:
    """Measure a column. Words may wrap between them; a number may not."""
    least = [MIN_WIDTH, *(_width(word, styles()["head"]) for word in head.split())]
    whole = [0.0]
    for part in (part for cell in cells for part in (cell if isinstance(cell, list) else [cell])):
        if isinstance(part, Paragraph):
            lines, style = part.words.split("\n"), part.style
            is_whole = is_number and style.name == "number"
            pieces = lines if is_whole else [word for line in lines for word in line.split()]
            least += [_width(piece, style) for piece in pieces]
            whole += [_width(line, style) for line in lines]
        elif isinstance(part, PlotDrawing):
            least.append(part.width)
    widths = max(least), max(*whole, *least), max(*whole, *least, _width(head, styles()["head"]))
    return Room(*(apart + PADDING + width for width in widths))


def _width(words: str, style: ParagraphStyle) -> float:
    return sum(
        float(pdfmetrics.stringWidth(drawn, by, style.fontSize))
        for drawn, by in runs_of(words, style.fontName)
    )


def _shared(rooms: Sequence[Room], width: float) -> list[float]:
    """Share a width out: the least to all, then what keeps content whole, then headings; what is left equally."""
    shares = [room.least for room in rooms]
    for widths in ([room.whole for room in rooms], [room.wide for room in rooms]):
        left, missing = max(0.0, width - sum(shares)), sum(widths) - sum(shares)
        part = min(1.0, left / missing) if missing else 1.0
        shares = [share + (want - share) * part for share, want in zip(shares, widths, strict=True)]
    return [share + max(0.0, width - sum(shares)) / len(shares) for share in shares]


# The plots of the screen


class Ink(NamedTuple):
    """How a kind of mark is drawn: what fills it, the color and width of its line, and its dashes."""

    fill: Color | None = None
    line: Color | None = None
    width: float = 0.6  # points
    dashes: tuple[int, ...] = ()
    font: str = ""


DASHES, DOTS = (4, 3), (1, 3)
LINE_CAP_FROM = 3  # points: a dot is a short line with round ends, as in SVG
DRAWN = Ink(fill=DIM)
INKS = {
    "within": Ink(fill=FAINT),
    "rule": Ink(line=FAINT, width=0.5),
    "zero": Ink(line=DIM, width=0.5),
    "lot-line": Ink(line=DIM, width=0.8, dashes=DOTS),
    "expected": Ink(line=DIM, width=0.8, dashes=DASHES),
    "actual": Ink(line=INK, width=1.2),
    "end": Ink(fill=INK),
    "event": Ink(fill=WHITE, line=INK, width=0.8),
    "lead-line": Ink(line=INK, width=0.6),
    "target": Ink(line=INK, width=0.8, dashes=DASHES),
    "strong": Ink(fill=INK, font=BOLD),
    "report-zero": Ink(line=DIM, width=0.6),
    "report-loss": Ink(fill=STOP),
    "report-band": Ink(fill=FAINT),
    "report-expected": Ink(line=DIM, width=1.2),
    "report-dot": Ink(line=DIM, width=5.2),
    "report-dot report-dot--out": Ink(line=STOP, width=5.2),
    "report-grid": Ink(line=FAINT, width=0.4),
    "report-count": Ink(fill=INK),
    "odds-zero": Ink(line=BRASS, width=0.5),
    "odds-favors": Ink(fill=STOP),
    "odds-was": Ink(line=BRASS, width=1.4),
    "odds-beyond": Ink(line=STOP, width=1.0),
    "odds-refused": Ink(fill=FAINT),
    "odds-house": Ink(line=INK, width=1.2),
    "odds-player": Ink(line=STOP, width=1.2),
    "odds-point odds-point--before": Ink(fill=BRASS),
    **dict.fromkeys(
        [f"odds-point odds-point--{sort}" for sort in ("floor", "even", "now")]
        + [f"odds-point--{sort}" for sort in ("floor", "before", "even", "now")],
        Ink(fill=INK),
    ),
}
LARGEST_LETTERS, LETTERS = 9.0, 13  # points at most; pixels on a page
BEYOND = 4  # pixels that a line may run beyond its plot, into the rows above and below


class PlotDrawing(Flowable):
    """A plot of the screen on paper, at a width in points: pixels from the top become points from the bottom."""

    def __init__(self, plot: Plot, width: float, height: float = 0) -> None:
        super().__init__()
        self.plot, self.width = plot, float(width)
        self.across = self.width / plot.width
        self.down = height / plot.height if height else self.across
        self.height = float(plot.height * self.down)

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        """Draw every mark with its ink."""
        for mark in self.plot.marks:
            ink = INKS.get(mark.kind, DRAWN)
            self.canv.setLineWidth(ink.width)
            self.canv.setLineCap(1 if ink.width > LINE_CAP_FROM else 0)
            self.canv.setDash(*ink.dashes)
            if ink.fill:
                self.canv.setFillColor(ink.fill)
            if ink.line:
                self.canv.setStrokeColor(ink.line)
            self._draw(mark, ink)

    def _draw(self, mark: Mark, ink: Ink) -> None:
        canvas, painted = self.canv, {"stroke": int(bool(ink.line)), "fill": int(bool(ink.fill))}
        match mark:
            case Line():
                top, foot = (min(max(y, -BEYOND), self.plot.height + BEYOND) for y in (mark.y1, mark.y2))
                canvas.line(*self._at(mark.x1, top), *self._at(mark.x2, foot))
            case Rect() if mark.width and mark.height:
                size = float(mark.width * self.across), float(mark.height * self.down)
                canvas.rect(*self._at(mark.x, mark.y + mark.height), *size, **painted)
            case Circle():
                canvas.circle(*self._at(mark.x, mark.y), mark.on_paper, **painted)
            case Path():
                path = canvas.beginPath()
                for place, (x, y) in enumerate(mark.points):
                    (path.lineTo if place else path.moveTo)(*self._at(x, y))
                if mark.is_closed:
                    path.close()
                canvas.drawPath(path, **painted)
            case Text():
                canvas.setFont(ink.font or INTER, min(LARGEST_LETTERS, LETTERS * self.across))
                draw = {"middle": canvas.drawCentredString, "end": canvas.drawRightString}
                words = mark.text.replace("σ", "s.d.").replace("\u202f", " ")
                draw.get(mark.anchor, canvas.drawString)(*self._at(mark.x, mark.y + mark.below), words)

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return float((x - self.plot.left) * self.across), self.height - float((y - self.plot.top) * self.down)


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
