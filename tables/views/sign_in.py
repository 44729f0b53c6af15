"""Sign in by PIN at a shared tablet, relieve, lock and sign off; and enroll a browser as a device."""

import logging
import uuid
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from audit import devices, heads, people
from audit.errors import AuditRefusal, EnrollmentRefused
from audit.models import Device, Person, Station
from games.engine import Refusal
from games.models import Facility
from games.registry import game_by_code
from tables.core import posts
from tables.core.permissions import DEALERS, FLOOR
from tables.runner import halts
from tables.runner import table as table_runner
from tables.runner.access import FACILITY_PAGES_ROLES, enrolled_device
from tables.screens import push
from tables.words.sentences import say, title

from ..models import Assignment, Table

log = logging.getLogger(__name__)
MAX_PEOPLE = 24


@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The people on duty here, and a PIN pad. A dealer who signs in at a table takes it over."""
    device = enrolled_device(request)
    if device is None:
        return redirect("enrol")
    if device.station == Station.SIGN and device.place:
        return redirect("sign-display", *device.place.split("/", 1))
    refusal = None
    if request.method == "POST":
        _judge_stored_heads(request, device)
        refusal = _sign_in(request, device)
        if refusal is None:
            return redirect("home")
    return _sign_in_page(request, device, refusal, 403 if refusal else 200)


def _judge_stored_heads(request: HttpRequest, device: Device) -> None:
    """Halt each table whose record lacks a head that this device has shown, before anybody is signed in.

    After a restored backup every session is gone. Nobody may have to sign in first for it to be noticed.
    """
    claims = heads.parse_stored_heads(request.POST.get("heads", ""))
    for halted in halts.halt_for_device(device, claims):
        for table_id in halted.affected_table_ids:
            try:
                push.publish_from_thread(table_id)
            except Exception:
                log.exception("a halted table was not published; the heartbeat makes screens resync")


def _sign_in_page(
    request: HttpRequest, device: Device, refusal: Refusal | AuditRefusal | None, status: int
) -> HttpResponse:
    """The page of `sign_in`, with the refusal next to the PIN pad."""
    context = {
        **_page_context(device),
        "refusal": _refusal_words(refusal),
        "selected_code": request.POST.get("person", ""),
    }
    return render(request, "tables/sign_in.html", context, status=status)


def _refusal_words(refusal: Refusal | AuditRefusal | None) -> dict[str, str] | None:
    if refusal is None:
        return None
    return {"title": title(refusal), "message": say(refusal), "section": getattr(refusal, "section", "")}


def _sign_in(request: HttpRequest, device: Device) -> Refusal | AuditRefusal | None:
    """Sign in. Return None, or the refusal."""
    leaving = device.person
    try:
        person = people.sign_in(request, request.POST.get("person", ""), request.POST.get("pin", ""))
    except AuditRefusal as refusal:
        return refusal
    if leaving is not None and leaving.pk != person.pk:
        async_to_sync(push.close_person)(leaving.pk, 4401)
    if person.role in DEALERS and device.place:
        return _take_over(request, person, device)
    return None


def _take_over(request: HttpRequest, person: Person, device: Device) -> Refusal | None:
    """Execute the dealer's act at the tablet's table: begin to deal, or relieve in mid-round."""
    facility, code = device.place.split("/", 1)
    table = Table.objects.select_related("stream").get(facility__code=facility, code=code)
    post = posts.post_of(table, person)
    if post is not None and post not in posts.empty_posts(table):
        return None
    act_request = table_runner.ActRequest(
        facility, code, "take_over_table", uuid.uuid4(), table.stream.seq, {}, person, device
    )
    try:
        response = table_runner.execute(act_request)
    except Refusal as refusal:
        people.sign_out(request)
        return refusal
    push.publish_from_thread(response.key)
    return None


@require_POST
def sign_off(request: HttpRequest) -> HttpResponse:
    """Sign off, unless that would leave a shaker unattended; then the page asks for relief.

    At a locked tablet nobody signs somebody else off: custody does not change hands without a PIN.
    """
    device = enrolled_device(request)
    person = request.user if isinstance(request.user, Person) else None
    if person is None or device is None or getattr(request, "locked", True):
        return redirect("sign-in")
    tables = Table.objects.select_related("stream", "facility").filter(stream__name=device.place)
    table = tables.filter(posts.at_any_post(person)).first()
    if table is not None:
        act_request = table_runner.ActRequest(
            table.facility.code, table.code, "leave_table", uuid.uuid4(), table.stream.seq, {}, person, device
        )
        try:
            response = table_runner.execute(act_request)
        except Refusal as refusal:
            people.lock(device, reason="asked to sign off")
            return _sign_in_page(request, device, refusal, 422)
        push.publish_from_thread(response.key)
    people.sign_out(request)
    async_to_sync(push.close_person)(person.pk, 4401)
    return redirect("sign-in")


@require_POST
def lock(request: HttpRequest) -> HttpResponse:
    """Lock the tablet. The person keeps custody of the shaker."""
    device = enrolled_device(request)
    if device is not None and isinstance(request.user, Person):
        people.lock(device)
        async_to_sync(push.close_person)(request.user.pk, 4423)
    return redirect("sign-in")


@require_http_methods(["GET", "POST"])
def enrol(request: HttpRequest) -> HttpResponse:
    """Enroll this browser as a device by its one-time token; in the demo, by choosing a place."""
    refused = ""
    if request.method == "POST":
        token = request.POST.get("token", "")
        if settings.DEMO and request.POST.get("place") is not None:
            token = _enrol_for_the_demo(request.POST["place"])
        try:
            devices.use_token(token)
        except EnrollmentRefused as refusal:
            refused = say(refusal)
        else:
            response = redirect("sign-in")
            devices.set_device_cookie(response, token.strip())
            return response
    context = {"refused": refused, "places": _demo_places() if settings.DEMO else []}
    return render(request, "tables/enrol.html", context, status=403 if refused else 200)


def _enrol_for_the_demo(place: str) -> str:
    """Enroll a demo device at `facility/table`, or at the podium of `facility`. Return its token."""
    facility, _, code = place.partition("/")
    if not Table.objects.filter(facility__code=facility, **({"code": code} if code else {})).exists():
        raise Http404
    station = "dealer" if code else "podium"
    name = f"{code or 'Podium'} {uuid.uuid4().hex[:6]}"
    return devices.enroll(name, facility, station, place if code else "")[1]


def _demo_places() -> list[dict[str, Any]]:
    tables = Table.objects.select_related("facility", "stream").exclude(kind=Table.Kind.SIMULATED)
    places = [
        {"place": table.stream.name, "name": f"Tablet of {table.code}", "facility": table.facility.name}
        for table in tables
    ]
    facilities = {table.facility.code: table.facility.name for table in tables}
    podiums = [{"place": code, "name": "Pit podium", "facility": name} for code, name in facilities.items()]
    return [*podiums, *places]


def _page_context(device: Device) -> dict[str, Any]:
    table = None
    if device.place:
        facility, code = device.place.split("/", 1)
        table = Table.objects.select_related("facility", "dealer").get(facility__code=facility, code=code)
    return {"place": _place(device, table), "people": _people(device, table)}


def _place(device: Device, table: Table | None) -> dict[str, Any]:
    keeper = posts.holder(table, posts.keeper_post(table)) if table else None
    shaker_with = keeper.name if keeper and table and table.status != Table.Status.CLOSED else None
    return {
        "table": table.code if table else "",
        "facility_name": table.facility.name if table else device.facility.title(),
        "game": game_by_code(table.game) if table else None,
        "kind": table.kind if table else "",
        "locked_at": device.locked_at,
        "round": table.last_round if table else None,
        "shaker_with": shaker_with,
    }


def _people(device: Device, table: Table | None) -> list[dict[str, str]]:
    """Return the people on duty here, the current dealer first; at a podium, who may open a facility page."""
    if table is None:
        facility = Facility.objects.filter(code=device.facility).first()
        duty = Assignment.objects.at_facility(facility) if facility else Assignment.objects.none()
    else:
        duty = Assignment.objects.at(table)
    roles = FACILITY_PAGES_ROLES if table is None else DEALERS | FLOOR
    on_duty = [
        assignment.person for assignment in duty.filter(person__role__in=roles).select_related("person")
    ]
    dealer_id = posts.holder_id(table, posts.keeper_post(table)) if table else None
    ordered = sorted(
        {person.pk: person for person in on_duty}.values(),
        key=lambda person: (person.pk != dealer_id, person.role, person.name),
    )
    return [
        {
            "code": person.code,
            "name": person.name,
            "role_label": person.get_role_display(),
            "note": "holds the shaker" if person.pk == dealer_id else "",
        }
        for person in ordered[:MAX_PEOPLE]
    ]
