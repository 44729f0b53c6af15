"""How screens write moments, durations, citations and odds."""

from datetime import datetime
from functools import lru_cache

from django.utils import timezone

from tables.words.sentences import span


@lru_cache(maxsize=512)
def moment(text: str) -> datetime:
    """Return the moment of a text of the snapshot."""
    return datetime.fromisoformat(text)


def clock(text: str | datetime | None, form: str = "%H:%M") -> str:
    """Return a moment as a clock shows it; "" without a moment."""
    if isinstance(text, str):
        return _clock(text, form) if text else ""
    return timezone.localtime(text).strftime(form) if text else ""


@lru_cache(maxsize=1024)
def _clock(text: str, form: str) -> str:
    return timezone.localtime(moment(text)).strftime(form)


def seconds_between(start: str, end: str) -> float:
    """Return the seconds from one moment of the snapshot to another."""
    return (moment(end) - moment(start)).total_seconds()


def countdown(start: str, end: str) -> str:
    """Return the time from one moment to another; under a minute in seconds."""
    seconds = max(0, int(seconds_between(start, end)))
    return span(seconds) if seconds >= 60 else f"{seconds} s"


def cite(section: str | None) -> str:
    """`58 Pa. Code § 625a.3(6)` as `§ 625a.3(6)`."""
    return section[section.index("§") :] if section and "§" in section else section or ""


def breakable(odds: str) -> str:
    """Odds that may break before "to", and nowhere else: a narrow area prints them in two lines."""
    before, _, after = odds.rpartition(" ")
    return f"{before}\u00a0{after}"
