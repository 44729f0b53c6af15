"""How far a win is from its expectation, in words. Money and shares: `games/formats.py`."""

from games.formats import NONE
from tables.core.figure_sums import Sums


def sigma_words(sigmas: float | None) -> str:
    """`+0.6`, `−2.3`, `0.0`; a dash where nothing varied."""
    if sigmas is None:
        return NONE
    return f"{'+' if sigmas > 0 else '−' if sigmas < 0 else ''}{abs(sigmas):.1f}"


def deviation_words(sums: Sums) -> str:
    """`0.6 standard deviations above expectation`."""
    tenths = sums.z_tenths
    if tenths is None:
        return "nothing varied"
    side = "above" if tenths > 0 else "below" if tenths < 0 else "from"
    return f"{abs(tenths) // 10}.{abs(tenths) % 10} standard deviations {side} expectation"
