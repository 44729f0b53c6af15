"""Writes and sends the declared reports: each period once, again after a failure, and never twice.

A process claims a report by one statement. Files have their final name only once they are whole, so writing them again
changes nothing. An e-mail cannot be taken back: a report whose sending was interrupted stays `unsure`, and is sent
again only by `manage.py figures_report --again`.
"""

import contextlib
import datetime as dt
import logging
import os
import smtplib
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl

from django.core import mail
from django.db.models import F, Q, QuerySet

from audit import clock
from games.models import Facility
from tables.figures.exports import FORMATS
from tables.figures.page import FiguresPage
from tables.figures.query import read_query
from tables.figures.rollup import tables_behind
from tables.figures.schedules import ended_periods
from tables.models import FiguresReport, FiguresSchedule

log = logging.getLogger(__name__)
Status = FiguresReport.Status
LEASE = dt.timedelta(minutes=15)  # after which a process that claimed a report is taken for dead
FIRST_RETRY, LAST_RETRY = dt.timedelta(minutes=1), dt.timedelta(hours=1)
REFUSED = (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused)  # nobody got the message


class Undelivered(Exception):
    """A report could not be written or sent; it is tried again."""


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
    _give_up_interrupted(now)
    due = FiguresReport.objects.filter(_due(now), schedule__in=ready).order_by("first_day", "pk")
    tried = [pk for pk in due.values_list("pk", flat=True) if _deliver(pk, now)]
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


def _due(now: dt.datetime) -> Q:
    return Q(status=Status.DUE, next_try_at__lte=now) | Q(status=Status.WRITING, claimed_at__lt=now - LEASE)


def _give_up_interrupted(now: dt.datetime) -> None:
    """Mark the reports whose process ended while it sent them."""
    interrupted = FiguresReport.objects.filter(status=Status.SENDING, claimed_at__lt=now - LEASE)
    interrupted.update(status=Status.UNSURE, error="The server stopped while it sent the e-mail.")


def _deliver(pk: int, now: dt.datetime) -> bool:
    """Claim one report, write it and send it. Returns False where another process has it."""
    claimed = FiguresReport.objects.filter(_due(now), pk=pk)
    if not claimed.update(status=Status.WRITING, claimed_at=now, attempts=F("attempts") + 1):
        return False
    report = FiguresReport.objects.select_related("schedule__facility").get(pk=pk)
    mine = FiguresReport.objects.filter(pk=pk, claimed_at=now)
    try:
        files = _files(report, now)
        if report.schedule.folder:
            write_files(Path(report.schedule.folder), files)
        if report.schedule.mail:
            _send(report, files, mine.filter(status=Status.WRITING))
    except Undelivered as error:
        waits = min(LAST_RETRY, FIRST_RETRY * 2 ** min(report.attempts - 1, 10))
        mine.update(status=Status.DUE, next_try_at=now + waits, error=str(error)[:300])
        log.warning("report of figures %s: %s", report, error)
    except Exception as error:
        is_sending = mine.filter(status=Status.SENDING).exists()
        mine.update(
            status=Status.UNSURE if is_sending else Status.DUE,
            next_try_at=now + LAST_RETRY,
            error=f"{type(error).__name__}: {error}"[:300],
        )
        log.exception("report of figures %s", report)
    else:
        mine.update(status=Status.DONE, done_at=clock.now(), files=sorted(files), error="")
    return True


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


def _send(report: FiguresReport, files: dict[str, bytes], claimed: QuerySet[FiguresReport]) -> None:
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
    if not claimed.update(status=Status.SENDING):
        raise Undelivered("Another process has this report.")
    try:
        message.send()
    except REFUSED as error:
        raise Undelivered(f"The mail server refused the e-mail: {error}") from None
    finally:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            connection.close()
