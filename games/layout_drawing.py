"""How money and marks are written and drawn on a layout: amounts, chips, stars. Each game's drawing uses them."""

from collections.abc import Sequence
from typing import Any

from games.chips import chip_class

WINS = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>WINS</span>'
NOT_DEALT = '<span class="not-dealt" aria-hidden="true">not dealt</span>'
PAID = '<span class="settled"><svg class="icon"><use href="#i-check"/></svg>paid</span>'


def listed(items: Sequence[Any]) -> str:
    """Return `3, 4, 7 and 8`."""
    words = [str(item) for item in items]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def plain(cents: int | None) -> str:
    """Return 1150.00 dollars as `1,150`; the cents only if there are any."""
    dollars, cents_part = divmod(abs(cents or 0), 100)
    sign = "−" if (cents or 0) < 0 else ""
    return f"{sign}{dollars:,}.{cents_part:02}" if cents_part else f"{sign}{dollars:,}"


def money(cents: int | None) -> str:
    """Return `$1,150`, `−$30`."""
    text = plain(cents)
    return f"−${text[1:]}" if text.startswith("−") else f"${text}"


def signed(cents: int | None) -> str:
    """Return `+$1,150`, `−$30`."""
    return money(cents) if (cents or 0) <= 0 else f"+{money(cents)}"


def disc(cents: int, extra: str = "") -> str:
    """Return a chip with an amount on it."""
    text = plain(cents)
    wide = " wide" if len(text) > 2 else ""
    return (
        f'<span class="chip {chip_class(cents)}{extra}"><svg><use href="#chip"/></svg>'
        f'<b class="chip-n{wide}">{text}</b></span>'
    )


def marked(cents: int, mark: str) -> str:
    """Return a chip with an arrow: to take, or to pay."""
    return (
        f'<span class="taken">{disc(cents)}<svg class="icon mark mark--{mark}" aria-hidden="true">'
        f'<use href="#i-{"down" if mark == "take" else "up"}"/></svg></span>'
    )
