"""Small plots of a range by hour, day or month: handle, pace, seats, and hold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.formats import about, percent
from games.kit.plots import LETTER, Line, Mark, Plot, Rect, Scale, Text, grid

WIDTH, HEIGHT = 352, 124
LEFT, TOP, FOOT, RIGHT = 58, 10, 100, 346
GAP_PART = 4  # of the room of a bar, one part is the gap
WIDEST_BAR = 26


@dataclass(frozen=True)
class PeriodPlot:
    """One figure by period, with its name and a note."""

    name: str
    note: str
    plot: Plot


@dataclass(frozen=True)
class Point:
    """A period with its figure; None where there is none."""

    label: str
    value: Fraction | None


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
    points: Sequence[Point],
    words: Callable[[Fraction], str],
    *,
    note: str = "",
    target: int | None = None,
    top: Fraction | None = None,
) -> PeriodPlot | None:
    """Draw a figure by period; None where it is never known. `top` is where the scale ends, if not at the highest."""
    values = [point.value for point in points if point.value is not None]
    if not values:
        return None
    high = max(*values, Fraction(target or 0), top or Fraction(0), Fraction(0))
    low = min(*values, Fraction(0))
    y_of = Scale(low, high, FOOT, TOP)
    zero_y = y_of(Fraction(0))
    room = (RIGHT - LEFT) / len(points)
    width = min(WIDEST_BAR, room * (GAP_PART - 1) / GAP_PART)
    bars = [
        Rect(
            LEFT + place * room + (room - width) / 2,
            min(y_of(point.value), zero_y),
            width,
            abs(y_of(point.value) - zero_y),
            title=f"{point.label}: {words(point.value)}",
        )
        for place, point in enumerate(points)
        if point.value is not None
    ]
    lines = [(y_of(mark), words(mark)) for mark in dict.fromkeys((Fraction(0), high, low))]
    marks: list[Mark] = [*grid(lines, zero_y, LEFT, RIGHT), *bars]
    if target:
        marks.append(Line(LEFT, y_of(Fraction(target)), RIGHT, y_of(Fraction(target)), "target"))
    marks += _ticks(points, room)
    said = f"{name}. " + ", ".join(bar.title for bar in bars)
    return PeriodPlot(name, note, Plot(WIDTH, HEIGHT, marks, "period-plot", said, is_sized=True))


def _ticks(points: Sequence[Point], room: float) -> Iterator[Text]:
    """Label as many periods as there is room for, from the first."""
    longest = max(len(point.label) for point in points) * LETTER
    step = -(-int(longest + 2 * LETTER) // max(int(room), 1))
    for place, point in list(enumerate(points))[::step]:
        x = LEFT + (place + 0.5) * room
        if x + longest / 2 <= WIDTH + LETTER:
            yield Text(x, HEIGHT - 6, point.label, anchor="middle")
