"""The odds sheet as a PDF: the table with its bars, and the chart of one row."""

from collections.abc import Sequence

from reportlab.platypus import CondPageBreak, Flowable

from games.kit.paper import (
    ROW_HEIGHT,
    Cell,
    PlotDrawing,
    content_size,
    fitted,
    render,
    styles,
    text,
)
from games.office.odds.charts import Curve
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
    width = content_size(landscape=landscape)[0]
    story: list[Flowable] = [_table(sheet, width)]
    if sheet.changed:
        story.append(
            text(
                f"Bar: {sheet.name or 'now'}. Brass mark: {sheet.before or 'before'}.",
                styles()["small"],
            )
        )
    if chart:
        drawing = PlotDrawing(chart.plot, width)
        story += [
            CondPageBreak(drawing.height + 50),
            text(chart.title, styles()["heading"]),
            drawing,
            text(chart.plot.words, styles()["small"]),
        ]
    return story


def _table(sheet: OddsSheet, width: float) -> Flowable:
    counted = sheet.throws
    head: list[Cell] = ["Wager", f"Wins in {counted}" if counted else "Wins", "True odds"]
    head += ["Floor"] * sheet.sets_floors + ["Before"] * bool(sheet.changed)
    head += ["Pays", "House advantage", "exactly"]
    numbers = range(1, len(head))
    rows: list[list[Cell]] = [[*head, "player | house" if sheet.favored else ""]]
    rows += [[*_cells(row, sheet), PlotDrawing(bar, bar.paper_width, ROW_HEIGHT)] for row, bar in sheet.lines]
    return fitted(rows, width, numbers=numbers)


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
