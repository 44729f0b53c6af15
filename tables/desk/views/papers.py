"""The report of a round as a PDF, for the person who has just recorded that they take it."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_GET

from audit.access import Denied
from audit.models import Entry, Person
from tables.desk.access import authorize_desk, may_export
from tables.desk.entry_types import ROUND_PRINTED
from tables.desk.round_paper import printed_by, round_paper
from tables.desk.round_pdf import round_pdf
from tables.models import Table
from tables.replay.checks import sha256
from tables.words.entries import said_by

RECENT_ENTRIES = 100  # a person's newest entries, in which a report may just have been printed
CHANGED = "A name, a rule or a case that this report prints has changed since. Print it again."


@require_GET
def round_report(
    request: HttpRequest, facility_code: str, table: str, number: int, digest: str
) -> HttpResponse:
    """Make the recorded report again, and serve it if it has the SHA-256 that was recorded."""
    person, facility = authorize_desk(request, facility_code)
    table_ = Table.objects.select_related("facility", "stream").filter(facility=facility, code=table).first()
    entry = _printed(person, f"{facility.code}/", table, number, digest)
    if not may_export(person) or table_ is None or entry is None:
        raise Denied
    data = said_by(entry)
    paper = round_paper(
        table_, number, data["seat"], moment=entry.at, printed_by=printed_by(person), last=data["last"]
    )
    content = round_pdf(paper) if paper else b""
    if sha256(content) != digest:
        return HttpResponse(CHANGED, status=410, content_type="text/plain; charset=utf-8")
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{facility.code}-{table}-R{number}.pdf"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def _printed(person: Person, prefix: str, table: str, number: int, digest: str) -> Entry | None:
    """The person's own recent entry that recorded these bytes."""
    own = Entry.objects.filter(actor=person.code, stream__name__startswith=prefix).exclude(actor="")
    newest_entries = own.order_by("-at")[:RECENT_ENTRIES]
    expected = {"table": table, "number": number, "sha256": digest}
    return next(
        (
            entry
            for entry in newest_entries
            if entry.type == ROUND_PRINTED.name and expected.items() <= said_by(entry).items()
        ),
        None,
    )


urlpatterns = [
    path(
        "record/<slug:facility_code>/rounds/<code:table>/<int:number>/<slug:digest>.pdf",
        round_report,
        name="record-round-pdf",
    ),
]
