"""Exact shares and amounts as the daily report writes them: halves go to the even neighbour, and no floats."""

from fractions import Fraction
from math import isqrt

from games.engine.odds import in_dollars

NONE = "–"


def rounded(part: Fraction) -> int:
    """The nearest whole number; a half goes to the even one."""
    return round(part)


def percent(part: Fraction | None) -> str:
    """`7.41 %` of two in twenty-seven, `−0.50 %`, a dash of nothing."""
    if part is None:
        return NONE
    hundredths = rounded(part * 10_000)
    whole_percent, hundredths_left = divmod(abs(hundredths), 100)
    return f"{'−' if hundredths < 0 else ''}{whole_percent:,}.{hundredths_left:02d} %"


def ratio(numerator: int, denominator: int) -> str:
    """The same share exactly, in lowest terms: `2/27`; "" of nothing."""
    return str(Fraction(numerator, denominator)).replace("-", "−") if denominator else ""


def dollars_and_cents(amount: Fraction | None) -> str:
    """An amount in cents that may be a fraction, as dollars and cents: `$12.35`."""
    return NONE if amount is None else in_dollars(rounded(amount))


def root(square: Fraction) -> int:
    """The square root as the nearest whole number; `square` is not negative."""
    floor = isqrt(square.numerator // square.denominator)
    return floor + 1 if square > Fraction(2 * floor + 1, 2) ** 2 else floor


def tenths(numerator: int, denominator: int) -> str:
    """A quotient with one place: `42.5`; a dash where there is nothing to divide by."""
    if not denominator:
        return NONE
    whole_number, tenths_left = divmod(rounded(Fraction(10 * numerator, denominator)), 10)
    return f"{whole_number:,}.{tenths_left}"
