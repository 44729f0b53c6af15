"""The integrity page: whether the record can be trusted now, and what says so."""

import base64

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit import clock
from audit.record import INSTALLATION
from tables.alerts.words import alert_words
from tables.desk.access import desk_of
from tables.desk.entry_rows import address_of
from tables.desk.page import desk

from .. import integrity as standing


@require_GET
def integrity(request: HttpRequest, facility: str) -> HttpResponse:
    """Seals, checkpoint, witnesses, copies, keys, incarnations, verifications, halted tables and alerts."""
    person, house = desk_of(request, facility)
    now = clock.now()
    found = standing.of(house, now)
    columns, most = standing.seals_a_minute(found.incarnation, now)
    verified = found.verification
    context = desk(person, house, "integrity") | {
        "found": found,
        "ago": standing.ago(found.seal.at, now) if found.seal else "",
        "root": base64.b64encode(bytes(found.checkpoint.root)).decode() if found.checkpoint else "",
        "columns": columns,
        "sealed_in_the_hour": sum(one.seals for one in columns),
        "most": most,
        "keys": standing.signing_keys(),
        "incarnations": standing.incarnations(),
        "verified_at": address_of(INSTALLATION, verified.entry.seq, house) if verified else "",
        "alerts": [(one, *alert_words(one.kind, one.params)) for one in found.alerts],
    }
    return render(request, "desk/integrity.html", context)


urlpatterns = [path("record/<slug:facility>/integrity/", integrity, name="record-integrity")]
