"""The odds sheet as a PDF: the table with its bars, and the chart of one row."""

from collections.abc import Sequence

from reportlab.platypus import CondPageBreak, Flowable

from games.kit.paper import (
    BRASS,
    DIM,
    FAINT,
    INK,
    INTER,
    STOP,
    Cell,
    content_size,
    render,
    styles,
    table,
    text,
)
from games.office.odds.charts import BAR_HEIGHT, BAR_WIDTH, Bar, Curve, Scale
from games.office.odds.sheet import OddsRow, OddsSheet
from games.registry import game_of

BLANK = "\u00a0"


def odds_sheet_pdf(
    sheet: OddsSheet, chart: Curve | None, *, title: str, facility_name: str, approved: str, summary: str = ""
) -> bytes:
    """Return the PDF of an odds sheet, in landscape if its chances are long fractions.

    `summary`: a sentence above the table.
    """
    look, wide = styles(), sheet.throws is None
    story: list[Flowable] = [text("Odds sheet", look["title"]), text(source_text(sheet), look["body"])]
    if summary:
        story.append(text(summary, look["body"]))
    story += sheet_story(sheet, chart, landscape=wide)
    return render(
        story, title=f"Odds sheet, {title}", facility_name=facility_name, approved=approved, landscape=wide
    )


def source_text(sheet: OddsSheet) -> str:
    """Return where the figures come from."""
    edition = sheet.rules.edition
    paytable = f", Paytable {edition.paytable}" if edition.paytable else ""
    how = f"counted over all {sheet.throws} throws" if sheet.throws else "enumerated exactly"
    return (
        f"{game_of(sheet.rules).name}, {edition.title}{paytable}, text of {edition.in_force_from.isoformat()} "
        f"({edition.source}). Every figure is {how}."
    )


def sheet_story(sheet: OddsSheet, chart: Curve | None, *, landscape: bool = False) -> list[Flowable]:
    """Return the table and the chart as parts of any PDF."""
    story: list[Flowable] = [_table(sheet)]
    if sheet.changed:
        story.append(
            text(
                f"Bar: {sheet.name or 'now'}. Brass mark: {sheet.before or 'before'}.",
                styles()["small"],
            )
        )
    if chart:
        across = content_size(landscape=landscape)[0]
        story += [
            CondPageBreak(chart.size[1] * across / chart.size[0] + 50),
            text(chart.title, styles()["heading"]),
            Plot(chart, across),
            text(chart.description, styles()["small"]),
        ]
    return story


def _table(sheet: OddsSheet) -> Flowable:
    counted, floors, changed = sheet.throws, sheet.sets_floors, bool(sheet.changed)
    head: list[Cell] = ["Wager", f"Wins in {counted}" if counted else "Wins", "True odds"]
    widths: list[float] = [106, 54, 54] if counted else [96, 152, 86]
    if floors:
        head.append("Floor")
        widths.append(38)
    if changed:
        head.append("Before")
        widths.append(38)
    head += ["Pays", "House advantage", "exactly"]
    widths += [54, 56, 46] if counted else [62, 56, 152]
    bar_wide = 80 if counted else 92
    numbers = range(1, len(head))
    rows: list[list[Cell]] = [[*head, "player | house" if sheet.favored else ""]]
    rows += [[*_cells(row, sheet), BarMark(sheet.scale, bar, bar_wide)] for row, bar in sheet.lines]
    return table(rows, [*widths, bar_wide + 4], numbers=numbers)


def _cells(row: OddsRow, sheet: OddsSheet) -> Sequence[Cell]:
    """Return the cells left of the bar. Each payout has one line, or two if its chance is a fraction."""
    counted, look = sheet.throws is not None, styles()
    notes = [note for note in (row.note, "favors the player" if row.favors_player else "") if note]
    label: list[Flowable] = [text(row.label, look["strong" if row.is_changed else "cell"])]
    label += [text(note, look["head"]) for note in notes]
    chances: list[Flowable] = []
    for level in row.levels:
        chances += (
            [text(level.ways, look["number"])]
            if counted
            else _two_lines(level.chance_text, level.chance_exact)
        )
    cells: list[Cell] = [
        label,
        chances,
        _lines([level.true_odds_text.replace(" ", BLANK) for level in row.levels], counted),
    ]
    if sheet.sets_floors:
        cells.append(row.floor_text)
    if sheet.changed:
        cells.append(_lines([level.previous_text for level in row.levels], counted))
    pays = _lines([str(level.pays) for level in row.levels], counted)
    exact = text(row.advantage_exact, look["number" if counted else "fine"])
    return [*cells, pays, row.advantage_text.replace(" ", BLANK), exact]


def _lines(values: Sequence[str], counted: bool) -> list[Flowable]:
    """Return one line for each value, as tall as a chance with its fraction below."""
    if counted:
        return [text(value, styles()["number"]) for value in values]
    return [line for value in values for line in _two_lines(value, BLANK)]


def _two_lines(value: str, beneath: str) -> list[Flowable]:
    look = styles()
    return [text(value, look["number"]), text(beneath, look["fine"])]


class BarMark(Flowable):
    """The bar of one row, as on the page."""

    def __init__(self, scale: Scale, bar: Bar, width: float) -> None:
        super().__init__()
        self.scale, self.bar, self.width, self.height = scale, bar, width, 12.0

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        canvas, across = self.canv, self.width / BAR_WIDTH
        middle, tall = self.height / 2, 8 * 12.0 / BAR_HEIGHT
        canvas.setFillColor(STOP if self.bar.favors_player else DIM)
        canvas.rect(
            float(self.bar.x) * across,
            middle - tall / 2,
            float(self.bar.width) * across,
            tall,
            stroke=0,
            fill=1,
        )
        canvas.setLineWidth(0.6)
        canvas.setStrokeColor(DIM)
        zero = float(self.scale.zero_x) * across
        canvas.line(zero, -3.5, zero, self.height + 3.5)
        if self.bar.previous:
            canvas.setStrokeColor(BRASS)
            canvas.setLineWidth(1.4)
            previous_x = float(self.bar.previous) * across
            canvas.line(previous_x, 1, previous_x, self.height - 1)


class Plot(Flowable):
    """The chart, as on the page. Pixels from the top become points from the bottom."""

    def __init__(self, chart: Curve, width: float) -> None:
        super().__init__()
        self.chart, self.width = chart, width
        self.scale = width / chart.size[0]
        self.height = chart.size[1] * self.scale

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        return self.width, self.height

    def _at(self, x: str, y: str) -> tuple[float, float]:
        return float(x) * self.scale, self.height - float(y) * self.scale

    def draw(self) -> None:
        canvas, chart = self.canv, self.chart
        top, tall = chart.plot
        for x, width in ((chart.floor_x, chart.floor_width), (chart.even_x, chart.even_width)):
            if x:
                left_x, foot = self._at(x, str(top + tall))
                canvas.setFillColor(FAINT)
                canvas.rect(left_x, foot, float(width) * self.scale, tall * self.scale, stroke=0, fill=1)
        canvas.setLineWidth(0.5)
        canvas.setStrokeColor(BRASS)
        left_x, zero = self._at(chart.house.split(",")[0], chart.zero_y)
        canvas.line(left_x, zero, self._at(chart.player.split(" ")[1].split(",")[0], "0")[0], zero)
        for line, color in ((chart.house, INK), (chart.player, STOP)):
            (x1, y1), (x2, y2) = (self._at(*corner.split(",")) for corner in line.split(" "))
            canvas.setStrokeColor(color)
            canvas.setLineWidth(1.2)
            canvas.line(x1, y1, x2, y2)
        self._words()

    def _words(self) -> None:
        canvas, chart = self.canv, self.chart
        canvas.setFont(INTER, 8)
        for point in chart.points:
            canvas.setFillColor(BRASS if point.sort == "before" else INK)
            canvas.circle(*self._at(point.x, point.y), 2.6, stroke=0, fill=1)
            canvas.setFillColor(INK)
            x, y = self._at(point.label_x, point.label_y)
            (canvas.drawRightString if point.anchor == "end" else canvas.drawString)(x, y, point.label)
        canvas.setFillColor(DIM)
        for tick in chart.ticks:
            x, y = self._at(tick.x, str(chart.size[1] - 6))
            canvas.drawCentredString(x, y, tick.label)
