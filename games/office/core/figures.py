"""Exact figures as people read them. Fractions only: nothing here is rounded before it is written."""

from fractions import Fraction


def percent(part: Fraction) -> str:
    """`12.50 %` of one eighth: two places, halves away from zero, a true minus."""
    hundredths = (abs(part) * 20_000 + 1) // 2
    sign = "−" if part < 0 and hundredths else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02d} %"


def to_one(odds: Fraction) -> str:
    """`71 to 1`, `12.5 to 1`, `20.6 to 1`: odds against, with as many places as they need, two at most."""
    hundredths = (odds * 200 + 1) // 2
    units, decimals = divmod(hundredths, 100)
    places = f".{decimals:02d}".rstrip("0") if decimals else ""
    return f"{units:,}{places} to 1"


def fraction(part: Fraction) -> str:
    """`1/8`, `−1/8`, `0`."""
    return str(part).replace("-", "−")
