"""The machines that Pitside runs on: their disks, clocks and certificates, the restores that are due, and the alerts.

Each ticker measures its own machine once a minute, in a thread of its own, and writes what it found into the ticker's
row, which is not evidence. The alerts come from that row, whichever ticker raises them, so that tickers of several
machines do not contradict each other; a machine that has not reported for ten minutes has none.

- **Disk**: less than 20 % free is a notice, less than 10 % a warning. Nothing of the record may be deleted
  (docs/operation.md#disk).
- **Clock**: more than two seconds between the machine's clock and the database's, by which acts are dated.
- **Certificate**: a fifth of its life is left, or two weeks. One of Caddy's authority lives for twelve hours and is
  renewed with four left.
- **Restore**: where the database archives its log, no backup was restored and verified for eight days (audit/drill.py).
"""

import ctypes
import datetime as dt
import json
import shutil
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from django.conf import settings
from django.db import connection, transaction

from audit import clock
from audit.entries import RESTORE_DRILLED
from audit.models import Entry
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    live_tables,
    tables_concerned,
)
from tables.models import TickerStatus

# What a ticker measures


EVERY_SECONDS = 60.0
FRESH = dt.timedelta(minutes=10)
CONNECT_SECONDS = 5.0
HTTPS_PORT = 443


@dataclass(frozen=True)
class Certificate:
    """From when to when a certificate counts (UTC, as in the record); empty where it could not be read."""

    began_at: str = ""
    ends_at: str = ""

    def left(self, now: dt.datetime) -> dt.timedelta | None:
        """How long it still counts; None where it could not be read."""
        return dt.datetime.fromisoformat(self.ends_at) - now if self.ends_at else None

    def is_ending(self, now: dt.datetime) -> bool:
        left = self.left(now)
        if left is None:
            return False
        life = dt.datetime.fromisoformat(self.ends_at) - dt.datetime.fromisoformat(self.began_at)
        return left < min(LONG_BEFORE_END, life * SHARE_BEFORE_END)


LONG_BEFORE_END, SHARE_BEFORE_END = dt.timedelta(days=14), 0.2


@dataclass(frozen=True)
class MachineReport:
    """What a ticker found on its machine. `disks` has the free percent of each disk, by a folder on it, and
    `certificates` each certificate by its name. `offset_ms`: the machine's clock less the database's. `is_synchronized`
    is what the system says of its clock; None where it says nothing.
    """

    at: str
    offset_ms: int = 0
    is_synchronized: bool | None = None
    disks: dict[str, int] = field(default_factory=dict)
    certificates: dict[str, Certificate] = field(default_factory=dict)

    @classmethod
    def read(cls, row: dict[str, Any]) -> "MachineReport":
        named = {name: Certificate(**values) for name, values in row["certificates"].items()}
        return cls(**{**row, "certificates": named})


def measure() -> MachineReport:
    """Measure this machine. May take some seconds for each certificate."""
    certificates = {name: read_certificate(name, address) for name, address in _certificates()}
    before = time.time()
    now = clock.now()
    offset = (before + time.time()) / 2 - now.timestamp()
    return MachineReport(
        clock.format_moment(now), round(1_000 * offset), is_synchronized(), free_percents(), certificates
    )


def free_percents() -> dict[str, int]:
    """The free percent of each disk, by the first watched folder on it."""
    disks: dict[int, tuple[str, int]] = {}
    for folder in (str(settings.BASE_DIR), *settings.WATCHED_FOLDERS):
        try:
            device, usage = Path(folder).stat().st_dev, shutil.disk_usage(folder)
        except OSError:
            continue
        disks.setdefault(device, (folder, 100 * usage.free // usage.total))
    return dict(disks.values())


def _certificates() -> Iterator[tuple[str, tuple[str, int]]]:
    """The names of the certificates that are watched, each with host and port: `name` or `name@host:port`."""
    for watched in settings.WATCHED_CERTIFICATES:
        name, _, address = watched.partition("@")
        host, _, port = (address or name).partition(":")
        yield name.partition(":")[0], (host, int(port or HTTPS_PORT))


def read_certificate(name: str, address: tuple[str, int]) -> Certificate:
    """The certificate that a server shows for a name, whoever signed it."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection(address, CONNECT_SECONDS) as line,
            context.wrap_socket(line, server_hostname=name) as secure,
        ):
            certificate = x509.load_der_x509_certificate(secure.getpeercert(binary_form=True) or b"")
    except (OSError, ValueError):
        return Certificate()
    return Certificate(
        clock.format_moment(certificate.not_valid_before_utc),
        clock.format_moment(certificate.not_valid_after_utc),
    )


TIMEX_BYTES = 512  # more than the structure that the call fills
TIME_ERROR = 5


def is_synchronized() -> bool | None:
    """Whether the system keeps its clock by a time server; None on a system that does not say so."""
    if sys.platform != "linux":
        return None
    state = ctypes.CDLL(None).ntp_adjtime(ctypes.create_string_buffer(TIMEX_BYTES))  # sets nothing
    return None if state < 0 else state != TIME_ERROR


def report_machine() -> None:
    """Measure this machine, and write it into the ticker's row beside the fresh reports of others."""
    own, name = measure(), socket.gethostname()
    with transaction.atomic():
        row = TickerStatus.objects.select_for_update().filter(pk=1).first()
        if row is None:  # no ticker has reported yet
            return
        fresh = {machine: report for machine, report in row.machines.items() if _is_fresh(report, own.at)}
        row.machines = {**fresh, name: asdict(own)}
        row.save(update_fields=["machines"])


def _is_fresh(report: dict[str, Any], moment: str) -> bool:
    age = dt.datetime.fromisoformat(moment) - dt.datetime.fromisoformat(report["at"])
    return abs(age) <= FRESH


def machine_reports(now: dt.datetime, alias: str = "default") -> dict[str, MachineReport]:
    """The fresh reports, by machine."""
    moment = clock.format_moment(now)
    rows = TickerStatus.objects.using(alias).filter(pk=1).values_list("machines", flat=True)
    return {
        machine: MachineReport.read(report)
        for machines in rows
        for machine, report in sorted(machines.items())
        if _is_fresh(report, moment)
    }


# Alerts


ALERTS_EVERY = 30  # ticks
LARGEST_OFFSET_SECONDS = 2
FEW_PERCENT, LEAST_PERCENT = 20, 10
DRILL_EVERY = dt.timedelta(days=8)
LONGEST_CAUSE = 50
DELETE_NOTHING = "Delete nothing of the record (docs/operation.md)."

CLOCK_OFFSET = AlertKind(
    "clock-offset",
    "clock-offset:{cause}",
    Level.WARN,
    "Clocks differ",
    "Two clocks differ",
    "The clock of %(machine)s is %(seconds)s s from that of the database, which dates the record. Find out which "
    "is wrong, and correct that one.",
    at_the_pit=True,
    is_everywhere=True,
)
DISK_LOW = AlertKind(
    "disk-low",
    "disk:{cause}:20",
    Level.INFO,
    "Disk nearly full",
    "A disk is four fifths full",
    f"%(percent)s%% of a disk of %(machine)s were free (%(folder)s). Make room this week. {DELETE_NOTHING}",
    at_the_pit=True,
    is_everywhere=True,
)
DISK_LEAST = AlertKind(
    "disk-low",
    "disk:{cause}:10",
    Level.WARN,
    "Disk nearly full",
    "A disk is nearly full",
    f"%(percent)s%% of a disk of %(machine)s were free (%(folder)s). Play stops when it is full. {DELETE_NOTHING}",
    at_the_pit=True,
    is_everywhere=True,
)
CERTIFICATE_ENDS = AlertKind(
    "certificate-ends",
    "certificate:{cause}",
    Level.WARN,
    "Certificate ends",
    "A certificate is about to end",
    "The certificate of %(machine)s ends at %(until)s, and was not renewed. Tablets do not connect after that.",
    at_the_pit=True,
    is_everywhere=True,
)
RESTORE_DUE = AlertKind(
    "restore-due",
    "restore-due",
    Level.INFO,
    "Restore due",
    "No backup was tried",
    "No backup was restored and verified since %(day)s. Run the drill, and read what it says.",
    at_the_pit=True,
    is_everywhere=True,
)


def machine_alerts(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """What is wrong with the machines, at every table in play."""
    problems = [
        alert
        for machine, report in machine_reports(now).items()
        for alert in _alerts_of(machine, report, now)
    ]
    if (day := _restore_is_due_since(now)) is not None:
        problems.append((RESTORE_DUE, "", {"day": day}))
    if not problems:
        return []
    facilities = live_tables().order_by("facility__code").values_list("facility__code", flat=True).distinct()
    tables = [pk for facility in facilities for pk in tables_concerned(facility) if table_id in (None, pk)]
    return [kind.expected(pk, cause=cause, **params) for pk in tables for kind, cause, params in problems]


def _alerts_of(
    machine: str, report: MachineReport, now: dt.datetime
) -> Iterator[tuple[AlertKind, str, dict[str, Any]]]:
    """The alerts of a machine: kind, cause and values."""
    if abs(report.offset_ms) > 1_000 * LARGEST_OFFSET_SECONDS:
        yield (
            CLOCK_OFFSET,
            machine[:LONGEST_CAUSE],
            {"machine": machine, "seconds": round(report.offset_ms / 1_000)},
        )
    for folder, percent in report.disks.items():
        if percent < FEW_PERCENT:
            kind = DISK_LEAST if percent < LEAST_PERCENT else DISK_LOW
            yield (
                kind,
                f"{machine}{folder}"[:LONGEST_CAUSE],
                {"machine": machine, "folder": folder, "percent": percent},
            )
    for name, certificate in report.certificates.items():
        if certificate.is_ending(now):
            yield CERTIFICATE_ENDS, name[:LONGEST_CAUSE], {"machine": name, "until": certificate.ends_at}


def _restore_is_due_since(now: dt.datetime) -> str | None:
    """The day of the last verified restore, or of the first entry if there was none; None where none is due."""
    if not archives_its_log():
        return None
    drilled = Entry.objects.filter(type=RESTORE_DRILLED.name).order_by("-at", "-pk").values_list("at", "body")
    passed = (at for at, body in drilled.iterator() if json.loads(bytes(body))["data"]["outcome"] == "passed")
    last = next(passed, None) or Entry.objects.order_by("at").values_list("at", flat=True).first()
    return last.date().isoformat() if last is not None and now - last > DRILL_EVERY else None


def archives_its_log() -> bool:
    """Whether the database archives its log, so that backups of it can be restored to the last moment."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SHOW archive_mode")
        return bool(cursor.fetchone() != ("off",))


alert_rule(
    AlertRule(
        (CERTIFICATE_ENDS, CLOCK_OFFSET, DISK_LOW, DISK_LEAST, RESTORE_DUE), machine_alerts, ALERTS_EVERY
    )
)
