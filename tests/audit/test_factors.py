"""A password and a second factor: who needs them, what is counted, what works once, and what stays on the record."""

import datetime as dt
import json
import uuid
from urllib.parse import parse_qs, urlparse

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from audit import clock, devices, factors, passwords, people
from audit.factors import FactorProof, NewFactor
from audit.models import Entry, Password, Role, SecondFactor, WrongPin
from audit.people_record_checks import check_factors, check_passwords
from audit.refusals import (
    FactorRefused,
    LockedOut,
    PasswordNeeded,
    PinNotHere,
    SecondFactorNeeded,
    WrongFactor,
    WrongPassword,
)

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NOON = dt.datetime(2026, 11, 21, 17, tzinfo=dt.UTC)
CHECKS = (check_factors, check_passwords)
WORDS = "seven quiet tables"


@pytest.fixture(autouse=True)
def second_factors(settings):
    settings.SECOND_FACTORS = True


class Hands:
    now = NOON

    def __call__(self):
        return self.now

    def wait(self, **time):
        self.now += dt.timedelta(**time)


@pytest.fixture
def hands():
    hands = Hands()
    with clock.override(hands):
        yield hands


@pytest.fixture
def office(db, hands):
    return devices.enroll("desk-1", "larkfield", "office")[0]


@pytest.fixture
def carla(make_person):
    return make_person("carla", Role.COMPLIANCE, name="Carla Reyes", department="compliance")


def one_time(person, capsys, *more):
    call_command("give_password", person.code, *more)
    return capsys.readouterr().out.strip()


def entries(*types):
    rows = Entry.objects.filter(stream__name="larkfield/sign-in", type__in=types).order_by("seq")
    return [json.loads(bytes(row.body)) for row in rows]


def code_of(request):
    """The code that an app shows which has just scanned the secret of this browser."""
    return factors.code_at(factors.new_secret(request), clock.now())


@pytest.fixture
def registered(request_at, office, carla, hands, capsys):
    """Carla, with a password and an app. Its first code is used."""
    request = request_at(office)
    factors.check_password(request, "carla", one_time(carla, capsys))
    factors.set_up(request, WORDS, WORDS, NewFactor("Phone", FactorProof(code_of(request))))
    people.sign_out(request)
    hands.wait(minutes=1)
    return SecondFactor.objects.get(person=carla)


def signed_in(request, factor):
    factors.check_password(request, "carla", WORDS)
    assert factors.give_factor(request, FactorProof(factors.code_at(factor.secret, clock.now())))
    return request


@pytest.mark.parametrize(
    ("station", "place", "role", "expected"),
    [
        ("office", "", Role.SHIFT_MANAGER, True),
        ("podium", "", Role.SHIFT_MANAGER, False),
        ("podium", "", Role.SECURITY, False),
        ("dealer", "larkfield/T-04", Role.DEALER, False),
        ("podium", "", Role.COMPLIANCE, True),
        ("pit", "", Role.SURVEILLANCE, True),
        ("dealer", "larkfield/T-04", Role.SYSTEM_ADMINISTRATOR, True),
    ],
)
def test_a_pin_alone_is_for_people_of_the_floor_at_floor_devices(
    request_at, make_person, settings, station, place, role, expected
):
    device, _ = devices.enroll("device", "larkfield", station, place)
    person = make_person("somebody", role)
    assert people.takes_password(device, person) is expected
    if expected:
        with pytest.raises(PasswordNeeded):
            people.sign_in(request_at(device), "somebody", "123456")
        assert entries("person.signed_in", "person.refused") == []
        settings.SECOND_FACTORS = False
    assert people.sign_in(request_at(device), "somebody", "123456") == person


def test_a_second_person_signs_at_an_office_device_with_a_pin_and_a_code(
    request_at, office, registered, carla, floorperson, hands
):
    request = request_at(office)
    request.user = floorperson
    for sign in (people.claimed_witness, lambda *who: factors.verify_witness(*who, "123456", "")):
        with pytest.raises(PinNotHere):
            sign(request, "carla")
    for _ in range(4):  # a right PIN forgives no wrong code
        with pytest.raises(WrongFactor):
            factors.verify_witness(request, "carla", "123456", "000000")
    code = factors.code_at(registered.secret, hands.now)
    assert factors.verify_witness(request, "carla", "123456", code) == carla
    assert {entry["data"]["purpose"] for entry in entries("person.refused")} == {"witness"}
    with pytest.raises(WrongFactor):
        factors.verify_witness(request, "carla", "123456", code)
    request.user, request.device = carla, devices.enroll("podium-1", "larkfield", "podium")[0]
    assert factors.verify_witness(request, "okafor-a", "654321", "") == floorperson


def test_a_one_time_password_leads_to_a_password_and_a_second_factor(
    request_at, office, carla, hands, capsys
):
    password, request = one_time(carla, capsys), request_at(office)
    step = factors.check_password(request, "carla", password.lower().replace("-", " "))
    assert step.is_set_up and not request.user.is_authenticated
    with pytest.raises(FactorRefused):
        factors.set_up(request, WORDS, WORDS, None)
    with pytest.raises(FactorRefused):
        factors.set_up(request, WORDS, WORDS, NewFactor("", FactorProof("000000")))
    factors.set_up(request, WORDS, WORDS, NewFactor("", FactorProof(code_of(request))))
    assert request.user == carla and factors.factor_at(request.session) == hands.now
    factor = SecondFactor.objects.get()
    types = ("password.given", "password.changed", "factor.registered", "person.signed_in")
    first, changed, added, signed = entries(*types)
    assert (first["actor"], changed["actor"], added["data"]["label"]) == (None, "carla", "Authenticator app")
    assert signed["data"]["factor"] == factor.pk == added["data"]["factor"]
    with pytest.raises(WrongPassword):  # it worked once
        factors.check_password(request_at(office), "carla", password)
    stored = str([first, changed, added, signed, *Password.objects.values(), *SecondFactor.objects.values()])
    secret = parse_qs(urlparse(factors.totp_address(bytes(factor.secret), "carla", "Pitside")).query)[
        "secret"
    ][0]
    assert not [text for text in (password, password.replace("-", ""), WORDS, secret) if text in stored]


def test_a_one_time_password_ends_after_a_day_and_a_new_one_ends_it(request_at, office, carla, hands, capsys):
    first = one_time(carla, capsys)
    second = one_time(carla, capsys)
    with pytest.raises(WrongPassword):
        factors.check_password(request_at(office), "carla", first)
    hands.wait(hours=24)
    with pytest.raises(WrongPassword):
        factors.check_password(request_at(office), "carla", second)


@pytest.mark.parametrize(
    "password", ["short words", "123456789012", "password1234", "carla reyes1", "x" * 200]
)
def test_a_poor_password_is_refused_with_a_reason(request_at, office, carla, hands, capsys, password):
    request = request_at(office)
    factors.check_password(request, "carla", one_time(carla, capsys))
    with pytest.raises(FactorRefused) as refused:
        factors.set_up(request, password, password, NewFactor("", FactorProof(code_of(request))))
    assert refused.value.code == "bad-password" and "password" in refused.value.sentence
    with pytest.raises(FactorRefused) as refused:
        factors.set_up(request, WORDS, WORDS + "!", None)
    assert refused.value.code == "passwords-differ"
    assert not SecondFactor.objects.exists()


def test_the_session_begins_with_the_second_factor_and_not_before(request_at, office, registered, carla):
    request = request_at(office)
    factors.check_password(request, "carla", WORDS)
    office.refresh_from_db()
    assert not request.user.is_authenticated and office.person is None
    assert factors.give_factor(request, FactorProof(factors.code_at(registered.secret, clock.now())))
    office.refresh_from_db()
    assert request.user == office.person == carla


def test_each_code_works_once_and_for_a_minute_and_a_half(request_at, office, registered, hands):
    code = factors.code_at(registered.secret, hands.now)
    request = request_at(office)
    factors.check_password(request, "carla", WORDS)
    assert factors.give_factor(request, FactorProof(f"{code[:3]} {code[3:]}"))
    for _ in range(2):
        factors.check_password(request, "carla", WORDS)
        with pytest.raises(WrongFactor):
            factors.give_factor(request, FactorProof(code))
    later = factors.code_at(registered.secret, hands.now + dt.timedelta(minutes=1))
    with pytest.raises(WrongFactor):
        factors.give_factor(request, FactorProof(later))
    hands.wait(seconds=30)
    assert factors.give_factor(request, FactorProof(later))
    assert [entry["data"]["purpose"] for entry in entries("person.refused")] == ["second-factor"] * 3


def test_whoever_knows_the_password_has_five_codes_and_not_more(request_at, office, registered, carla):
    for tries in range(5):
        request = request_at(office)
        factors.check_password(request, "carla", WORDS)
        with pytest.raises(LockedOut if tries == 4 else WrongFactor):
            factors.give_factor(request, FactorProof("000000"))
    with pytest.raises(LockedOut):
        factors.check_password(request_at(office), "carla", WORDS)
    assert people.is_locked_out(office, carla, clock.now())
    assert len(entries("person.locked_out")) == 1


def test_wrong_passwords_count_as_wrong_pins_and_a_stranger_is_refused_alike(
    request_at, office, registered, make_person
):
    for code in ("carla", "nobody"):
        with pytest.raises(WrongPassword) as refused:
            factors.check_password(request_at(office), code, "another password")
        assert refused.value.sentence == "Name or password is wrong."
    make_person("lee", Role.COMPLIANCE, facility="seabright", department="compliance")
    with pytest.raises(WrongPassword):
        factors.check_password(request_at(office), "lee", "123456")
    assert WrongPin.objects.count() == 3
    signed_in(request_at(office), registered)
    assert WrongPin.objects.filter(person__code="carla").count() == 0


def test_a_step_of_a_sign_in_is_for_its_device_its_time_and_its_password(
    request_at, office, registered, carla, hands, capsys
):
    code = FactorProof(factors.code_at(registered.secret, hands.now))
    request = request_at(office)
    with pytest.raises(FactorRefused):
        factors.give_factor(request, code)
    factors.check_password(request, "carla", WORDS)
    request.device = devices.enroll("desk-2", "larkfield", "office")[0]
    with pytest.raises(FactorRefused):
        factors.give_factor(request, code)
    request.device = office
    hands.wait(minutes=16)
    with pytest.raises(FactorRefused):
        factors.give_factor(request, code)
    factors.check_password(request, "carla", WORDS)
    one_time(carla, capsys)
    with pytest.raises(FactorRefused):
        factors.give_factor(request, FactorProof(factors.code_at(registered.secret, hands.now)))


def test_a_forgotten_password_still_takes_the_second_factor(
    request_at, office, registered, carla, hands, capsys
):
    request = request_at(office)
    step = factors.check_password(request, "carla", one_time(carla, capsys))
    assert not step.is_set_up
    with pytest.raises(FactorRefused):
        factors.set_up(request, "eight loud tables", "eight loud tables", None)
    code = factors.code_at(registered.secret, hands.now)
    assert not factors.give_factor(request, FactorProof(code)) and not request.user.is_authenticated
    factors.set_up(request, "eight loud tables", "eight loud tables", None)
    assert request.user == carla
    assert [factor.label for factor in factors.active_factors(carla)] == ["Phone"]


def test_a_lost_factor_ends_by_command_and_nothing_else_of_the_person_changes(
    request_at, office, registered, carla, capsys
):
    before = type(carla).objects.values().get(pk=carla.pk)
    password = one_time(carla, capsys, "--lost")
    [ended] = entries("factor.ended")
    assert (ended["actor"], ended["data"]["why"], ended["data"]["by_operator"]) == (None, "lost", True)
    assert type(carla).objects.values().get(pk=carla.pk) == before
    assert factors.check_password(request_at(office), "carla", password).is_set_up
    with pytest.raises(CommandError):
        call_command("give_password", "nobody")


def test_a_password_without_any_factor_signs_nobody_in(request_at, office, registered, hands):
    SecondFactor.objects.update(ended_at=hands.now)
    with pytest.raises(FactorRefused) as refused:
        factors.check_password(request_at(office), "carla", WORDS)
    assert refused.value.code == "no-second-factor"


def test_own_changes_need_a_second_factor_of_the_last_ten_minutes(
    request_at, office, registered, carla, hands
):
    request = signed_in(request_at(office), registered)
    hands.wait(minutes=11)
    for change in (
        lambda: factors.change_password(request, carla, WORDS, WORDS),
        lambda: factors.add_factor(request, carla, NewFactor("Second phone")),
        lambda: factors.end_factor(request, carla, registered.pk),
    ):
        with pytest.raises(SecondFactorNeeded):
            change()
    with pytest.raises(WrongFactor):
        factors.confirm(request, carla, FactorProof("000000"))
    factors.confirm(request, carla, FactorProof(factors.code_at(registered.secret, hands.now)))
    with pytest.raises(FactorRefused) as refused:
        factors.end_factor(request, carla, registered.pk)
    assert refused.value.code == "last-factor"
    factors.add_factor(request, carla, NewFactor("Second phone", FactorProof(code_of(request))))
    factors.change_password(request, carla, "eight loud tables", "eight loud tables")
    factors.end_factor(request, carla, registered.pk)
    assert [factor.label for factor in factors.active_factors(carla)] == ["Second phone"]
    types = ("person.refused", "factor.confirmed", "password.changed", "factor.ended")
    assert [entry["_type"] for entry in entries(*types)][-4:] == [
        "person.refused", "factor.confirmed", "password.changed", "factor.ended",
    ]  # fmt: skip


def test_a_secret_is_read_with_the_key_of_before(registered, settings, hands):
    code = factors.code_at(registered.secret, hands.now)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    assert factors.matching_step(registered.secret, code, hands.now, 0)
    settings.SECRET_KEY_FALLBACKS = []
    assert factors.matching_step(registered.secret, code, hands.now, 0) is None


def test_a_one_time_password_can_be_read_for_ten_minutes_by_who_gave_it(carla, make_person, hands):
    teo = make_person("teo", Role.SYSTEM_ADMINISTRATOR, department="information-technology")
    row = passwords.give_one_time(carla, uuid.uuid4(), hands.now, teo)
    assert [row.person for row in passwords.readable_by(teo, hands.now)] == [carla]
    assert passwords.readable_by(carla, hands.now) == []
    assert passwords.is_right(row, passwords.one_time_text(row), hands.now)
    assert passwords.readable_by(teo, hands.now + dt.timedelta(minutes=10)) == []


def test_passwords_and_factors_are_compared_with_the_record(registered, carla, hands, capsys, make_person):
    teo = make_person("teo", Role.SYSTEM_ADMINISTRATOR, department="information-technology")

    def findings():
        return [finding.code for check in CHECKS for finding in check(lambda: None)]

    assert findings() == []
    for change, expected in (
        (lambda: SecondFactor.objects.update(ended_at=hands.now), "factor-differs"),
        (lambda: SecondFactor.objects.update(secret=factors.new_totp_secret()), "factor-differs"),
        (lambda: SecondFactor.objects.create(person=carla, kind="totp", label="Another",
            device=registered.device, registered_at=hands.now), "factor-unrecorded"),
        (lambda: SecondFactor.objects.update(kind="webauthn", credential=b"1"), "factor-differs"),
        (lambda: SecondFactor.objects.update(person=teo), "factor-differs"),
        (lambda: SecondFactor.objects.all().delete(), "factor-missing"),
        (lambda: Password.objects.update(hash="md5$another"), "password-differs"),
        (lambda: Password.objects.all().delete(), "password-missing"),
    ):  # fmt: skip
        with transaction.atomic():
            change()
            assert set(findings()) == {expected}, expected
            transaction.set_rollback(True)
    one_time(carla, capsys, "--lost")
    assert findings() == []
