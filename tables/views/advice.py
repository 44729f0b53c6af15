"""The page of what to change now: proposals for the next hour, with their figures and assumptions."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from games.models import Facility
from tables.advice.facts import free_dealers, table_hours
from tables.advice.proposals import proposals
from tables.core.permissions import FLOOR
from tables.runner.access import Denied, floor_tables_for
from tables.views.facility import page_context
from tables.words.forms import whole_dollars


@require_GET
def advice(request: HttpRequest, facility: str) -> HttpResponse:
    """What to change in the next hour, for the floor. Each proposal leads to its table; nothing is done."""
    person, _tables = floor_tables_for(request, facility)
    if person.role not in FLOOR:
        raise Denied
    facility_row, now = Facility.objects.get(code=facility), clock.now()
    tables = table_hours(facility_row, now)
    context = page_context(person, facility_row, "floor", now) | {
        "proposals": [
            {
                "proposal": proposal,
                "gain_cents": None if proposal.gain_cents is None else whole_dollars(proposal.gain_cents),
                "url": reverse("table", args=[facility, proposal.table]),
            }
            for proposal in proposals(tables, free_dealers(facility_row, tables, now), now)
        ],
        "watched": sum(table.is_known for table in tables),
        "open": sum(table.is_open for table in tables),
        "clock": facility_row.local(now).strftime("%H:%M"),
    }
    return render(request, "tables/advice/page.html", context)
