"""The page of what to change now: proposals for the next hour, with their figures and assumptions."""

import datetime as dt

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from games.formats import whole_dollars
from games.models import Facility
from tables.advice.facts import free_dealers, seats_of_last_hour, table_hours
from tables.advice.proposals import FULL, NEARLY_EMPTY, Proposal, TableHour, proposals
from tables.core.permissions import FLOOR
from tables.core.scope import scope_of
from tables.models import Table
from tables.runner.access import Denied, floor_tables_for
from tables.views.facility import page_context


@require_GET
def advice(request: HttpRequest, facility: str) -> HttpResponse:
    """What to change in the next hour, for the floor. Each proposal leads to its table; nothing is done."""
    person, _tables = floor_tables_for(request, facility)
    if person.role not in FLOOR:
        raise Denied
    facility_row, now = Facility.objects.get(code=facility), clock.now()
    scope, today = scope_of(person, facility_row), facility_row.gaming_day(now)
    own = {table.code for table in scope.of(list(Table.objects.filter(facility=facility_row)))}
    tables = [hour for hour in table_hours(facility_row, now) if hour.code in own]
    context = page_context(person, facility_row, "floor", now) | {
        "proposals": [
            {
                "proposal": proposal,
                "gain_cents": None if proposal.gain_cents is None else whole_dollars(proposal.gain_cents),
                "url": _url(facility, proposal),
                "figures_url": reverse("table-figures", args=[facility, proposal.table])
                + f"?from={today}&to={today}",
            }
            for proposal in proposals(tables, free_dealers(facility_row, tables, now), now)
        ],
        "scope": scope,
        "watched": sum(table.is_known for table in tables),
        "open": sum(table.is_open for table in tables),
        "clock": facility_row.local(now).strftime("%H:%M"),
    }
    return render(request, "tables/advice/page.html", context)


def _url(facility: str, proposal: Proposal) -> str:
    """Where the act of a proposal begins: the request of a fill at the tray, everything else at the table."""
    if proposal.kind == "fill":
        return reverse("tray", args=[facility, proposal.table]) + "?ask=fill"
    return reverse("table", args=[facility, proposal.table])


@require_GET
def occupancy(request: HttpRequest, facility: str) -> JsonResponse:
    """For the floor plan: the share of seats with a wager over the rounds of the last hour, by table."""
    _person, tables = floor_tables_for(request, facility)
    facility_row, now = Facility.objects.get(code=facility), clock.now()
    codes = {code for code, _version in tables.values()}
    hours = [hour for hour in seats_of_last_hour(facility_row, now) if hour.code in codes]
    return JsonResponse(
        {
            "as_of": now.astimezone(dt.UTC).isoformat(timespec="seconds"),
            "tables": {
                hour.code: {"text": f"{round(100 * hour.occupancy)} %", "level": _level(hour)}
                for hour in hours
                if hour.is_open and hour.rounds
            },
        }
    )


def _level(hour: TableHour) -> str:
    """How the plan draws the occupancy: `full` and `empty` are those of the proposals."""
    if hour.occupancy >= FULL:
        return "full"
    return "empty" if hour.occupancy <= NEARLY_EMPTY else ""
