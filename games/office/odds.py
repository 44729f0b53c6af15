"""The odds sheet: every wager's true odds, payout odds and house advantage, exact, from the engine.

Wagers with the same figures share a row, "Total 5, Total 16". Only texts are rounded; what is written as text is a
fraction until then. A bar shows the house advantage of each row, and a chart that of one row of the paytable when it
pays more or less. The PDF has the table with its bars, and the chart of one row.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

from reportlab.platypus import CondPageBreak, Flowable

from games.engine import Rules
from games.engine.editions import Edition
from games.engine.odds import Odds, Outcome, Pays, Prize
from games.engine.wagers import WagerType
from games.formats import percent
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


# What the sheet writes


def to_one(odds: Fraction) -> str:
    """Return odds against, such as `71 to 1` or `12.5 to 1`, with at most two decimals."""
    hundredths = (odds * 200 + 1) // 2
    units, decimals = divmod(hundredths, 100)
    places = f".{decimals:02d}".rstrip("0") if decimals else ""
    return f"{units:,}{places} to 1"


def fraction(part: Fraction) -> str:
    """Return `1/8`, `−1/8` or `0`."""
    return str(part).replace("-", "−")


def payout_row(rules: Rules, code: str) -> str:
    """Return the row of the paytable that pays a code: "two-dice" for "two-dice:1-2", "total:4" for itself."""
    return code if code in rules.payouts else code.split(":")[0]


def row_label(row: str, types: Iterable[WagerType]) -> str:
    """Return the name of a row of the paytable: "Total 4", "Three of a Kind"."""
    family, _, tier = row.partition("/")
    for type_ in types:
        if type_.code == row:
            return str(type_.label)
        if type_.family == family and tier:
            return f"{type_.family_name or type_.label}, {_tier(tier)}"
        if type_.family == family and family == row:
            return type_.family_name or str(type_.label)
    return row


def _tier(tier: str) -> str:
    """Return what a tier of a row is paid on: "3", "after an Extra Roll 3"."""
    return tier.replace("extra:", "after an Extra Roll ").replace("-", " ")


def family_label(family: str, types: Iterable[WagerType]) -> str:
    """Return the name of a wager family."""
    return row_label(family, types)


def cite(edition: Edition, duty: str) -> str:
    """Return the section of a duty, or that of the odds if the edition has none."""
    return edition.sections.get(duty) or edition.sections["odds"]


# The sheet


MERGED_FAMILIES = {
    "small": "even",
    "big": "even",
}  # families that may share a row when their figures are alike
MOST_COUNTED_THROWS = 216  # beyond this many throws, a chance is a fraction


@dataclass(frozen=True)
class PayoutLevel:
    """One payout of a wager with its probability, out of this many equally likely throws."""

    probability: Fraction
    pays: Pays
    throws: int
    previous_text: str = ""

    @property
    def ways(self) -> int | None:
        """Return the number of winning throws, or None if a game takes several throws."""
        ways = self.probability * self.throws
        return ways.numerator if ways.denominator == 1 else None

    @property
    def true_odds(self) -> Fraction:
        """Return the true odds against: `25/2` is 12.5 to 1."""
        return 1 / self.probability - 1

    @property
    def true_odds_text(self) -> str:
        return to_one(self.true_odds)

    @property
    def chance_text(self) -> str:
        """Return the chance in percent, or as one in how many if it is below one in a thousand."""
        rare = self.probability < Fraction(1, 1000)
        return f"1 in {round(1 / self.probability):,}" if rare else percent(self.probability)

    @property
    def chance_exact(self) -> str:
        return fraction(self.probability)

    @property
    def chance_parts(self) -> tuple[str, str, str]:
        """Return the fraction in parts, so that a narrow column may break it at its slash."""
        return self.chance_exact.partition("/")


@dataclass(frozen=True)
class OddsRow:
    """Wagers with equal figures.

    `paytable` has the rows that pay them. `floors` is empty if the edition sets none, `previous` if there is nothing
    to compare with.
    """

    label: str
    codes: tuple[str, ...]
    paytable: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    advantage: Fraction
    throws: int
    floors: tuple[Pays, ...] = ()
    previous: tuple[Pays, ...] = ()
    previous_advantage: Fraction | None = None
    note: str = ""

    @property
    def levels(self) -> tuple[PayoutLevel, ...]:
        """Return each payout with its own true odds (reading A02)."""
        alike = len(self.previous) == len(self.outcomes)
        previous_pays = self.previous if alike else (None,) * len(self.outcomes)
        previous_texts = [
            short_odds((old,)) if old and old != outcome.pays else ""
            for old, outcome in zip(previous_pays, self.outcomes, strict=True)
        ]
        if self.previous and not alike:
            previous_texts[0] = short_odds(self.previous)
        return tuple(
            PayoutLevel(outcome.probability, outcome.pays, self.throws, old)
            for outcome, old in zip(self.outcomes, previous_texts, strict=True)
        )

    @property
    def pays(self) -> tuple[Pays, ...]:
        return tuple(outcome.pays for outcome in self.outcomes)

    @property
    def favors_player(self) -> bool:
        return self.advantage < 0

    @property
    def is_changed(self) -> bool:
        return bool(self.previous) and (
            self.previous != self.pays or self.previous_advantage != self.advantage
        )

    # Texts

    @property
    def floor_text(self) -> str:
        return short_odds(self.floors)

    @property
    def advantage_text(self) -> str:
        return percent(self.advantage)

    @property
    def advantage_exact(self) -> str:
        return fraction(self.advantage)

    @property
    def advantage_parts(self) -> tuple[str, str, str]:
        return self.advantage_exact.partition("/")


@dataclass(frozen=True)
class OddsSheet:
    """All rows of some rules in the order of the engine. `name` and `before` name the two versions compared."""

    rules: Rules
    rows: tuple[OddsRow, ...]
    name: str = ""
    before: str = ""

    @property
    def sets_floors(self) -> bool:
        return self.rules.edition.sets_floors

    @property
    def throws(self) -> int | None:
        """Return the number of throws if people can count the wins of each row in them, otherwise None."""
        throws = 6**self.rules.edition.dice
        counted = throws <= MOST_COUNTED_THROWS and all(
            level.ways is not None for row in self.rows for level in row.levels
        )
        return throws if counted else None

    @property
    def favored(self) -> tuple[OddsRow, ...]:
        """Return the rows that favor the player."""
        return tuple(row for row in self.rows if row.favors_player)

    @property
    def changed(self) -> tuple[OddsRow, ...]:
        return tuple(row for row in self.rows if row.is_changed)

    @cached_property
    def scale(self) -> BarScale:
        """Return the scale of the bars."""
        advantages = [row.advantage for row in self.rows]
        return BarScale.of(
            [
                *advantages,
                *(row.previous_advantage for row in self.rows if row.previous_advantage is not None),
            ]
        )

    @property
    def lines(self) -> Iterator[tuple[OddsRow, Plot]]:
        """Return each row with its bar."""
        for row in self.rows:
            yield row, self.scale.bar(row.advantage, row.previous_advantage if row.is_changed else None)


def odds_sheet(rules: Rules, before: Rules | None = None, name: str = "", before_name: str = "") -> OddsSheet:
    """Return the odds sheet of some rules, compared with those they would replace."""
    old = _figures(before) if before else {}
    grouped: dict[tuple[Any, ...], list[WagerType]] = {}
    figures = _figures(rules)
    types = {wager_type.code: wager_type for wager_type in game_of(rules).wager_types(rules)}
    for code, (outcomes, advantage) in figures.items():
        type_ = types[code]
        key = (
            MERGED_FAMILIES.get(type_.family, type_.family), outcomes, advantage, _floors(rules, code), old.get(code)
        )  # fmt: skip
        grouped.setdefault(key, []).append(type_)
    rows = tuple(
        _row(rules, wager_types, outcomes, advantage, floors, previous)
        for (_, outcomes, advantage, floors, previous), wager_types in grouped.items()
    )
    return OddsSheet(rules, rows, name, before_name)


def _figures(rules: Rules) -> dict[str, tuple[tuple[Outcome, ...], Fraction]]:
    """Return outcomes and house advantage by wager code, as `manage.py odds` prints them."""
    return {
        code: (tuple(outcomes), game_of(rules).advantage(rules, code, outcomes))
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


def _row(
    rules: Rules,
    types: list[WagerType],
    outcomes: tuple[Outcome, ...],
    advantage: Fraction,
    floors: tuple[Pays, ...],
    previous: tuple[tuple[Outcome, ...], Fraction] | None,
) -> OddsRow:
    fee = game_of(rules).fee
    paytable = dict.fromkeys(row for type_ in types for row in paytable_rows(rules, type_.code))
    return OddsRow(
        _label(rules, types),
        tuple(type_.code for type_ in types),
        tuple(paytable),
        outcomes,
        advantage,
        6**rules.edition.dice,
        floors,
        tuple(outcome.pays for outcome in previous[0]) if previous else (),
        previous[1] if previous else None,
        fee.note if fee and types[0].code == fee.code else "",
    )


def _label(rules: Rules, types: list[WagerType]) -> str:
    """Return the family's name if one row of the paytable pays all these wagers, otherwise each wager's name."""
    if len(types) > 1 and len({payout_row(rules, type_.code) for type_ in types}) == 1:
        return family_label(types[0].family, types)
    return ", ".join(str(type_.label) for type_ in types)


def paytable_rows(rules: Rules, code: str) -> tuple[str, ...]:
    """Return the rows of the paytable that pay a wager: "total:4", or "one-of-a-kind/1" to "/3"."""
    fee = game_of(rules).fee
    if fee and code == fee.code:
        return tuple(row for row in rules.payouts if row.startswith(fee.pays_by))
    row = payout_row(rules, code)
    return (
        (row,)
        if row in rules.payouts
        else tuple(paytable_row for paytable_row in rules.payouts if paytable_row.split("/")[0] == row)
    )


def _floors(rules: Rules, code: str) -> tuple[Pays, ...]:
    edition = rules.edition
    return (
        tuple(edition.payouts[row].odds for row in paytable_rows(rules, code)) if edition.sets_floors else ()
    )


def short_odds(pays: tuple[Pays, ...]) -> str:
    """Return odds without "to 1", for a column whose head says it: `6`, `1, 2, 3`, `3 to 5`."""
    return ", ".join(
        str(payout.to) if isinstance(payout, Odds) and payout.per == 1 else str(payout) for payout in pays
    )


# The PDF


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
