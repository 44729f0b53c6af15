"""The figures of a settled round, their exact sums, and the pace that follows from them.

A settled round is one record, `RoundFigures`, made by `figures_of_stakes` of its wagers and throws, and every surface
adds such records in `Sums`. The arithmetic knows no database. Screens read wagers from the rows of play; pages, files,
papers and `manage.py figures` fold the entries alone (`tables.figures.round_figures`), because a record that is to
prove the rows must not trust them.

Sums are integers, and fractions that are added by their denominator.

**Pace** is settled rounds an hour of the time in which a table was open for play and staffed, pauses included. This is
the only definition. The tiles and pages of the floor, the figures, the daily report and the proposals use it.

* Open for play: from the opening to the closing, without the time in which gaming had ceased.
* Staffed: each post of the game was held. A simulated table needs nobody.
* Pauses between rounds count, however long, and so does the wait for the first round of a gaming day.
* The time ends with the newest settled round of the gaming day. What follows is a pause only if another round comes;
  if none does, the dealer waits and then counts the tray, which is no dealing. The proposals ask for the last hour, and
  count up to now.

A live screen asks how fast a table is dealt now: `Recent` has its settled rounds over the last fifteen minutes, or over
the time since the table was last opened, staffed or resumed, if that is less. `static/js/pace.js` counts the same on
the server's time, because nothing is sent while a table is still. A range of days has the pace of all its time.

So one figure answers what a pit boss asks: how many rounds does an hour of this table and its dealers bring? Several
tables, hours or days have the pace of their rounds over their time together.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt, lcm
from typing import Any, NamedTuple

from games.engine import Rules
from games.engine.wagers import FEE, LOSE, WIN, Wager
from games.exposure import round_expectation

HOUR = dt.timedelta(hours=1)
MICROSECOND = dt.timedelta(microseconds=1)
SLOW = Fraction(4, 5)  # of the target pace, below which a table is slow
RECENT = dt.timedelta(minutes=15)  # what a live screen means by now
LEAST_TIME = dt.timedelta(minutes=5)  # of less time no pace is stated


def pace(rounds: int, open_time: dt.timedelta) -> Fraction | None:
    """Return settled rounds an hour of open and staffed time; None for less than five minutes."""
    return per_hour(rounds, open_time) if open_time >= LEAST_TIME else None


def per_hour(count: int, time: dt.timedelta) -> Fraction | None:
    """Return a number an hour of some time, exactly; None without time."""
    return Fraction(count * (HOUR // MICROSECOND), time // MICROSECOND) if time else None


@dataclass(frozen=True)
class Recent:
    """What a pace of the last fifteen minutes needs: when rounds were settled, and since when the table is dealt.

    `open_since` is the moment since which it has been open and staffed without a break; None if it is not.
    """

    settled_at: Sequence[dt.datetime]
    open_since: dt.datetime | None

    def pace(self, now: dt.datetime) -> Fraction | None:
        """Return settled rounds an hour up to now; None where it is not known: not dealt, or not for five minutes."""
        if self.open_since is None:
            return None
        begins = max(self.open_since, now - RECENT)
        return pace(sum(begins < settled <= now for settled in self.settled_at), now - begins)


def is_slow(pace: Fraction | int | None, target: int | None) -> bool:
    """Whether a table is dealt well below the pace at which the casino aims."""
    return pace is not None and target is not None and pace < SLOW * target


# A settled round


COUNTED = (WIN, LOSE, FEE)


class SettledStake(NamedTuple):
    """A wager as it was settled: what it was paid without its stake, and what a payout limit cut of that, in cents."""

    wager: Wager
    outcome: str
    paid_cents: int
    cut_cents: int = 0


@dataclass(slots=True)
class CodeFigures:
    """The wagers of a round on one code. A fee has no handle: its price is in `fees_cents`.

    `expected_win` is None where that of the round is.
    """

    wagers: int = 0
    handle_cents: int = 0
    fees: int = 0
    fees_cents: int = 0
    expected_win: Fraction | None = None


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """One settled round with its slips. Money is cents, the variance cents squared.

    `seats` are those with a wager. `dealers` are the codes of the people who held the posts of the table when the round
    ended, in the order of the posts. `settled_at` is the moment at which the round ended. `handle_cents` is the sum of
    the `wagers` that were won or lost; fees are apart. `taken_cents` are lost stakes without fees.

    `expected_win` and `variance` are None where it is not known what stood: the terms are missing, or an entry of the
    round cannot be read or was changed. The numbers of such entries are in `unreadable`.

    The rows of play, from which screens make it, state neither the dealers nor the cuts.
    """

    table_id: int
    table: str
    game: str
    round: int
    gaming_day: dt.date
    settled_at: dt.datetime
    seats: tuple[int, ...]
    wagers: int
    handle_cents: int
    taken_cents: int
    paid_cents: int
    fees_cents: int
    cut_cents: int
    expected_win: Fraction | None
    variance: Fraction | None
    by_code: Mapping[str, CodeFigures]
    dealers: tuple[str, ...] = ()
    has_slip: bool = False
    unreadable: tuple[int, ...] = ()

    @property
    def win_cents(self) -> int:
        """Lost stakes and fees, less what was paid."""
        return self.taken_cents + self.fees_cents - self.paid_cents


def figures_of_stakes(
    stakes: Sequence[SettledStake],
    throws: Sequence[Sequence[int]],
    rules: Rules | None,
    *,
    table_id: int,
    table: str,
    game: str,
    round_: int,
    gaming_day: dt.date,
    settled_at: dt.datetime,
    dealers: tuple[str, ...] = (),
    has_slip: bool = False,
    unreadable: tuple[int, ...] = (),
) -> RoundFigures:
    """Return the figures of a settled round of these wagers and valid throws, under the rules that it pinned.

    Nothing is expected without rules, nor of a round with an entry that cannot be relied on.
    """
    counted = [stake for stake in stakes if stake.outcome in COUNTED]
    wagers = [stake.wager for stake in counted]
    expectation = None if unreadable or rules is None else round_expectation(rules, wagers, throws)
    by_code = {code: CodeFigures() for code in sorted({stake.wager.code for stake in stakes})}
    if expectation is not None:
        for code, figures in by_code.items():
            figures.expected_win = expectation.by_code.get(code)
    taken_cents = paid_cents = cut_cents = 0
    for wager, outcome, paid, cut in counted:
        of_code = by_code[wager.code]
        if outcome == FEE:
            of_code.fees += 1
            of_code.fees_cents += wager.cents
            continue
        of_code.wagers += 1
        of_code.handle_cents += wager.cents
        taken_cents += wager.cents if outcome == LOSE else 0
        paid_cents += paid
        cut_cents += cut
    return RoundFigures(
        table_id=table_id,
        table=table,
        game=game,
        round=round_,
        gaming_day=gaming_day,
        settled_at=settled_at,
        seats=tuple(sorted({wager.seat for wager in wagers})),
        wagers=sum(figures.wagers for figures in by_code.values()),
        handle_cents=sum(figures.handle_cents for figures in by_code.values()),
        taken_cents=taken_cents,
        paid_cents=paid_cents,
        fees_cents=sum(figures.fees_cents for figures in by_code.values()),
        cut_cents=cut_cents,
        expected_win=expectation.expected_win if expectation else None,
        variance=expectation.variance if expectation else None,
        by_code=by_code,
        dealers=dealers,
        has_slip=has_slip,
        unreadable=unreadable,
    )


# Sums


SIGMAS = 2  # ± always means two standard deviations


def is_outside_band(win_cents: int, expected_cents: int | None, band_cents: int | None) -> bool:
    """Whether a win is more than two standard deviations (`band_cents`) from what was expected; False where unknown."""
    if expected_cents is None or not band_cents:
        return False
    return abs(win_cents - expected_cents) > band_cents


class ExactSum:
    """A sum of fractions. Adding one costs two additions of integers; the denominators meet only in `value`.

    The denominators of a game are powers of six, so there are few of them, however many fractions are added.
    """

    def __init__(self) -> None:
        self.by_denominator: dict[int, int] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSum) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]  # it changes

    def add(self, number: Fraction) -> None:
        """Add a fraction."""
        self._add(number.numerator, number.denominator)

    def add_text(self, text: str) -> None:
        """Add a fraction written as `123` or `123/7`."""
        numerator, _, denominator = text.partition("/")
        self._add(int(numerator), int(denominator or 1))

    def add_sum(self, addend: "ExactSum") -> None:
        """Add another sum."""
        for denominator, numerator in addend.by_denominator.items():
            self._add(numerator, denominator)

    def _add(self, numerator: int, denominator: int) -> None:
        self.by_denominator[denominator] = self.by_denominator.get(denominator, 0) + numerator

    @property
    def value(self) -> Fraction:
        """The sum in lowest terms."""
        common = lcm(*self.by_denominator)
        return Fraction(
            sum(
                numerator * (common // denominator) for denominator, numerator in self.by_denominator.items()
            ),
            common,
        )


class FamilySums:
    """What was wagered on one family of wagers, and what the odds expect of it."""

    def __init__(self) -> None:
        self.wagers, self.handle_cents, self.fees_cents, self.expected = 0, 0, 0, ExactSum()

    def add_stored(self, stored: Iterable[Any]) -> None:
        """Add `[wagers, handle in cents, fees in cents, expected win]`."""
        wagers, handle_cents, fees_cents, expected = stored
        self.wagers += wagers
        self.handle_cents += handle_cents
        self.fees_cents += fees_cents
        self.expected.add_text(expected)

    def add_code(self, figures: CodeFigures) -> None:
        """Add the wagers of a round on one code of the family."""
        self.wagers += figures.wagers
        self.handle_cents += figures.handle_cents
        self.fees_cents += figures.fees_cents
        self.expected.add(figures.expected_win or Fraction(0))

    def add_family(self, addend: "FamilySums") -> None:
        """Add the sums of another period or table."""
        self.wagers += addend.wagers
        self.handle_cents += addend.handle_cents
        self.fees_cents += addend.fees_cents
        self.expected.add_sum(addend.expected)

    @property
    def stored(self) -> list[Any]:
        """As a row stores it."""
        return [self.wagers, self.handle_cents, self.fees_cents, str(self.expected.value)]


class LargestLoss(NamedTuple):
    """The round that cost the casino the most: its table (id), number and moment of settlement."""

    cents: int
    table: int
    round: int
    settled_at: dt.datetime


COUNTS = (
    "rounds",
    "unknown_rounds",
    "wagers",
    "handle_cents",
    "taken_cents",
    "paid_cents",
    "fees_cents",
    "cut_cents",
    "seats_wagering",
    "seats_offered",
    "open_us",
)
# The columns of a rollup row that every reader needs, in this order.
COLUMNS = (
    "table_id",
    "shift",
    "pit",
    *COUNTS,
    "expected_win",
    "variance",
    "largest_cents",
    "largest_round",
    "largest_at",
)


@dataclass
class Sums:
    """Figures of settled rounds that can be added up."""

    rounds: int = 0
    unknown_rounds: int = 0  # whose terms or wagers the record does not say
    wagers: int = 0
    handle_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    fees_cents: int = 0
    cut_cents: int = 0
    seats_wagering: int = 0
    seats_offered: int = 0
    open_us: int = 0
    expected: ExactSum = field(default_factory=ExactSum)
    variance: ExactSum = field(default_factory=ExactSum)
    largest: LargestLoss | None = None

    def add_round(self, round_: RoundFigures, seats: int = 0) -> None:
        """Add a settled round of a table; with the table's number of seats the sums have an occupancy."""
        self.rounds += 1
        self.wagers += round_.wagers
        self.handle_cents += round_.handle_cents
        self.taken_cents += round_.taken_cents
        self.paid_cents += round_.paid_cents
        self.fees_cents += round_.fees_cents
        self.cut_cents += round_.cut_cents
        self.seats_wagering += len(round_.seats)
        self.seats_offered += seats
        if round_.expected_win is None or round_.variance is None:
            self.unknown_rounds += 1
        else:
            self.expected.add(round_.expected_win)
            self.variance.add(round_.variance)
        if round_.win_cents < 0:
            self.add_loss(LargestLoss(-round_.win_cents, round_.table_id, round_.round, round_.settled_at))

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Add a rollup row, a mapping of COLUMNS."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + row[name])
        self.expected.add_text(row["expected_win"])
        self.variance.add_text(row["variance"])
        if row["largest_round"]:
            self.add_loss(
                LargestLoss(row["largest_cents"], row["table_id"], row["largest_round"], row["largest_at"])
            )

    def add(self, addend: "Sums") -> None:
        """Add the sums of other rounds."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(addend, name))
        self.expected.add_sum(addend.expected)
        self.variance.add_sum(addend.variance)
        if addend.largest:
            self.add_loss(addend.largest)

    def copy(self) -> "Sums":
        """Return sums that can be added to without changing these."""
        sums = Sums()
        sums.add(self)
        return sums

    def add_loss(self, loss: LargestLoss) -> None:
        """Keep the larger loss; of equal ones the earlier."""
        losses = filter(None, (self.largest, loss))
        self.largest = min(losses, key=lambda loss: (-loss.cents, loss.settled_at, loss.round))

    @property
    def win_cents(self) -> int:
        """Lost stakes and fees, less what was paid."""
        return self.taken_cents + self.fees_cents - self.paid_cents

    @property
    def is_known(self) -> bool:
        """Whether the odds of every round are known."""
        return not self.unknown_rounds

    @property
    def expected_cents(self) -> int:
        """The expected win, rounded to cents. Whole dollars are rounded from these, because snapshots have no more."""
        return round(self.expected.value)

    @property
    def band_variance(self) -> Fraction:
        """The variance, no less than 0: that of a single course of a game may be negative (docs/figures.md)."""
        return max(self.variance.value, Fraction(0))

    @property
    def band_cents(self) -> int:
        """Two standard deviations, in cents."""
        return isqrt(SIGMAS**2 * int(self.band_variance))

    @property
    def z_tenths(self) -> int | None:
        """How many tenths of a standard deviation the win is from what was expected; None without a deviation."""
        variance = self.band_variance
        if not variance or not self.is_known:
            return None
        distance = self.win_cents - self.expected.value
        tenths = isqrt(int(400 * distance * distance / variance))  # twentieths, to be rounded
        return (1 if distance >= 0 else -1) * ((tenths + 1) // 2)

    @property
    def sigmas(self) -> float | None:
        """How many standard deviations the win is from what was expected, to a tenth; None where nothing varied."""
        return None if self.z_tenths is None else self.z_tenths / 10

    @property
    def is_outside(self) -> bool:
        """Whether the win is more than two standard deviations from the expected win."""
        variance = self.band_variance
        return (
            bool(variance)
            and self.is_known
            and (self.win_cents - self.expected.value) ** 2 > SIGMAS**2 * variance
        )

    @property
    def win_share(self) -> Fraction | None:
        """Win over handle."""
        return Fraction(self.win_cents, self.handle_cents) if self.handle_cents else None

    @property
    def expected_share(self) -> Fraction | None:
        """Expected win over handle."""
        return self.expected.value / self.handle_cents if self.handle_cents else None

    @property
    def pace(self) -> int | None:
        """The pace (`tables.core.figure_sums`), rounded."""
        exact = pace(self.rounds, dt.timedelta(microseconds=self.open_us))
        return None if exact is None else round(exact)

    @property
    def occupancy(self) -> Fraction | None:
        """Seats with a wager over seats of the table."""
        return Fraction(self.seats_wagering, self.seats_offered) if self.seats_offered else None
