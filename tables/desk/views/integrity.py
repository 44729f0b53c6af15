"""The integrity page: whether the record can be trusted now, and why."""

import base64

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit import clock
from audit.exporting import bundle
from games.models import Facility
from tables.alerts.calls import alert_words
from tables.desk.access import authorize_desk
from tables.desk.entry_rows import entry_url
from tables.desk.integrity import (
    LastVerification,
    ago,
    incarnations,
    read_integrity,
    seals_per_minute,
    signing_keys,
)
from tables.desk.page import desk_context


@require_GET
def integrity(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show seals, checkpoint, witnesses, copies, keys, incarnations, verifications, halted tables and alerts."""
    person, facility = authorize_desk(request, facility_code)
    now = clock.now()
    status = read_integrity(facility, now)
    bars, top = seals_per_minute(status.log, now)
    verification = status.verification
    context = desk_context(person, facility, "integrity") | {
        "integrity": status,
        "ago": ago(status.seal.at, now) if status.seal else "",
        "root": base64.b64encode(bytes(status.checkpoint.root)).decode() if status.checkpoint else "",
        "bars": bars,
        "sealed_in_the_hour": sum(bar.seals for bar in bars),
        "top": top,
        "keys": signing_keys(facility),
        "checker_sha256": bundle.checker_sha256(),
        "incarnations": incarnations(facility),
        "verified_at": _entry_url(verification, facility),
        "alerts": [(alert, *alert_words(alert.kind, alert.key, alert.params)) for alert in status.alerts],
    }
    return render(request, "desk/integrity.html", context)


def _entry_url(verification: LastVerification | None, facility: Facility) -> str:
    if verification is None:
        return ""
    return entry_url(verification.entry.stream.name, verification.entry.seq, facility)


urlpatterns = [path("record/<slug:facility_code>/integrity/", integrity, name="record-integrity")]
