"""The report of a gaming day and its acceptance: who had opened it, and the SHA-256 of its PDF."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.urls import reverse

from audit import clock
from audit.models import Entry, Person
from games.models import Facility
from tables.cases.inbox import due_words, moment_words
from tables.cases.kinds import kind_of
from tables.core.figure_sums import Sums
from tables.models import Case, ReportAcceptance, Table
from tables.reports.figures import Report, build_report
from tables.reports.pdf import report_pdf
from tables.reports.report_day import ReportDay

SALT = "tables.cases.opened-report"
DAY = dt.timedelta(days=1)
MAX_CACHED = 32
_cache: dict[Any, Report] = {}  # of final days, by tables, their slips and the day


def opened_report(person: Person, day: ReportDay, sha256: str) -> str:
    """Return the server's statement that this person opened this report now; `accept_report` demands it."""
    statement = {
        "person": person.code,
        "facility": day.facility.code,
        "day": day.date.isoformat(),
        "sha256": sha256,
        "at": clock.format_moment(day.now),
    }
    return signing.dumps(statement, salt=SALT)


def read_opened(
    text: str, person: Person, facility: Facility, day: dt.date
) -> tuple[str, dt.datetime] | None:
    """Return the SHA-256 and the moment of such a statement about this day by this person; None for any other text."""
    try:
        statement = signing.loads(text, salt=SALT)
    except signing.BadSignature:
        return None
    expected = {"person": person.code, "facility": facility.code, "day": day.isoformat()}
    if any(statement.get(name) != value for name, value in expected.items()):
        return None
    return statement["sha256"], dt.datetime.fromisoformat(statement["at"])


def sha256_of(report: Report) -> str:
    """The SHA-256 of the report's PDF, in hex: the same record gives the same bytes."""
    return hashlib.sha256(report_pdf(report)).hexdigest()


@dataclass(frozen=True)
class ReportPanel:
    """Yesterday's report beside the inbox."""

    report: Report
    now: dt.datetime
    acceptances: list[ReportAcceptance]
    open_cases: list[Case]
    has_begun: bool  # whether any table of the casino has an entry of that day, or of an earlier one

    @property
    def day(self) -> ReportDay:
        return self.report.day

    @property
    def url(self) -> str:
        return reverse("inbox-report", args=[self.day.facility.code, self.day.date.isoformat()])

    @property
    def due_at(self) -> dt.datetime:
        return self.day.ends + self.day.facility.law.case_time("report")

    @property
    def due(self) -> str:
        return f"{moment_words(self.due_at, self.day.facility, self.now)}, {due_words(self.due_at, self.now)}"

    @property
    def is_late(self) -> bool:
        return self.has_begun and not self.acceptances and self.now > self.due_at

    @property
    def sums(self) -> Sums:
        """The figures of the day's settled rounds (docs/figures.md)."""
        return self.report.total.sums

    @property
    def has_band(self) -> bool:
        """Whether the win has a band: not where nothing varied, or the odds are not known."""
        return self.sums.z_tenths is not None

    @property
    def deviation(self) -> float:
        """How many standard deviations the win is over the expected win, from −3 to 3, for the drawing."""
        return max(-3.0, min(3.0, (self.sums.z_tenths or 0) / 10))

    @property
    def cases_words(self) -> str:
        """`1 dispute, 2 slips`: the open cases of that day."""
        counts: dict[str, int] = {}
        for case in self.open_cases:
            label = kind_of(case).label.lower()
            counts[label] = counts.get(label, 0) + 1
        return ", ".join(f"{count} {label}" for label, count in counts.items())


def report_panel(facility: Facility, now: dt.datetime) -> ReportPanel:
    """Return yesterday's report with who accepted it, and the cases of that day that are still open."""
    day = ReportDay(facility, facility.gaming_day(now) - DAY, now)
    acceptances = ReportAcceptance.objects.filter(facility=facility, day=day.date).select_related(
        "accepted_by"
    )
    cases = Case.objects.filter(
        facility=facility, status=Case.Status.OPEN, opened_at__gte=day.begins, opened_at__lt=day.ends
    )
    tables = Table.objects.filter(facility=facility)
    first = Entry.objects.filter(stream__in=tables.values("stream"), seq=1, at__lt=day.ends)
    return ReportPanel(_report(day), now, list(acceptances), list(cases.order_by("due_at")), first.exists())


def _report(day: ReportDay) -> Report:
    """The report of a day, from memory where only a slip could change it and none was filed since."""
    key = tuple((table.uid, table.last_slip) for table in day.tables.values()), day.date
    if key not in _cache:
        report = build_report(day)
        if not report.is_final:
            return report
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        _cache[key] = report
    return _cache[key]
