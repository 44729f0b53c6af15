"""A device seen at a table is logged by the floor: on the table's record, for the office, and in every export."""

import json

import pytest

from audit import export
from games.engine import Refusal
from games.models import DeviceIncident
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
SEEN = {"what": "A telephone counting rolls", "action": "Taken away; the guest was warned", "seat": 3}


def log(scene, by="floorperson", **params):
    return scene.act("log_device_incident", SEEN | params, by=by, device=scene.podium)


@pytest.mark.clause("PA-521.6")
@pytest.mark.parametrize("by", ["floorperson", "casino-supervisor", "pit-manager", "shift-manager"])
def test_the_floor_logs_a_device_with_its_seat_its_round_and_what_was_done(hands, scene, by):
    scene.place((3, "small", 1_000))
    log(scene, by)
    found = DeviceIncident.objects.get()
    assert (found.table, found.round, found.seat, found.at) == ("T-01", 1, 3, hands.now)
    assert (found.what, found.action, found.by.code) == (SEEN["what"], SEEN["action"], by)
    assert scene.entry["_type"] == "device.incident"
    assert scene.entry["data"] == {**SEEN, "round": 1, "section": "58 Pa. Code § 521.6"}


def test_it_is_logged_where_nobody_sat_and_at_a_closed_table(scene):
    scene.finish()
    scene.close()
    log(scene, seat=0)
    assert DeviceIncident.objects.get().seat is None
    assert scene.entry["data"]["round"] is None


@pytest.mark.parametrize("by", ["dealer", "surveillance", "compliance", "gaming-agent"])
def test_others_log_none(scene, by):
    with pytest.raises(Refusal, match="role-may-not"):
        log(scene, by)
    assert not DeviceIncident.objects.exists()


def test_a_seat_that_the_table_has_not_is_refused(scene):
    with scene.refused("no-such-seat"):
        log(scene, seat=9)


def test_new_jersey_cites_nothing_because_no_text_of_it_is_supplied(db):
    scene = make_scene("nj-19-47-9")
    log(scene)
    assert scene.entry["data"]["section"] == ""


def test_the_office_lists_it_and_the_record_exports_it(scene):
    log(scene)
    page = scene.browser("podium", "compliance").get("/office/larkfield/guide/").content.decode()
    assert SEEN["what"] in page and SEEN["action"] in page and "T-01, seat 3" in page
    lines = b"".join(export.lines(export.select([scene.table.stream.name])))
    found = [json.loads(line)["body"] for line in lines.splitlines() if b"device.incident" in line]
    assert [one["data"]["what"] for one in found] == [SEEN["what"]]


def test_the_floors_page_of_a_table_offers_it_to_the_floor_alone(scene):
    place = "/floor/larkfield/T-01/"
    assert (
        '<dialog class="decide" id="device"'
        in scene.browser("podium", "floorperson").get(place).content.decode()
    )
    assert 'id="device"' not in scene.browser("podium", "surveillance").get(place).content.decode()
