"""Exact shares and amounts of the daily report: halves are rounded to even, without floats."""

from fractions import Fraction
from math import isqrt

from games.engine.odds import in_dollars

NONE = "–"


def rounded(part: Fraction) -> int:
    """The nearest integer; a half goes to the even one."""
    return round(part)


def percent(part: Fraction | None) -> str:
    """`7.41 %` for 2/27, `−0.50 %`, a dash for None."""
    if part is None:
        return NONE
    hundredths = rounded(part * 10_000)
    whole_percent, hundredths_left = divmod(abs(hundredths), 100)
    return f"{'−' if hundredths < 0 else ''}{whole_percent:,}.{hundredths_left:02d} %"


def ratio(numerator: int, denominator: int) -> str:
    """The share in lowest terms: `2/27`; "" for a zero denominator."""
    return str(Fraction(numerator, denominator)).replace("-", "−") if denominator else ""


def dollars_and_cents(amount: Fraction | None) -> str:
    """An amount in cents, possibly a fraction, in dollars: `$12.35`."""
    return NONE if amount is None else in_dollars(rounded(amount))


def root(square: Fraction) -> int:
    """The square root as the nearest integer; `square` is not negative."""
    floor = isqrt(square.numerator // square.denominator)
    return floor + 1 if square > Fraction(2 * floor + 1, 2) ** 2 else floor


def tenths(numerator: int, denominator: int) -> str:
    """A quotient with one decimal: `42.5`; a dash for a zero denominator."""
    if not denominator:
        return NONE
    whole_number, tenths_left = divmod(rounded(Fraction(10 * numerator, denominator)), 10)
    return f"{whole_number:,}.{tenths_left}"
