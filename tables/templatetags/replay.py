"""Filters of a round's replay: times, outcomes and entry numbers."""

import datetime as dt
from typing import Any

from django import template

from tables.replay.history import WagerRow

register = template.Library()

# The word for an outcome, and the symbol beside it
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
    """The outcome of a wager in one word."""
    return str(OUTCOMES.get(line.outcome, (line.outcome, ""))[0])


@register.filter
def outcome_mark(line: WagerRow) -> str:
    """The symbol beside the outcome."""
    return OUTCOMES.get(line.outcome, ("", "i-stay"))[1]


@register.filter
def hms(moment: dt.datetime, facility: Any) -> str:
    """The local time of a moment, to the second: `21:18:21`."""
    return f"{facility.local(moment):%H:%M:%S}"


@register.filter
def day_hms(moment: dt.datetime, facility: Any) -> str:
    """The local day and time of a moment: `Fri 20 Nov 2026, 21:18:21`."""
    local = facility.local(moment)
    return f"{local:%a} {local.day} {local:%b %Y}, {local:%H:%M:%S}"


@register.filter
def number(seq: int | None) -> str:
    """The number of an entry, grouped: `3,914`."""
    return f"{seq:,}" if seq is not None else ""


@register.filter
def blocks(digest: str) -> list[str]:
    """A hash in lines of sixteen digits, each in two groups."""
    parts = [digest[start : start + 16] for start in range(0, len(digest), 16)]
    return [f"{part[:8]} {part[8:]}" for part in parts]
