"""The act that accepts a daily report."""

from typing import Annotated

from audit.clock import format_moment
from games.act_forms import Day, text
from games.engine import Refusal
from tables.cases.entry_types import REPORT_ACCEPTED, ReportAccepted
from tables.cases.refusals import (
    REPORT_ACCEPTED_ALREADY,
    REPORT_CHANGED,
    REPORT_DAY_NOT_OVER,
    REPORT_NOT_OPENED,
    REPORT_ROUNDS_IN_PLAY,
)
from tables.cases.reports import read_opened, sha256_of
from tables.cases.roles import COMPLIANCE
from tables.models import ReportAcceptance
from tables.reports.figures import build_report
from tables.reports.report_day import ReportDay
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act

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
    data: ReportAccepted = {
        "day": day.isoformat(),
        "opened_at": format_moment(opened_at),
        "sha256": sha256,
        "win_cents": report.moved_win_cents,
    }
    return ActOutcome(REPORT_ACCEPTED(data), changes="nothing")
