"""The plots of the table page: geometry in pixels for attributes of SVG, at the size at which they are shown."""

from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import TypedDict

from games.formats import money, signed
from games.snapshot_types import WinLines

LETTER, LINE = 7.4, 15  # width of a figure and height of a line of text, 13 pixels high
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


class WinPlot(TypedDict):
    """The day's win by round in its band: points of polylines and a polygon, the labels of the grid and of the ends."""

    win: str
    expected: str
    band: str
    grid: list[AxisLabel]
    ends: list[AxisLabel]
    last_y: float
    rounds: int
    label: str


def win_plot(lines: WinLines) -> WinPlot | None:
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
    high += high == low
    step_x, step_y = (RIGHT - LEFT) / (len(wins) - 1), (FOOT - TOP) / (high - low)

    def y_of(cents: int) -> float:
        return round(FOOT - (cents - low) * step_y, 1)

    def points(cents_by_round: Iterable[tuple[int, int]]) -> str:
        return " ".join(f"{LEFT + place * step_x:.1f},{y_of(cents)}" for place, cents in cents_by_round)

    ends = [(wins[-1], "win")]
    if expected:
        ends += [(expected[-1], "expected"), (upper[-1], "edge"), (lower[-1], "edge")]
    label = f"Win of the day by round: lowest {signed(min(wins))}, highest {signed(max(wins))}, now {signed(wins[-1])}"
    return {
        "win": points(enumerate(wins)),
        "expected": points(enumerate(expected)),
        "band": points(chain(enumerate(upper), reversed(list(enumerate(lower))))),
        "grid": [
            {
                "x": LEFT - LABEL_GAP,
                "y": y_of(cents),
                "text": _short(cents),
                "kind": "zero" if cents == 0 else "",
            }
            for cents in _grid(low, high)
        ],
        "ends": _apart([(y_of(cents), signed(_dollars(cents)), kind) for cents, kind in ends]),
        "last_y": y_of(wins[-1]),
        "rounds": len(wins) - 1,
        "label": label
        + (f", expected {signed(_dollars(expected[-1]))} ± {money(_dollars(bands[-1]))}" if expected else ""),
    }


def _dollars(cents: int) -> int:
    return 100 * round(cents / 100)


def _short(cents: int) -> str:
    return ("−" if cents < 0 else "") + money(abs(cents))


def _grid(low: int, high: int) -> list[int]:
    """Return round amounts between two amounts, zero among them, at most as many as are readable."""
    step = 100
    for factor in _steps():
        step = 100 * factor
        if (high - low) // step < MOST_GRID_LINES:
            break
    first = -(-low // step)
    return [step * number for number in range(first, high // step + 1)]


def _steps() -> Iterable[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _apart(ends: Sequence[tuple[float, str, str]]) -> list[AxisLabel]:
    """Return the labels at the right end, moved apart so that none covers another."""
    labels: list[AxisLabel] = [
        {"x": RIGHT + LABEL_GAP, "y": y, "text": text, "kind": kind} for y, text, kind in sorted(ends)
    ]
    for above, label in pairwise(labels):
        label["y"] = max(label["y"], above["y"] + LINE)
    excess = max(0, labels[-1]["y"] - WIN_HEIGHT + 6)
    for label in reversed(labels):
        label["y"] = round(label["y"] - excess, 1)
        excess = max(0, excess - LINE / 2)
    return labels


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
