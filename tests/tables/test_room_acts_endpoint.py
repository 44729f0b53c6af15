"""The endpoint of the rooms' acts: the same statuses and answers as that of a table, without a screen."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from audit import devices
from audit.models import Device, Entry, Stream
from tables.models import DiceLot, LotStep
from tests.tables.cast import PIN

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ACT = "/floor/larkfield/acts/"
SECURITY = {"person": "security", "pin": PIN}
LOT = {
    "lot": "L-0901",
    "dice": 3,
    "size_um": 19_050,
    "colours": "alike",
    "attested": True,
    "seal_intact": True,
}
RECEIVED = {"from": "The maker", "lots": [LOT]}


@pytest.fixture
def podium(scene):
    return scene.browser("podium", "shift-manager")


def send(browser, act="receive_dice", params=RECEIVED, address=ACT, **changed):
    body = {"command": str(uuid.uuid4()), "params": params, "witness": SECURITY, **changed}
    body = {name: value for name, value in body.items() if value is not ...}
    return browser.post(address + act, json.dumps(body), content_type="application/json")


def refusal(answer, status) -> dict[str, str]:
    """What was refused with this status; nothing of a room has changed."""
    assert answer.status_code == status, answer.content
    body = answer.json()
    assert set(body) - {"command"} == {"refusal", "screen"} and body["screen"] is None
    assert set(body["refusal"]) == {"code", "title", "message", "section"}
    assert not DiceLot.objects.filter(code="L-0901").exists()
    assert not Stream.objects.filter(name="larkfield/dice", seq__gt=0).exists()
    return body["refusal"]


def test_it_answers_with_the_number_of_the_entry_and_no_screen(scene, podium):
    answer = send(podium)
    assert answer.status_code == 200, answer.content
    assert answer.json() == {
        "version": 1,
        "answer": {"type": "dice.received"},
        "again": False,
        "screen": None,
    }
    entry = json.loads(bytes(Entry.objects.get(stream__name="larkfield/dice").body))
    assert (entry["actor"], entry["witness"], entry["_type"]) == (
        "shift-manager",
        "security",
        "dice.received",
    )
    assert DiceLot.objects.get(code="L-0901").status == "received"


def test_a_repeated_command_answers_again_and_does_nothing_twice(scene, podium):
    command = str(uuid.uuid4())
    first, again = send(podium, command=command).json(), send(podium, command=command).json()
    assert (again["version"], again["answer"]) == (first["version"], first["answer"])
    assert (first["again"], again["again"]) == (False, True)
    assert LotStep.objects.filter(lot__code="L-0901").count() == 1


def test_a_repeated_command_with_other_content_is_refused(scene, podium):
    command = str(uuid.uuid4())
    send(podium, command=command)
    other = send(podium, params={**RECEIVED, "from": "Another maker"}, command=command)
    assert (other.status_code, other.json()["refusal"]["code"]) == (422, "command-changed")
    assert Stream.objects.get(name="larkfield/dice").seq == 1


def test_401_for_nobody_and_for_a_witness_of_another_pin(scene, podium):
    for browser in (Client(), scene.browser("podium")):
        assert refusal(send(browser), 401)["code"] == "signed-out"
    wrong = {"person": "security", "pin": "000000"}
    assert refusal(send(podium, witness=wrong), 401)["code"] == "wrong-pin"


def test_403_for_a_role_a_device_or_a_person_not_on_duty(scene, podium):
    for by in ("dealer", "floorperson", "security", "compliance", "gaming-agent"):
        other = {"person": "surveillance", "pin": PIN}
        assert refusal(send(scene.browser("podium", by), witness=other), 403)["code"] == "role-may-not"
    tablet = scene.browser("tablet", "shift-manager")
    assert refusal(send(tablet), 403)["code"] == "device-of-another-table"
    podium = scene.browser("podium", "shift-manager")
    Device.objects.filter(name="Podium").update(facility="bellweather")
    assert refusal(send(podium), 403)["code"] == "device-of-another-table"
    Device.objects.filter(name="Podium").update(facility="larkfield")
    from tables.models import Assignment

    duty = Assignment.objects.filter(person=scene.people["security"])
    duty.update(ended_at=scene.people["security"].assignments.get().started_at)
    assert refusal(send(podium), 403)["code"] == "witness-not-on-duty"
    Assignment.objects.filter(person=scene.people["shift-manager"]).delete()
    assert refusal(send(podium), 403)["code"] == "not-on-duty"


def test_404_for_no_such_act_and_no_such_facility(scene, podium):
    assert refusal(send(podium, "print_dice"), 404)["code"] == "unknown-act"
    assert refusal(send(podium, "issue_dice"), 404)["code"] == "unknown-act"
    assert refusal(send(podium, address="/floor/nowhere/acts/"), 404)["code"] == "unknown-act"


def test_an_act_of_a_room_is_none_of_a_table(scene, podium):
    answer = send(podium, address="/floor/larkfield/T-01/acts/", seen=scene.version)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (404, "unknown-act")


@pytest.mark.clause("PA-675a.3(a)-standard")
def test_422_says_why_in_words_with_the_section(scene, podium):
    said = refusal(send(podium, witness=...), 422)
    assert (said["code"], said["section"]) == ("two-departments-must-sign", "§ 603a.13(a)")
    assert said["title"] == "Second department needed" and said["message"].endswith(".")
    same = {"person": "pit-manager", "pin": PIN}
    assert refusal(send(podium, witness=same), 422)["code"] == "two-departments-must-sign"
    assert (
        refusal(send(podium, witness={"person": "shift-manager", "pin": PIN}), 422)["code"] == "same-person"
    )


ODD: list[dict[str, Any]] = [
    {"params": {}},
    {"params": None},
    {"params": []},
    {"params": {**RECEIVED, "more": 1}},
    {"params": {**RECEIVED, "lots": []}},
    {"params": {**RECEIVED, "lots": [{**LOT, "dice": "3"}]}},
    {"params": {**RECEIVED, "lots": [{**LOT, "dice": True}]}},
    {"params": {**RECEIVED, "lots": [{**LOT, "lot": "../x"}]}},
    {"params": {**RECEIVED, "from": "\ud800"}},
    {"params": {**RECEIVED, "from": "two\nlines"}},
    {"command": None},
    {"command": "7"},
    {"witness": "security"},
    {"witness": {"person": "security", "pin": "\ud800"}},
]


@pytest.mark.parametrize("changed", ODD)
def test_422_for_what_no_screen_of_ours_sends(scene, podium, changed):
    assert refusal(send(podium, **changed), 422)["code"] == "malformed"


def test_422_for_what_is_no_json_or_too_long(scene, podium):
    for body in (b"", b"[]", b"{", b"[" * (256 * 1024 + 1)):
        answer = podium.post(ACT + "receive_dice", body, content_type="application/json")
        assert refusal(answer, 422)["code"] == "malformed"


def test_423_at_a_locked_device_and_401_at_one_that_is_enrolled_no_longer(scene, podium):
    other = scene.browser("podium", "shift-manager")
    other.post("/lock")
    assert refusal(send(other), 423)["code"] == "locked"
    devices.revoke(scene.podium)
    assert refusal(send(podium), 401)["code"] == "signed-out"


def test_only_a_post_with_the_token_of_the_page_acts(scene, podium):
    for method in (podium.get, podium.put, podium.delete):
        assert method(ACT + "receive_dice").status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = podium.cookies
    assert send(strict).status_code == 403
    assert not DiceLot.objects.filter(code="L-0901").exists()
