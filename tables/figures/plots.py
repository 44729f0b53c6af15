"""The plots of a page of figures.

`band_plots` draws the win of a range against its band, one drawing for each width, with a line where the dice of the
only table changed (`lot_changes`, from its entries) and a note at the round that cost the most. `period_plot` draws one
figure by hour, day or month: handle, pace, seats, hold.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from audit.models import Entry
from games.formats import about, money, percent, signed, signed_about
from games.kit.plots import (
    LETTER,
    LINE,
    Circle,
    Line,
    Mark,
    Path,
    Plot,
    Rect,
    Scale,
    Text,
    apart,
    grid,
    grid_amounts,
)
from tables.core.entries import COLUMNS, read
from tables.dice.custody import DICE_LOT_PLACED
from tables.figures.ranges import Moment, PlotPoint
from tables.models import Table

LEFT, TOP = 62, 12
END_GAP = 14
MAX_GRID_LINES = 4
LOT_GAP = 8  # between the line of a change of dice and the names of the lots
CHANGES_MAX = 60  # more lines than that hide the win
WIDTH, HEIGHT = 352, 124
PERIOD_LEFT, PERIOD_TOP, FOOT, RIGHT = 58, 10, 100, 346
GAP_PART = 4  # of the room of a bar, one part is the gap
WIDEST_BAR = 26


# The win in its band


@dataclass(frozen=True)
class Size:
    """One drawing: its class, its width and height, and the room that the labels at the right end need."""

    css_class: str
    width: int
    height: int
    right: int


SIZES = (Size("wide", 848, 236, 178), Size("middle", 720, 236, 150), Size("narrow", 352, 220, 0))


class LotChange(NamedTuple):
    """New dice at the table: the lot before, "" where there was none, and the lot since."""

    moment: dt.datetime
    before: str
    lot: str


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
    points: Sequence[PlotPoint],
    axis: Axis,
    annotation: Annotation | None,
    changes: Sequence[LotChange] = (),
    words: str = "",
) -> list[Plot]:
    """Draw the plot at each width; nothing without two points."""
    if len(points) < 2:
        return []
    return [_plot(size, points, axis, annotation, changes, words) for size in SIZES]


def _plot(
    size: Size,
    points: Sequence[PlotPoint],
    axis: Axis,
    annotation: Annotation | None,
    changes: Sequence[LotChange],
    words: str,
) -> Plot:
    foot, right = size.height - 38, size.width - max(size.right, 12)
    upper = [point.expected_cents + point.band_cents for point in points]
    lower = [point.expected_cents - point.band_cents for point in points]
    wins = [float(point.win_cents) for point in points]
    low, high = min(0.0, *wins, *lower), max(0.0, *wins, *upper)
    x_of = Scale(axis.begins, axis.ends, LEFT, right)
    y_of = Scale(low, high, foot, TOP)
    xs = [x_of(number_of(point.moment)) for point in points]

    def path(amounts: Sequence[float], kind: str) -> Path:
        return Path([(x, y_of(amount)) for x, amount in zip(xs, amounts, strict=True)], kind)

    edges = [*zip(xs, upper, strict=True), *zip(reversed(xs), reversed(lower), strict=True)]
    marks: list[Mark] = [
        Path([(x, y_of(cents)) for x, cents in edges], "within", is_closed=True),
        *grid(
            [(y_of(cents), money(cents)) for cents in grid_amounts(low, high, MAX_GRID_LINES)],
            y_of(0),
            LEFT,
            right,
        ),
        *_lot_lines(changes, axis, x_of, right, foot),
        path([point.expected_cents for point in points], "expected"),
        path(wins, "actual"),
        Circle(xs[-1], y_of(wins[-1]), 4, "end"),
    ]
    if size.right:
        marks += _ends(points[-1], y_of, right + END_GAP, size.height)
        marks += _note(annotation, points, xs, y_of, foot, right) if annotation else []
    marks += _ticks(axis, x_of, size)
    name = size.css_class
    return Plot(
        size.width, size.height, marks, f"band-plot band-plot--{name}", words, f"plot-{name}", is_sized=True
    )


def _ends(last: PlotPoint, y_of: Scale, x: float, height: int) -> list[Text]:
    """Return the labels at the right end, moved apart so that none covers another."""
    upper, lower = last.expected_cents + last.band_cents, last.expected_cents - last.band_cents
    ends = sorted(
        [
            (y_of(upper) + 4, f"+2 σ {about(upper)}", ""),
            (y_of(last.win_cents) + 4, f"{signed(last.win_cents)} won", "strong"),
            (y_of(last.expected_cents) + 4, f"{signed_about(last.expected_cents)} expected", ""),
            (y_of(lower) + 4, f"−2 σ {about(lower)}", ""),
        ]
    )
    ys = apart([y for y, _text, _kind in ends], height - 8.0)
    return [Text(x, y, text, kind) for y, (_y, text, kind) in zip(ys, ends, strict=True)]


def _lot_lines(
    changes: Sequence[LotChange], axis: Axis, x_of: Scale, right: float, foot: float
) -> Iterator[Mark]:
    """Yield a line for each change within the plot; a name that would touch another or the edge is left out."""
    free_from = float(LEFT)
    for change in changes:
        moment = change.moment.timestamp()
        if not axis.begins <= moment <= axis.ends:
            continue
        x, before = x_of(moment), f"dice {change.before}"
        yield Line(x, 4, x, foot, "lot-line")
        if change.before and x - LOT_GAP - len(before) * LETTER >= free_from:
            yield Text(x - LOT_GAP, TOP + 4, before, anchor="end")
        end = x + LOT_GAP + len(change.lot) * LETTER
        if x >= free_from and end <= right:
            yield Text(x + LOT_GAP, TOP + 4, change.lot, anchor="start")
            free_from = end + LOT_GAP


def _ticks(axis: Axis, x_of: Scale, size: Size) -> Iterator[Text]:
    """Yield the labels under the axis, leaving out those that would touch the one before."""
    free_from = -LETTER
    for moment, text in axis.ticks:
        x, half = x_of(moment), len(text) * LETTER / 2
        if x - half >= free_from and x + half <= size.width:
            yield Text(x, size.height - 6, text, anchor="middle")
            free_from = x + half + 2 * LETTER


def _note(
    annotation: Annotation,
    points: Sequence[PlotPoint],
    xs: Sequence[float],
    y_of: Scale,
    foot: float,
    right: float,
) -> list[Mark]:
    """Place the note beside its point, where it covers neither the win nor what is expected if one of four is so."""
    moment = number_of(annotation.moment)
    index = min(range(len(points)), key=lambda index: abs(number_of(points[index].moment) - moment))
    x, y = xs[index], y_of(points[index].win_cents)
    width = max(len(text) for text in annotation.lines) * LETTER
    middle = min(max(x, LEFT + width / 2), right - width / 2)
    below = Box(middle - width / 2, y + 24, width), Line(x, y + 4, x, y + 22, "lead-line")
    above = Box(middle - width / 2, y - 26 - 2 * LINE, width), Line(x, y - 4, x, y - 22, "lead-line")
    level = max(0.0, min(y - LINE, foot - 2 * LINE))
    before = Box(x - 26 - width, level, width), Line(x - 4, y, x - 22, y, "lead-line")
    after = Box(x + 26, level, width), Line(x + 4, y, x + 22, y, "lead-line")
    places = [
        (box, lead)
        for box, lead in (below, above, before, after)
        if box.left >= LEFT and box.left + width <= right and box.top >= 0 and box.top + 2 * LINE <= foot
    ]
    lines = [
        [(at, y_of(cents)) for at, cents in zip(xs, amounts, strict=True)]
        for amounts in (
            [point.win_cents for point in points],
            [point.expected_cents for point in points],
        )
    ]
    box, lead = min(places or [above], key=lambda place: sum(place[0].is_crossed(line) for line in lines))
    return [
        lead,
        Circle(x, y, 3, "event"),
        *(
            Text(
                box.left + width / 2,
                box.top + number * LINE - 4,
                text,
                "note" if number == 1 else "",
                "middle",
            )
            for number, text in enumerate(annotation.lines, 1)
        ),
    ]


@dataclass(frozen=True)
class Box:
    """Where the two lines of a note stand, in the units of the plot."""

    left: float
    top: float
    width: float

    def is_crossed(self, line: Sequence[tuple[float, float]]) -> bool:
        """True if a line of the plot, whose points go from left to right, runs through the box."""
        return any(self._is_crossed_by(*start, *end) for start, end in pairwise(line))

    def _is_crossed_by(self, x1: float, y1: float, x2: float, y2: float) -> bool:
        first, last = max(x1, self.left), min(x2, self.left + self.width)
        if first > last:
            return False
        slope = (y2 - y1) / (x2 - x1) if x2 > x1 else 0.0
        ys = (y1 + slope * (first - x1), y1 + slope * (last - x1)) if slope else (y1, y2)
        return min(ys) <= self.top + 2 * LINE and max(ys) >= self.top


def lot_changes(table: Table, begins: dt.datetime, ends: dt.datetime) -> list[LotChange]:
    """Return each change to another lot between two moments, in order; nothing if there were too many to draw."""
    placed = Entry.objects.filter(stream=table.stream_id, type=DICE_LOT_PLACED.name)
    of_range = (
        placed.filter(at__gte=begins, at__lt=ends).order_by("seq").values_list(*COLUMNS)[: CHANGES_MAX + 1]
    )
    entries = [read((row[0], row[1], row[2], row[3])) for row in of_range]
    if not entries or len(entries) > CHANGES_MAX:
        return []
    earlier = placed.filter(seq__lt=entries[0].seq).order_by("-seq").values_list(*COLUMNS).first()
    before = str(read(earlier).data.get("lot", "")) if earlier else ""
    changes = []
    for entry in entries:
        lot = str(entry.data.get("lot", ""))
        if entry.is_intact and lot != before:
            changes.append(LotChange(dt.datetime.fromisoformat(entry.at), before, lot))
        before = lot
    return changes


# A figure by hour, day or month


@dataclass(frozen=True)
class PeriodPlot:
    """One figure by period, with its name and a note."""

    name: str
    note: str
    plot: Plot


def cents_words(value: Fraction) -> str:
    """`$1,150`."""
    return about(value)


def count_words(value: Fraction) -> str:
    """`42`."""
    return f"{round(value):,}"


def share_words(value: Fraction) -> str:
    """`34.81 %`."""
    return percent(value)


def whole_share_words(value: Fraction) -> str:
    """`35 %`."""
    return percent(value, 0)


def period_plot(
    name: str,
    points: Sequence[tuple[str, Fraction | None]],
    words: Callable[[Fraction], str],
    *,
    note: str = "",
    target: int | None = None,
    top: Fraction | None = None,
) -> PeriodPlot | None:
    """Draw a figure by period; None where it is never known.

    `points` are the labels of the periods, each with its figure; None where there is none. `top` is where the scale
    ends, if not at the highest.
    """
    values = [value for _label, value in points if value is not None]
    if not values:
        return None
    high = max(*values, Fraction(target or 0), top or Fraction(0), Fraction(0))
    low = min(*values, Fraction(0))
    y_of = Scale(low, high, FOOT, PERIOD_TOP)
    zero_y = y_of(Fraction(0))
    room = (RIGHT - PERIOD_LEFT) / len(points)
    width = min(WIDEST_BAR, room * (GAP_PART - 1) / GAP_PART)
    bars = [
        Rect(
            PERIOD_LEFT + place * room + (room - width) / 2,
            min(y_of(value), zero_y),
            width,
            abs(y_of(value) - zero_y),
            title=f"{label}: {words(value)}",
        )
        for place, (label, value) in enumerate(points)
        if value is not None
    ]
    lines = [(y_of(mark), words(mark)) for mark in dict.fromkeys((Fraction(0), high, low))]
    marks: list[Mark] = [*grid(lines, zero_y, PERIOD_LEFT, RIGHT), *bars]
    if target:
        marks.append(Line(PERIOD_LEFT, y_of(Fraction(target)), RIGHT, y_of(Fraction(target)), "target"))
    marks += _period_ticks([label for label, _value in points], room)
    description = f"{name}. " + ", ".join(bar.title for bar in bars)
    return PeriodPlot(name, note, Plot(WIDTH, HEIGHT, marks, "period-plot", description, is_sized=True))


def _period_ticks(labels: Sequence[str], room: float) -> Iterator[Text]:
    """Label as many periods as there is room for, from the first."""
    longest = max(map(len, labels)) * LETTER
    step = -(-int(longest + 2 * LETTER) // max(int(room), 1))
    for place, label in list(enumerate(labels))[::step]:
        x = PERIOD_LEFT + (place + 0.5) * room
        if x + longest / 2 <= WIDTH + LETTER:
            yield Text(x, HEIGHT - 6, label, anchor="middle")
