"""Charts of the house advantage: a bar for each row of the sheet, and the line of one row of the paytable."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from games.engine import Rules
from games.engine.odds import Odds, Pays, Prize
from games.formats import percent
from games.kit.plots import BAR_BOX, Circle, Line, Mark, Path, Plot, Rect, Scale, Text, round_steps
from games.registry import game_of

BAR_WIDTH = BAR_BOX[0]
LEAST_PLAYER_SIDE = 46  # pixels left of zero if a wager favors the player
LEFT_OF_ZERO = 12
LOWEST_DRAWN = Fraction(-1)  # a player's advantage beyond 100 % is drawn as 100 %, with an arrow
BEYOND = ((10, 2), (2, 10), (10, 18))  # the arrow


@dataclass(frozen=True)
class BarScale:
    """The position of zero, and the pixels that stand for 100 %."""

    zero: Fraction
    unit: Fraction

    @classmethod
    def of(cls, advantages: Iterable[Fraction]) -> "BarScale":
        """Return the scale on which all these figures fit."""
        figures = list(advantages)
        low, high = max(LOWEST_DRAWN, min([Fraction(0), *figures])), max([Fraction(1, 100), *figures])
        if not low:
            return cls(Fraction(LEFT_OF_ZERO), (BAR_WIDTH - LEFT_OF_ZERO - 4) / high)
        room = BAR_WIDTH - 8
        zero = max(Fraction(LEAST_PLAYER_SIDE), 4 + room * -low / (high - low))
        return cls(zero, min((zero - 4) / -low, (BAR_WIDTH - 4 - zero) / high))

    def bar(self, advantage: Fraction, previous: Fraction | None = None) -> Plot:
        """Draw a figure from zero, with a mark for an older one."""
        zero, length = float(self.zero), float(max(LOWEST_DRAWN, advantage) * self.unit)
        marks: list[Mark] = [
            Line(zero, -300, zero, 300, "odds-zero"),
            Rect(zero + min(0, length), 6, abs(length), 8, "odds-favors" if advantage < 0 else ""),
        ]
        if advantage < LOWEST_DRAWN:
            marks.append(Path(BEYOND, "odds-beyond"))
        if previous is not None:
            x = float(self.zero + max(LOWEST_DRAWN, previous) * self.unit)
            marks.append(Line(x, 3, x, 17, "odds-was"))
        return Plot(*BAR_BOX, marks, "odds-bar", is_stretched=True)


# The chart of one row of the paytable

WIDTH, HEIGHT = 960, 200
PLOT_TOP, PLOT_FOOT, LEFT, RIGHT = 26, 158, 44, 916
TICKS = 6
LETTER_WIDTH = 9  # the average width of a letter in pixels, rounded up


@dataclass(frozen=True)
class Curve:
    """The house advantage (y) over the payout of a row of the paytable (x, units for one), with what is marked on it.

    `refused_from`: the first odds to one that the gate refuses, if the edition allows a choice. The words of the plot
    are the chart in words.
    """

    title: str
    refused_from: str
    plot: Plot


@dataclass(frozen=True)
class AdvantageLine:
    """The house advantage as a linear function of the payout: `at_nothing` minus `slope` for each unit paid."""

    at_nothing: Fraction
    slope: Fraction

    def __call__(self, pays: Fraction) -> Fraction:
        return self.at_nothing - self.slope * pays

    @property
    def even(self) -> Fraction:
        """Return the payout at which neither side gains."""
        return self.at_nothing / self.slope


def advantage_line(rules: Rules, row: str) -> AdvantageLine | None:
    """Return how a row's payout changes the advantage of the wager that becomes even first, or None.

    The engine computes it at two payouts, so an Extra Roll is judged with its circles.
    """
    low, high = _advantages(rules, row, 1), _advantages(rules, row, 2)
    lines = [
        AdvantageLine(low[code] + (low[code] - high[code]), low[code] - high[code])
        for code in low
        if low[code] != high[code]
    ]
    return min(lines, key=lambda line: line.even, default=None)


def _advantages(rules: Rules, row: str, to: int) -> dict[str, Fraction]:
    overrides = tuple(sorted({**dict(rules.overrides), row: Odds(to)}.items()))
    tried = replace(rules, overrides=overrides)
    return {
        code: game_of(tried).advantage(tried, code, outcomes)
        for code, outcomes in game_of(tried).outcomes(tried).items()
    }


def curve(
    rules: Rules,
    row: str,
    label: str,
    *,
    name: str = "now",
    before: Rules | None = None,
    before_name: str = "",
) -> Curve | None:
    """Return the chart of a row of the paytable; None for a prize in dollars or a row that pays no wager alone."""
    now = rules.payouts[row].odds
    previous = before.payouts[row].odds if before and row in before.payouts else None
    line = advantage_line(rules, row)
    if isinstance(now, Prize) or line is None or line.even <= 0:
        return None
    least = rules.edition.payouts[row].odds.ratio() if row not in rules.edition.fixed else None
    marks = _marks(line, least, previous, now, name, before_name)
    return _draw_curve(line, least, marks, label, rules.edition.sets_floors and least is not None)


def _marks(
    line: AdvantageLine, least: Fraction | None, previous: Pays | None, now: Pays, name: str, before_name: str
) -> list[tuple[Fraction, str, str]]:
    """Return the payouts to mark with their labels and kinds. Equal payouts share one mark."""
    candidates = [
        (least, "floor", "floor"),
        (previous.ratio() if isinstance(previous, Odds) else None, before_name, "before"),
        (line.even, "even", "even"),
        (now.ratio(), name, "now"),
    ]
    by_payout: dict[Fraction, tuple[list[str], str]] = {}
    for payout, words, sort in candidates:
        if payout is not None:
            texts = by_payout.setdefault(payout, ([], sort))[0]
            texts.append(words)
            by_payout[payout] = (texts, sort)
    marks = []
    for payout, (texts, sort) in sorted(by_payout.items()):
        words = ", ".join(part for part in texts if part)
        marks.append((payout, words if texts == ["even"] else f"{words} {percent(line(payout))}", sort))
    return marks


def _draw_curve(
    line: AdvantageLine,
    least: Fraction | None,
    marks: list[tuple[Fraction, str, str]],
    label: str,
    may_choose: bool,
) -> Curve:
    first, last = marks[0][0], max(marks[-1][0], line.even)
    start = max(Fraction(0), first - (last - first) / 20) if last > first else first / 2
    end = last + max((last - start) / 7, Fraction(1, 4))
    x_of, y_of = Scale(start, end, LEFT, RIGHT), Scale(line(end), line(start), PLOT_FOOT, PLOT_TOP)
    even_x, zero_y, height = x_of(line.even), y_of(0), PLOT_FOOT - PLOT_TOP
    from_ = floor(line.even) + 1
    drawn: list[Mark] = []
    if least is not None and least > start and first < least:  # left of it the payout is below the floor
        drawn.append(Rect(LEFT, PLOT_TOP, x_of(least) - LEFT, height, "odds-refused"))
    drawn += [
        Rect(even_x, PLOT_TOP, RIGHT - even_x, height, "odds-refused"),
        Line(LEFT, zero_y, RIGHT, zero_y, "odds-zero"),
        Path([(x_of(start), y_of(line(start))), (even_x, zero_y)], "odds-house"),
        Path([(even_x, zero_y), (x_of(end), y_of(line(end)))], "odds-player"),
        *_points([(x_of(payout), y_of(line(payout)), words, sort) for payout, words, sort in marks]),
        *(
            Text(x_of(tick), HEIGHT - 6, f"{tick:,} to 1", "odds-tick", "middle")
            for tick in _ticks(start, end)
        ),
    ]
    words = _describe_curve(marks, label, line, from_ if may_choose else None)
    return Curve(
        f"What {label} can pay",
        f"refused from {from_:,} to 1" if may_choose else "",
        Plot(WIDTH, HEIGHT, drawn, "odds-plot", words, "odds-plot-t"),
    )


def _describe_curve(
    marks: Sequence[tuple[Fraction, str, str]], label: str, line: AdvantageLine, from_: int | None
) -> str:
    """Return the chart in words."""
    listed = "; ".join(f"at {_to_one(payout)}: {words}" for payout, words, _ in marks)
    more = f" From {from_:,} to 1 {label} would favor the player and is refused." if from_ else ""
    return f"House advantage by what {label} pays: {listed}.{more}"


def _to_one(payout: Fraction) -> str:
    hundredths = round(payout * 100)
    decimals = f".{hundredths % 100:02d}".rstrip("0") if hundredths % 100 else ""
    return f"{hundredths // 100:,}{decimals} to 1"


def _points(places: Sequence[tuple[float, float, str, str]]) -> Iterable[Mark]:
    """Mark payouts, with labels above right, where a falling line leaves space, otherwise below left."""
    above_until = 0.0
    for x, y, words, sort in places:
        kind, wide = f"odds-point--{sort}", LETTER_WIDTH * len(words)
        yield Circle(x, y, 5.5, f"odds-point {kind}")
        if x + 8 >= above_until and x + 8 + wide <= WIDTH:
            above_until = x + 8 + wide
            yield Text(x + 8, y - 9, words, kind, "start")
        else:
            yield Text(x - 8, y + 18, words, kind, "end")


def _ticks(start: Fraction, end: Fraction) -> Iterable[int]:
    """Return about six round payouts along the axis."""
    step = next(step for step in round_steps(1) if (end - start) / step <= TICKS)
    return (tick for tick in range(ceil(start / step) * step, floor(end) + 1, step) if tick > 0)
