"""How the office's pages write days, moments, money and refusals."""

import datetime as dt
from typing import Any

from django import template

from games.engine import Refusal
from games.engine.odds import in_dollars
from games.office.core import words

register = template.Library()


@register.filter
def said(refusal: Refusal) -> str:
    """A refusal as a sentence."""
    return words.say(refusal)


@register.filter
def headed(refusal: Refusal) -> str:
    """Two or three words over a refusal."""
    return words.title(refusal)


@register.filter
def cite(section: str) -> str:
    """A citation as short as people say it."""
    return words.short(section)


@register.filter
def day(value: dt.date | None) -> str:
    """`21 Nov 2026`."""
    return f"{value.day} {value:%b %Y}" if value else ""


@register.filter
def local(moment: dt.datetime | None, facility: Any) -> str:
    """A moment as this house's clocks show it: `21 Nov 2026 10:00`."""
    return f"{day(there.date())} {there:%H:%M}" if moment and (there := facility.local(moment)) else ""


@register.filter
def dollars(cents: int | None) -> str:
    """`$1,150`, with cents only where there are any."""
    return "" if cents is None else in_dollars(cents)


@register.filter
def kilobytes(size: int) -> str:
    """`340 kB`, `2.1 MB`; a file's size to people."""
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


@register.filter
def hour(moment: dt.datetime | None, facility: Any) -> str:
    """The hour of a moment as this house's clocks show it: `10:00`."""
    return f"{facility.local(moment):%H:%M}" if moment else ""


@register.filter
def in_days(days: int) -> str:
    """`in 12 days`, `tomorrow`, `today`, `3 days overdue`."""
    if days < 0:
        return f"{-days} day{'s' if days < -1 else ''} overdue"
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days:,} days")
