"""The page Devices: added by two people, enrolled by a token that one of them reads, and revoked at once."""

import datetime as dt
import re

import pytest
from django.test import Client

from audit.devices import enroll
from audit.models import Device, Entry
from audit.verification import verify
from tables.setup.devices import DEVICE_ENDED
from tests.services.entries import newest_body
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/floor/larkfield/devices/"
ADMINISTRATOR = "system-administrator"
NEW = {"name": "T-01 B", "station": "dealer", "table": "T-01"}


@pytest.fixture
def scene(hands) -> Scene:
    return make_scene()


def page(scene, person, query=""):
    return scene.browser("podium", person).get(PAGE + query).content.decode()


def add(scene, **changed):
    code = scene.in_room("add_device", {**NEW, **changed}, by=ADMINISTRATOR, approve=False).body["change"]
    scene.in_room("approve_change", {"change": code}, by="compliance")


def test_a_device_is_added_by_two_people_and_enrolled_by_a_token_that_works_once(scene, hands):
    add(scene)
    assert newest_body("device.added")["data"] == {"device": "T-01 B", "station": "dealer", "table": "T-01"}
    assert "Not enrolled yet" in page(scene, "compliance") and "<code" not in page(scene, ADMINISTRATOR)
    scene.in_room("make_token", {"device": "T-01 B"}, by="compliance")
    token = re.search(r'<code class="token">([\w-]{43})</code>', page(scene, "compliance")).group(1)
    assert "Enrollment token" not in page(scene, ADMINISTRATOR)
    assert not any(token in bytes(entry.body).decode() for entry in Entry.objects.all())
    browser = Client()
    assert browser.post("/enrol", {"token": token})["Location"] == "/sign-in"
    assert browser.post("/sign-in", {"person": "relief", "pin": PIN})["Location"] == "/"
    assert Client().post("/enrol", {"token": token}).status_code == 403
    assert newest_body("device.enrollment_refused")["data"]["why"] == "used"
    assert "Enrollment token" not in page(scene, ADMINISTRATOR)
    with scene.refused("token-is-used"):
        scene.in_room("make_token", {"device": "T-01 B"}, by="compliance")
    assert not [finding for finding in verify().findings if "T-01 B" in str(finding)]


def test_a_token_is_read_for_ten_minutes_and_replaced_by_the_next(scene, hands):
    add(scene)
    for _ in range(2):
        scene.in_room("make_token", {"device": "T-01 B"}, by="compliance")
        token = re.search(r'<code class="token">([\w-]+)<', page(scene, "compliance")).group(1)
        hands.now += dt.timedelta(minutes=11)
        assert "Enrollment token" not in page(scene, "compliance")
    hands.now += dt.timedelta(minutes=20)
    assert Client().post("/enrol", {"token": token}).status_code == 403
    assert newest_body("device.enrollment_refused")["data"]["why"] == "expired"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"name": "podium"}, "device-name-taken"),
        ({"table": ""}, "device-needs-a-table"),
        ({"station": "podium"}, "device-without-table"),
        ({"table": "T-99"}, "no-such-place"),
        ({"station": "door"}, "malformed"),
    ],
)
def test_a_device_that_cannot_be_added_is_refused_while_it_is_prepared(scene, changed, code):
    with scene.refused(code):
        scene.in_room("add_device", {**NEW, **changed}, by=ADMINISTRATOR, approve=False)
    assert Device.objects.count() == 2


def test_a_lost_device_is_revoked_at_once_by_a_supervisor_and_its_person_signed_off(scene):
    enroll("Phone 3", "larkfield", "pit")
    scene.tokens["phone"] = enroll("Phone 3", "larkfield", "pit")[1]
    phone = scene.browser("phone", "floorperson")
    assert phone.get("/floor/larkfield/").status_code == 200
    with scene.refused("not-this-device"):
        scene.in_room("revoke_device", {"device": "Podium", "why": "lost"}, by="casino-supervisor")
    scene.in_room("revoke_device", {"device": "Phone 3", "why": "lost"}, by="casino-supervisor")
    ended = newest_body(DEVICE_ENDED.name)
    assert ended["data"] == {"device": "Phone 3", "person": "floorperson", "why": "lost"}
    assert phone.get("/floor/larkfield/").status_code != 200
    assert phone.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/enrol"
    assert "Phone 3" not in page(scene, "compliance") and "Phone 3" in page(
        scene, "compliance", "?show=revoked"
    )
    with scene.refused("no-such-device"):
        scene.in_room("rename_device", {"device": "Phone 3", "name": "Phone 4"}, by=ADMINISTRATOR)


def test_a_device_is_renamed_at_once_and_moved_by_two_while_nobody_is_signed_in(scene):
    moved = {"device": "Tablet of T-01", "table": "T-01"}
    with scene.refused("device-serves-it"):
        scene.in_room("move_device", moved, by=ADMINISTRATOR, approve=False)
    scene.in_room("rename_device", {"device": "Tablet of T-01", "name": "Spare 3"}, by=ADMINISTRATOR)
    assert newest_body("device.changed")["data"] == {
        "name": "Spare 3",
        "station": "dealer",
        "place": "larkfield/T-01",
    }
    assert Device.objects.get(name="Spare 3").pk == scene.tablet.pk
    assert not [finding for finding in verify().findings if "Spare 3" in str(finding)]
    with scene.refused("device-name-taken"):
        scene.in_room("rename_device", {"device": "Spare 3", "name": "PODIUM"}, by=ADMINISTRATOR)


def test_the_page_finds_devices_by_name_table_and_person(scene):
    for query in ("?find=T-01", "?find=casino", "?show=podiums"):
        shown = page(scene, "casino-supervisor", query)
        assert len(re.findall(r'<th scope="row">', shown)) == 1
    panel = page(scene, "casino-supervisor", "?device=Tablet+of+T-01")
    assert 'data-open="lost-device"' in panel and 'data-open="move-device"' not in panel
    assert 'data-open="move-device"' in page(scene, ADMINISTRATOR, "?device=Tablet+of+T-01")
    assert "You work at this device now" in page(scene, ADMINISTRATOR, "?device=Podium")
