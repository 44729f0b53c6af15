"""The page of a facility's first day: what is done, what is missing before the first opening, pits and tables."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Device, Person
from games.models import RulesSubmission
from games.office.core.runner import may_see_office
from games.registry import game_by_code
from tables.runner.access import (
    ACCESS_READERS,
    PEOPLE,
    enrolled_device,
    facility_page_for,
    facility_pages_for,
)
from tables.runner.facility import DICE, EQUIPMENT, SETUP, STAFF
from tables.setup.acts import MAX_SEATS, SETUP_ROLES
from tables.setup.first_day import first_day as first_day_steps
from tables.views.facility import page_context

from ..models import Pit, Table


@require_GET
def first_day(request: HttpRequest, facility: str) -> HttpResponse:
    """The steps of the first day, and the one that was chosen or is the first that lacks something."""
    person, facility_row = facility_page_for(request, facility, SETUP)
    now = clock.now()
    steps = first_day_steps(facility_row, now)
    missing = [(step, need) for step in steps for need in step.missing]
    code = request.GET.get("step", "")
    chosen = next((step for step in steps if step.code == code), None)
    context = page_context(person, facility_row, SETUP, now) | {
        "steps": list(enumerate(steps, start=1)),
        "step": chosen or (missing[0][0] if missing else steps[-1]),
        "done": sum(step.is_done for step in steps),
        "missing": missing,
        "office": person.role in SETUP_ROLES,
        "open_urls": _open_urls(person, enrolled_device(request), facility),
        "opens_devices": person.role in ACCESS_READERS,
        "pits": list(Pit.objects.filter(facility=facility_row)),
        "tables": list(
            Table.objects.filter(facility=facility_row)
            .exclude(kind=Table.Kind.SIMULATED)
            .select_related("pit")
            .order_by("code")
        ),
        "submissions": _submissions(facility_row.pk),
        "most_seats": MAX_SEATS,
    }
    return render(request, "tables/facility/first_day.html", context)


def _open_urls(person: Person, device: Device | None, facility: str) -> set[str]:
    """The addresses of the pages to which a step leads, and that this person may open at this device."""
    pages = facility_pages_for(person, device)
    names = [page for page in (PEOPLE, STAFF, EQUIPMENT, DICE) if page in pages]
    names += ["submissions", "signs", "guides"] if may_see_office(person, device) else []
    return {reverse(name, args=[facility]) for name in names}


def _submissions(facility: int) -> list[dict[str, str]]:
    """The submissions under which a table may deal, each with its game and the state of its newest version."""
    newest: dict[str, RulesSubmission] = {}
    for row in RulesSubmission.objects.filter(facility=facility).order_by("code", "version"):
        newest[row.code] = row
    return [
        {"code": code, "game": game_by_code(row.game).name, "status": row.get_status_display()}
        for code, row in newest.items()
    ]
