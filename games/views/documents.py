"""Documents on file: the list, and each document as an attachment."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.identity import Denied
from games.models import Document
from games.office.core import person_and_facility
from games.office.documents import usage_of
from games.views.page_context import page_context

SHOWN = 100
LEAST_HASH = 8


@require_GET
def documents(request: HttpRequest, facility_code: str) -> HttpResponse:
    """List the documents, the newest first.

    `q`: a part of a title or file name, a code, or at least the first 8 digits of a SHA-256.
    """
    person, facility = person_and_facility(request, facility_code)
    query = request.GET.get("q", "").replace("\0", "")[:64].strip()
    matches = Document.objects.filter(facility=facility).defer("content").select_related("filed_by")
    if query:
        condition = Q(title__icontains=query) | Q(filename__icontains=query) | Q(code__iexact=query)
        if len(query) >= LEAST_HASH:
            condition |= Q(sha256__startswith=query.lower())
        matches = matches.filter(condition)
    listed = list(matches[:SHOWN])
    uses = usage_of(facility, listed)
    context = page_context(person, facility, "documents") | {
        "documents": [(document, uses.get(document.code, ())) for document in listed],
        "listed_count": SHOWN,
        "count": matches.count(),
        "query": query,
    }
    return render(request, "games/office/documents.html", context)


@require_GET
def document(request: HttpRequest, facility_code: str, code: str) -> HttpResponse:
    """Download a document. It is never shown in place, so nothing in it runs."""
    _, facility = person_and_facility(request, facility_code)
    row = Document.objects.filter(facility=facility, code=code).first()
    if row is None:
        raise Denied
    return attachment(row)


def attachment(document: Document) -> HttpResponse:
    """Return a document's bytes as a download."""
    response = HttpResponse(bytes(document.content), content_type=document.media_type)
    ending = document.filename.rpartition(".")[2].lower()
    response["Content-Disposition"] = f'attachment; filename="{document.code}.{ending}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


urlpatterns = [
    path("office/<slug:facility_code>/documents/", documents, name="documents"),
    path("office/<slug:facility_code>/documents/<slug:code>", document, name="document"),
]
