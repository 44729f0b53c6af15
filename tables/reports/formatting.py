"""Formats of the daily report: shares, amounts, durations, rounds an hour."""

import datetime as dt
from fractions import Fraction

from games.engine.odds import in_dollars
from games.models import Facility
from tables.reports import shares
from tables.reports.charts import SIGMAS, sigma
from tables.reports.expected import Expected
from tables.reports.figures import Figures

MAX_SPANS = 6  # listed one by one: a row of a page has no room for more


def share(part: Fraction | None) -> str:
    """`7.41 %`."""
    return shares.percent(part)


def thousands(count: int) -> str:
    """`12,345`."""
    return f"{count:,}"


def exact_win_share(figures: Figures) -> str:
    """Win over wagers as a fraction in lowest terms."""
    return shares.ratio(figures.win_cents, figures.wagered_cents)


def exact_dollars(amount: Fraction | None) -> str:
    """`$12.35` for an exact amount."""
    return shares.dollars_and_cents(amount)


def signed_dollars(cents: int) -> str:
    """`+$30`, `−$30`, `$0`."""
    return f"+{in_dollars(cents)}" if cents > 0 else in_dollars(cents)


def band(expected: Expected) -> str:
    """`± $1,234` for two standard deviations."""
    return f"± {in_dollars(SIGMAS * sigma(expected))}"


def rounds_per_hour(figures: Figures) -> str:
    """The pace: `42.5`."""
    exact = figures.pace
    return shares.NONE if exact is None else shares.tenths(exact.numerator, exact.denominator)


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
