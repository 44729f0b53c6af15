"""Reports of figures that a facility declares, and that the server writes by itself: docs/figures.md.

1. Two departments answer for a declaration (`read_declaration`, `declare_reports`; `manage.py figures_report`): each
   report has the filters of the page, its formats, and a folder, e-mail addresses or both. It replaces all reports
   declared before; one that stays as it was goes on where it is.
2. Each shift, gaming day or week that has ended is due once its rounds are counted (`ended_periods`). The ticker writes
   and sends it (`deliver_due`): each period once, again after a failure, and never twice. Files have their final
   name only once they are whole, so writing them again changes nothing. An e-mail cannot be taken back: a report whose
   sending was interrupted stays `unsure` (`audit.delivery`), and is sent again only by `manage.py figures_report
   --again`.
3. A page shows what each report writes, where to, and how its last ones ended (`schedule_rows`); what failed, is
   overdue or may not have left is counted on the page of figures (`missing_count`).
"""

import contextlib
import datetime as dt
import logging
import os
import smtplib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from urllib.parse import parse_qsl

from django.conf import settings
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.urls import reverse

from audit import clock, record
from audit.columns import FACILITY, Body, RowFindings, Rows, declare
from audit.delivery import Claim, Outbox, Undelivered, doubling
from audit.entry_types import entry_type
from audit.staff import Answerable
from games.models import Facility
from tables.figures.figure_tables import FORMATS
from tables.figures.page import FiguresPage
from tables.figures.ranges import BY, FILTERS, PLAYS, is_code, read_query
from tables.figures.rollup import DAY, tables_behind
from tables.models import FiguresReport, FiguresSchedule

log = logging.getLogger(__name__)
Status = FiguresReport.Status
GRACE = dt.timedelta(minutes=10)  # after a period, in which its last rounds end and are counted
CATCH_UP_DAYS = 35  # a period that ended earlier is not written any more
SUNDAY = 6
NO_MAIL = "django.core.mail.backends.dummy.EmailBackend"
DECLARED = ("every", "filters", "folder", "formats", "mail")
REFUSED = (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused)  # nobody got the message
REPORTS_SHOWN = 14  # of each declared report, beside the missing ones
OVERDUE_AFTER = dt.timedelta(minutes=40)  # the end of a period; it is due after ten
OVERDUE = "Overdue: see whether the ticker runs and counts the rounds"


# What the record says


class DeclaredReport(TypedDict):
    every: Annotated[Literal["shift", "day", "week"], "how often it is written"]
    filters: Annotated[str, "the filters of the page, as in its address; empty for all tables"]
    folder: Annotated[str, "the folder of the server where its files are written; empty without one"]
    formats: Annotated[list[str], "formats of its files"]
    mail: Annotated[list[str], "e-mail addresses to which its files are sent"]
    name: str


@entry_type("figures.reports_declared")
def REPORTS_DECLARED(
    *, reports: Annotated[list[DeclaredReport], "all of them; those declared before end"]
) -> str:
    """The reports of figures that the server writes by itself were declared; two departments answer for it."""
    names = ", ".join(report["name"] for report in reports)
    return f"Reports of figures declared: {names}" if names else "All declared reports of figures ended"


def _declared_rows(rows: Rows, body: Body) -> None:
    """The reports of an entry are the only ones from then on. One that stays as it was goes on where it is."""
    facility = FACILITY(body)
    running: dict[str, tuple[str, dict[str, Any]]] = rows.memory.setdefault(facility, {})
    reports = {
        report["name"]: {name: report[name] for name in DECLARED} for report in body["data"]["reports"]
    }
    for name, (since, values) in list(running.items()):
        if reports.get(name) != values:
            rows.put(body, facility, name, since, ended_at=body["at"])
            del running[name]
    for name, values in reports.items():
        if name not in running:
            running[name] = body["at"], values
            by = {"declared_by": body["actor"], "declared_with": body["witness"]}
            rows.put(body, facility, name, body["at"], ended_at=None, **values, **by)


declare(
    FiguresSchedule,
    "report",
    key={"facility": FACILITY, "name": "name", "declared_at": "at"},
    folded={REPORTS_DECLARED: _declared_rows},
    folded_columns=(*DECLARED, "declared_by", "declared_with", "ended_at"),
    findings=RowFindings.declare("declared-report"),
)
DELIVERY = "the delivery of a report that anybody can make again; what was delivered is no evidence"
declare(
    FiguresReport,
    "delivery",
    unproven=dict.fromkeys(
        (
            *("schedule", "period", "first_day", "last_day", "shift", "status", "attempts", "next_try_at"),
            *("claimed_at", "done_at", "files", "error"),
        ),
        DELIVERY,
    ),
)


# Declarations


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
    for name in sorted(table.keys() - set(DECLARED)):
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
def declare_reports(facility: Facility, reports: list[DeclaredReport], answerable: Answerable) -> None:
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
        entry=REPORTS_DECLARED(reports=reports),
        moment=now,
        gaming_day=facility.gaming_day(now),
        actor=answerable.by,
        witness=answerable.witness,
    )


def _declared(schedule: FiguresSchedule) -> dict[str, Any]:
    return {name: getattr(schedule, name) for name in ("name", *DECLARED)}


def _end(schedule: FiguresSchedule, now: dt.datetime) -> None:
    schedule.ended_at = now
    schedule.save(update_fields=["ended_at"])


# Periods that have ended


class Period(NamedTuple):
    """A shift, gaming day or week that has ended; `key` is its part of the file names."""

    key: str
    first: dt.date
    last: dt.date
    shift: str
    ends: dt.datetime


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


# Writing and sending


def deliver_due(facility: Facility | None = None) -> list[FiguresReport]:
    """Write and send what is due now, once its rounds are counted. Returns the reports that were tried."""
    now = clock.now()
    schedules = FiguresSchedule.objects.filter(ended_at=None).select_related("facility")
    if facility is not None:
        schedules = schedules.filter(facility=facility)
    if not schedules:
        return []
    behind = {table.facility_id for table in tables_behind()}
    ready = [schedule for schedule in schedules if schedule.facility_id not in behind]
    for schedule in ready:
        _add_periods(schedule, now)
    reports = FiguresReport.objects.filter(schedule__in=ready).order_by("first_day", "pk")
    tried = OUTBOX.deliver(reports)
    return list(FiguresReport.objects.filter(pk__in=tried).select_related("schedule").order_by("pk"))


def _add_periods(schedule: FiguresSchedule, now: dt.datetime) -> None:
    recorded_keys = set(schedule.reports.values_list("period", flat=True))
    FiguresReport.objects.bulk_create(
        [
            FiguresReport(
                schedule=schedule,
                period=period.key,
                first_day=period.first,
                last_day=period.last,
                shift=period.shift,
                next_try_at=now,
            )
            for period in ended_periods(schedule, now)
            if period.key not in recorded_keys
        ],
        ignore_conflicts=True,
    )


def _deliver(report: FiguresReport, claim: Claim[FiguresReport]) -> dict[str, list[str]]:
    """Write a report and send it. Returns the names of its files."""
    files = _files(report, clock.now())
    if report.schedule.folder:
        write_files(Path(report.schedule.folder), files)
    if report.schedule.mail:
        _send(report, files, claim)
    return {"files": sorted(files)}


OUTBOX = Outbox(
    FiguresReport,
    _deliver,
    related="schedule__facility",
    lease=dt.timedelta(minutes=15),
    waits=doubling(dt.timedelta(minutes=1), dt.timedelta(hours=1)),
    interrupted="The server stopped while it sent the e-mail.",
    log=log,
)


def _files(report: FiguresReport, now: dt.datetime) -> dict[str, bytes]:
    """Return the files of a report by name: what the page with its filters shows."""
    schedule = report.schedule
    facility = schedule.facility
    parameters = dict(parse_qsl(schedule.filters)) | {
        "from": report.first_day.isoformat(),
        "to": report.last_day.isoformat(),
    }
    if report.shift:
        parameters["shift"] = report.shift
    query, _refused = read_query(facility, parameters, facility.gaming_day(now))
    page = FiguresPage(query, None, now)
    stem = f"{facility.code}-{schedule.name}-{report.period}"
    return {f"{stem}.{name}": FORMATS[name].write(page) for name in schedule.formats}


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write files so that each name always has a whole file. Raises Undelivered."""
    for name, content in files.items():
        temporary = ""
        try:
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, 0o640)
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.replace(temporary, folder / name)
        except OSError as error:
            if temporary:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            raise Undelivered(f"{folder / name} cannot be written: {error.strerror}.") from None


def _send(report: FiguresReport, files: dict[str, bytes], claim: Claim[FiguresReport]) -> None:
    """Send the files. Before the server is asked to, the report is marked, so that no other process sends them."""
    connection = mail.get_connection()
    try:
        connection.open()
    except (OSError, smtplib.SMTPException) as error:
        raise Undelivered(f"The mail server does not answer: {error}") from None
    schedule = report.schedule
    message = mail.EmailMessage(
        subject=f"{schedule.facility.name}: figures {schedule.name}, {report.period}",
        body=(
            f"The figures of {schedule.facility.name} for {report.period} are attached.\n\n"
            f"{schedule.declared_by.name} and {schedule.declared_with.name} declared this report on "
            f"{schedule.facility.local(schedule.declared_at):%d %b %Y}.\n"
        ),
        to=schedule.mail,
        connection=connection,
    )
    for name, content in files.items():
        message.attach(name, content, FORMATS[name.rpartition(".")[2]].media.partition(";")[0])
    claim.begin_to_send()
    try:
        message.send()
    except REFUSED as error:
        raise Undelivered(f"The mail server refused the e-mail: {error}") from None
    finally:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            connection.close()


# How the last ones ended


@dataclass(frozen=True)
class ReportRow:
    """One report for one period, with its state in words; `next_try_at` only where it failed and is tried again."""

    period: str
    state: str
    error: str
    is_missing: bool
    done_at: dt.datetime | None
    next_try_at: dt.datetime | None
    files: Sequence[str]


def missing_count(facility: Facility, now: dt.datetime) -> int:
    """Return how many reports of what is declared now failed, are overdue, or may not have left."""
    schedules = FiguresSchedule.objects.filter(facility=facility, ended_at=None).select_related("facility")
    return sum(row.is_missing for schedule in schedules for row in _report_rows(schedule, now, 0))


def schedule_rows(facility: Facility, now: dt.datetime) -> list[dict[str, Any]]:
    """Return every declared report that runs, by name, as the page shows it.

    `reports` are its last ones, the newest first; `url` leads to the page with its filters; `targets` are its folder
    and its addresses.
    """
    schedules = FiguresSchedule.objects.filter(facility=facility, ended_at=None)
    address = reverse("figures", args=[facility.code])
    return [
        {
            "name": schedule.name,
            "every": schedule.get_every_display(),
            "filters": schedule.filters.replace("&", ", ").replace("=", " ") or "all tables",
            "url": f"{address}?{schedule.filters}" if schedule.filters else address,
            "formats": ", ".join(schedule.formats).upper(),
            "targets": [*filter(None, [schedule.folder]), *schedule.mail],
            "declared_by": f"{schedule.declared_by.name} and {schedule.declared_with.name}",
            "declared_at": schedule.declared_at,
            "reports": _report_rows(schedule, now, REPORTS_SHOWN),
        }
        for schedule in schedules.select_related("facility", "declared_by", "declared_with")
    ]


def _report_rows(schedule: FiguresSchedule, now: dt.datetime, most: int) -> list[ReportRow]:
    """Return the last reports of a schedule and every missing one, the newest first.

    A period that ended some time ago without a report is overdue: nothing delivers, or its rounds are not counted.
    """
    overdue_since = now - OVERDUE_AFTER
    overdue = {period.key: period for period in ended_periods(schedule, now) if period.ends <= overdue_since}
    rows = []
    for place, report in enumerate(schedule.reports.order_by("-first_day", "-pk")):
        row = _report_row(report, is_overdue=report.period in overdue)
        overdue.pop(report.period, None)
        if place < most or row.is_missing:
            rows.append(row)
    never_tried = sorted(overdue.values(), key=lambda period: period.ends, reverse=True)
    return [
        *(ReportRow(period.key, OVERDUE, "", True, None, None, ()) for period in never_tried),
        *rows,
    ]


def _report_row(report: FiguresReport, *, is_overdue: bool) -> ReportRow:
    has_failed = bool(report.error) and report.status != Status.DONE
    is_retried = has_failed and report.status != Status.UNSURE
    is_late = is_overdue and not has_failed and report.status != Status.DONE
    return ReportRow(
        report.period,
        OVERDUE if is_late else _state(report),
        report.error if has_failed else "",
        has_failed or is_late,
        report.done_at,
        report.next_try_at if is_retried else None,
        report.files,
    )


def _state(report: FiguresReport) -> str:
    if report.status == Status.DONE:
        return "Delivered"
    if report.error and report.status != Status.UNSURE:
        return f"Not delivered in {report.attempts} attempt{'' if report.attempts == 1 else 's'}"
    label: str = report.get_status_display()
    return label.capitalize()
