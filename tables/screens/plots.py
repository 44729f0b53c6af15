"""The plots of the table page, at the size at which they are shown."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypedDict

from games.formats import about, money, signed, signed_about
from games.kit.plots import LETTER, Circle, Line, Mark, Path, Plot, Scale, Text, apart, grid_amounts
from games.snapshot_types import WinLines

LINE, HALF_LETTER = 15, 4.5  # pixels: the height of a line, and from the middle of a text to its foot
WIN_WIDTH, WIN_HEIGHT = 360, 196
LEFT, RIGHT, TOP, FOOT = 62, 290, 10, 180
MOST_GRID_LINES = 4
LABEL_GAP = 8


class AxisLabel(TypedDict):
    """A text of a plot: `x` is its middle, and `mark` where what it names is."""

    x: float
    y: float
    text: str
    kind: str


def win_plot(lines: WinLines) -> Plot | None:
    """Draw the day's win by round, in its band where that is known; None before the second round."""
    wins, expected, bands = (
        lines["win_line_cents"],
        lines["expected_line_cents"],
        lines["band_line_cents"],
    )
    if len(wins) < 3:
        return None
    upper = [mean + band for mean, band in zip(expected, bands, strict=True)]
    lower = [mean - band for mean, band in zip(expected, bands, strict=True)]
    low, high = min(0, *wins, *lower), max(0, *wins, *upper)
    x_of, y_of = Scale(0, len(wins) - 1, LEFT, RIGHT), Scale(low, high, FOOT, TOP)

    def points(cents_by_round: Iterable[tuple[int, int]]) -> list[tuple[float, float]]:
        return [(x_of(place), y_of(cents)) for place, cents in cents_by_round]

    marks: list[Mark] = []
    if expected:
        edges = chain(enumerate(upper), reversed(list(enumerate(lower))))
        marks += [
            Path(points(edges), "band-area", is_closed=True),
            Path(points(enumerate(expected)), "expected"),
        ]
    for cents in grid_amounts(low, high, MOST_GRID_LINES):
        y = y_of(cents)
        marks += [
            Line(LEFT, y, RIGHT, y, "grid" if cents else "grid zero"),
            Text(LEFT - LABEL_GAP, y + HALF_LETTER, money(cents), "before"),
        ]
    marks += [Path(points(enumerate(wins)), "win"), Circle(RIGHT, y_of(wins[-1]), 4)]
    ends = [(y_of(wins[-1]), wins[-1], "win")]
    if expected:
        ends += [
            (y_of(cents), cents, kind)
            for cents, kind in ((expected[-1], "expected"), (upper[-1], "edge"), (lower[-1], "edge"))
        ]
    ends.sort()
    ys = apart([y for y, _cents, _kind in ends], WIN_HEIGHT - 6, LINE)
    marks += [
        Text(RIGHT + LABEL_GAP, y + HALF_LETTER, signed_about(cents), kind)
        for y, (_y, cents, kind) in zip(ys, ends, strict=True)
    ]
    words = f"Win of the day by round: lowest {signed(min(wins))}, highest {signed(max(wins))}, now {signed(wins[-1])}"
    if expected:
        words += f", expected {signed_about(expected[-1])} ± {about(bands[-1])}"
    return Plot(WIN_WIDTH, WIN_HEIGHT, marks, "win-plot", words)


def axis_labels(marks: Sequence[tuple[float, str, str]], width: float, y: float) -> list[AxisLabel]:
    """Return labels under an axis: each under its mark, moved aside where two would meet.

    The marks are (x, text, kind). Where all do not fit, those of the kind "zero" are left out.
    """
    widths = [len(text) * LETTER for _x, text, _kind in marks]
    if sum(widths) + LABEL_GAP * (len(marks) - 1) > width:
        return (
            axis_labels([mark for mark in marks if mark[2] != "zero"], width, y) if _has_zero(marks) else []
        )
    placed = sorted(zip(marks, widths, strict=True))
    lefts: list[float] = []
    for (x, _text, _kind), text_width in placed:
        least = lefts[-1] + placed[len(lefts) - 1][1] + LABEL_GAP if lefts else 0.0
        lefts.append(max(least, x - text_width / 2))
    limit = width
    for place in reversed(range(len(lefts))):
        lefts[place] = min(lefts[place], limit - placed[place][1])
        limit = lefts[place] - LABEL_GAP
    return [
        {"x": round(left + text_width / 2, 1), "y": y, "text": text, "kind": kind}
        for left, ((_x, text, kind), text_width) in zip(lefts, placed, strict=True)
    ]


def _has_zero(marks: Sequence[tuple[float, str, str]]) -> bool:
    return any(kind == "zero" for _x, _text, kind in marks)
