"""How figures are written for people: money, shares. Rounding is the last step, and each has one function.

Money that moved is exact, with cents only if there are any. What is expected, and its band, is no money that anybody
has: it is rounded to whole dollars (`about`).
"""

from fractions import Fraction

from games.engine.odds import in_dollars

NONE = "–"


def money(cents: int | None) -> str:
    """Return `$1,150`, `$2.50`, `−$30`."""
    return in_dollars(cents or 0)


def plain(cents: int | None) -> str:
    """Return 1150.00 dollars as `1,150`; the cents only if there are any."""
    return money(cents).replace("$", "")


def signed(cents: int | None) -> str:
    """Return `+$1,150`, `−$30`, `$0`."""
    return money(cents) if (cents or 0) <= 0 else f"+{money(cents)}"


def whole_dollars(cents: float | Fraction) -> int:
    """Return an amount that is not exact money, rounded to whole dollars, in cents."""
    return 100 * round(Fraction(cents) / 100)


def about(cents: float | Fraction) -> str:
    """Return `$1,150` of an amount that is not exact money."""
    return money(whole_dollars(cents))


def signed_about(cents: float | Fraction) -> str:
    """Return `+$1,150`, `−$30`, `$0` of an amount that is not exact money."""
    return signed(whole_dollars(cents))


def percent(share: Fraction | None, digits: int = 2) -> str:
    """Return `12.50 %` for one eighth; a dash for None. Halves are rounded away from zero: `0.13 %` for 1/800."""
    if share is None:
        return NONE
    scale = 10**digits
    rounded = (200 * scale * abs(share) + 1) // 2
    whole, decimals = divmod(int(rounded), scale)
    sign = "−" if share < 0 and rounded else ""
    return f"{sign}{whole:,}{f'.{decimals:0{digits}d}' if digits else ''} %"
