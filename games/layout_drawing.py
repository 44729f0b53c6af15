"""How money and marks are written and drawn on a layout: amounts, chips, stars. Each game's drawing uses them."""

from collections.abc import Sequence
from typing import Any

WINS = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>WINS</span>'
NOT_DEALT = '<span class="not-dealt" aria-hidden="true">not dealt</span>'
TAKE = '<svg class="icon mark mark--take" aria-hidden="true"><use href="#i-down"/></svg>'
PAYING = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-up"/></svg>PAY</span>'
PAID = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-check"/></svg>PAID</span>'


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
