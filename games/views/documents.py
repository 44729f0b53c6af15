"""Documents on file: their list, and each as an attachment."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.doors import Denied
from games.models import Document
from games.office.core.access import office_of
from games.office.documents.usage import uses_of
from games.views.page_context import office

SHOWN = 100
LEAST_HASH = 8


@require_GET
def documents(request: HttpRequest, facility: str) -> HttpResponse:
    """What is on file, the newest first; `q` is a part of a title or a file's name, a code, or the first 8 digits or
    more of a SHA-256.
    """
    person, house = office_of(request, facility)
    asked = request.GET.get("q", "").replace("\0", "")[:64].strip()
    found = Document.objects.filter(facility=house).defer("content").select_related("filed_by")
    if asked:
        wanted = Q(title__icontains=asked) | Q(filename__icontains=asked) | Q(code__iexact=asked)
        if len(asked) >= LEAST_HASH:
            wanted |= Q(sha256__startswith=asked.lower())
        found = found.filter(wanted)
    shown = list(found[:SHOWN])
    uses = uses_of(house, shown)
    context = office(person, house, "documents") | {
        "documents": [(one, uses.get(one.code, ())) for one in shown],
        "shown": SHOWN,
        "count": found.count(),
        "asked": asked,
    }
    return render(request, "games/office/documents.html", context)


@require_GET
def document(request: HttpRequest, facility: str, code: str) -> HttpResponse:
    """One document as it was filed: downloaded, never shown in place, so that nothing in it runs."""
    _, house = office_of(request, facility)
    found = Document.objects.filter(facility=house, code=code).first()
    if found is None:
        raise Denied
    return attachment(found)


def attachment(found: Document) -> HttpResponse:
    """A document's bytes as a download."""
    response = HttpResponse(bytes(found.content), content_type=found.media_type)
    ending = found.filename.rpartition(".")[2].lower()
    response["Content-Disposition"] = f'attachment; filename="{found.code}.{ending}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


urlpatterns = [
    path("office/<slug:facility>/documents/", documents, name="documents"),
    path("office/<slug:facility>/documents/<slug:code>", document, name="document"),
]
