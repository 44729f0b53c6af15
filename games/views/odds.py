"""The odds sheet of any edition or submission, with what-if trials, also as a PDF."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_GET

from audit import clock
from audit.identity import Denied
from games.engine import Refusal, Rules
from games.engine.game import Game
from games.models import Facility, RulesSubmission
from games.office.core import person_and_facility
from games.office.odds import pdf as odds_paper
from games.office.odds.charts import Curve, curve
from games.office.odds.sheet import OddsSheet, odds_sheet
from games.office.pdf.approval import approval_text
from games.office.submissions import pdf as submission_paper
from games.office.submissions.compare import WhatIf, choices, edition_title, what_if
from games.registry import game_by_code
from games.submissions import Options, options_of
from games.views.page_context import page_context

MOST_QUERY = 40
Version = RulesSubmission.Status


@dataclass(frozen=True)
class OddsSubject:
    """What an odds page shows: some rules, their name, and the rules to compare them with."""

    key: str
    title: str
    name: str
    rules: Rules
    options: Options
    submission: RulesSubmission | None = None
    before: Rules | None = None
    before_name: str = ""

    @property
    def game(self) -> Game:
        return game_by_code(self.rules.edition.game)

    @property
    def sheet(self) -> OddsSheet:
        return odds_sheet(self.rules, self.before, self.name, self.before_name)


def odds_subject(facility: Facility, key: str) -> OddsSubject:
    """Return a version such as `RS-0014.4` of the facility, or an edition by its key. Raises `Denied`."""
    code, _, version = key.rpartition(".")
    submission = None
    if code and version.isascii() and version.isdigit() and len(version) < 9:
        submission = RulesSubmission.objects.filter(
            facility=facility, code=code, version=int(version)
        ).first()
    if submission is not None:
        return _submission_subject(submission, key)
    try:
        rules = Rules.of(key)
    except Refusal:
        raise Denied from None
    return OddsSubject(key, edition_title(rules), "edition", rules, Options(rules.key))


def _submission_subject(submission: RulesSubmission, key: str) -> OddsSubject:
    """Return a version compared with the approved one before it. Drafts that may not be filed have odds too."""
    options, title = options_of(submission), f"{submission.code} version {submission.version}"
    earlier = RulesSubmission.objects.filter(
        facility=submission.facility_id, code=submission.code, version__lt=submission.version
    )
    last = earlier.filter(status__in=[Version.APPROVED, Version.SUPERSEDED]).order_by("-version").first()
    before = options_of(last).rules_if_any() if last else None
    name, before_name = f"version {submission.version}", f"version {last.version}" if last else ""
    return OddsSubject(key, title, name, _rules(options), options, submission, before, before_name)


def _rules(options: Options) -> Rules:
    """Return the rules of options, leaving out payouts that are not allowed."""
    rules = options.rules_if_any()
    if rules is not None:
        return rules
    allowed = {}
    for row, odds in options.payouts.items():
        try:
            Rules.of(options.key, {row: odds})
        except Refusal:
            continue
        allowed[row] = odds
    return Rules.of(options.key, allowed)


@require_GET
def odds(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show an odds sheet, with a what-if trial if the query has one. HTMX requests get only the answer."""
    person, facility = person_and_facility(request, facility_code)
    subject = odds_subject(facility, request.GET.get("rules", "") or _default_key(facility))
    answer, tried = _answer_what_if(request, subject)
    context = {
        "facility": facility,
        "subject": subject,
        "answer": answer,
        "sheet": answer.sheet,
        "chart": answer.chart,
        "tried": tried,
        "query": request.GET.urlencode() or f"rules={subject.key}",
    }
    if request.headers.get("HX-Request"):
        response = render(request, "games/office/odds_answer.html", context)
    else:
        context |= page_context(person, facility, "odds") | _choices(facility, subject)
        response = render(request, "games/office/odds.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _default_key(facility: Facility) -> str:
    """Return the newest submission in force, or else an edition of this jurisdiction.

    Raises Denied where there is no edition at all.
    """
    approved = RulesSubmission.objects.filter(
        facility=facility, status__in=[Version.APPROVED, Version.SUPERSEDED]
    )
    newest = approved.filter(in_force_from__lte=clock.now()).order_by("-in_force_from", "-version").first()
    if newest:
        return f"{newest.code}.{newest.version}"
    editions = facility.readable_editions()
    own = [key for key, edition in editions.items() if edition.jurisdiction == facility.jurisdiction]
    if not editions:
        raise Denied
    return next(iter(own or editions))


def _answer_what_if(request: HttpRequest, subject: OddsSubject) -> tuple[WhatIf, dict[str, str]]:
    """Return the sheet, with the odds of the query tried."""
    row = request.GET.get("family", "")[:MOST_QUERY]
    written = request.GET.get("odds", "")[:MOST_QUERY].strip()
    if not row or not written:
        return WhatIf(subject.sheet, _plain_chart(subject)), {"family": row, "odds": ""}
    try:
        answer = what_if(subject.rules, subject.options, row, written, subject.name)
    except Refusal:
        raise Denied from None
    return answer, {"family": row, "odds": written}


def _plain_chart(subject: OddsSubject) -> Curve | None:
    """Return the chart of the row that needs the most attention: one that favors the player, or one that changed."""
    full_sheet = subject.sheet
    for row in (*full_sheet.favored, *full_sheet.changed):
        return curve(
            subject.rules,
            row.paytable[0],
            row.label,
            name=subject.name,
            before=subject.before,
            before_name=subject.before_name,
        )
    return None


def _choices(facility: Facility, subject: OddsSubject) -> dict[str, Any]:
    versions = RulesSubmission.objects.filter(facility=facility).defer("terms")
    return {
        "versions": [
            {
                "key": f"{version.code}.{version.version}",
                "title": f"{version.code} version {version.version}, {version.get_status_display()}",
            }
            for version in versions
        ],
        "editions": [
            {"key": key, "title": edition_title(Rules.of(key))} for key in facility.readable_editions()
        ],
        "edition_key": subject.rules.key if subject.submission is None else "",
        "choices": choices(subject.rules),
    }


@require_GET
def odds_pdf(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Return the sheet of the page as a PDF."""
    _, facility = person_and_facility(request, facility_code)
    subject = odds_subject(facility, request.GET.get("rules", "") or _default_key(facility))
    answer, tried = _answer_what_if(request, subject)
    if tried["odds"]:
        approved = f"What-if on {subject.title}, not filed"
    elif subject.submission is not None:
        approved = approval_text(subject.submission, facility)
    else:
        approved = "Computed from the edition, no submission"
    content = odds_paper.odds_sheet_pdf(
        answer.sheet, answer.chart, title=subject.title, facility_name=facility.name, approved=approved,
        summary=". ".join(text for text in (answer.headline, answer.detail) if text),
    )  # fmt: skip
    return pdf_response(content, f"odds-{subject.key.replace('/', '-').replace('@', '-')}")


@require_GET
def submission_pdf(request: HttpRequest, facility_code: str, code: str, version: int) -> HttpResponse:
    """Return a version of a submission with its options, odds and dates as a PDF."""
    _, facility = person_and_facility(request, facility_code)
    submission = RulesSubmission.objects.filter(facility=facility, code=code, version=version).first()
    if submission is None:
        raise Denied
    subject = _submission_subject(submission, f"{code}.{version}")
    content = submission_paper.submission_pdf(
        submission, subject.options, subject.sheet, subject.before, facility, clock.now()
    )
    return pdf_response(content, f"{code}-version-{version}")


def pdf_response(content: bytes, name: str) -> HttpResponse:
    """Return a PDF that the browser shows and saves under this name."""
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{name}.pdf"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


urlpatterns = [
    path("office/<slug:facility_code>/odds/", odds, name="odds"),
    path("office/<slug:facility_code>/odds/what-if", odds, name="odds-what-if"),
    path("office/<slug:facility_code>/odds/sheet.pdf", odds_pdf, name="odds-pdf"),
    path(
        "office/<slug:facility_code>/submissions/<slug:code>/<int:version>.pdf",
        submission_pdf,
        name="submission-pdf",
    ),
]
