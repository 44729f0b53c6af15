"""What Prometheus reads of the whole installation: figures of the database, beside what each process counts.

Web workers and the ticker serve them (`watch_installation`), so that one of them that has ended hides nothing; a rule
takes the largest. They are read when Prometheus asks, in the thread of its request, on a connection of their own that
reads only: no act waits for them, and none of them takes a connection of the pool. A statement may take a second, all
of them three; what could not be read is missing, and counted in `pitside_figures_missing`.

Ages are in seconds by the database's clock. Labels are codes of the product and names of its configuration.
"""

import copy
import datetime as dt
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from audit import metrics
from audit.delivery import Delivery, DeliveryStatus
from audit.entries import RESTORE_DRILLED
from audit.models import Checkpoint, Entry, Incarnation, Job, SealedHead, SealerStatus, Stream
from tables.core.alerts import live_tables
from tables.machines import machine_reports
from tables.models import Alert, FiguresReport, TickerStatus, WebhookMessage

ALIAS = "monitoring"
STATEMENT_SECONDS = 1
READ_SECONDS = 3.0
KEPT_SECONDS = 5.0
Sample = tuple[tuple[str, ...], float]  # the values of its labels, and its own


@dataclass(frozen=True)
class Source:
    """Where figures are read: the alias of a connection, and the moment from which ages count."""

    alias: str
    now: dt.datetime

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def age(self, moment: dt.datetime) -> float:
        """Seconds since a moment; 0 for one that is ahead."""
        return max(0.0, (self.now - moment).total_seconds())

    @property
    def is_postgres(self) -> bool:
        return connections[self.alias].vendor == "postgresql"


@dataclass(frozen=True)
class Figure:
    """One figure: its name, what it means, its labels, and what reads it."""

    name: str
    help: str
    labels: tuple[str, ...]
    read: Callable[[Source], Iterable[Sample]]


FIGURES: list[Figure] = []
Read = Callable[[Source], Iterable[Sample]]


def figure(name: str, help: str, *labels: str) -> Callable[[Read], Read]:
    """Declare the decorated function as what reads a figure. A figure of which it yields nothing is absent."""

    def declare(read: Read) -> Read:
        FIGURES.append(Figure(name, help, labels, read))
        return read

    return declare


# The record


@figure(
    "pitside_oldest_unsealed_entry_seconds",
    "Age of the oldest entry that no seal covers; 0 if all are sealed",
)
def oldest_unsealed(source: Source) -> Iterator[Sample]:
    sealed = SealedHead.objects.filter(stream=OuterRef("pk")).order_by("-seq").values("seq")[:1]
    first = Entry.objects.filter(stream=OuterRef("pk"), seq=OuterRef("last_sealed") + 1).values("at")
    streams = Stream.objects.using(source.alias).annotate(last_sealed=Coalesce(Subquery(sealed), 0))
    oldest = streams.annotate(first_at=Subquery(first)).aggregate(oldest=Min("first_at"))["oldest"]
    yield (), source.age(oldest) if oldest else 0.0


@figure("pitside_sealer_age_seconds", "Seconds since the sealer last reported")
def sealer_age(source: Source) -> Iterator[Sample]:
    for beat_at in SealerStatus.objects.using(source.alias).values_list("beat_at", flat=True):
        if beat_at is not None:
            yield (), source.age(beat_at)


@figure(
    "pitside_log_not_sealed",
    "1 for a log that the sealer refuses or fails to seal, with its reason",
    "log",
    "reason",
)
def logs_not_sealed(source: Source) -> Iterator[Sample]:
    for log, report in _log_reports(source):
        if report["problem"]:
            yield (log, report["problem"]), 1.0


@figure("pitside_cosignature_age_seconds", "Age of the newest cosignature of each witness", "log", "witness")
def cosignature_ages(source: Source) -> Iterator[Sample]:
    for log, report in _log_reports(source):
        for name, witness in report["witnesses"].items():
            if witness["at"]:
                yield (log, name), source.age(dt.datetime.fromisoformat(witness["at"]))


@figure(
    "pitside_cosignature_lag_seconds",
    "Age of the oldest checkpoint that a witness has not cosigned; 0 if it has all of them",
    "log",
    "witness",
)
def cosignature_lags(source: Source) -> Iterator[Sample]:
    newest = Incarnation.objects.using(source.alias).order_by("-number").first()
    for log, report in _log_reports(source):
        own = Checkpoint.objects.using(source.alias).filter(incarnation=newest, facility=_facility(log))
        for name, witness in report["witnesses"].items():
            later = own.filter(size__gt=witness["size"]).order_by("size").values_list("at", flat=True).first()
            yield (log, name), source.age(later) if later else 0.0


FIRST_LOG = "first"  # the label of the log that no facility's code names


def _log_reports(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the sealer reports of each log: why it is not sealed, and its witnesses by name."""
    for row in SealerStatus.objects.using(source.alias).all():
        yield FIRST_LOG, {"problem": row.problem, "witnesses": row.witnesses}
        yield from row.logs.items()


def _facility(log: str) -> str:
    return "" if log == FIRST_LOG else log


# The processes beside the web workers


@figure("pitside_ticker_age_seconds", "Seconds since the ticker last reported")
def ticker_age(source: Source) -> Iterator[Sample]:
    for beat_at in TickerStatus.objects.using(source.alias).values_list("beat_at", flat=True):
        yield (), source.age(beat_at)


@figure("pitside_ticker_failing", "1 for each check of the ticker that fails", "check")
def failing_checks(source: Source) -> Iterator[Sample]:
    for failing in TickerStatus.objects.using(source.alias).values_list("failing", flat=True):
        yield from (((check,), 1.0) for check in failing)


@figure("pitside_jobs", "Exports and verifications that wait or run", "status")
def jobs(source: Source) -> Iterator[Sample]:
    for status in (Job.Status.WAITING, Job.Status.RUNNING):
        yield (status.value,), Job.objects.using(source.alias).filter(status=status).count()


@figure("pitside_oldest_waiting_job_seconds", "Age of the oldest job that waits; 0 without one")
def oldest_job(source: Source) -> Iterator[Sample]:
    waiting = Job.objects.using(source.alias).filter(status=Job.Status.WAITING)
    oldest = waiting.aggregate(oldest=Min("asked_at"))["oldest"]
    yield (), source.age(oldest) if oldest else 0.0


OUTBOXES: tuple[tuple[str, type[Delivery]], ...] = (("report", FiguresReport), ("webhook", WebhookMessage))


@figure(
    "pitside_deliveries",
    "Reports and webhook messages that are not done, by what became of them",
    "kind",
    "status",
)
def deliveries(source: Source) -> Iterator[Sample]:
    for kind, model in OUTBOXES:
        rows = _deliveries(source, model).exclude(status=DeliveryStatus.DONE).order_by()
        counts = dict(rows.values_list("status").annotate(Count("pk")))
        for status in (DeliveryStatus.DUE, DeliveryStatus.FAILED, DeliveryStatus.UNSURE):
            yield (kind, status.value), counts.get(status.value, 0)


@figure("pitside_late_delivery_seconds", "How long the oldest delivery has been due; 0 without one", "kind")
def late_deliveries(source: Source) -> Iterator[Sample]:
    for kind, model in OUTBOXES:
        due = _deliveries(source, model).filter(status=DeliveryStatus.DUE)
        oldest = due.aggregate(oldest=Min("next_try_at"))["oldest"]
        yield (kind,), source.age(oldest) if oldest else 0.0


def _deliveries(source: Source, model: type[Delivery]) -> QuerySet[Delivery]:
    rows: QuerySet[Delivery] = model._default_manager.using(source.alias).all()
    return rows


# The floor


@figure(
    "pitside_alerts", "Alerts that nobody has acknowledged, or whose cause has not ended", "kind", "level"
)
def alerts(source: Source) -> Iterator[Sample]:
    for kind, level, count, _oldest in _alerts(source, Q(ended_at=None) | Q(acknowledged_at=None)):
        yield (kind, level), count


@figure(
    "pitside_oldest_alert_seconds", "Age of the oldest alert that nobody has acknowledged", "kind", "level"
)
def oldest_alerts(source: Source) -> Iterator[Sample]:
    for kind, level, _count, oldest in _alerts(source, Q(acknowledged_at=None)):
        yield (kind, level), source.age(oldest)


def _alerts(source: Source, which: Q) -> Iterator[tuple[str, str, int, dt.datetime]]:
    """By kind and level how many alerts of real play there are of these, and when the oldest was raised."""
    live = live_tables().using(source.alias).values("pk")
    rows = Alert.objects.using(source.alias).filter(which, table__in=live).order_by()
    yield from rows.values_list("kind", "level").annotate(Count("pk"), Min("raised_at"))


# The database


@figure("pitside_clock_offset_seconds", "Clock of this process's machine, less that of the database")
def clock_offset(source: Source) -> Iterator[Sample]:
    if source.is_postgres:
        before = time.time()
        ((seconds,),) = source.rows("SELECT extract(epoch FROM clock_timestamp())::float8")
        yield (), (before + time.time()) / 2 - seconds


# The machines, by the reports of their tickers


@figure(
    "pitside_machine_clock_offset_seconds",
    "Clock of each machine with a ticker, less that of the database",
    "machine",
)
def machine_offsets(source: Source) -> Iterator[Sample]:
    for machine, report in machine_reports(source.now, source.alias).items():
        yield (machine,), report.offset_ms / 1_000


@figure("pitside_clock_synchronized", "1 where a machine keeps its clock by a time server", "machine")
def synchronized_clocks(source: Source) -> Iterator[Sample]:
    for machine, report in machine_reports(source.now, source.alias).items():
        if report.is_synchronized is not None:
            yield (machine,), report.is_synchronized


@figure("pitside_disk_free_ratio", "Free share of each watched disk", "machine", "folder")
def free_disks(source: Source) -> Iterator[Sample]:
    for machine, report in machine_reports(source.now, source.alias).items():
        yield from (((machine, folder), percent / 100) for folder, percent in report.disks.items())


@figure("pitside_certificate_seconds", "How long each watched certificate still counts", "certificate")
def certificates(source: Source) -> Iterator[Sample]:
    for report in machine_reports(source.now, source.alias).values():
        for name, certificate in report.certificates.items():
            if (left := certificate.left(source.now)) is not None:
                yield (name,), left.total_seconds()


@figure(
    "pitside_certificate_ending",
    "1 for a watched certificate that should have been renewed, or cannot be read",
    "certificate",
)
def ending_certificates(source: Source) -> Iterator[Sample]:
    for report in machine_reports(source.now, source.alias).values():
        for name, certificate in report.certificates.items():
            yield (name,), not certificate.ends_at or certificate.is_ending(source.now)


STANDBYS = """SELECT coalesce(nullif(application_name, ''), 'standby'),
    extract(epoch FROM replay_lag)::float8, state,
    CASE WHEN NOT pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 END
    FROM pg_stat_replication WHERE application_name <> ALL (ARRAY['pg_basebackup', 'pg_receivewal'])"""


@figure("pitside_standbys", "Standbys of the database that are connected")
def standbys(source: Source) -> Iterator[Sample]:
    if source.is_postgres:
        yield (), len(source.rows(STANDBYS))


@figure(
    "pitside_standby_lag_seconds",
    "What a standby was behind when it last replayed; absent without the right pg_read_all_stats",
    "standby",
)
def standby_lags(source: Source) -> Iterator[Sample]:
    for name, seconds, state, _bytes in source.rows(STANDBYS) if source.is_postgres else ():
        if state is not None:
            yield (name,), seconds or 0.0


@figure(
    "pitside_standby_lag_bytes", "What a standby has not replayed yet; absent without that right", "standby"
)
def standby_lag_bytes(source: Source) -> Iterator[Sample]:
    for name, _seconds, _state, behind in source.rows(STANDBYS) if source.is_postgres else ():
        if behind is not None:
            yield (name,), behind


ARCHIVER = """SELECT extract(epoch FROM clock_timestamp() - coalesce(last_archived_time, stats_reset))::float8,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)
    FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'"""


@figure(
    "pitside_wal_archive_age_seconds",
    "Seconds since the database last archived its log; absent where it does not",
)
def wal_archive_age(source: Source) -> Iterator[Sample]:
    for age, _failing in source.rows(ARCHIVER) if source.is_postgres else ():
        if age is not None:
            yield (), age


@figure("pitside_wal_archive_failing", "1 if the last try to archive failed")
def wal_archive_failing(source: Source) -> Iterator[Sample]:
    for _age, failing in source.rows(ARCHIVER) if source.is_postgres else ():
        yield (), failing


# The last restores that were drilled


DRILLS_READ = 50


@figure(
    "pitside_verified_restore_age_seconds",
    "Seconds since a backup was last restored and verified; absent if never",
)
def verified_restore_age(source: Source) -> Iterator[Sample]:
    if passed := next((at for at, outcome in _drills(source) if outcome == "passed"), None):
        yield (), source.age(passed)


@figure(
    "pitside_restore_drill",
    "1 for the outcome of the newest drill: passed, failed or could-not-run",
    "outcome",
)
def newest_drill(source: Source) -> Iterator[Sample]:
    for _at, outcome in _drills(source)[:1]:
        yield (outcome,), 1.0


def _drills(source: Source) -> list[tuple[dt.datetime, str]]:
    """When the newest drills ended, and how, the newest first."""
    rows = Entry.objects.using(source.alias).filter(type=RESTORE_DRILLED.name).order_by("-at", "-pk")
    return [
        (at, json.loads(bytes(body))["data"]["outcome"])
        for at, body in rows.values_list("at", "body")[:DRILLS_READ]
    ]


# Reading


class Installation(Collector):
    """Reads the figures for one scrape, at most every five seconds."""

    def __init__(self, alias: str = ALIAS, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.alias, self.monotonic = alias, monotonic
        self._lock = threading.Lock()
        self._kept: list[GaugeMetricFamily] = []
        self._kept_until = 0.0

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing is read when it is registered."""
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        with self._lock:
            if self.monotonic() >= self._kept_until:
                self._kept = list(self._read())
                self._kept_until = self.monotonic() + KEPT_SECONDS
            return self._kept

    def _read(self) -> Iterator[GaugeMetricFamily]:
        began, missing = self.monotonic(), 0
        try:
            source = Source(self.alias, self._now())
        except DatabaseError:
            figures, missing = [], len(FIGURES)
        else:
            figures = FIGURES
        for declared in figures:
            family = GaugeMetricFamily(declared.name, declared.help, labels=declared.labels)
            try:
                if self.monotonic() - began > READ_SECONDS:
                    raise TimeoutError
                for labels, value in declared.read(source):
                    family.add_metric(labels, float(value))
            except (DatabaseError, TimeoutError, ValueError, KeyError):
                missing += 1
                continue
            yield family
        connections[self.alias].close()
        yield GaugeMetricFamily(
            "pitside_figures_missing", "Figures of the database that could not be read", value=missing
        )
        yield GaugeMetricFamily(
            "pitside_figures_read_seconds", "What it took to read them", value=self.monotonic() - began
        )

    def _now(self) -> dt.datetime:
        line = connections[self.alias]
        if line.vendor != "postgresql":
            return dt.datetime.now(dt.UTC)
        with line.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            moment: dt.datetime = cursor.fetchone()[0]
        return moment


class Pool(Collector):
    """The connections of this process to the database, and who waits for one."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return []

    def collect(self) -> Iterable[GaugeMetricFamily]:
        pool = getattr(connection, "pool", None)
        if pool is None:  # SQLite has none
            return
        stats = pool.get_stats()
        size, free = stats.get("pool_size", 0), stats.get("pool_available", 0)
        lent = GaugeMetricFamily(
            "pitside_database_connections", "Connections of this process", labels=["state"]
        )
        lent.add_metric(["used"], size - free)
        lent.add_metric(["free"], free)
        yield lent
        waiting = stats.get("requests_waiting", 0)
        yield GaugeMetricFamily(
            "pitside_database_waiting", "Requests that wait for a connection", value=waiting
        )


def watch_installation() -> None:
    """Add the figures of the database to what this process serves, if it serves metrics, and listen."""
    if settings.METRICS_LISTEN:
        connections.settings[ALIAS] = _settings_of_own()
        metrics.REGISTRY.register(Installation())
        metrics.REGISTRY.register(Pool())
    metrics.listen()


def _settings_of_own() -> dict[str, Any]:
    """The settings of the database for one connection that is closed after each reading, and reads only."""
    own = copy.deepcopy(settings.DATABASES["default"])
    for name, value in connections.settings["default"].items():
        own.setdefault(name, value)
    options = own["OPTIONS"]
    if options.pop("pool", None) is not None:
        own["OPTIONS"] = {
            **options,
            "connect_timeout": 2,
            "options": f"{options.get('options', '')} -c default_transaction_read_only=on "
            f"-c statement_timeout={STATEMENT_SECONDS}s",
        }
    return own
