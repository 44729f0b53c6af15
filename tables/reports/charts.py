"""The drawings of the daily report: geometry in tenths of a pixel for SVG attributes, shared by page and PDF."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.engine.odds import in_dollars
from games.office.odds.charts import px
from tables.core.figure_sums import Sums
from tables.reports.figures import HourFigures

BAR_WIDTH, BAR_HEIGHT = 240, 20
BAR_MARGIN = 5  # free pixels at both ends of a bar's box

WIDTH, HEIGHT = 960, 236
PLOT_LEFT, PLOT_RIGHT, PLOT_TOP, PLOT_FOOT = 58, 952, 26, 190
GAP = 6
MAX_GRID_LINES = 4


@dataclass(frozen=True)
class Bar:
    """One bar beside its row, from zero to its value."""

    x: str
    width: str
    zero: str
    is_loss: bool


def bars(values: Sequence[int]) -> list[Bar]:
    """Draw bars on one scale, with zero inside it."""
    scale = _Scale(values)
    return [
        Bar(px(min(scale(0), scale(value))), px(abs(scale(value) - scale(0))), px(scale(0)), value < 0)
        for value in values
    ]


class _Scale:
    """Converts cents to pixels, with zero on the scale."""

    def __init__(self, values: Iterable[int | Fraction]) -> None:
        numbers = [Fraction(0), *(Fraction(value) for value in values)]
        self.low, high = min(numbers), max(numbers)
        self.pixels_per_cent = (BAR_WIDTH - 2 * BAR_MARGIN) / ((high - self.low) or Fraction(1))

    def __call__(self, value: int | Fraction) -> Fraction:
        return BAR_MARGIN + (value - self.low) * self.pixels_per_cent


@dataclass(frozen=True)
class Whisker:
    """The expected win with its band of two standard deviations, and the actual win.

    `is_outside` says that the win is beyond the band, which happens by chance about one day in twenty.
    """

    zero: str
    band_x: str
    band: str
    expected: str
    won: str
    is_outside: bool


def whiskers(figures: Sequence[Sums]) -> list[Whisker]:
    """Draw one whisker for each, on one scale."""
    ends: list[int | Fraction] = []
    for sums in figures:
        ends += [sums.expected.value - sums.band_cents, sums.expected.value + sums.band_cents, sums.win_cents]
    scale = _Scale(ends)
    return [_whisker(sums, scale) for sums in figures]


def _whisker(sums: Sums, scale: _Scale) -> Whisker:
    expected, band = sums.expected.value, sums.band_cents
    return Whisker(
        px(scale(0)),
        px(scale(expected - band)),
        px(2 * band * scale.pixels_per_cent),
        px(scale(expected)),
        px(scale(sums.win_cents)),
        sums.is_outside,
    )


@dataclass(frozen=True)
class HourBar:
    """The bar of one hour: its geometry, its label below, and its description."""

    x: str
    y: str
    width: str
    height: str
    middle: str
    label: str
    rounds: int
    description: str


@dataclass(frozen=True)
class GridLine:
    """One horizontal line, with its value."""

    y: str
    label: str


@dataclass(frozen=True)
class HourChart:
    """Rounds by hour. `description` says all of it in words."""

    bars: tuple[HourBar, ...]
    grid: tuple[GridLine, ...]
    description: str
    size: tuple[int, int] = (WIDTH, HEIGHT)
    left_edge: int = PLOT_LEFT
    right_edge: int = PLOT_RIGHT
    foot: int = PLOT_FOOT
    label_y: int = PLOT_FOOT + 24


def hour_chart(hours: Sequence[HourFigures], labels: Sequence[str]) -> HourChart:
    """Chart the settled rounds of each hour. Every third hour has a label, so that labels do not touch on a tablet."""
    most_rounds = max((hour.figures.settled for hour in hours), default=0)
    step = _grid_step(most_rounds)
    top = max(step, -(-most_rounds // step) * step)
    pixels_per_round = Fraction(PLOT_FOOT - PLOT_TOP, top)
    pixels_per_hour = Fraction(PLOT_RIGHT - PLOT_LEFT, len(hours) or 1)
    bars_ = []
    for position, (hour, label) in enumerate(zip(hours, labels, strict=True)):
        rounds, x = hour.figures.settled, PLOT_LEFT + position * pixels_per_hour
        bars_.append(
            HourBar(
                px(x + Fraction(GAP, 2)),
                px(PLOT_FOOT - rounds * pixels_per_round),
                px(pixels_per_hour - GAP),
                px(rounds * pixels_per_round),
                px(x + pixels_per_hour / 2),
                label if position % 3 == 0 else "",
                rounds,
                f"{label}: {_count_of_rounds(rounds)}, win {in_dollars(hour.figures.win_cents)}",
            )
        )
    lines = tuple(
        GridLine(px(PLOT_FOOT - rounds_ * pixels_per_round), f"{rounds_:,}")
        for rounds_ in range(0, top + 1, step)
    )
    busy = [bar_.description for bar_ in bars_ if bar_.rounds]
    return HourChart(tuple(bars_), lines, "Rounds by hour. " + ("; ".join(busy) or "None was settled") + ".")


def _count_of_rounds(rounds: int) -> str:
    return f"{rounds:,} round{'' if rounds == 1 else 's'}"


def _grid_step(most_rounds: int) -> int:
    """A round number of rounds, with at most `MAX_GRID_LINES` lines up to the top."""
    step = 1
    while most_rounds > MAX_GRID_LINES * step:
        step = {"1": step * 2, "2": step * 5 // 2, "5": step * 2}[str(step)[0]]
    return step
