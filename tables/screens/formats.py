"""How screens write moments, durations, citations and odds."""

import json
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from tables.words.sentences import span

MOST_NESTED = 3  # objects in objects whose values are lines
ESCAPED_IN_SCRIPTS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}


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


def in_lines(value: Any) -> SafeString:
    """Return a value as JSON for a `<script>`, on lines of its own for what changes apart: the values of the object and
    of an object in it, and the items of a list there. A push then carries the lines that an act changed.

    A text is a list of its lines, without those that are empty.
    """
    lined = [line for line in value.split("\n") if line.strip()] if isinstance(value, str) else value
    return mark_safe(_lines(lined, MOST_NESTED).translate(ESCAPED_IN_SCRIPTS))


def _lines(value: Any, depth: int) -> str:
    if depth and isinstance(value, dict) and value:
        pairs = (f"{json.dumps(str(name))}:{_lines(item, depth - 1)}" for name, item in value.items())
        return "{\n" + ",\n".join(pairs) + "\n}"
    if depth and isinstance(value, list) and value:
        return "[\n" + ",\n".join(_compact(item) for item in value) + "\n]"
    return _compact(value)


_compact = json.JSONEncoder(separators=(",", ":")).encode


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
