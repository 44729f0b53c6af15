"""Formats of the daily report: how long something took, and when a table was open."""

import datetime as dt

from games.models import Facility

MAX_SPANS = 6  # listed one by one: a row of a page has no room for more


def duration(seconds: int) -> str:
    """`40 s`, `5 min`, `2 h 05 min`."""
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min"


def spans(open_spans: tuple[tuple[dt.datetime | None, dt.datetime | None], ...], facility: Facility) -> str:
    """`open 10:00 to 14:30`; `open to 09:00, from 12:00`; `open all along`. Of many only the last are listed."""
    if not open_spans:
        return "not opened"
    texts = [_span(since, until, facility) for since, until in open_spans]
    if len(texts) > MAX_SPANS:
        texts = [f"{len(texts) - MAX_SPANS} times, then {texts[-MAX_SPANS]}", *texts[1 - MAX_SPANS :]]
    return f"open {', '.join(texts)}"


def _span(since: dt.datetime | None, until: dt.datetime | None, facility: Facility) -> str:
    start, end = (f"{facility.local(moment):%H:%M}" if moment else "" for moment in (since, until))
    if start and end:
        return f"{start} to {end}"
    return f"from {start}" if start else f"to {end}" if end else "all along"
