"""The page of one case, and its documents."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.access import Denied
from audit.models import Person
from games.models import Facility
from tables.cases.case_page import CasePage
from tables.cases.entry_types import LETTER_PRINTED
from tables.cases.letter_paper import LetterPaper
from tables.cases.letter_pdf import letter_pdf
from tables.cases.page import inbox_context
from tables.cases.roles import CASE_WORKERS, authorize_cases
from tables.desk.views.papers import own_recent_entry, recorded_pdf
from tables.models import Assignment, Case, CaseDocument, CaseLetter

LETTER_CHANGED = "A name or a case that this letter prints has changed since. Print it again."


@require_GET
def case_page(request: HttpRequest, facility_code: str, case: str) -> HttpResponse:
    """Show a case: what is said, what is recorded, what is decided."""
    person, facility = authorize_cases(request, facility_code)
    context = inbox_context(person, facility, "")
    row = _case(facility, case)
    page = CasePage(row, person, context["now"])
    context |= {
        "page": page,
        "case": row,
        "round": page.round,
        "documents": row.documents.defer("content").select_related("added_by"),
        "notes": row.notes.select_related("written_by"),
        "owners": _possible_owners(facility) if page.may_assign else (),
        **_wagers_context(page),
    }
    return render(request, "cases/case.html", context)


@require_GET
def document(request: HttpRequest, facility_code: str, case: str, number: int) -> HttpResponse:
    """Download a document of a case. It is never shown in place, so nothing in it runs."""
    _person, facility = authorize_cases(request, facility_code)
    row = CaseDocument.objects.filter(case=_case(facility, case), number=number).first()
    if row is None:
        raise Http404
    response = HttpResponse(bytes(row.content), content_type=row.media_type)
    ending = row.filename.rpartition(".")[2].lower()
    response["Content-Disposition"] = f'attachment; filename="{case}-{number}.{ending}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


@require_GET
def letter(request: HttpRequest, facility_code: str, case: str, number: int) -> HttpResponse:
    """Show a letter to a patron as it is printed, and what is missing."""
    person, facility = authorize_cases(request, facility_code)
    row = _case(facility, case)
    letter_ = row.letters.filter(number=number).select_related("written_by").first()
    if letter_ is None:
        raise Http404
    letter_.case = row
    context = inbox_context(person, facility, "")
    context |= {"page": CasePage(row, person, context["now"]), "case": row, "paper": LetterPaper(letter_)}
    return render(request, "cases/letter.html", context)


@require_GET
def letter_file(
    request: HttpRequest, facility_code: str, case: str, number: int, digest: str
) -> HttpResponse:
    """Make the recorded PDF of a letter again, and serve it if it has the SHA-256 that was recorded."""
    person, facility = authorize_cases(request, facility_code)
    letter_ = CaseLetter.objects.filter(case__facility=facility, case__code=case, number=number).first()
    expected = {"case": case, "letter": number, "sha256": digest}
    if letter_ is None or not own_recent_entry(person, facility, LETTER_PRINTED.name, expected):
        raise Denied
    letter_.case = _case(facility, case)
    content = letter_pdf(LetterPaper(letter_))
    return recorded_pdf(content, digest, f"{facility.code}-{case}-letter-{number}.pdf", LETTER_CHANGED)


def _case(facility: Facility, code: str) -> Case:
    rows = Case.objects.filter(facility=facility, code=code).prefetch_related("signatures__person", "cameras")
    row = rows.select_related(
        "facility", "owner", "opened_by", "closed_by", "table__stream", "table__facility"
    ).first()
    if row is None:
        raise Http404
    return row


def _possible_owners(facility: Facility) -> list[Person]:
    """The people on duty who may work on cases."""
    on_duty = Assignment.objects.at_facility(facility).values("person")
    return list(Person.objects.filter(pk__in=on_duty, role__in=CASE_WORKERS, is_active=True).order_by("name"))


def _wagers_context(page: CasePage) -> dict[str, Any]:
    """What the replay's layout reads."""
    if page.round is None:
        return {"s": None}
    return {"s": page.round.snapshot, "history": page.round.history}


urlpatterns = [
    path("inbox/<slug:facility_code>/<slug:case>/", case_page, name="case"),
    path("inbox/<slug:facility_code>/<slug:case>/letters/<int:number>/", letter, name="case-letter"),
    path(
        "inbox/<slug:facility_code>/<slug:case>/letters/<int:number>/<slug:digest>.pdf",
        letter_file,
        name="case-letter-pdf",
    ),
    path("inbox/<slug:facility_code>/<slug:case>/documents/<int:number>", document, name="case-document"),
]
