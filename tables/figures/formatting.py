"""How figures are written: whole dollars, shares, standard deviations. Rounding is the last step."""

from fractions import Fraction

from games.layout_drawing import money, signed
from tables.figures.sums import Sums
from tables.words.forms import whole_dollars

NONE = "–"
NARROW_SPACE = "\u202f"


def dollars(cents: int | Fraction) -> str:
    """`$1,150`, rounded to whole dollars."""
    return money(whole_dollars(cents))


def signed_dollars(cents: int | Fraction) -> str:
    """`+$1,150`, `−$30`, `$0`, rounded to whole dollars."""
    return signed(whole_dollars(cents))


def percent(share: Fraction | None, digits: int = 1) -> str:
    """`6.5 %`; a dash for None."""
    if share is None:
        return NONE
    scale = 10**digits
    units, decimals = divmod(abs(round(share * 100 * scale)), scale)
    sign = "−" if round(share * 100 * scale) < 0 else ""
    return f"{sign}{units:,}{f'.{decimals:0{digits}d}' if digits else ''}{NARROW_SPACE}%"


def sigmas(sums: Sums) -> str:
    """`+0.6`, `−2.3`, `0.0`; a dash where nothing varied."""
    tenths = sums.z_tenths
    if tenths is None:
        return NONE
    sign = "+" if tenths > 0 else "−" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def deviation_words(sums: Sums) -> str:
    """`0.6 standard deviations above expectation`."""
    tenths = sums.z_tenths
    if tenths is None:
        return "nothing varied"
    side = "above" if tenths > 0 else "below" if tenths < 0 else "from"
    return f"{abs(tenths) // 10}.{abs(tenths) % 10} standard deviations {side} expectation"
