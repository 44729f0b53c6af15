"""What is kept until when, and the legal holds."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.models import LegalHold
from tables.desk.access import authorize_desk
from tables.desk.acts.retention import COMPLIANCE
from tables.desk.page import desk_context
from tables.desk.retention import KIND_WORDS, kept_kinds


@require_GET
def retention(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show each kind of record with its term, its section and its oldest date; then every legal hold."""
    person, facility = authorize_desk(request, facility_code)
    context = desk_context(person, facility, "retention")
    holds = LegalHold.objects.filter(facility=facility.code).select_related("placed_by", "released_by")
    context |= {
        "kinds": kept_kinds(facility, context["today"]),
        "holds": [
            (
                hold,
                ", ".join(KIND_WORDS[kind][0].lower() for kind in hold.kinds),
                hold.holds_on(context["today"]),
            )
            for hold in holds.order_by("-number")
        ],
        "holds_here": person.role in COMPLIANCE,
        "law": facility.law,
    }
    return render(request, "desk/retention.html", context)


urlpatterns = [path("record/<slug:facility_code>/retention/", retention, name="record-retention")]
