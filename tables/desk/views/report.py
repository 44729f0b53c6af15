"""The daily report: its page and its paper."""

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy
from django.views.decorators.http import require_GET

from audit import clock
from audit.doors import Denied
from games.models import Facility

from ..doors import desk_of
from ..frame import desk
from ..report.charts import bars, columns, whiskers
from ..report.day import PLAYS, Day
from ..report.figures import Line, Report, report
from ..report.happenings import DISPUTE
from ..report.pdf import expected_notes, hour_label, report_pdf
from ..report.slips import SlipLine

EARLIEST = dt.date(2000, 1, 1)
BY = {"table": lazy("By table"), "game": lazy("By game"), "hour": lazy("By hour")}


@require_GET
def page(request: HttpRequest, facility: str) -> HttpResponse:
    """The report of one gaming day. A day that is none is told in a sentence, above today's report."""
    person, house = desk_of(request, facility)
    day, refused = _day_of(request, house)
    by = request.GET.get("by", "")
    context = (
        desk(person, house, "report") | {"refused": refused} | told(report(day), by if by in BY else "table")
    )
    return render(request, "desk/report.html", context)


@require_GET
def paper(request: HttpRequest, facility: str) -> HttpResponse:
    """The same as a PDF. Raises `Denied` for a day that is none."""
    _person, house = desk_of(request, facility)
    day, refused = _day_of(request, house)
    if refused:
        raise Denied
    response = HttpResponse(report_pdf(report(day)), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{filename(day)}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def filename(day: Day) -> str:
    """`larkfield-2026-11-21.pdf`; training and simulation say so."""
    kind = "" if day.play == "live" else f"-{day.play}"
    return f"{day.house.code}-{day.date.isoformat()}{kind}.pdf"


def told(found: Report, by: str) -> dict[str, Any]:
    """What the page says: the report, its drawings, and where each figure can be traced."""
    day, traces = found.day, Traces(found.day)
    lines = found.games if by == "game" else found.tables
    shown = [one for one in lines if one.figures.expected.staked_cents]
    expected = [*((one.label, one.figures.expected) for one in shown)]
    if len(shown) != 1:
        expected.append((_("The house"), found.house.expected))
    hours = [hour_label(one.begins, day.house) for one in found.hours]
    return {
        "report": found,
        "day": day,
        "by": by,
        "views": [
            {"code": code, "label": label, "url": traces.report(day.date, by=code)}
            for code, label in BY.items()
        ],
        "plays": [
            {"code": code, "label": label, "url": traces.report(day.date, play=code, by=by)}
            for code, label in PLAYS.items()
        ],
        "rows": [
            {"line": line, "win": win, "wagered": wagered, "urls": traces.of_line(line)}
            for line, win, wagered in zip(
                lines,
                bars([_win(one) for one in lines]),
                bars([(one.figures.wagered_cents, None) for one in lines]),
                strict=True,
            )
        ],
        "hours": [
            {"hour": one, "label": label, "bar": bar}
            for one, label, bar in zip(
                found.hours, hours, bars([(one.figures.win_cents, None) for one in found.hours]), strict=True
            )
        ],
        "columns": columns(found.hours, hours),
        "expected": [
            {"label": label, "one": one, "drawn": drawn}
            for (label, one), drawn in zip(expected, whiskers([one for _label, one in expected]), strict=True)
        ],
        "notes": list(expected_notes(found)),
        "slips": [_slip(one, traces) for one in found.slips],
        "since": [_slip(one, traces) for one in found.since],
        "alerts": [
            {"one": one, "url": traces.record(type="alert.raised") if one.count else ""}
            for one in found.also.alerts
        ],
        "lots": [{"one": one, "url": traces.record(lot=one.lot, place=one.table)} for one in found.also.lots],
        "people": [
            {"one": one, "url": traces.record(who=one.code, place=one.table)} for one in found.also.people
        ],
        "mends": [
            {"one": one, "url": traces.record(type=one.type, place=one.table)} for one in found.also.mends
        ],
        "mended": sum(one.count for one in found.also.mends),
        "disputes": [
            {"one": one, "url": traces.round(one.table, one.round) or traces.entry(one.table, one.seq)}
            for one in found.also.disputes
        ],
        "outside": [
            {"line": one, "url": traces.record(type="wagers.placed", place=one.code)}
            for one in found.tables
            if one.figures.outside
        ],
        "devices": [
            {"one": one, "url": traces.record(type="device.incident", place=one.table)}
            for one in found.also.devices
        ],
        "heads": [{"one": one, "url": traces.entry(one.table, one.seq)} for one in found.also.heads],
        "traces": traces.of_house(),
        "before": traces.report(day.date - dt.timedelta(days=1), by=by) if day.date > EARLIEST else "",
        "after": traces.report(day.date + dt.timedelta(days=1), by=by) if day.is_over else "",
        "pdf": traces.report(day.date, "record-report-pdf"),
    }


def _win(line: Line) -> tuple[int, int | None]:
    return line.figures.win_cents, line.figures.corrected_cents


def _slip(one: SlipLine, traces: "Traces") -> dict[str, Any]:
    table, slip = one.slip.table.code, one.slip
    return {"one": one, "url": traces.round(table, slip.round.number) or traces.entry(table, slip.filed_seq)}


class Traces:
    """Where a figure of a day can be traced to: addresses of the search, of rounds and of entries, "" for a page that
    there is not.
    """

    def __init__(self, day: Day) -> None:
        self.day, self.house = day, day.house.code

    def report(self, date: dt.date, name: str = "record-report", **more: str) -> str:
        """Another day, another view or the paper of this report."""
        asked = {"day": date.isoformat(), "play": self.day.play, **more}
        return _address(name, [self.house], {name: said for name, said in asked.items() if said != "live"})

    def record(self, **asked: str) -> str:
        """The entries of the day that say it."""
        training = {} if self.day.play == "live" else {"training": "1"}
        return _address("record", [self.house], {"day": self.day.date.isoformat(), **asked, **training})

    def round(self, table: str, number: int | None) -> str:
        return _address("replay", [self.house, table, number]) if number else ""

    def entry(self, table: str, seq: int) -> str:
        return _address("record-entry", [self.house, table, seq])

    def of_line(self, line: Line) -> dict[str, str]:
        """Of one table; a game is dealt at several, and has no place of its own in the record."""
        if line.code == line.game:
            return {}
        return {name: self.record(place=line.code, **asked) for name, asked in FIGURES.items()}

    def of_house(self) -> dict[str, str]:
        return {name: self.record(**asked) for name, asked in FIGURES.items()}


# By which entries each figure is told
FIGURES: dict[str, dict[str, str]] = {
    "all": {},
    "rounds": {"type": "layout.cleared"},
    "no_roll": {"type": "round.no_roll"},
    "void": {"type": "round.voided"},
    "settled": {"type": "round.settled"},
    "by_hand": {"type": "round.settled_by_hand"},
    "on_paper": {"type": "round.recorded_by_hand"},
    "wagers": {"type": "wagers.placed"},
    "slips": {"type": "slip.filed"},
    "disputes": {"type": DISPUTE},
}


def _address(name: str, args: Iterable[Any], query: dict[str, str] | None = None) -> str:
    try:
        address = reverse(name, args=list(args))
    except NoReverseMatch:
        return ""
    return f"{address}?{urlencode(query)}" if query else address


def _day_of(request: HttpRequest, house: Facility) -> tuple[Day, str]:
    """The day that is asked for, or today with a sentence about what was typed."""
    now, typed, play = clock.now(), request.GET.get("day", "").strip(), request.GET.get("play", "live")
    today = Day(house, house.gaming_day(now), now, play if play in PLAYS else "live")
    if not typed:
        return today, ""
    date = read_day(typed)
    if date is None:
        return today, _("A gaming day is a date, such as 2026-11-21. This is today's report.")
    if date > today.date:
        return today, _("That gaming day has not begun. This is today's report.")
    return Day(house, date, now, today.play), ""


def read_day(typed: str) -> dt.date | None:
    """A date such as 2026-11-21; None for anything else, and for one before this century."""
    try:
        date = dt.date.fromisoformat(typed) if re.fullmatch(r"\d{4}-\d\d-\d\d", typed, re.ASCII) else None
    except ValueError:
        return None
    return date if date and date >= EARLIEST else None


urlpatterns = [
    path("record/<slug:facility>/report/", page, name="record-report"),
    path("record/<slug:facility>/report.pdf", paper, name="record-report-pdf"),
]
