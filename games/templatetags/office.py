"""Template filters of the office: dates, moments, money and refusals."""

import datetime as dt
from typing import Any

from django import template

from games.engine import Refusal
from games.engine.odds import in_dollars
from games.jurisdictions import short
from games.models import Facility
from games.registry import game_by_code

register = template.Library()


@register.filter
def sentence(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    return refusal.sentence


@register.filter
def game_name(code: str) -> str:
    """Return the name of a game by its code."""
    return game_by_code(code).name


@register.filter
def headed(refusal: Refusal) -> str:
    """Return the two or three words above a refusal."""
    return refusal.heading


@register.filter
def cite(section: str) -> str:
    """Return a short citation."""
    return short(section)


@register.filter
def section(facility: Facility, duty: str) -> str:
    """Return the section of a duty in the facility's jurisdiction; "" for a practice of the facility."""
    return facility.law.section(duty)


@register.filter
def day(value: dt.date | None) -> str:
    """Return `21 Nov 2026`."""
    return f"{value.day} {value:%b %Y}" if value else ""


@register.filter
def local(moment: dt.datetime | None, facility: Any) -> str:
    """Return a moment in the facility's time zone: `21 Nov 2026 10:00`."""
    return f"{day(there.date())} {there:%H:%M}" if moment and (there := facility.local(moment)) else ""


@register.filter
def dollars(cents: int | None) -> str:
    """Return `$1,150`, with cents only if there are any."""
    return "" if cents is None else in_dollars(cents)


@register.filter
def kilobytes(size: int) -> str:
    """Return a file size: `340 kB`, `2.1 MB`."""
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


@register.filter
def hour(moment: dt.datetime | None, facility: Any) -> str:
    """Return the local time of a moment: `10:00`."""
    return f"{facility.local(moment):%H:%M}" if moment else ""


@register.filter
def in_days(days: int) -> str:
    """Return `in 12 days`, `tomorrow`, `today` or `3 days overdue`."""
    if days < 0:
        return f"{-days} day{'s' if days < -1 else ''} overdue"
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days:,} days")
