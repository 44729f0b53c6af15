"""Formats of the daily report: counts, what is expected, when a table was open. Money, shares: `games/formats.py`."""

import datetime as dt

from games.formats import NONE, about, signed_about
from games.models import Facility
from tables.core.figure_sums import Sums

MAX_SPANS = 6  # listed one by one: a row of a page has no room for more


def thousands(count: int) -> str:
    """`12,345`."""
    return f"{count:,}"


def pace_words(pace: int | None) -> str:
    """The pace: `42`; a dash for None."""
    return NONE if pace is None else f"{pace}"


def expected_words(sums: Sums) -> str:
    """`+$12`, in whole dollars; a dash where it is not known."""
    return signed_about(sums.expected_cents) if sums.is_known else NONE


def band_words(sums: Sums) -> str:
    """`± $1,234` for two standard deviations, in whole dollars; a dash where they are not known."""
    return f"± {about(sums.band_cents)}" if sums.is_known else NONE


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
