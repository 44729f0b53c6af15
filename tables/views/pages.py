"""The pages: where this device begins, the dealer's console, the pit's floor and a table of it."""

from collections import defaultdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person, Station
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import FLOOR, may_see_floor
from tables.runner.access import Denied, enrolled_device, floor_of, person_of, rooms_open_to, table_for
from tables.runner.facility import DICE
from tables.screens import fragments, selectors, snapshot
from tables.snapshot_types import Snapshot
from tables.words.sentences import say, short, title

from ..models import Assignment, Shaker, Table


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Sends this device to its own screen: a tablet to its console, a display to its signs, the rest to the floor."""
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
    if not may_see_floor(person, device.facility) and DICE in rooms_open_to(person, device):
        return redirect("dice-room", facility=device.facility)
    return redirect("floor", facility=device.facility)


@require_GET
def console(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """The dealer's console of a table. The page is painted from the same fragment that a push carries."""
    found, person = table_for(request, facility, table, "dealer")
    state = snapshot.of_table(found.pk)
    return render(request, "tables/console.html", _page(state, found, person, "dealer"))


@require_GET
def table_page(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """A table as the pit sees it: the layout with its money, the acts, the last rounds, people, dice."""
    found, person = table_for(request, facility, table, "table")
    state = snapshot.of_table(found.pk)
    return render(request, "tables/table.html", _page(state, found, person, "table"))


@require_GET
def rounds(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """Rounds before those that the table page shows, a page at a time; a fragment for htmx."""
    found, _ = table_for(request, facility, table, "table")
    shown = selectors.LAST_ROUNDS
    first = found.last_round - shown + 1
    try:
        before = min(int(request.GET.get("before", first)), first)
    except ValueError:
        before = first
    history = selectors.history(found, before)
    earlier = history[-1]["number"] if len(history) == shown else None
    context = {"history": history, "before": earlier, "url": reverse("rounds", args=[facility, table])}
    return render(request, "tables/table/earlier.html", context)


@require_GET
def screen(request: HttpRequest, facility: str, table: str, station: str) -> JsonResponse:
    """The fragment of one station as it now stands, for a resync and while no push arrives."""
    found, _ = table_for(request, facility, table, station)
    return JsonResponse(fragments.screen(station, found.pk))


@require_GET
def light(request: HttpRequest, facility: str, table: str) -> JsonResponse:
    """What three entered values light, for the inspection. Reads the rules; changes nothing."""
    found, _ = table_for(request, facility, table, "dealer")
    at = TableContext(found, None, None, None, clock.displayed_moment(found.stream, clock.now()))
    try:
        dice = at.game.verify_dice(
            at.rules, [int(face) for face in request.GET.get("dice", "").split(",")[:10]]
        )
        lit = at.game.winning_codes(at.rules, [dice])
    except ValueError:
        return JsonResponse({"refusal": {"message": "Three faces, each 1 to 6."}}, status=422)
    except Refusal as refusal:
        said = {
            "code": refusal.code,
            "title": title(refusal),
            "message": say(refusal),
            "section": short(refusal.section),
        }
        return JsonResponse({"refusal": said}, status=422)
    return JsonResponse({"lit": list(lit)})


@require_GET
def floor(request: HttpRequest, facility: str) -> HttpResponse:
    """Every table of the facility that this person may see, by pit."""
    person, ids = floor_of(request, facility)
    states = [snapshot.of_table(pk) for pk in ids]
    if not states:
        raise Denied
    by_pit: dict[str, list[Snapshot]] = defaultdict(list)
    for state in states:
        by_pit[state["table"]["pit"]].append(state)
    context = {
        "facility": {"code": facility, "name": states[0]["table"]["facility_name"]},
        "me": _me(person),
        "pits": [{"name": name, "tables": tables} for name, tables in by_pit.items()],
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
    """Every tile as it now stands, for a resync."""
    _, ids = floor_of(request, facility)
    found = [fragments.messages(pk, ("tile",))["tile"] for pk in ids]
    return JsonResponse(
        {"tiles": {one["table"]: {"version": one["version"], "html": one["html"]} for one in found}}
    )


def _page(state: Snapshot, table: Table, person: Person, station: str) -> dict[str, Any]:
    facility, code = table.facility.code, table.code
    return {
        "s": state,
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
    """The person signed in here. `is_floor`: their own sign-in is the floor's signature."""
    return {
        "code": person.code,
        "name": person.name,
        "role_label": person.get_role_display(),
        "is_floor": person.role in FLOOR,
    }


def _signing_urls() -> dict[str, str]:
    return {"sign_in": reverse("sign-in"), "sign_off": reverse("sign-off"), "lock": reverse("lock")}


def witnesses(table: Table) -> list[dict[str, str]]:
    """Who may sign as the second person at this table: the floor on duty here."""
    on_duty = Assignment.objects.at(table).filter(person__role__in=FLOOR, person__is_active=True)
    unique = {one.person_id: one.person for one in on_duty.select_related("person")}.values()
    return [
        {"code": one.code, "name": one.name, "role": one.role, "role_label": one.get_role_display()}
        for one in unique
    ]


def free_shakers(table: Table) -> list[str]:
    """Codes of the working shakers that stand at no table, to replace the one here."""
    free = Shaker.objects.filter(facility=table.facility_id, table=None, out_of_order=False)
    return list(free.order_by("code").values_list("code", flat=True)[:12])
