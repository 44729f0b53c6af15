"""The landing of a demo: the floor alive, one way to deal a round, and ways to watch it and to check its record.

Only `config.demo_urls` has these addresses. A visitor's browser becomes a device and signs in as every other does: it
is enrolled by a token that is used up, and the PIN of a person of the demo is checked and recorded.
"""

import random
import uuid

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit import devices
from audit.devices import set_device_cookie
from audit.models import Device, Role
from audit.people import sign_in
from audit.refusals import AuditRefusal
from games.access import open_to_all
from games.snapshot_types import Snapshot
from tables.demo import floor as demo
from tables.demo import landing as landing_data
from tables.demo.evening import FACILITY, bring_to_betting, bring_to_dispute
from tables.runner.access import enrolled_device
from tables.screens.floor_data import TileData
from tables.screens.floor_plan import PlanTable
from tables.views import pages
from tables.views.pages import plan_of
from tables.views.sign_in import demo_places, start_work

FOR_VISITORS = open_to_all("a demo is for every visitor; no other installation has these pages")


def _verify_demo() -> None:
    if not settings.DEMO:
        raise Http404


@require_GET
@FOR_VISITORS
def front(request: HttpRequest) -> HttpResponse:
    """The landing, for a browser that is no device yet; for others the start page of their device."""
    if enrolled_device(request) is None and getattr(request, "old_device", None) is None:
        return landing(request)
    return pages.home(request)


@require_GET
@FOR_VISITORS
def landing(request: HttpRequest) -> HttpResponse:
    """The floor as it is now, and what a visitor may do."""
    _verify_demo()
    now = landing_data.floor_now()
    dealer = landing_data.dealer_of(now.ready)
    context = {
        **_floor(now),
        "dealer": dealer,
        "boss": landing_data.demo_person(landing_data.BOSS),
    }
    return render(request, "tables/demo/landing.html", context)


@require_GET
@FOR_VISITORS
def floor_now(request: HttpRequest) -> HttpResponse:
    """The floor alone, which the landing asks for every few seconds."""
    _verify_demo()
    return render(request, "tables/demo/floor_now.html", _floor(landing_data.floor_now()))


def _floor(now: landing_data.FloorNow) -> dict[str, object]:
    by_pit: dict[str, list[Snapshot]] = {}
    for state in now.states:
        by_pit.setdefault(state["table"]["pit"], []).append(state)
    plan = plan_of(now.facility, by_pit, "", None)
    tiles = {state["table"]["code"]: TileData(state) for state in now.states}

    def drawn(table: PlanTable) -> dict[str, object]:
        tile, moment = tiles[table.code], now.moments.get(table.code)
        return {
            "at": table,
            "plan": tile.plan,
            "status": tile.s["table"]["status"],
            "kind": tile.s["table"]["kind"],
            "say": "Training" if tile.s["table"]["kind"] == "training" else tile.plan["lines"][0]["text"],
            "moment": moment,
            "is_ready": table.code == now.ready,
        }

    pits = [{"pit": pit, "tables": [drawn(table) for table in pit.tables]} for pit in plan.pits]
    return {"now": now, "plan": plan, "pits": pits}


@require_POST
@FOR_VISITORS
def deal(request: HttpRequest) -> HttpResponse:
    """Deal a round: this browser becomes the tablet of the table that is ready, with its dealer signed in."""
    _verify_demo()
    code = landing_data.ready_table()
    return _become(request, f"{FACILITY}/{code}", landing_data.dealer_of(code))


@require_http_methods(["GET", "POST"])
@FOR_VISITORS
def watch(request: HttpRequest) -> HttpResponse:
    """Watch the pit: this browser becomes a podium, with the pit manager signed in, and a dispute to decide."""
    _verify_demo()
    if request.method == "GET":
        return _next_device(request, landing_data.BOSS)
    bring_to_dispute(random.Random())
    return _become(request, "", landing_data.demo_person(landing_data.BOSS))


@require_http_methods(["GET", "POST"])
@FOR_VISITORS
def comply(request: HttpRequest) -> HttpResponse:
    """See what was recorded: this browser becomes a podium, with the compliance officer signed in."""
    _verify_demo()
    if request.method == "GET":
        return _next_device(request, landing_data.OFFICER)
    return _become(request, "", landing_data.demo_person(landing_data.OFFICER))


def _next_device(request: HttpRequest, code: str) -> HttpResponse:
    """A page that sends itself, between a screen of one device and that of the next.

    A screen that is still open when its device ends leads to the sign-in, and would end the way to the next one.
    """
    return render(request, "tables/demo/next_device.html", {"person": landing_data.demo_person(code)})


def _become(request: HttpRequest, place: str, person: demo.DemoPerson) -> HttpResponse:
    """Enroll this browser as a device of the demo and sign a person in; nobody works at the device that it was.

    That is not revoked, which would call the floor, and it is not missed, as a tablet that falls silent is.
    """
    old = enrolled_device(request)
    if old is not None:
        Device.objects.filter(pk=old.pk).update(person=None, signed_on_at=None, heard_at=None)
    name = f"{place.partition('/')[2] or 'Podium'} {uuid.uuid4().hex[:6]}"
    _, token = devices.enroll(name, FACILITY, "dealer" if place else "podium", place)
    device: Device = devices.use_token(token)
    request.COOKIES.pop(settings.DEVICE_COOKIE_NAME, None)  # of the device that it was
    request.device = device  # type: ignore[attr-defined]
    try:
        signed_in = sign_in(request, person.code, person.pin)
    except AuditRefusal:  # such as too many wrong PINs: the page says which, and asks
        response = redirect("sign-in")
    else:
        refusal = start_work(request, device, None, signed_in)
        response = redirect("sign-in" if refusal else "home")
        if place and refusal is None:
            bring_to_betting(place.partition("/")[2], random.Random())
    set_device_cookie(response, token, device.cookies_made)
    return response


@require_http_methods(["GET", "POST"])
@FOR_VISITORS
def record(request: HttpRequest) -> HttpResponse:
    """The record of the newest round's table, verified now; after POST with one byte of it changed."""
    _verify_demo()
    table = request.POST.get("table", "") or landing_data.newest_table()
    if table not in {row.code for row in demo.LARKFIELD.tables}:
        raise Http404
    check = landing_data.check_record(table, forged=request.method == "POST")
    return render(request, "tables/demo/record.html", {"check": check, "forged": request.method == "POST"})


@require_GET
@FOR_VISITORS
def everything(request: HttpRequest) -> HttpResponse:
    """Every device that this browser may become, and every sign-in of the demo."""
    _verify_demo()
    people = [
        {"pin": person.pin, "name": person.name, "role": Role(person.role).label, **_work_of(person)}
        for person in demo.PEOPLE
    ]
    context = {"places": demo_places(), "people": people}
    return render(request, "tables/demo/everything.html", context)


def _work_of(person: demo.DemoPerson) -> dict[str, object]:
    """The casino of a person, and the pits and tables where they are on duty; none for the whole floor."""
    house = next((house for house in demo.FACILITIES if house.code == person.facility), None)
    if house is None:
        return {"house": "Every casino", "where": []}
    pits = dict(house.pits)
    return {"house": house.name, "where": [pits.get(code, code) for code in person.where if code]}
