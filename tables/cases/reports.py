"""Daily report of a casino and its acceptance by compliance.

Compliance opens the report of a gaming day that is over. The page gives the person the server's statement that they
opened this report at this moment (`opened_report`, signed), with the SHA-256 of its PDF. `accept_report` demands it:
nobody accepts what they have not opened, or what a slip has changed since. The inbox shows yesterday's report beside
the cases (`ReportPanel`).
"""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Annotated, Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.columns import ACTOR, AT, FACILITY, SEQ, declare
from audit.entry_types import entry_type
from audit.models import Entry, Person
from games.access import opened_by
from games.act_forms import Day, text
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.params import read_day
from tables.cases.case import CASE_PAGES, COMPLIANCE, due_words, moment_words
from tables.cases.kinds import DAY, kind_of
from tables.core.figure_sums import Sums
from tables.desk.desk import desk_context
from tables.models import Case, ReportAcceptance, Table
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import Report, build_report
from tables.reports.page import page_context, report_pdf
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act
from tables.words.sentences import dollars

REPORT_DAY_NOT_OVER = RefusalCode(
    "report-day-not-over", "The gaming day %(day)s is not over. Accept its report afterward.", "Day not over"
)
REPORT_ROUNDS_IN_PLAY = RefusalCode(
    "report-rounds-in-play",
    "Rounds of that day still in play: %(count)s. Accept the report when they have ended.",
    "Not final",
)
REPORT_NOT_OPENED = RefusalCode(
    "report-not-opened",
    "You have not opened the report of %(day)s. Open it, read it, then accept it.",
    "Read it first",
)
REPORT_CHANGED = RefusalCode(
    "report-changed",
    "The report of %(day)s has changed since you opened it: a slip was filed. Reload the page and read it again.",
    "Report changed",
)
REPORT_ACCEPTED_ALREADY = RefusalCode(
    "report-accepted-already",
    "%(person)s has accepted this report. There is nothing more to do.",
    "Accepted already",
)


@entry_type("report.accepted")
def REPORT_ACCEPTED(
    *,
    day: Annotated[str, "gaming day of the report"],
    opened_at: Annotated[str, "when the person had opened the report, UTC"],
    sha256: Annotated[str, "SHA-256 of its PDF, in hex"],
    win_cents: Annotated[int, "win of the day, with the slips filed on it"],
) -> str:
    """A person accepted the report of a gaming day, after opening it."""
    return f"Report of {day} accepted, win {dollars(win_cents)}"


declare(
    ReportAcceptance,
    "acceptance of the report",
    key={"facility": FACILITY, "day": "day", "sha256": "sha256"},
    created={
        REPORT_ACCEPTED: {"opened_at": "opened_at", "accepted_at": AT, "accepted_by": ACTOR, "seq": SEQ}
    },
)


# Opened, then accepted


SALT = "tables.cases.opened-report"


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


MAX_OPENED = 1000


@facility_act(CASES, roles=COMPLIANCE, step_up="always")
def accept_report(
    ctx: FacilityContext, *, day: Day, opened: Annotated[str, text(MAX_OPENED)] = ""
) -> ActOutcome:
    """Accept the report of a gaming day of real play. `opened` is what its page gave to this person on opening.

    Raises `report-day-not-over`, `report-rounds-in-play`, `report-not-opened`, `report-changed` (by a later slip)
    or `report-accepted-already`.
    """
    report_day = ReportDay(ctx.facility, day, ctx.now)
    if not report_day.is_over:
        raise Refusal(REPORT_DAY_NOT_OVER, day=day.isoformat())
    statement = read_opened(opened, ctx.actor, ctx.facility, day)
    if statement is None:
        raise Refusal(REPORT_NOT_OPENED, day=day.isoformat())
    report = build_report(report_day)
    if not report.is_final:
        raise Refusal(REPORT_ROUNDS_IN_PLAY, count=report.total.in_play)
    sha256, opened_at = statement
    if sha256_of(report) != sha256:
        raise Refusal(REPORT_CHANGED, day=day.isoformat())
    accepted = ReportAcceptance.objects.filter(facility=ctx.facility, day=day, sha256=sha256)
    if (earlier := accepted.select_related("accepted_by").first()) is not None:
        raise Refusal(REPORT_ACCEPTED_ALREADY, person=earlier.accepted_by.name)
    ReportAcceptance.objects.create(
        facility=ctx.facility,
        day=day,
        sha256=sha256,
        opened_at=opened_at,
        accepted_at=ctx.now,
        accepted_by=ctx.actor,
        seq=ctx.stream.seq + 1,
    )
    return ActOutcome(
        REPORT_ACCEPTED(
            day=day.isoformat(),
            opened_at=clock.format_moment(opened_at),
            sha256=sha256,
            win_cents=report.moved_win_cents,
        ),
        changes="nothing",
    )


# Beside the inbox


MAX_REPORTS = 32
_day_reports: dict[Any, Report] = {}  # of final days, by tables, their slips and the day


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
    if key not in _day_reports:
        report = build_report(day)
        if not report.is_final:
            return report
        if len(_day_reports) >= MAX_REPORTS:
            _day_reports.clear()
        _day_reports[key] = report
    return _day_reports[key]


# The page of a report


@require_GET
@opened_by(CASE_PAGES)
def report_page(request: HttpRequest, person: Person, facility: Facility, day: str) -> HttpResponse:
    """Show the report of a gaming day of real play, with the acceptance of its PDF at the top."""
    date = read_day(day)
    if date is None:
        raise Http404
    report_day = ReportDay(facility, date, clock.now())
    built = build_report(report_day)
    sha256 = sha256_of(built) if built.is_final else ""
    acceptances = ReportAcceptance.objects.filter(facility=facility, day=date).select_related("accepted_by")
    context = desk_context(person, facility, "report") | page_context(built, "table")
    context |= {
        "section": "inbox",
        "refused": "",
        "sha256": sha256,
        "opened": opened_report(person, report_day, sha256) if built.is_final else "",
        "acceptances": acceptances,
        "is_accepted": any(row.sha256 == sha256 for row in acceptances),
        "accepts_here": person.role in COMPLIANCE,
        "accept_url": reverse("facility-act", args=[facility.code, "accept_report"]),
    }
    return render(request, "cases/report.html", context)


urlpatterns = [path("inbox/<slug:facility>/reports/<slug:day>/", report_page, name="inbox-report")]
