"""What the report's page shows: its figures, their drawings, and where each can be traced."""

import datetime as dt
from typing import Any

from tables.reports.charts import bars, columns, whiskers
from tables.reports.figures import Line, Report
from tables.reports.links import Traces
from tables.reports.notes import expected_notes, hour_label
from tables.reports.report_day import PLAYS
from tables.reports.slip_rows import SlipLine

EARLIEST = dt.date(2000, 1, 1)
BY = {"table": "By table", "game": "By game", "hour": "By hour"}


def told(found: Report, by: str) -> dict[str, Any]:
    """The context of the page's templates; `by` is one of BY."""
    traces = Traces(found.day)
    lines = found.games if by == "game" else found.tables
    return {
        "report": found,
        "day": found.day,
        "by": by,
        "traces": traces.of_house(),
        **_ways(found, by, traces),
        **_lines(lines, traces),
        **_hours(found),
        **_expected(found, lines),
        **_corrections(found, traces),
        **_besides(found, traces),
    }


def _ways(found: Report, by: str, traces: Traces) -> dict[str, Any]:
    """To other views, other days and the paper."""
    day, a_day = found.day, dt.timedelta(days=1)
    return {
        "views": [
            {"code": code, "label": label, "url": traces.report(day.date, by=code)}
            for code, label in BY.items()
        ],
        "plays": [
            {"code": code, "label": label, "url": traces.report(day.date, play=code, by=by)}
            for code, label in PLAYS.items()
        ],
        "before": traces.report(day.date - a_day, by=by) if day.date > EARLIEST else "",
        "after": traces.report(day.date + a_day, by=by) if day.is_over else "",
        "pdf": traces.report(day.date, "record-report-pdf"),
    }


def _lines(lines: list[Line], traces: Traces) -> dict[str, Any]:
    wins = bars([(one.figures.win_cents, one.figures.corrected_cents) for one in lines])
    wagered = bars([(one.figures.wagered_cents, None) for one in lines])
    return {
        "rows": [
            {"line": line, "win": win, "wagered": staked, "urls": traces.of_line(line)}
            for line, win, staked in zip(lines, wins, wagered, strict=True)
        ]
    }


def _hours(found: Report) -> dict[str, Any]:
    labels = [hour_label(one.begins, found.day.house) for one in found.hours]
    drawn = bars([(one.figures.win_cents, None) for one in found.hours])
    return {
        "hours": [
            {"hour": one, "label": label, "bar": bar}
            for one, label, bar in zip(found.hours, labels, drawn, strict=True)
        ],
        "columns": columns(found.hours, labels),
    }


def _expected(found: Report, lines: list[Line]) -> dict[str, Any]:
    shown = [(one.label, one.figures.expected) for one in lines if one.figures.expected.staked_cents]
    if len(shown) != 1:
        shown.append(("The house", found.house.expected))
    drawn = whiskers([one for _label, one in shown])
    return {
        "expected": [
            {"label": label, "one": one, "drawn": mark}
            for (label, one), mark in zip(shown, drawn, strict=True)
        ],
        "notes": list(expected_notes(found)),
    }


def _corrections(found: Report, traces: Traces) -> dict[str, Any]:
    return {
        "slips": [_slip(one, traces) for one in found.slips],
        "since": [_slip(one, traces) for one in found.since],
    }


def _slip(one: SlipLine, traces: Traces) -> dict[str, Any]:
    table, slip = one.slip.table.code, one.slip
    return {"one": one, "url": traces.round(table, slip.round.number) or traces.entry(table, slip.filed_seq)}


def _besides(found: Report, traces: Traces) -> dict[str, Any]:
    """What else happened, each with its way into the record."""
    also = found.events
    return {
        "alerts": [
            {"one": one, "url": traces.record(type="alert.raised") if one.count else ""}
            for one in also.alerts
        ],
        "lots": [{"one": one, "url": traces.record(lot=one.lot, place=one.table)} for one in also.lots],
        "people": [{"one": one, "url": traces.record(who=one.code, place=one.table)} for one in also.people],
        "mends": [{"one": one, "url": traces.record(type=one.type, place=one.table)} for one in also.mends],
        "mended": sum(one.count for one in also.mends),
        "disputes": [
            {"one": one, "url": traces.round(one.table, one.round) or traces.entry(one.table, one.seq)}
            for one in also.disputes
        ],
        "outside": [
            {"line": one, "url": traces.record(type="wagers.placed", place=one.code)}
            for one in found.tables
            if one.figures.outside
        ],
        "devices": [
            {"one": one, "url": traces.record(type="device.incident", place=one.table)}
            for one in also.devices
        ],
        "heads": [{"one": one, "url": traces.entry(one.table, one.seq)} for one in also.heads],
    }
