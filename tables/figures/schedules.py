"""Reports of figures that a facility declares: what a file may say, and which periods have ended."""

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction

from audit import clock, record
from audit.staff import Answerable
from games.models import Facility
from tables.figures.entry_types import REPORTS_DECLARED, DeclaredReport
from tables.figures.exports import FORMATS
from tables.figures.query import BY, DAY, FILTERS, PLAYS, is_code
from tables.models import FiguresSchedule

GRACE = dt.timedelta(minutes=10)  # after a period, in which its last rounds end and are counted
CATCH_UP_DAYS = 35  # a period that ended earlier is not written any more
SUNDAY = 6
NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"
ALLOWED = {"every", "filters", "formats", "folder", "mail"}


class Period(NamedTuple):
    """A shift, gaming day or week that has ended; `key` is its part of the file names."""

    key: str
    first: dt.date
    last: dt.date
    shift: str
    ends: dt.datetime


def read_declaration(declared: Mapping[str, Any]) -> list[DeclaredReport]:
    """Return the reports of a declaration. Raises ValidationError with every reason for which it cannot be used."""
    tables = declared.get("reports", {})
    unknown = [
        f"{name} is not known; the reports are tables such as [reports.evening]."
        for name in declared
        if name != "reports"
    ]
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ValidationError([*unknown, "Each report is a table such as [reports.evening]."])
    reports, wrong = [], unknown
    for name, table in sorted(tables.items()):
        report: DeclaredReport = {
            "name": name,
            "every": table.get("every", ""),
            "filters": table.get("filters", ""),
            "formats": table.get("formats", ["csv"]),
            "folder": table.get("folder", ""),
            "mail": table.get("mail", []),
        }
        wrong += [f"{name}: {reason}" for reason in _wrong(report, table)]
        reports.append(report)
    if wrong:
        raise ValidationError(wrong)
    return reports


def _wrong(report: DeclaredReport, table: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(table.keys() - ALLOWED):
        yield f"{name} is not known."
    if not _passes(validate_slug, report["name"]) or len(report["name"]) > 40:
        yield "its name must be letters, digits and hyphens, at most 40."
    if report["every"] not in FiguresSchedule.Every.values:
        yield "every must be shift, day or week."
    if wrong_filter := _wrong_filter(report["filters"], report["every"]):
        yield wrong_filter
    formats = report["formats"]
    if not isinstance(formats, list) or not formats or any(name not in [*FORMATS] for name in formats):
        yield f"formats must be some of {', '.join(FORMATS)}."
    folder, mail = report["folder"], report["mail"]
    if folder and not (isinstance(folder, str) and len(folder) <= 300 and Path(folder).is_absolute()):
        yield "folder must be an absolute path."
    if not isinstance(mail, list) or not all(_is_address(address) for address in mail):
        yield "mail must be a list of e-mail addresses."
    if mail and settings.EMAIL_BACKEND == NO_MAIL:
        yield "nothing can be sent: PITSIDE_EMAIL_URL names no mail server."
    if not folder and not mail:
        yield "it needs a folder, or mail."


def _wrong_filter(filters: Any, every: str) -> str:
    allowed = {*FILTERS, "by", "play"} - ({"shift"} if every == "shift" else set())
    if not isinstance(filters, str) or len(filters) > 300:
        return "filters must be text such as pit=p1&by=game."
    values = dict(parse_qsl(filters, keep_blank_values=True))
    if filters and (not values or values.keys() - allowed):
        return f"filters may have {', '.join(sorted(allowed))}."
    if values.get("by", "table") not in BY or values.get("play", "live") not in PLAYS:
        return f"by is one of {', '.join(BY)}; play is one of {', '.join(PLAYS)}."
    if unusable := [name for name in FILTERS if name in values and not is_code(values[name])]:
        return f"{' and '.join(unusable)} must be a code such as T-04; without it the report has all tables."
    return ""


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and _passes(validate_email, value)


def _passes(validate: Any, value: Any) -> bool:
    try:
        validate(value)
    except ValidationError:
        return False
    return True


@transaction.atomic
def declare(facility: Facility, reports: list[DeclaredReport], answerable: Answerable) -> None:
    """Replace the declared reports of a facility. One that stays as it was goes on where it is."""
    assert answerable.witness is not None
    stream = record.lock_stream(f"{facility.code}/setup")
    now = clock.never_before(stream, clock.now())
    running = {row.name: row for row in FiguresSchedule.objects.filter(facility=facility, ended_at=None)}
    for report in reports:
        schedule = running.pop(report["name"], None)
        if schedule is not None and _declared(schedule) == report:
            continue
        if schedule is not None:
            _end(schedule, now)
        FiguresSchedule.objects.create(
            facility=facility,
            declared_at=now,
            declared_by=answerable.by,
            declared_with=answerable.witness,
            **report,
        )
    for schedule in running.values():
        _end(schedule, now)
    record.append(
        stream,
        entry=REPORTS_DECLARED({"reports": reports}),
        moment=now,
        gaming_day=facility.gaming_day(now),
        actor=answerable.by,
        witness=answerable.witness,
    )


def _declared(schedule: FiguresSchedule) -> dict[str, Any]:
    return {name: getattr(schedule, name) for name in ("name", *sorted(ALLOWED))}


def _end(schedule: FiguresSchedule, now: dt.datetime) -> None:
    schedule.ended_at = now
    schedule.save(update_fields=["ended_at"])


def ended_periods(schedule: FiguresSchedule, now: dt.datetime) -> list[Period]:
    """Return the periods that ended since the schedule was declared, ten minutes ago or more, in order."""
    facility = schedule.facility
    day = max(facility.gaming_day(schedule.declared_at), facility.gaming_day(now) - CATCH_UP_DAYS * DAY)
    periods: list[Period] = []
    while day <= facility.gaming_day(now):
        periods += _periods_of(schedule, day)
        day += DAY
    return [period for period in periods if schedule.declared_at < period.ends <= now - GRACE]


def _periods_of(schedule: FiguresSchedule, day: dt.date) -> Iterator[Period]:
    """Yield the periods that end with, or in, a gaming day."""
    ends = schedule.facility.day_begins(day + DAY)
    if schedule.every == FiguresSchedule.Every.SHIFT:
        for shift in schedule.facility.shifts_of(day):
            yield Period(f"{day}-{shift.code}", day, day, shift.code, shift.ends)
    elif schedule.every == FiguresSchedule.Every.DAY:
        yield Period(f"{day}", day, day, "", ends)
    elif day.weekday() == SUNDAY:
        first = day - SUNDAY * DAY
        yield Period(f"{first}-{day}", first, day, "", ends)
