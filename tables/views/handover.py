"""The pages of the shift handover: the one that is prepared now, and those that were signed."""

import datetime as dt
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from games.models import Facility
from tables.handover.handover import (
    WHOLE_FLOOR,
    ShiftToHandOver,
    floor_on_duty,
    handover_draft,
    pit_figures,
    shift_figures,
    successors,
)
from tables.handover.page import decide_first, figure_rows, item_row, signed_handover, what_is_missing
from tables.models import Alert, Handover, Slip, Table
from tables.runner.access import HANDOVER, Denied, facility_page_for
from tables.runner.facility import STAFF
from tables.views.facility import page_context

LATEST = 5
PAGE_SIZE = 100


@require_GET
def handover(request: HttpRequest, facility: str) -> HttpResponse:
    """What the record holds open, who takes it over, the figures of the shift, and the two signatures."""
    person, facility_row = facility_page_for(request, facility, HANDOVER)
    now = clock.now()
    draft = handover_draft(facility_row, now)
    by_pit, total = shift_figures(facility_row, draft.shift)
    missing, first_missing = what_is_missing(draft)
    people = floor_on_duty(facility_row)
    rows = [item_row(item, facility_row, now) for item in draft.items]
    decided_first, groups = decide_first(rows)
    context = page_context(person, facility_row, STAFF, now) | {
        "shift": draft.shift,
        "rows": rows,
        "decided_first": decided_first,
        "groups": groups,
        "going_over": len(rows) - len(decided_first),
        "first_free": next((row.key for row in rows if not row.owner), ""),
        "missing": missing,
        "first_missing": first_missing,
        "owners": [owner for owner in people if owner.pk != person.pk],
        "successors": successors(people, person),
        **figure_rows(
            facility_row,
            (pit_figures(code, sums) for code, sums in by_pit.items()),
            pit_figures(WHOLE_FLOOR, total),
        ),
        "happened": _happened(facility_row, draft.shift),
        "tables": _table_counts(facility_row),
        "latest": _signed(facility_row)[:LATEST],
        "now_here": facility_row.local(now),
    }
    return render(request, "tables/handover/handover.html", context)


@require_GET
def past_handovers(request: HttpRequest, facility: str) -> HttpResponse:
    """The signed handovers, the newest first."""
    person, facility_row = facility_page_for(request, facility, HANDOVER)
    now = clock.now()
    context = page_context(person, facility_row, STAFF, now) | {
        "handovers": _signed(facility_row)[:PAGE_SIZE],
        "now_here": facility_row.local(now),
    }
    return render(request, "tables/handover/past.html", context)


@require_GET
def past_handover(request: HttpRequest, facility: str, number: int) -> HttpResponse:
    """One handover as it was signed, on a page that prints."""
    person, facility_row = facility_page_for(request, facility, HANDOVER)
    row = _signed(facility_row).filter(number=number).first()
    if row is None:
        raise Denied
    now = clock.now()
    context = page_context(person, facility_row, STAFF, now) | {
        "handover": row,
        "signed": signed_handover(row),
        "now": now,
    }
    return render(request, "tables/handover/signed.html", context)


def _signed(facility: Facility) -> "QuerySet[Handover]":
    handovers = Handover.objects.filter(facility=facility).order_by("-number")
    return handovers.select_related("facility", "stream", "handed_over_by", "taken_over_by")


def _table_counts(facility: Facility) -> dict[str, int]:
    statuses = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE, stream__closed_at=None)
    listed = list(statuses.values_list("status", flat=True))
    return {"open": listed.count(Table.Status.OPEN), "all": len(listed)}


def _happened(facility: Facility, shift: ShiftToHandOver) -> list[dict[str, Any]]:
    """What happened in the shift: where gaming ceased, and which slips were filed."""
    within: dict[str, dt.datetime] = {"gte": shift.begins, "lt": shift.ends}
    live = {"table__facility": facility, "table__kind": Table.Kind.LIVE}
    stops = Alert.objects.filter(**live, kind__in=("device-failure", "shaker-failure"))
    stops = stops.filter(**{f"raised_at__{name}": moment for name, moment in within.items()})
    slips = Slip.objects.filter(**live, **{f"filed_at__{name}": moment for name, moment in within.items()})
    rows = [
        (
            "Gaming ceased",
            [
                f"{stop.table.code}, {facility.local(stop.raised_at):%H:%M}"
                for stop in stops.select_related("table").order_by("pk")
            ],
        ),
        (
            "Error slips",
            [f"{slip.table.code} {slip.code}" for slip in slips.select_related("table").order_by("pk")],
        ),
    ]
    return [{"label": label, "count": len(lines), "lines": lines} for label, lines in rows]
