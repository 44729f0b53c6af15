"""The plot of a range's win against its band: geometry in pixels for attributes of SVG, one drawing for each width."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle
from typing import NamedTuple

from games.formats import money, signed, whole_dollars
from tables.figures.ranges import Moment, PlotPoint

TEXT_HEIGHT = 13
LETTER, LINE = 7.4, 16  # width of a figure and height of a line of such a text
LEFT, TOP = 62, 12
END_GAP = 14
MAX_GRID_LINES = 4
LOT_GAP = 8  # between the line of a change of dice and the names of the lots


@dataclass(frozen=True)
class Size:
    """One drawing: its class, its width and height, and the room that the labels at the right end need."""

    css_class: str
    width: int
    height: int
    right: int


SIZES = (Size("wide", 848, 236, 178), Size("middle", 720, 236, 150), Size("narrow", 352, 220, 0))


@dataclass(frozen=True)
class Label:
    """A text of the plot at a place; `anchor` is the SVG's word for where the place is in it."""

    x: float
    y: float
    text: str
    kind: str = ""
    anchor: str = "start"


@dataclass(frozen=True)
class Note:
    """The one annotation: what happened at a point, and where its text and its line are."""

    x: float
    y: float
    line_from: float
    line_to: float
    texts: tuple[Label, ...]


class LotChange(NamedTuple):
    """New dice at the table: the lot before, "" where there was none, and the lot since."""

    moment: dt.datetime
    before: str
    lot: str


@dataclass(frozen=True)
class LotLine:
    """A line where the dice changed, with the names of the lots at its sides if there is room."""

    x: float
    texts: tuple[Label, ...]


@dataclass(frozen=True)
class BandPlot:
    """Paths of the win, of what was expected and of the band, and the texts around them."""

    size: Size
    win: str
    expected: str
    band: str
    zero_y: float
    foot: float
    right_edge: float
    end_x: float
    end_y: float
    grid: tuple[Label, ...]
    ends: tuple[Label, ...]
    ticks: tuple[Label, ...]
    note: Note | None
    lots: tuple[LotLine, ...] = ()


@dataclass(frozen=True)
class Annotation:
    """What the note of a plot says: a moment within the plot, and two short lines."""

    moment: Moment
    lines: tuple[str, str]


@dataclass(frozen=True)
class Axis:
    """The time of a plot from its left to its right edge, and its labels."""

    begins: float
    ends: float
    ticks: Sequence[tuple[float, str]]


def number_of(moment: Moment) -> float:
    """Return a moment or a day as seconds."""
    if isinstance(moment, dt.datetime):
        return moment.timestamp()
    return moment.toordinal() * 86_400.0


def band_plots(
    points: Sequence[PlotPoint], axis: Axis, annotation: Annotation | None, changes: Sequence[LotChange] = ()
) -> list[BandPlot]:
    """Draw the plot at each width; nothing without two points."""
    if len(points) < 2:
        return []
    return [_plot(size, points, axis, annotation, changes) for size in SIZES]


def _plot(
    size: Size,
    points: Sequence[PlotPoint],
    axis: Axis,
    annotation: Annotation | None,
    changes: Sequence[LotChange],
) -> BandPlot:
    foot, right = size.height - 38, size.width - max(size.right, 12)
    upper = [point.expected_cents + point.band_cents for point in points]
    lower = [point.expected_cents - point.band_cents for point in points]
    wins = [float(point.win_cents) for point in points]
    low, high = min(0.0, *wins, *lower), max(0.0, *wins, *upper)
    high += high == low
    step_x = (right - LEFT) / ((axis.ends - axis.begins) or 1)
    step_y = (foot - TOP) / (high - low)

    def x_of(moment: float) -> float:
        return round(LEFT + (moment - axis.begins) * step_x, 1)

    def y_of(cents: float) -> float:
        return round(foot - (cents - low) * step_y, 1)

    xs = [x_of(number_of(point.moment)) for point in points]
    ends = [
        (y_of(upper[-1]), f"+2 σ {money(whole_dollars(upper[-1]))}", ""),
        (y_of(wins[-1]), f"{signed(points[-1].win_cents)} won", "strong"),
        (
            y_of(points[-1].expected_cents),
            f"{signed(whole_dollars(points[-1].expected_cents))} expected",
            "",
        ),
        (y_of(lower[-1]), f"−2 σ {money(whole_dollars(lower[-1]))}", ""),
    ]
    return BandPlot(
        size,
        win=_path(xs, [y_of(cents) for cents in wins]),
        expected=_path(xs, [y_of(point.expected_cents) for point in points]),
        band=_path(xs + xs[::-1], [y_of(cents) for cents in upper + lower[::-1]]) + "Z",
        zero_y=y_of(0),
        foot=foot,
        right_edge=right,
        end_x=xs[-1],
        end_y=y_of(wins[-1]),
        grid=tuple(
            Label(0, y_of(cents), money(cents), "zero" if not cents else "") for cents in _grid(low, high)
        ),
        ends=_apart(ends, right + END_GAP, size.height) if size.right else (),
        ticks=_ticks(axis, x_of, size),
        note=_note(annotation, points, xs, y_of, size, foot, right) if annotation else None,
        lots=_lot_lines(changes, axis, x_of, right),
    )


def _lot_lines(
    changes: Sequence[LotChange], axis: Axis, x_of: Callable[[float], float], right: float
) -> tuple[LotLine, ...]:
    """Return a line for each change within the plot; a name that would touch another or the edge is left out."""
    lines, free_from = [], float(LEFT)
    for change in changes:
        moment = change.moment.timestamp()
        if not axis.begins <= moment <= axis.ends:
            continue
        x, texts = x_of(moment), []
        before = f"dice {change.before}"
        if change.before and x - LOT_GAP - len(before) * LETTER >= free_from:
            texts.append(Label(round(x - LOT_GAP, 1), TOP + 4, before, anchor="end"))
        end = x + LOT_GAP + len(change.lot) * LETTER
        if x >= free_from and end <= right:
            texts.append(Label(round(x + LOT_GAP, 1), TOP + 4, change.lot))
            free_from = end + LOT_GAP
        lines.append(LotLine(x, tuple(texts)))
    return tuple(lines)


def _path(xs: Sequence[float], ys: Sequence[float]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(xs, ys, strict=True))


def _grid(low: float, high: float) -> list[int]:
    """Return round amounts between two amounts, at most as many as are readable, zero among them."""
    step, factors = 100, cycle((Fraction(2), Fraction(5, 2), Fraction(2)))
    while (high - low) / step >= MAX_GRID_LINES:
        step = int(step * next(factors))
    first = -(-int(low) // step)
    return [step * number for number in range(first, int(high) // step + 1)]


def _ticks(axis: Axis, x_of: Callable[[float], float], size: Size) -> tuple[Label, ...]:
    """Return the labels under the axis, leaving out those that would touch the one before."""
    labels: list[Label] = []
    free_from = -LETTER
    for moment, text in axis.ticks:
        x, half = x_of(moment), len(text) * LETTER / 2
        if x - half >= free_from and x + half <= size.width:
            labels.append(Label(x, size.height - 6, text, anchor="middle"))
            free_from = x + half + 2 * LETTER
    return tuple(labels)


def _apart(ends: Sequence[tuple[float, str, str]], x: float, height: int) -> tuple[Label, ...]:
    """Return the labels at the right end, moved apart so that none covers another."""
    ordered = sorted(ends)
    ys = [y + 4 for y, _text, _kind in ordered]
    for below in range(1, len(ys)):
        ys[below] = max(ys[below], ys[below - 1] + LINE)
    limit = height - 8.0
    for place in reversed(range(len(ys))):
        ys[place] = min(ys[place], limit)
        limit = ys[place] - LINE
    return tuple(Label(x, round(y, 1), text, kind) for y, (_y, text, kind) in zip(ys, ordered, strict=True))


def _note(
    annotation: Annotation,
    points: Sequence[PlotPoint],
    xs: Sequence[float],
    y_of: Callable[[float], float],
    size: Size,
    foot: float,
    right: float,
) -> Note | None:
    """Place the note under its point, or above where there is no room below; none on the narrow drawing."""
    if not size.right:
        return None
    moment = number_of(annotation.moment)
    place = min(range(len(points)), key=lambda index: abs(number_of(points[index].moment) - moment))
    x, y = xs[place], y_of(points[place].win_cents)
    half = max(len(text) for text in annotation.lines) * LETTER / 2
    middle = round(min(max(x, LEFT + half), right - half), 1)
    is_below = y + 26 + 2 * LINE < foot
    line_from, line_to = (y + 4, y + 22) if is_below else (y - 4, y - 22)
    first = y + 36 if is_below else y - 28 - LINE
    texts = tuple(
        Label(middle, round(first + number * LINE, 1), text, "note" if not number else "", "middle")
        for number, text in enumerate(annotation.lines)
    )
    return Note(x, y, round(line_from, 1), round(line_to, 1), texts)
