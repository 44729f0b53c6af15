"""The report of a gaming day, to be read and then accepted."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from audit import clock
from tables.cases.reports import opened_report, sha256_of
from tables.cases.roles import COMPLIANCE, authorize_cases
from tables.core.typed_days import read_day
from tables.desk.page import desk_context
from tables.models import ReportAcceptance
from tables.reports.figures import build_report
from tables.reports.page import page_context
from tables.reports.report_day import ReportDay


@require_GET
def report(request: HttpRequest, facility_code: str, day: str) -> HttpResponse:
    """Show the report of a gaming day of real play, with the acceptance of its PDF at the top."""
    person, facility = authorize_cases(request, facility_code)
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


urlpatterns = [path("inbox/<slug:facility_code>/reports/<slug:day>/", report, name="inbox-report")]
