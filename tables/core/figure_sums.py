"""Sums of figures that stay exact, and the pace that follows from them.

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


# Sums


SIGMAS = 2  # ± always means two standard deviations


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
