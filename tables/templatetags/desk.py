"""Filters and tags of the desk's pages, of a round's replay and of exports: counts, times, outcomes, entry numbers."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django import template

from tables.desk.desk import tab_links
from tables.desk.entries import local_date_and_time
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
def grouped(number: int | str | None) -> str:
    """`483,943`; "" for nothing."""
    return "" if number is None or number == "" else f"{int(number):,}"


@register.simple_tag
def desk_tabs(facility: str) -> list[dict[str, Any]]:
    """The desk's tabs, for pages outside the desk that show them."""
    return tab_links(facility)


@register.filter
def corrected(slips: Mapping[str, Any] | None) -> dict[str, int]:
    """A round's totals after its last slip that changed them, in cents by label; empty where none did."""
    filed = (slips or {}).get("filed") or []
    changes = [slip["figures"] for slip in filed if slip["figures"]]
    return {total["label"]: total["after"] for total in changes[-1]} if changes else {}


# A round's replay


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
    return ", ".join(local_date_and_time(moment, facility))


@register.filter
def number(seq: int | None) -> str:
    """The number of an entry, grouped: `3,914`."""
    return f"{seq:,}" if seq is not None else ""


@register.filter
def blocks(digest: str) -> list[str]:
    """A hash in lines of sixteen digits, each in two groups."""
    parts = [digest[start : start + 16] for start in range(0, len(digest), 16)]
    return [f"{part[:8]} {part[8:]}" for part in parts]


# Exports


@register.filter
def grouped_count(count: int | None) -> str:
    """`12,345`; 0 for nothing."""
    return f"{count or 0:,}"
