"""Sign-in, lockout, witness, lock: on enrolled devices alone, and always on the record."""

import datetime as dt
import io
import json
import threading

import pytest
from django.conf import settings
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.http import HttpResponse

from audit import clock, devices, people
from audit.identity import StationMiddleware
from audit.models import Device, Entry, Lockout, Person, Role
from audit.refusals import DeviceRefused, EnrollmentRefused, LockedOut, SamePerson, TooManyPins, WrongPin
from config.handler import MOST_REQUESTS_AT_ONCE

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def recorded():
    entries = Entry.objects.filter(stream__name="larkfield/sign-in").order_by("seq")
    return [json.loads(bytes(entry.body)) for entry in entries if entry.type != "device.enrolled"]


def types():
    return [entry["_type"] for entry in recorded()]


def test_a_person_signs_in_with_code_and_pin(request_at, tablet, dealer):
    request = request_at(tablet)
    assert people.sign_in(request, "tran-m", "123456") == dealer
    tablet.refresh_from_db()
    assert (tablet.person, tablet.locked_at, request.user) == (dealer, None, dealer)
    assert (recorded()[0]["_type"], recorded()[0]["actor"]) == ("person.signed_in", "tran-m")
    assert "123456" not in str(recorded())


def test_each_sign_in_has_a_new_session(request_at, tablet, dealer):
    request = request_at(tablet)
    people.sign_in(request, "tran-m", "123456")
    first = request.session.session_key
    people.sign_in(request, "tran-m", "123456")
    assert first and request.session.session_key != first


def test_relief_moves_the_device(request_at, tablet, dealer, floorperson):
    people.sign_in(request_at(tablet), "tran-m", "123456")
    people.sign_in(request_at(tablet), "okafor-a", "654321")
    assert Device.objects.get(pk=tablet.pk).person == floorperson
    assert recorded()[-1]["data"] == {"name": "tablet-17", "relieves": "tran-m"}


def test_a_wrong_pin_and_a_stranger_are_refused_alike(request_at, tablet, dealer):
    for code, named in (("tran-m", "tran-m"), ("nobody", None), ("999999", None), ("a\0b", None)):
        with pytest.raises(WrongPin) as refused:
            people.sign_in(request_at(tablet), code, "000000")
        assert refused.value.sentence == "This PIN is wrong. Enter it again."
        assert recorded()[-1]["data"] == {"code": named, "name": "tablet-17", "purpose": "sign-in"}


def wrong_pins(request_at, device, code, times, *, refusal=WrongPin):
    for _ in range(times):
        with pytest.raises(refusal):
            people.sign_in(request_at(device), code, "000000")


def test_five_wrong_pins_lock_a_person_out_at_that_device_only(request_at, tablet, dealer, floorperson):
    for address in range(4):  # another address is no other device
        with pytest.raises(WrongPin):
            people.sign_in(request_at(tablet, f"10.0.0.{address}"), "tran-m", "000000")
    wrong_pins(request_at, tablet, "tran-m", 1, refusal=LockedOut)
    with pytest.raises(LockedOut):
        people.sign_in(request_at(tablet), "tran-m", "123456")
    assert types().count("person.locked_out") == 1
    podium, _ = devices.enroll("podium-1", "larkfield", "podium")
    assert people.sign_in(request_at(podium), "tran-m", "123456") == dealer
    assert people.sign_in(request_at(tablet), "okafor-a", "654321") == floorperson


def test_a_right_pin_forgives_the_slips_before_it(request_at, tablet, dealer):
    for _ in range(2):
        wrong_pins(request_at, tablet, "tran-m", 4)
        people.sign_in(request_at(tablet), "tran-m", "123456")


def test_a_right_pin_forgives_nobody_else_and_nothing_at_another_device(
    request_at, tablet, dealer, floorperson
):
    podium, _ = devices.enroll("podium-1", "larkfield", "podium")
    wrong_pins(request_at, tablet, "okafor-a", 4)
    wrong_pins(request_at, podium, "tran-m", 4)
    people.sign_in(request_at(tablet), "tran-m", "123456")
    wrong_pins(request_at, tablet, "okafor-a", 1, refusal=LockedOut)
    wrong_pins(request_at, podium, "tran-m", 1, refusal=LockedOut)


def test_ten_wrong_pins_of_anybody_lock_the_device(request_at, tablet, dealer, make_person):
    codes = [make_person(f"dealer-{number}").code for number in range(3)]
    for code in [*codes, "nobody", *codes, "999999", *codes][:9]:
        wrong_pins(request_at, tablet, code, 1)
    wrong_pins(request_at, tablet, codes[2], 1, refusal=LockedOut)
    with pytest.raises(LockedOut):
        people.sign_in(request_at(tablet), "tran-m", "123456")
    assert recorded()[-1]["_type"] == "device.locked_out"
    data = recorded()[-1]["data"]
    assert data.pop("ends_at") > recorded()[-1]["at"]
    assert data == {"name": "tablet-17", "purpose": "sign-in"}


def test_twenty_wrong_pins_lock_a_person_out_everywhere_but_where_they_are_signed_in(
    request_at, tablet, dealer
):
    people.sign_in(request_at(tablet), "tran-m", "123456")
    tablet.refresh_from_db()
    podiums = [devices.enroll(f"podium-{number}", "larkfield", "podium")[0] for number in range(6)]
    for podium in podiums[:4]:
        wrong_pins(request_at, podium, "tran-m", 4)
    wrong_pins(request_at, podiums[4], "tran-m", 3)
    wrong_pins(request_at, podiums[4], "tran-m", 1, refusal=LockedOut)
    assert recorded()[-1]["data"]["everywhere"] is True
    with pytest.raises(LockedOut):
        people.sign_in(request_at(podiums[5]), "tran-m", "123456")
    assert people.sign_in(request_at(tablet), "tran-m", "123456") == dealer


def test_a_lock_out_refuses_without_a_hash_or_an_entry_and_ends_after_fifteen_minutes(
    request_at, tablet, dealer, monkeypatch
):
    wrong_pins(request_at, tablet, "tran-m", 4)
    wrong_pins(request_at, tablet, "tran-m", 1, refusal=LockedOut)
    entries, end = len(recorded()), Lockout.objects.get().ends_at
    with monkeypatch.context() as patch:
        patch.setattr(Person, "check_password", lambda *_: pytest.fail("a PIN was hashed"))
        for _ in range(20):
            with pytest.raises(LockedOut):
                people.sign_in(request_at(tablet), "tran-m", "123456")
    assert len(recorded()) == entries
    with clock.override(end), pytest.raises(WrongPin):  # and the count begins again
        people.sign_in(request_at(tablet), "tran-m", "000000")


def test_a_pin_that_was_hashed_while_the_last_wrong_one_came_is_refused_although_right(
    request_at, tablet, dealer, monkeypatch
):
    wrong_pins(request_at, tablet, "tran-m", 4)
    check = Person.check_password

    def meanwhile(person, pin):
        if pin == "123456":
            people.count_wrong_pin(tablet, person, None, clock.now())
        return check(person, pin)

    monkeypatch.setattr(Person, "check_password", meanwhile)
    with pytest.raises(LockedOut):
        people.sign_in(request_at(tablet), "tran-m", "123456")


@pytest.mark.parametrize("why", ["no device", "revoked", "elsewhere", "inactive"])
def test_a_right_pin_is_not_enough(request_at, tablet, dealer, why):
    if why == "revoked":
        devices.revoke(tablet)
    if why == "elsewhere":
        Person.objects.update(facility="brookside")
    if why == "inactive":
        Person.objects.update(is_active=False)
    request = request_at(None if why == "no device" else tablet)
    with pytest.raises((DeviceRefused, WrongPin)):
        people.sign_in(request, "tran-m", "123456")
    assert not request.user.is_authenticated


def test_a_person_of_every_facility_signs_in_anywhere(request_at, tablet, make_person):
    agent = make_person("agent-7", Role.GAMING_AGENT, facility="", department="regulator")
    assert people.sign_in(request_at(tablet), "agent-7", "123456") == agent


def test_signing_out_leaves_the_device_to_nobody(request_at, tablet, dealer):
    request = request_at(tablet)
    people.sign_in(request, "tran-m", "123456")
    people.sign_out(request)
    assert Device.objects.get(pk=tablet.pk).person is None
    assert not request.user.is_authenticated
    assert types() == ["person.signed_in", "person.signed_out"]


def test_a_witness_proves_themselves_without_a_session(request_at, tablet, dealer, floorperson):
    request = request_at(tablet)
    people.sign_in(request, "tran-m", "123456")
    key = request.session.session_key
    assert people.verify_witness(request, "okafor-a", "654321") == floorperson
    assert (request.session.session_key, request.user) == (key, dealer)
    assert Device.objects.get(pk=tablet.pk).person == dealer


@pytest.mark.parametrize("code", ["tran-m", "Tran-M", " tran-m "])
def test_nobody_is_their_own_witness(request_at, tablet, dealer, code):
    request = request_at(tablet)
    people.sign_in(request, "tran-m", "123456")
    with pytest.raises(SamePerson):
        people.verify_witness(request, code, "123456")


def test_wrong_pins_of_a_witness_count(request_at, tablet, dealer, floorperson):
    request = request_at(tablet)
    people.sign_in(request, "tran-m", "123456")
    for _ in range(4):
        with pytest.raises(WrongPin):
            people.verify_witness(request, "okafor-a", "000000")
    for pin in ("000000", "654321"):
        with pytest.raises(LockedOut):
            people.verify_witness(request, "okafor-a", pin)
    assert recorded()[-1]["data"]["purpose"] == "witness"
    assert Lockout.objects.get().signed_in == dealer


def through_middleware(request, token, method="POST"):
    request.method = method
    if token:
        signed = signing.get_cookie_signer(salt=settings.DEVICE_COOKIE_NAME + devices.COOKIE_SALT).sign(token)
        request.COOKIES[settings.DEVICE_COOKIE_NAME] = signed
    StationMiddleware(lambda _request: HttpResponse())(request)
    return request


def test_pins_that_come_at_once_leave_half_of_the_threads_to_acts(request_at, tablet, dealer, monkeypatch):
    assert people.MOST_PINS_AT_ONCE * 2 <= MOST_REQUESTS_AT_ONCE
    monkeypatch.setattr(people, "_pins", threading.BoundedSemaphore(1))
    monkeypatch.setattr(
        people, "_hashing", threading.RLock()
    )  # without the limit the test fails, and does not hang
    check_password = Person.check_password

    def check_while_another_comes(person, pin):
        with pytest.raises(TooManyPins):
            people.sign_in(request_at(tablet), "tran-m", "123456")
        return check_password(person, pin)

    with monkeypatch.context() as patch:
        patch.setattr(Person, "check_password", check_while_another_comes)
        people.sign_in(request_at(tablet), "tran-m", "123456")
    people.sign_in(request_at(tablet), "tran-m", "123456")
    assert types() == ["person.signed_in"] * 2


@pytest.fixture
def signed_in(request_at, dealer):
    """A request of the dealer at a fresh tablet, with that tablet's token."""
    device, token = devices.enroll("tablet-18", "larkfield", "dealer")
    request = request_at(device)
    people.sign_in(request, "tran-m", "123456")
    return request, device, token


def test_the_cookie_identifies_the_device(signed_in, request_at):
    request, device, token = signed_in
    through_middleware(request, token)
    assert (request.device, request.locked) == (device, False)
    for wrong in (None, "x", token + "x"):
        assert through_middleware(request_at(None), wrong).device is None
    devices.revoke(device)
    assert through_middleware(request, token).device is None
    assert not request.user.is_authenticated


def test_the_cookie_is_signed_and_hidden_from_scripts(tablet):
    response = HttpResponse()
    devices.set_device_cookie(response, "secret")
    cookie = response.cookies[settings.DEVICE_COOKIE_NAME]
    assert cookie["httponly"] and cookie["samesite"] == "Strict" and cookie.value != "secret"


def test_a_session_locks_when_somebody_else_signs_in(signed_in, request_at, floorperson):
    request, device, token = signed_in
    people.sign_in(request_at(device), "okafor-a", "654321")
    assert through_middleware(request, token).locked


def test_a_session_of_an_earlier_sign_in_stays_locked_when_its_person_signs_in_again(
    signed_in, request_at, dealer
):
    """As from a copy of the browser's cookies: only the session of the newest sign-in acts at a device."""
    copied, device, token = signed_in
    newest = request_at(device)
    people.sign_in(newest, "tran-m", "123456")
    assert not through_middleware(newest, token).locked
    assert through_middleware(copied, token).locked
    people.sign_out(newest)
    people.sign_in(request_at(device), "tran-m", "123456")
    assert through_middleware(copied, token).locked


def test_a_locked_device_keeps_its_person_and_opens_by_pin(signed_in, dealer):
    request, device, token = signed_in
    people.lock(device)
    people.lock(device)
    assert through_middleware(request, token).locked
    assert Device.objects.get(pk=device.pk).person == dealer
    assert types() == ["person.signed_in", "device.locked"]
    people.sign_in(request, "tran-m", "123456")
    assert not through_middleware(request, token).locked


def test_an_idle_device_locks_and_polling_keeps_none_awake(signed_in):
    request, device, token = signed_in
    start = Device.objects.get(pk=device.pk).last_seen_at
    later = lambda seconds: clock.override(start + dt.timedelta(seconds=seconds))  # noqa: E731
    with later(200):
        assert not through_middleware(request, token, "GET").locked
        assert Device.objects.get(pk=device.pk).last_seen_at == start
        assert not through_middleware(request, token, "POST").locked
    with later(450):
        assert not through_middleware(request, token, "GET").locked
    with later(501):
        assert through_middleware(request, token, "POST").locked
    assert recorded()[-1]["data"]["reason"] == "idle"


def test_last_seen_is_written_once_a_minute(signed_in):
    request, device, token = signed_in
    start = Device.objects.get(pk=device.pk).last_seen_at
    with clock.override(start + dt.timedelta(seconds=59)):
        through_middleware(request, token)
    assert Device.objects.get(pk=device.pk).last_seen_at == start


@pytest.mark.parametrize("pin", ["12345", "1234567", "12345a", "１２３４５６", ""])
def test_a_pin_has_six_digits(pin):
    with pytest.raises(ValidationError):
        Person().set_pin(pin)


def test_a_role_outside_the_list_is_refused_by_the_database(dealer):
    for field in ("role", "department"):
        with pytest.raises(IntegrityError), transaction.atomic():
            Person.objects.update(**{field: "emperor"})


def test_only_roles_of_table_games_have_a_rank():
    step = lambda role: Person(role=role)  # noqa: E731
    assert people.has_rank(step("pit-manager"), "floorperson")
    assert not people.has_rank(step("dealer"), "floorperson")
    assert not people.has_rank(step("surveillance"), "dealer")


def test_short_names():
    assert [Person(name=name).short_name for name in ("Minh Tran", "Cher", "Ana de Souza")] == [
        "M. Tran", "Cher", "A. Souza",
    ]  # fmt: skip


@pytest.fixture
def hands_at():
    """It is so many minutes after one moment."""
    start = clock.now()
    return lambda minutes: clock.override(start + dt.timedelta(minutes=minutes))


def test_enrolling_from_the_command_line(capsys, dealer, tablet, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("123456\n654321\n"))
    who = {"by": "tran-m", "pin_from_stdin": True}
    call_command("enrol_device", "podium-1", facility="larkfield", station="podium", **who)
    token = capsys.readouterr().out.strip()
    device = devices.use_token(token)
    assert (device.name, device.enrolled_by) == ("podium-1", dealer)
    for wrong in (who, {**who, "by": "nobody"}, {"place": "brookside/T-01"}, {}):
        with pytest.raises(CommandError):
            call_command("enrol_device", "podium-1", facility="larkfield", station="podium", **wrong)


def refused_token(token):
    with pytest.raises(EnrollmentRefused) as refused:
        devices.use_token(token)
    return refused.value.code


def test_an_enrollment_token_is_used_once_and_its_second_use_is_recorded_once(tablet):
    device, token = devices.enroll("podium-1", "larkfield", "podium")
    assert devices.use_token(f" {token}\n") == device
    assert [refused_token(token) for _ in range(3)] == ["token-used"] * 3
    refusals = [entry["data"] for entry in recorded() if entry["_type"] == "device.enrollment_refused"]
    assert refusals == [{"name": "podium-1", "why": "used"}]


def test_an_enrollment_token_expires_after_half_an_hour_and_is_replaced(hands_at):
    with hands_at(0):
        device, token = devices.enroll("podium-1", "larkfield", "podium")
        _, in_time = devices.enroll("podium-2", "larkfield", "podium")
    with hands_at(29):
        devices.use_token(in_time)
    with hands_at(30):
        assert refused_token(token) == "token-expired"
        again, newer = devices.enroll("podium-1", "larkfield", "sign", "larkfield/T-04")
        assert (again, again.station, refused_token(token)) == (device, "sign", "unknown-token")
        assert devices.use_token(newer) == device
        with pytest.raises(ValidationError):
            devices.enroll("podium-1", "larkfield", "podium")


def test_a_revoked_device_is_not_enrolled_by_its_token():
    device, token = devices.enroll("podium-1", "larkfield", "podium")
    devices.revoke(device)
    assert refused_token(token) == "unknown-token"
