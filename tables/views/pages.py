"""The pages of the floor: the console, the table page, the tiles, and the start page of a device."""

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person, Station
from games.engine import Refusal
from games.snapshot_types import Snapshot
from tables.core.context import TableContext
from tables.core.permissions import FLOOR, may_see_floor
from tables.runner.access import (
    Denied,
    enrolled_device,
    facility_pages_for,
    floor_tables_for,
    person_of,
    table_for,
)
from tables.runner.facility import DICE
from tables.screens import fragments, selectors, snapshot
from tables.words.sentences import say, short, title

from ..models import Assignment, Shaker, Table


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Redirect a device to its screen: a tablet to its console, a display to its signs, others to the floor."""
    device = enrolled_device(request)
    if device is None:
        return redirect("enrol")
    if device.station == Station.SIGN and device.place:
        facility, table = device.place.split("/", 1)
        return redirect("sign-display", facility=facility, table=table)
    person = person_of(request)
    if device.place:
        facility, table = device.place.split("/", 1)
        return redirect("console", facility=facility, table=table)
    if not may_see_floor(person, device.facility) and DICE in facility_pages_for(person, device):
        return redirect("dice", facility=device.facility)
    return redirect("floor", facility=device.facility)


@require_GET
def console(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """The dealer's console of a table, rendered from the same fragment that is pushed."""
    row, person = table_for(request, facility, table, "dealer")
    state = snapshot.of_table(row.pk)
    return render(request, "tables/console.html", _page(state, row, person, "dealer"))


@require_GET
def table_page(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """The page of a table for the pit: the layout with its money, acts, last rounds, people, dice."""
    row, person = table_for(request, facility, table, "table")
    state = snapshot.of_table(row.pk)
    return render(request, "tables/table.html", _page(state, row, person, "table"))


@require_GET
def rounds(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """Rounds before those of the table page, a page at a time: a fragment for htmx."""
    row, _ = table_for(request, facility, table, "table")
    page_size = selectors.LAST_ROUNDS
    first = row.last_round - page_size + 1
    try:
        before = max(0, min(int(request.GET.get("before", first)), first))
    except ValueError:
        before = first
    history = selectors.history(row.pk, row.game, before)
    earlier = history[-1]["number"] if len(history) == page_size else None
    url = reverse("rounds", args=[facility, table])
    context = {"table": row, "history": history, "before": earlier, "url": url}
    return render(request, "tables/table/earlier.html", context)


@require_GET
def screen(request: HttpRequest, facility: str, table: str, station: str) -> JsonResponse:
    """The current fragment of one station, for a resync and while no push arrives."""
    row, _ = table_for(request, facility, table, station)
    return JsonResponse(fragments.screen(station, row.pk))


@require_GET
def light(request: HttpRequest, facility: str, table: str) -> JsonResponse:
    """The areas that three entered values light, for the inspection. Changes nothing."""
    row, _ = table_for(request, facility, table, "dealer")
    ctx = TableContext(row, None, None, None, clock.displayed_moment(row.stream, clock.now()))
    try:
        dice = ctx.game.verify_dice(
            ctx.rules, [int(face) for face in request.GET.get("dice", "").split(",")[:10]]
        )
        lit = ctx.game.winning_codes(ctx.rules, [dice])
    except ValueError:
        message = f"Enter every die as a number from 1 to {ctx.game.faces}."
        return JsonResponse({"refusal": {"message": message}}, status=422)
    except Refusal as refusal:
        refused = {
            "code": refusal.code,
            "title": title(refusal),
            "message": say(refusal),
            "section": short(refusal.section),
        }
        return JsonResponse({"refusal": refused}, status=422)
    return JsonResponse({"lit": list(lit)})


@require_GET
def floor(request: HttpRequest, facility: str) -> HttpResponse:
    """The tiles of every table that this person may see, by pit."""
    person, tables = floor_tables_for(request, facility)
    states = [snapshot.of_table(pk) for pk in tables]
    if not states:
        raise Denied
    by_pit: dict[str, list[Snapshot]] = defaultdict(list)
    for state in states:
        by_pit[state["table"]["pit"]].append(state)
    context = {
        "facility": {"code": facility, "name": states[0]["table"]["facility_name"]},
        "me": _me(person),
        "pits": [{"name": name, "tables": pit_states} for name, pit_states in by_pit.items()],
        "urls": {
            **_signing_urls(),
            "socket": f"/ws/floor/{facility}",
            "tiles": reverse("tiles", args=[facility]),
            "floor": reverse("floor", args=[facility]),
        },
    }
    return render(request, "tables/floor.html", context)


@require_GET
def tiles(request: HttpRequest, facility: str) -> JsonResponse:
    """Every current tile, for a resync."""
    _person, tables = floor_tables_for(request, facility)
    tiles = [fragments.fragment("tile", fragments.read_state(pk).text) for pk in tables]
    return JsonResponse({"tiles": {tile.table: tile.screen for tile in tiles}})


def _page(state: Snapshot, table: Table, person: Person, station: str) -> dict[str, Any]:
    facility, code = table.facility.code, table.code
    return {
        "s": state,
        "screen": fragments.render(station, state),
        "me": _me(person),
        "witnesses": witnesses(table),
        "shakers": free_shakers(table),
        "urls": {
            "socket": f"/ws/table/{facility}/{code}/{station}",
            "screen": reverse("screen", args=[facility, code, station]),
            "act": reverse("act", args=[facility, code, "__act__"]),
            "light": reverse("light", args=[facility, code]),
            "rounds": reverse("rounds", args=[facility, code]) if station == "table" else "",
            "console": reverse("console", args=[facility, code]),
            "floor": reverse("floor", args=[facility]) if may_see_floor(person, facility) else "",
            **_signing_urls(),
        },
    }


def _me(person: Person) -> dict[str, Any]:
    """Return the person signed in. `is_floor`: their sign-in counts as the floor's signature."""
    return {
        "code": person.code,
        "name": person.name,
        "role_label": person.get_role_display(),
        "is_floor": person.role in FLOOR,
    }


def _signing_urls() -> dict[str, str]:
    return {"sign_in": reverse("sign-in"), "sign_off": reverse("sign-off"), "lock": reverse("lock")}


def witnesses(table: Table) -> list[dict[str, str]]:
    """Return who may sign as the second person at this table: the floor on duty here."""
    on_duty = Assignment.objects.at(table).filter(person__role__in=FLOOR, person__is_active=True)
    people = {assignment.person_id: assignment.person for assignment in on_duty.select_related("person")}
    return [
        {
            "code": person.code,
            "name": person.name,
            "role": person.role,
            "role_label": person.get_role_display(),
        }
        for person in people.values()
    ]


def free_shakers(table: Table) -> list[str]:
    """Return the codes of working shakers at no table, which may replace the one here."""
    free = Shaker.objects.filter(facility=table.facility_id, table=None, out_of_order=False)
    return list(free.order_by("code").values_list("code", flat=True)[:12])
