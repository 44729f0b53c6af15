"""Small plots of a range by hour, day or month: handle, pace, seats, and hold. Geometry for attributes of SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.formats import about, percent
from tables.figures.plots import LETTER, Label

WIDTH, HEIGHT = 352, 124
LEFT, TOP, FOOT, RIGHT = 58, 10, 100, 346
FRAME = (LEFT, RIGHT)
GAP_PART = 4  # of the room of a bar, one part is the gap
WIDEST_BAR = 26


@dataclass(frozen=True)
class Bar:
    """A bar: where it is, and what it says when a pointer rests on it."""

    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True)
class PeriodPlot:
    """One figure by period: its bars, the texts at the edges, and the casino's target as a line."""

    name: str
    note: str
    words: str
    bars: tuple[Bar, ...]
    grid: tuple[Label, ...]
    ticks: tuple[Label, ...]
    target_y: float | None = None
    width: int = WIDTH
    height: int = HEIGHT


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
    high += high == low
    scale = Fraction(FOOT - TOP) / (high - low)

    def y_of(value: Fraction) -> float:
        return round(float(FOOT - (value - low) * scale), 1)

    room = (RIGHT - LEFT) / len(points)
    width = round(min(WIDEST_BAR, room * (GAP_PART - 1) / GAP_PART), 1)
    bars = [
        Bar(
            round(LEFT + place * room + (room - width) / 2, 1),
            min(y_of(point.value), y_of(Fraction(0))),
            width,
            round(abs(y_of(point.value) - y_of(Fraction(0))), 1),
            f"{point.label}: {words(point.value)}",
        )
        for place, point in enumerate(points)
        if point.value is not None
    ]
    marks = dict.fromkeys((Fraction(0), high, low))
    return PeriodPlot(
        name,
        note,
        f"{name}. " + ", ".join(bar.title for bar in bars),
        tuple(bars),
        grid=tuple(Label(0, y_of(mark), words(mark), "zero" if not mark else "") for mark in marks),
        ticks=_ticks(points, room),
        target_y=y_of(Fraction(target)) if target else None,
    )


def _ticks(points: Sequence[Point], room: float) -> tuple[Label, ...]:
    """Label as many periods as there is room for, from the first."""
    longest = max(len(point.label) for point in points) * LETTER
    step = -(-int(longest + 2 * LETTER) // max(int(room), 1))
    labels = []
    for place, point in list(enumerate(points))[::step]:
        x = LEFT + (place + 0.5) * room
        if x + longest / 2 <= WIDTH + LETTER:
            labels.append(Label(round(x, 1), HEIGHT - 6, point.label, anchor="middle"))
    return tuple(labels)
