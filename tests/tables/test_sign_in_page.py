"""The sign-in page of a busy floor: everybody on duty is on it, the last here first, with what they are known by."""

import datetime as dt
import json
import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.test import RequestFactory

from audit import clock, people
from audit.models import Entry, Person
from audit.people import MAX_WRONG_PINS, Scope
from audit.refusals import LicenseEnded
from tables.models import Assignment
from tables.words.entries import words_of
from tests.tables.cast import PIN

pytestmark = pytest.mark.django_db


def hire(scene, role, count, first_badge=1001):
    """This many people of one role, on duty at the whole facility, with a badge each."""
    facility, pin = scene.table.facility, make_password(PIN)
    hired = Person.objects.bulk_create(
        Person(
            code=f"{role}-{number}",
            name=f"{role.title()} {number:03d}",
            role=role,
            department="table-games",
            facility=facility.code,
            badge=str(first_badge + number),
            password=pin,
        )
        for number in range(count)
    )
    now = clock.now()
    Assignment.objects.bulk_create(
        Assignment(person=person, facility=facility, started_at=now) for person in hired
    )
    return hired


def codes_on(page):
    return re.findall(r'name="person" value="([^"]+)"', page)


def test_with_22_floorpersons_on_duty_every_pit_manager_can_sign_in(scene):
    floorpeople, managers = hire(scene, "floorperson", 22), hire(scene, "pit-manager", 2, 2001)
    for device in ("podium", "tablet"):
        codes = codes_on(scene.browser(device).get("/sign-in").content.decode())
        assert {person.code for person in (*floorpeople, *managers)} <= set(codes)
    podium = scene.browser("podium")
    assert podium.post("/sign-in", {"person": managers[1].code, "pin": PIN}).status_code == 302


def test_with_300_people_on_duty_the_last_here_come_first_with_their_badges(
    scene, django_assert_max_num_queries
):
    dealers = hire(scene, "dealer", 300)
    tablet = scene.browser("tablet", "floorperson")
    with django_assert_max_num_queries(25):
        page = tablet.get("/sign-in").content.decode()
    codes = codes_on(page)
    assert codes[:2] == ["dealer", "floorperson"], "who keeps the shaker, then who was here last"
    assert re.search(r"Floorperson, here\s+\w{3} \d\d:\d\d<", page)
    # A dealer without training for the game is listed by a search alone, with the reason.
    listed = set(codes) | set(re.findall(r'data-elsewhere="([^"]+)"', page))
    assert {person.name for person in dealers} <= listed
    assert len(re.findall(r'data-badge="1\d{3}"', page)) == 300


def test_nobody_who_has_left_is_offered(scene):
    Person.objects.filter(code="relief").update(is_active=False)
    assert "relief" not in codes_on(scene.browser("tablet").get("/sign-in").content.decode())


def test_the_fourth_wrong_pin_says_that_one_more_locks_the_sign_in(scene):
    tablet, wrong = scene.browser("tablet"), {"person": "dealer", "pin": "000000"}
    assert (MAX_WRONG_PINS[Scope.PERSON_AT_DEVICE], MAX_WRONG_PINS[Scope.DEVICE]) == (5, 10), (
        "as the sentences say"
    )
    pages = [tablet.post("/sign-in", wrong).content.decode() for _ in range(5)]
    assert all("Wrong PIN" in page and "One more locks" not in page for page in pages[:3])
    assert "4 wrong PINs" in pages[3] and "One more locks this sign-in" in pages[3]
    assert "Locked out" in pages[4]


def test_nobody_signs_in_or_signs_after_their_license_ended(hands, scene):
    licensed = Person.objects.filter(code="floorperson")
    licensed.update(licence_ends_on="2026-11-21")
    assert scene.browser("tablet").post("/sign-in", {"person": "floorperson", "pin": PIN}).status_code == 302
    hands.now += dt.timedelta(days=1)
    tablet, wrong = scene.browser("tablet"), {"person": "floorperson", "pin": "000000"}
    assert "License ended" not in tablet.post("/sign-in", wrong).content.decode()
    answer = tablet.post("/sign-in", {"person": "floorperson", "pin": PIN})
    assert answer.status_code == 403
    assert "The license of Floorperson ended on 21 Nov 2026" in answer.content.decode()
    newest = Entry.objects.filter(stream__name="larkfield/sign-in").latest("seq")
    assert newest.type == "person.refused"
    refused = json.loads(bytes(newest.body))["data"]
    assert refused["why"] == "license-ended"
    said = words_of("person.refused", refused)
    assert said == "floorperson refused after the end of the license, at Tablet of T-01"
    request = RequestFactory().post("/")
    request.device, request.user = scene.tablet, scene.people["dealer"]
    with pytest.raises(LicenseEnded):
        people.verify_witness(request, "floorperson", PIN)
    licensed.update(licence_ends_on=None)
    assert tablet.post("/sign-in", {"person": "floorperson", "pin": PIN}).status_code == 302


def test_somebody_signed_in_acts_until_the_gaming_day_on_which_their_license_ended_is_over(hands, scene):
    Person.objects.filter(code="dealer").update(licence_ends_on="2026-11-21")
    six = dt.datetime(2026, 11, 22, 11, tzinfo=dt.UTC)  # 06:00 at Larkfield
    hands.now = six - dt.timedelta(seconds=5)
    tablet = scene.browser("tablet", "dealer")

    def place(seat: int) -> tuple[int, Any]:
        wager = {"seat": seat, "wager": "small", "cents": 2_500, "made_in": "chips"}
        params = {"wagers": [wager]}
        body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params}
        address = "/floor/larkfield/T-01/acts/place_wagers"
        answer = tablet.post(address, body, content_type="application/json")
        return answer.status_code, answer.json().get("refusal")

    hands.now = six - dt.timedelta(microseconds=1)
    assert place(1) == (200, None)
    hands.now = six
    version = scene.version
    status, refusal = place(2)
    assert (status, refusal["code"]) == (403, "license-has-ended")
    assert refusal["message"].startswith("Your license ended on 21 Nov 2026, so somebody else must do this.")
    assert scene.version == version


def test_the_ninth_wrong_pin_at_a_device_says_that_one_more_locks_it(scene):
    tablet = scene.browser("tablet")
    for person in ("dealer", "relief", "floorperson"):
        for _ in range(3):
            page = tablet.post("/sign-in", {"person": person, "pin": "000000"}).content.decode()
    assert "9 wrong PINs" in page and "locks it for everybody" in page
