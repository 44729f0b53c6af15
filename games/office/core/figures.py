"""Exact figures as text. All arguments are fractions: nothing is rounded before it is written."""

from fractions import Fraction


def to_one(odds: Fraction) -> str:
    """Return odds against, such as `71 to 1` or `12.5 to 1`, with at most two decimals."""
    hundredths = (odds * 200 + 1) // 2
    units, decimals = divmod(hundredths, 100)
    places = f".{decimals:02d}".rstrip("0") if decimals else ""
    return f"{units:,}{places} to 1"


def fraction(part: Fraction) -> str:
    """Return `1/8`, `−1/8` or `0`."""
    return str(part).replace("-", "−")
