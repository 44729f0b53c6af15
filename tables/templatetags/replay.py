"""How the replay of a round writes moments, outcomes and numbers of entries."""

import datetime as dt
from typing import Any

from django import template

from tables.replay.history import WagerRow

register = template.Library()

# outcome: the word, and the symbol beside it
OUTCOMES = {
    "win": ("Won", "i-up"),
    "lose": ("Lost", "i-down"),
    "return": ("Returned", "i-undo"),
    "fee": ("Fee", "i-check"),
    "struck": ("Struck", "i-clear"),
    "": ("Not settled", "i-stay"),
}


@register.filter
def outcome(line: WagerRow) -> str:
    """How a wager ended, in a word."""
    return str(OUTCOMES.get(line.outcome, (line.outcome, ""))[0])


@register.filter
def outcome_mark(line: WagerRow) -> str:
    """The symbol beside that word."""
    return OUTCOMES.get(line.outcome, ("", "i-stay"))[1]


@register.filter
def hms(at: dt.datetime, house: Any) -> str:
    """A moment on the clocks of the house, to the second: `21:18:21`."""
    return f"{house.local(at):%H:%M:%S}"


@register.filter
def day_hms(at: dt.datetime, house: Any) -> str:
    """The same with its day: `Fri 20 Nov 2026, 21:18:21`."""
    there = house.local(at)
    return f"{there:%a} {there.day} {there:%b %Y}, {there:%H:%M:%S}"


@register.filter
def number(seq: int | None) -> str:
    """The number of an entry, a thousand parted: `3,914`."""
    return f"{seq:,}" if seq is not None else ""


@register.filter
def blocks(digest: str) -> list[str]:
    """A hash in lines of sixteen digits, each in two groups."""
    parts = [digest[start : start + 16] for start in range(0, len(digest), 16)]
    return [f"{part[:8]} {part[8:]}" for part in parts]
