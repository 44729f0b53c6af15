"""The report of a round as a PDF, for the person who has just recorded that they take it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_GET

from audit.access import Denied
from audit.models import Entry, Person
from games.models import Facility
from tables.desk.access import authorize_desk, may_export
from tables.desk.entry_types import ROUND_PRINTED
from tables.desk.round_paper import printed_by, round_paper
from tables.desk.round_pdf import round_pdf
from tables.models import Table
from tables.replay.evidence import sha256
from tables.words.entries import data_of

RECENT_ENTRIES = 100  # a person's newest entries, in which a report may just have been printed
CHANGED = "A name, a rule or a case that this report prints has changed since. Print it again."


@require_GET
def round_report(
    request: HttpRequest, facility_code: str, table: str, number: int, digest: str
) -> HttpResponse:
    """Make the recorded report again, and serve it if it has the SHA-256 that was recorded."""
    person, facility = authorize_desk(request, facility_code)
    table_ = Table.objects.select_related("facility", "stream").filter(facility=facility, code=table).first()
    expected = {"table": table, "number": number, "sha256": digest}
    entry = own_recent_entry(person, facility, ROUND_PRINTED.name, expected)
    if not may_export(person) or table_ is None or entry is None:
        raise Denied
    data = data_of(entry)
    paper = round_paper(
        table_, number, data["seat"], moment=entry.at, printed_by=printed_by(person), last=data["last"]
    )
    content = round_pdf(paper) if paper else b""
    return recorded_pdf(content, digest, f"{facility.code}-{table}-R{number}.pdf", CHANGED)


def recorded_pdf(content: bytes, digest: str, name: str, changed: str) -> HttpResponse:
    """Serve a PDF that has the recorded SHA-256; otherwise say, with 410, what changed."""
    if sha256(content) != digest:
        return HttpResponse(changed, status=410, content_type="text/plain; charset=utf-8")
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def own_recent_entry(
    person: Person, facility: Facility, type_: str, expected: dict[str, Any]
) -> Entry | None:
    """The person's own recent entry of a type that recorded these values."""
    own = Entry.objects.filter(actor=person.code, stream__name__startswith=f"{facility.code}/")
    newest_entries = own.exclude(actor="").order_by("-at")[:RECENT_ENTRIES]
    return next(
        (
            entry
            for entry in newest_entries
            if entry.type == type_ and expected.items() <= data_of(entry).items()
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
