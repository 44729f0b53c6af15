"""The second factor: at a sign-in, for an act that needs it again, and the page of one's own sign-in."""

import json
from collections.abc import Mapping
from typing import Any

from asgiref.sync import async_to_sync
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit import clock, factors, passwords, people, totp
from audit import step_up as step_up_rules
from audit.errors import SIGN_IN_OVER, AuditRefusal, FactorRefused
from audit.factors import FactorProof, NewFactor, SignInStep
from audit.models import Person, SecondFactor, Station
from games.models import Facility
from tables.runner.access import Denied, enrolled_device, person_of
from tables.screens import push
from tables.views.sign_in import after_sign_in, refusal_words
from tables.words.sentences import say, title

KEY_LENGTH_MAX = 20_000  # characters of a security key's answer
ISSUER = "Pitside"
Kind = SecondFactor.Kind


@require_http_methods(["GET", "POST"])
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
def step_up(request: HttpRequest) -> JsonResponse:
    """What a signed-in person may give as a second factor, and whether they just gave one; or give it."""
    person = person_of(request)
    if request.method == "POST":
        try:
            factors.confirm(request, person, _proof(request.POST))
        except AuditRefusal as refusal:
            return _refused(refusal)
    kinds = {factor.kind for factor in factors.active_factors(person)}
    is_fresh = step_up_rules.is_fresh(step_up_rules.factor_at(request.session), clock.now())
    return JsonResponse({"app": Kind.TOTP in kinds, "key": Kind.WEBAUTHN in kinds, "fresh": is_fresh})


@require_GET
def my_sign_in(request: HttpRequest) -> HttpResponse:
    """The page of one's own password and second factors."""
    person, facility = _own_page(request)
    return _own_sign_in_page(request, person, facility, None)


@require_POST
def change_my_sign_in(request: HttpRequest, change: str) -> HttpResponse:
    """Change one's own password, or add or end a second factor."""
    person, facility = _own_page(request)
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


def _own_page(request: HttpRequest) -> tuple[Person, Facility]:
    """The person and the facility of the page of one's own sign-in. Raises `SignedOut`, `Locked` or `Denied`.

    A tablet of a table, and an installation that takes PINs alone, have no such page.
    """
    person, device = person_of(request), enrolled_device(request)
    facility = Facility.objects.filter(code=device.facility).first() if device and not device.place else None
    if facility is None or passwords.password_of(person) is None:
        raise Denied
    return person, facility


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
    width, path = totp.qr_path(totp.address(secret, person.code, ISSUER))
    return {"qr": {"width": width, "path": path}, "secret": totp.typed_secret(secret)}


def _refused(refusal: AuditRefusal) -> JsonResponse:
    words = {"code": refusal.code, "title": title(refusal), "message": say(refusal), "section": ""}
    return JsonResponse({"refusal": words}, status=refusal.status)
