"""Sign in by PIN at a shared tablet, relieve, lock and sign off; enroll a browser as a device; and the second factor.

A second factor is asked for at a sign-in, and again for an act that needs it. One's own are on the page *My sign-in*.
"""

import json
import logging
import uuid
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit import clock, devices, factors, passwords, people, record
from audit.devices import set_device_cookie
from audit.factors import FactorProof, NewFactor, SignInStep
from audit.models import Device, Person, SecondFactor, Station
from audit.models.people import SHOWS_ONLY
from audit.refusals import SIGN_IN_OVER, AuditRefusal, EnrollmentRefused, FactorRefused, NewPinNeeded
from games.access import SIGNED_IN, CheckedBy, decides_itself, opened_by
from games.engine import Refusal
from games.engine.game import PostCode
from games.models import Facility
from games.registry import game_by_code
from tables.core import posts
from tables.core.duty import DEALERS
from tables.runner import halts
from tables.runner import table as table_runner
from tables.runner.access import FACILITY_PAGES_ROLES, Denied, enrolled_device, person_of
from tables.screens import push
from tables.staffing.roster import SignInPerson, dealers_elsewhere, people_at, post_to_take
from tables.words.sentences import say, title

from ..models import Table

COUNT_WORDS = {5: "Five", 10: "Ten", 20: "Twenty"}
log = logging.getLogger(__name__)


# Sign in, and what follows


@require_http_methods(["GET", "POST"])
@decides_itself("nobody is signed in yet, and a device may not be enrolled")
def sign_in(request: HttpRequest) -> HttpResponse:
    """The people on duty here, and a PIN pad. A dealer who signs in at a table takes it over.

    Who needs more than a PIN types a password, and comes to the page of their second factor.
    """
    device = enrolled_device(request)
    if device is None:
        return redirect("enrol")
    if device.station in SHOWS_ONLY:
        return redirect("home")
    refusal = None
    if request.method == "POST":
        _judge_stored_heads(request, device)
        before = device.person
        takes_password = _takes_password(request, device)
        refusal = _check_password(request) if takes_password else _sign_in(request, device)
        if refusal is None and takes_password:
            return redirect(_with_query("second-factor", request, "next"))
        if isinstance(refusal, NewPinNeeded):
            return redirect(_with_query("new-pin", request, "next", "post"))
        if refusal is None:
            return after_sign_in(request, device, before)
    return _sign_in_page(request, device, refusal, 403 if refusal else 200)


def _with_query(name: str, request: HttpRequest, *fields: str) -> str:
    """The address of the next step of a sign-in, with what this step was sent."""
    query = urlencode({field: request.POST[field] for field in fields if request.POST.get(field)})
    return f"{reverse(name)}?{query}" if query else reverse(name)


@require_http_methods(["GET", "POST"])
@decides_itself("nobody is signed in yet, and a device may not be enrolled")
def new_pin(request: HttpRequest) -> HttpResponse:
    """After a one-time PIN: the person chooses their own, and is signed in. Also for who has a password and no PIN."""
    device = enrolled_device(request)
    person = people.person_choosing_pin(request) if device and device.station not in SHOWS_ONLY else None
    if person is None or device is None:
        return redirect("sign-in")
    refusal: Refusal | AuditRefusal | None = None
    signs_in = not people.is_without_pin(request)
    if request.method == "POST":
        before = device.person
        try:
            people.choose_pin(request, request.POST.get("pin", ""), request.POST.get("again", ""))
        except AuditRefusal as error:
            refusal = error
        else:
            refusal = start_work(request, device, before, person) if signs_in else None
            if refusal is not None:
                return _sign_in_page(request, device, refusal, 403)
            return after_sign_in(request, device, before)
    context = {
        "person": person,
        "signs_in": signs_in,
        "refusal": refusal_words(refusal),
        "next": request.POST.get("next") or request.GET.get("next", ""),
        "post": _post_to_relieve(request),
    }
    return render(request, "tables/new_pin.html", context, status=403 if refusal else 200)


def after_sign_in(request: HttpRequest, device: Device, before: Person | None) -> HttpResponse:
    """Go where the person comes from, or home; first to what they should know of wrong PINs under their name."""
    page = page_before(request, device, before)
    if isinstance(request.user, Person) and people.guesses_of(request.user):
        query = urlencode({"next": page}) if page else ""
        return redirect(f"{reverse('guessed')}?{query}" if query else "guessed")
    return redirect(page or "home")


@require_http_methods(["GET", "POST"])
@opened_by(SIGNED_IN)
def guessed(request: HttpRequest, person: Person, device: Device | None) -> HttpResponse:
    """What the signed-in person should know: wrong PINs that somebody typed under their name, and where."""
    if device is None or device.station in SHOWS_ONLY:
        return redirect("home")
    if request.method == "POST":
        people.note_guesses_read(request, person)
        return redirect(page_before(request, device, person) or "home")
    lockouts = people.guesses_of(person)
    if not lockouts:
        return redirect("home")
    facility = Facility.objects.filter(code=device.facility).first()
    lines = [
        {
            "count": COUNT_WORDS[people.MAX_WRONG_PINS[people.Scope(lockout.scope)]],
            "where": lockout.where,
            "moment": f"{facility.local(lockout.started_at):%-d %b, %H:%M}" if facility else "",
            "is_everywhere": lockout.scope == lockout.Scope.PERSON,
        }
        for lockout in lockouts
    ]
    context = {"person": person, "lines": lines, "next": request.GET.get("next", "")}
    return render(request, "tables/guessed.html", context)


def page_before(request: HttpRequest, device: Device, before: Person | None) -> str:
    """The page from which the same person was led here; empty for another person, and at a table's tablet."""
    page = request.POST.get("next", "")
    is_ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    is_another = before is not None and before != request.user
    return page if is_ours and not is_another and not device.place else ""


# Who is asked for what


def _takes_password(request: HttpRequest, device: Device) -> bool:
    """Whether the person who signs in typed a password, and needs one here."""
    person = people.person_by_code(request.POST.get("person", ""))
    return "password" in request.POST and people.takes_password(device, person)


def _check_password(request: HttpRequest) -> AuditRefusal | None:
    """Take the first step of a sign-in with a password. Return None, or the refusal."""
    try:
        factors.check_password(request, request.POST.get("person", ""), request.POST.get("password", ""))
    except AuditRefusal as refusal:
        return refusal
    return None


def _judge_stored_heads(request: HttpRequest, device: Device) -> None:
    """Halt each table whose record lacks a head that this device has shown, before anybody is signed in.

    After a restored backup every session is gone. Nobody may have to sign in first for it to be noticed.
    """
    claims = record.parse_stored_heads(request.POST.get("heads", ""))
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
    post = _post_to_relieve(request)
    context = {
        **_page_context(device, post),
        "refusal": refusal_words(refusal),
        "selected_code": request.POST.get("person") or request.GET.get("person", ""),
        "post": post,
        "next": request.POST.get("next") or request.GET.get("next", ""),
        "takes_password": people.takes_password(device, None),
    }
    return render(request, "tables/sign_in.html", context, status=status)


def _post_to_relieve(request: HttpRequest) -> PostCode | None:
    """The post that the relief view named, at a table with several."""
    post = request.POST.get("post") or request.GET.get("post", "")
    return next((code for code in posts.POSTS if code == post), None)


def refusal_words(refusal: Refusal | AuditRefusal | None) -> dict[str, str] | None:
    """A refusal as a page shows it: its title, sentence and section."""
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
    return start_work(request, device, leaving, person)


# Begin and end work at a device


def start_work(
    request: HttpRequest, device: Device, leaving: Person | None, person: Person
) -> Refusal | None:
    """Close the sockets of who was signed in here before; a dealer takes the tablet's table over. Or the refusal."""
    if leaving is not None and leaving.pk != person.pk:
        async_to_sync(push.close_device)(device.pk, 4401)
    if person.role in DEALERS and device.place:
        return _take_over(request, person, device)
    return None


def _take_over(request: HttpRequest, person: Person, device: Device) -> Refusal | None:
    """Execute the dealer's act at the tablet's table: begin to deal, or relieve in mid-round."""
    facility, code = device.place.split("/", 1)
    table = Table.objects.select_related("stream").get(facility__code=facility, code=code)
    own_post, post = posts.post_of(table, person), _post_to_relieve(request)
    new_post = post_to_take(table, person, post) if post else own_post
    if own_post is not None and own_post == new_post and own_post not in posts.empty_posts(table):
        return None
    params = {"post": new_post} if post else {}
    act_request = table_runner.ActRequest(
        facility, code, "take_over_table", uuid.uuid4(), table.stream.seq, params, person, device
    )
    try:
        response = table_runner.execute(act_request)
    except Refusal as refusal:
        people.sign_out(request)
        return refusal
    push.publish_from_thread(response.key)
    return None


@require_POST
@decides_itself("everybody may end their work at a device")
def sign_off(request: HttpRequest) -> HttpResponse:
    """Sign off, unless that would leave a shaker unattended; then the page asks for relief.

    At a locked tablet nobody signs somebody else off: custody does not change hands without a PIN.
    """
    device = enrolled_device(request)
    person = request.user if isinstance(request.user, Person) else None
    if person is None or device is None or getattr(request, "locked", True):
        return redirect("sign-in")
    refusal = end_work(request, device, person)
    if refusal is not None:
        people.lock(device, reason="asked to sign off")
        return _sign_in_page(request, device, refusal, 422)
    return redirect("sign-in")


def end_work(request: HttpRequest, device: Device, person: Person) -> Refusal | None:
    """Take the person away from their post at this device, and sign them off. Or the refusal: then nothing changed."""
    tables = Table.objects.select_related("stream", "facility").filter(stream__name=device.place)
    table = tables.filter(posts.at_any_post(person)).first()
    if table is not None:
        act_request = table_runner.ActRequest(
            table.facility.code, table.code, "leave_table", uuid.uuid4(), table.stream.seq, {}, person, device
        )
        try:
            response = table_runner.execute(act_request)
        except Refusal as refusal:
            return refusal
        push.publish_from_thread(response.key)
    people.sign_out(request)
    async_to_sync(push.close_device)(device.pk, 4401)
    return None


@require_POST
@decides_itself("everybody may lock a device")
def lock(request: HttpRequest) -> HttpResponse:
    """Lock the device. The person keeps custody of the shaker; a podium and a phone still show the floor."""
    device = enrolled_device(request)
    if device is not None and isinstance(request.user, Person):
        people.lock(device)
        async_to_sync(push.close_device)(device.pk, 4423)
    return redirect("home")


# Enroll a browser


@require_http_methods(["GET", "POST"])
@decides_itself("nobody is signed in yet, and a device may not be enrolled")
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
            set_device_cookie(response, token.strip())
            return response
    old = getattr(request, "old_device", None)
    context = {
        "refused": refused,
        "old": old.name if old else "",
        "places": demo_places() if settings.DEMO else [],
    }
    return render(request, "tables/enrol.html", context, status=403 if refused else 200)


def _enrol_for_the_demo(place: str) -> str:
    """Enroll a demo device: `facility/table` is its tablet, `facility` its podium and `facility/` its wall.

    Return its token. Raises Http404 where there is no such table.
    """
    facility, slash, code = place.partition("/")
    if not Table.objects.filter(facility__code=facility, **({"code": code} if code else {})).exists():
        raise Http404
    if slash and not code:
        return devices.enroll(f"Wall {uuid.uuid4().hex[:6]}", facility, "wall")[1]
    station = "dealer" if code else "podium"
    name = f"{code or 'Podium'} {uuid.uuid4().hex[:6]}"
    return devices.enroll(name, facility, station, place if code else "")[1]


def demo_places() -> list[dict[str, Any]]:
    tables = Table.objects.select_related("facility", "stream").exclude(kind=Table.Kind.SIMULATED)
    places = [
        {"place": table.stream.name, "name": f"Tablet of {table.code}", "facility": table.facility.name}
        for table in tables
    ]
    facilities = {table.facility.code: table.facility.name for table in tables}
    shared = [
        {"place": place, "name": name, "facility": facility}
        for code, facility in facilities.items()
        for place, name in ((code, "Pit podium"), (f"{code}/", "Wall screen"))
    ]
    return [*shared, *places]


# What the page shows of its device


def _page_context(device: Device, post: PostCode | None) -> dict[str, Any]:
    table, elsewhere = None, list[SignInPerson]()
    if device.place:
        facility, code = device.place.split("/", 1)
        table = Table.objects.select_related("facility", "dealer").get(facility__code=facility, code=code)
        elsewhere = dealers_elsewhere(table, clock.now())
    people = people_at(device, table, FACILITY_PAGES_ROLES, post)
    cannot = {person.code for person in elsewhere}
    people = [person for person in people if person.code not in cannot]
    return {"place": _place(device, table), "people": people, "elsewhere": elsewhere}


def _facility_name(device: Device) -> str:
    return Facility.objects.filter(code=device.facility).values_list("name", flat=True).first() or ""


def _place(device: Device, table: Table | None) -> dict[str, Any]:
    keeper = posts.holder(table, posts.keeper_post(table)) if table else None
    shaker_with = keeper.name if keeper and table and table.status != Table.Status.CLOSED else None
    return {
        "table": table.code if table else "",
        "facility_name": table.facility.name if table else _facility_name(device),
        "game": game_by_code(table.game) if table else None,
        "kind": table.kind if table else "",
        "locked_at": device.locked_at,
        "round": table.last_round if table else None,
        "shaker_with": shaker_with,
    }


# The second factor


KEY_LENGTH_MAX = 20_000  # characters of a security key's answer
ISSUER = "Pitside"
Kind = SecondFactor.Kind


@require_http_methods(["GET", "POST"])
@decides_itself("nobody is signed in yet, and a device may not be enrolled")
def second_factor(request: HttpRequest) -> HttpResponse:
    """The second step of a sign-in with a password: a code, or a security key."""
    step = _step(request)
    if step is None:
        return redirect("sign-in")
    if step.is_set_up:
        return redirect("set-up")
    refusal = None
    if request.method == "POST":
        before = _signed_in_before(request)
        try:
            is_signed_in = factors.give_factor(request, _proof(request.POST))
        except AuditRefusal as error:
            refusal = error
        else:
            return _go_home(request, before) if is_signed_in else redirect("set-up")
    kinds = {factor.kind for factor in step.factors}
    context = {
        "step": step,
        "refusal": refusal_words(refusal),
        "has_key": Kind.WEBAUTHN in kinds,
        "has_app": Kind.TOTP in kinds,
        "next": request.POST.get("next") or request.GET.get("next", ""),
    }
    return render(request, "tables/factors/second_factor.html", context, status=403 if refusal else 200)


@require_http_methods(["GET", "POST"])
@decides_itself("nobody is signed in yet, and a device may not be enrolled")
def set_up(request: HttpRequest) -> HttpResponse:
    """The third step, after a one-time password: another password, and a second factor for who has none."""
    step = _step(request)
    if step is None:
        return redirect("sign-in")
    if not step.is_set_up:
        return redirect("second-factor")
    refusal = None
    if request.method == "POST":
        before = _signed_in_before(request)
        try:
            password, again = (request.POST.get(name, "") for name in ("password", "again"))
            factors.set_up(request, password, again, None if step.used_factor else _new_factor(request.POST))
        except AuditRefusal as error:
            refusal = error
        else:
            return _go_home(request, before)
    context = {
        "step": step,
        "refusal": refusal_words(refusal),
        "label": request.POST.get("label", "")[: factors.LABEL_LENGTH_MAX],
        "kind": request.POST.get("kind", ""),
        **(_app_context(request, step.person) if step.used_factor is None else {}),
    }
    return render(request, "tables/factors/set_up.html", context, status=403 if refusal else 200)


@require_POST
@decides_itself("a ceremony belongs to a sign-in under way, or to who is signed in")
def ask_key(request: HttpRequest) -> JsonResponse:
    """The options of a ceremony for the browser: `new` for a key that is registered, otherwise for one to answer.

    For the person who is signing in here (`step`), or who is signed in.
    """
    is_new = "new" in request.POST
    if "step" in request.POST:
        step = _step(request)
        if step is None:
            return _refused(FactorRefused(SIGN_IN_OVER))
        if is_new != step.is_set_up:
            raise Denied
        person = step.person
    else:
        person = person_of(request)
        if is_new:
            factors.verify_fresh(request)
    options = factors.ask_new_key(request, person) if is_new else factors.ask_key(request, person)
    if options is None:
        return _refused(FactorRefused())
    return JsonResponse(options, encoder=DjangoJSONEncoder)


@require_http_methods(["GET", "POST"])
@opened_by(SIGNED_IN)
def step_up(request: HttpRequest, person: Person, _device: Device | None) -> JsonResponse:
    """What a signed-in person may give as a second factor, and whether they just gave one; or give it."""
    if request.method == "POST":
        try:
            factors.confirm(request, person, _proof(request.POST))
        except AuditRefusal as refusal:
            return _refused(refusal)
    kinds = {factor.kind for factor in factors.active_factors(person)}
    is_fresh = factors.is_fresh(factors.factor_at(request.session), clock.now())
    return JsonResponse({"app": Kind.TOTP in kinds, "key": Kind.WEBAUTHN in kinds, "fresh": is_fresh})


def own_page_for(request: HttpRequest) -> tuple[Person, Facility]:
    """The person and the facility of the page of one's own sign-in. Raises `SignedOut`, `Locked` or `Denied`.

    A tablet of a table, and an installation that takes PINs alone, have no such page.
    """
    person, device = person_of(request), enrolled_device(request)
    facility = Facility.objects.filter(code=device.facility).first() if device and not device.place else None
    if facility is None or passwords.password_of(person) is None:
        raise Denied
    return person, facility


OWN_SIGN_IN = CheckedBy(own_page_for, ())


@require_GET
@opened_by(OWN_SIGN_IN)
def my_sign_in(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """The page of one's own password and second factors."""
    return _own_sign_in_page(request, person, facility, None)


@require_POST
@opened_by(OWN_SIGN_IN)
def change_my_sign_in(request: HttpRequest, person: Person, facility: Facility, change: str) -> HttpResponse:
    """Change one's own password, or add or end a second factor."""
    try:
        if change == "password":
            password, again = (request.POST.get(name, "") for name in ("password", "again"))
            factors.change_password(request, person, password, again)
        elif change == "add":
            factors.add_factor(request, person, _new_factor(request.POST))
        elif change == "end":
            factor = request.POST.get("factor", "")
            factors.end_factor(request, person, int(factor) if factor.isdecimal() else 0)
        else:
            raise Denied
    except AuditRefusal as refusal:
        return _own_sign_in_page(request, person, facility, refusal)
    return redirect("my-sign-in")


def _own_sign_in_page(
    request: HttpRequest, person: Person, facility: Facility, refusal: AuditRefusal | None
) -> HttpResponse:
    password = passwords.password_of(person)
    context = {
        "facility": facility,
        "section": "my-sign-in",
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "urls": {"sign_in": reverse("sign-in"), "sign_off": reverse("sign-off"), "act": ""},
        "as_of": clock.format_moment(clock.now()),
        "password": password,
        "factors": factors.active_factors(person),
        "refusal": refusal_words(refusal),
        "needs_factor": refusal is not None and refusal.code == "second-factor-needed",
        **_app_context(request, person),
    }
    return render(request, "tables/factors/my_sign_in.html", context, status=403 if refusal else 200)


def _step(request: HttpRequest) -> SignInStep | None:
    device = enrolled_device(request)
    if device is None or device.station in (Station.SIGN, Station.WALL):
        return None
    return factors.sign_in_step(request)


def _signed_in_before(request: HttpRequest) -> Person | None:
    device = enrolled_device(request)
    return device.person if device else None


def _go_home(request: HttpRequest, before: Person | None) -> HttpResponse:
    """Close the sockets of the person who was signed in here before, and open the person's page."""
    device = people.device_for_people(request)
    if before is not None and before.pk != request.user.pk:
        async_to_sync(push.close_device)(device.pk, 4401)
    if people.is_without_pin(request):
        return redirect("new-pin")
    return after_sign_in(request, device, before)


def _proof(form: Mapping[str, str]) -> FactorProof:
    """The code or the answer of a security key in a form. Raises FactorRefused for an answer that is no JSON object."""
    text = form.get("key", "")
    if not text:
        return FactorProof(code=form.get("code", ""))
    try:
        key = json.loads(text[:KEY_LENGTH_MAX])
    except (ValueError, RecursionError):
        key = None
    if not isinstance(key, dict):
        raise FactorRefused(SIGN_IN_OVER)
    return FactorProof(key=key)


def _new_factor(form: Mapping[str, str]) -> NewFactor:
    return NewFactor(form.get("label", ""), _proof(form))


def _app_context(request: HttpRequest, person: Person) -> dict[str, Any]:
    """What the page shows to register an app: a QR code, and the secret for typing."""
    secret = factors.new_secret(request)
    width, path = factors.qr_path(factors.totp_address(secret, person.code, ISSUER))
    return {"qr": {"width": width, "path": path}, "secret": factors.typed_secret(secret)}


def _refused(refusal: AuditRefusal) -> JsonResponse:
    words = {"code": refusal.code, "title": title(refusal), "message": say(refusal), "section": ""}
    return JsonResponse({"refusal": words}, status=refusal.status)
