"""Charts of the house advantage: geometry in tenths of a pixel for SVG attributes, without floats."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from games.engine import Rules
from games.engine.odds import Odds, Pays, Prize
from games.formats import percent
from games.registry import game_of

BAR_WIDTH, BAR_HEIGHT = 240, 20
LEAST_PLAYER_SIDE = 46  # pixels left of zero if a wager favors the player
LEFT_OF_ZERO = 12
LOWEST_DRAWN = Fraction(-1)  # a player's advantage beyond 100 % is drawn as 100 %, with an arrow


def px(position: Fraction) -> str:
    """Return a position in pixels with one decimal."""
    tenths = round(position * 10)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


@dataclass(frozen=True)
class Bar:
    """The bar of one row: where it begins and how long it is. `previous` marks an older figure, "" for none."""

    x: str
    width: str
    previous: str
    favors_player: bool
    beyond: bool


@dataclass(frozen=True)
class Scale:
    """The position of zero, and the pixels that stand for 100 %."""

    zero: Fraction
    unit: Fraction

    @classmethod
    def of(cls, advantages: Iterable[Fraction]) -> "Scale":
        """Return the scale on which all these figures fit."""
        figures = list(advantages)
        low, high = max(LOWEST_DRAWN, min([Fraction(0), *figures])), max([Fraction(1, 100), *figures])
        if not low:
            return cls(Fraction(LEFT_OF_ZERO), (BAR_WIDTH - LEFT_OF_ZERO - 4) / high)
        room = BAR_WIDTH - 8
        zero = max(Fraction(LEAST_PLAYER_SIDE), 4 + room * -low / (high - low))
        return cls(zero, min((zero - 4) / -low, (BAR_WIDTH - 4 - zero) / high))

    def bar(self, advantage: Fraction, previous: Fraction | None = None) -> Bar:
        """Return the bar of a figure, with a mark for an older one."""
        length = max(LOWEST_DRAWN, advantage) * self.unit
        start = self.zero + min(Fraction(0), length)
        return Bar(
            px(start),
            px(abs(length)),
            "" if previous is None else px(self.zero + max(LOWEST_DRAWN, previous) * self.unit),
            advantage < 0,
            advantage < LOWEST_DRAWN,
        )

    @property
    def zero_x(self) -> str:
        return px(self.zero)

    @property
    def size(self) -> tuple[int, int]:
        return BAR_WIDTH, BAR_HEIGHT


# The chart of one row of the paytable

WIDTH, HEIGHT = 960, 200
PLOT_TOP, PLOT_FOOT, LEFT, RIGHT = 26, 158, 44, 916
TICKS = 6
LETTER_WIDTH = 9  # the average width of a letter in pixels, rounded up


@dataclass(frozen=True)
class Point:
    """A marked payout on the line, with its house advantage."""

    x: str
    y: str
    label: str
    label_x: str
    label_y: str
    anchor: str
    sort: str  # floor, before, even, now


@dataclass(frozen=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True)
class Curve:
    """The house advantage (y) over the payout of a row of the paytable (x, units for one).

    The line crosses from the house to the player at `even_x`. `refused_from`: the first odds to one that the gate
    refuses, if the edition allows a choice. `description` is the chart in words.
    """

    title: str
    description: str
    refused_from: str
    house: str  # points of the part of the line that favors the house, and of the part that favors the player
    player: str
    zero_y: str
    even_x: str
    even_width: str
    floor_x: str  # left of it the payout is below the floor; "" if no part is below
    floor_width: str
    plot: tuple[int, int]
    points: tuple[Point, ...]
    ticks: tuple[Tick, ...]
    size: tuple[int, int] = (WIDTH, HEIGHT)


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
    top, low = line(start), line(end)

    def x(payout: Fraction) -> Fraction:
        return LEFT + (RIGHT - LEFT) * (payout - start) / (end - start)

    def y(payout: Fraction) -> Fraction:
        return PLOT_TOP + (PLOT_FOOT - PLOT_TOP) * (top - line(payout)) / (top - low)

    corner, even = f"{px(x(line.even))},{px(y(line.even))}", x(line.even)
    from_ = floor(line.even) + 1
    under = least if least is not None and least > start and first < least else None
    return Curve(
        title=f"What {label} can pay",
        description=_describe_curve(marks, label, line, from_ if may_choose else None),
        refused_from=f"refused from {from_:,} to 1" if may_choose else "",
        house=f"{px(x(start))},{px(y(start))} {corner}",
        player=f"{corner} {px(x(end))},{px(y(end))}",
        zero_y=px(y(line.even)),
        even_x=px(even),
        even_width=px(RIGHT - even),
        floor_x=px(Fraction(LEFT)) if under is not None else "",
        floor_width=px(x(under) - LEFT) if under is not None else "",
        plot=(PLOT_TOP, PLOT_FOOT - PLOT_TOP),
        points=tuple(_points([(x(payout), y(payout), words, sort) for payout, words, sort in marks])),
        ticks=tuple(Tick(px(x(Fraction(tick))), f"{tick:,} to 1") for tick in _ticks(start, end)),
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


def _points(places: Sequence[tuple[Fraction, Fraction, str, str]]) -> Iterable[Point]:
    """Place the labels above right, where a falling line leaves space, otherwise below left."""
    above_until = Fraction(0)
    for x, y, words, sort in places:
        wide = LETTER_WIDTH * len(words)
        is_above = x + 8 >= above_until and x + 8 + wide <= WIDTH
        if is_above:
            above_until = x + 8 + wide
            yield Point(px(x), px(y), words, px(x + 8), px(y - 9), "start", sort)
        else:
            yield Point(px(x), px(y), words, px(x - 8), px(y + 18), "end", sort)


def _ticks(start: Fraction, end: Fraction) -> Iterable[int]:
    """Return about six round payouts along the axis."""
    step = 1
    while (end - start) / step > TICKS:
        step = {"1": step * 2, "2": step * 5 // 2, "5": step * 2}[str(step)[0]]
    tick = ceil(start / step) * step
    while tick <= end:
        if tick > 0:
            yield tick
        tick += step
