"""Tables whose win of a gaming day was outside its band: more than two standard deviations from the expected win."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.reports.figures import build_report
from tables.reports.report_day import ReportDay
from tables.words.sentences import dollars

MAX_CACHED = 256
_cache: dict[Any, list[CaseSubject]] = {}  # of final days, by tables and day


def tables_outside_band(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The tables of the last gaming day, once it is over and each of its rounds has ended."""
    day = ReportDay(facility, facility.gaming_day(now) - dt.timedelta(days=1), now)
    key = tuple(table.uid for table in day.tables.values()), day.date
    if key not in _cache:
        report = build_report(day)
        if not report.is_final:
            return
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        tables = {table.code: table for table in day.tables.values()}
        _cache[key] = [
            CaseSubject(
                f"{row.code}:{day.date}",
                day.ends,
                {
                    "table": row.code,
                    "day": day.date.isoformat(),
                    "won_cents": row.figures.sums.win_cents,
                    "expected_cents": row.figures.sums.expected_cents,
                    "band_cents": row.figures.sums.band_cents,
                },
                tables[row.code],
            )
            for row in report.tables
            if row.figures.sums.is_outside
        ]
    yield from _cache[key]


def describe_band(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the table, its win and its band."""
    day = dt.date.fromisoformat(params["day"])
    won, expected, band = (dollars(params[f"{name}_cents"]) for name in ("won", "expected", "band"))
    return (
        f"{params['table']} outside its band",
        f"{day:%a} {day.day} {day:%b}: {won}, expected {expected} ± {band}",
    )


BAND = case_kind(
    CaseKind(
        "band",
        "Outside its band",
        {
            "chance": "Chance",
            "equipment": "Dice or equipment",
            "play": "Dealing or play",
            "not-explained": "Not explained",
        },
        describe_band,
        tables_outside_band,
        is_slow=True,
    )
)
