"""What is done in a room of the house shows at the tables it concerns, and their streams say so."""

from typing import Any

import pytest

from games.engine import Refusal
from tables.models import Approval
from tests.tables.cast import Scene, make_scene, newest_of_an_act

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
LAYOUT = {
    "subject": "layout",
    "table": "T-01",
    "body": "Bureau of Gaming Operations",
    "reference": "BGO-2",
    "approved_on": "2026-01-12",
    "lines": ["layout-logo", "layout-areas"],
    "prints": ["odds"],
}


def layout(scene: Scene) -> dict[str, Any]:
    """The approval of the layout, with its letter."""
    return {**LAYOUT, "letter": scene.on_file("The approval")}


def closed() -> Scene:
    scene = make_scene(opened=False)
    scene.staff()
    scene.inspect()
    return scene


def test_an_approval_filed_at_the_podium_moves_the_closed_table_that_waits_for_it():
    scene = closed()
    Approval.objects.filter(subject="layout").delete()
    before = scene.snapshot
    assert [row["code"] for row in before["to_open"]] == ["not-approved"]
    answer = scene.in_room("record_approval", layout(scene), by="compliance")
    assert answer.affected_table_ids == (scene.table.pk,)
    assert (scene.snapshot["to_open"], scene.version) == ([], before["version"] + 1)
    entry = scene.entry
    assert (entry["_type"], entry["actor"]) == ("equipment.changed", "shift-manager")
    room = newest_of_an_act("larkfield/equipment")
    assert entry["data"] == {"stream": "larkfield/equipment", "entry": room.seq}
    newest = Approval.objects.latest("pk")
    scene.in_room("withdraw_approval", {"approval": newest.pk, "why": "x"}, by="compliance")
    assert [row["code"] for row in scene.snapshot["to_open"]] == ["not-approved"]
    assert scene.version == before["version"] + 2


def test_an_approval_of_a_shaker_moves_the_table_at_which_it_stands():
    scene = closed()
    params = {**layout(scene), "subject": "shaker", "table": "", "shaker": "S-01", "lines": [], "prints": []}
    assert scene.in_room("record_approval", params, by="compliance").affected_table_ids == (scene.table.pk,)


def test_a_dealer_sent_home_from_a_closed_table_is_missing_there_at_once_and_is_back_at_once():
    scene = closed()
    duty = scene.people["dealer"].assignments.get()
    before = scene.version
    scene.in_room("end_assignment", {"assignment": duty.pk})
    assert [row["code"] for row in scene.snapshot["to_open"]] == ["post-is-empty"]
    scene.in_room("assign_person", {"person": "dealer", "table": "T-01"})
    assert (scene.snapshot["to_open"], scene.version) == ([], before + 2)
    assert scene.entry["_type"] == "duty.changed"


def test_what_concerns_no_table_moves_none(scene):
    before = scene.version
    scene.in_room("register_shaker", {"shaker": "S-77", "kind": "manual"}, by="compliance")
    scene.in_room("assign_person", {"person": "stranger"})
    with pytest.raises(Refusal):
        scene.in_room("record_approval", {**layout(scene), "table": "T-99"}, by="compliance")
    assert scene.version == before


def test_the_table_is_published_to_its_screens_when_the_room_acts(scene, monkeypatch):
    from tables.screens import push

    published: list[int] = []
    monkeypatch.setattr(push, "publish_from_thread", lambda table, _act=None: published.append(table))
    office = scene.browser("podium", "compliance")
    import json
    import uuid

    body = {"command": str(uuid.uuid4()), "seen": 0, "params": layout(scene)}
    address = "/floor/larkfield/acts/record_approval"
    answered = office.post(address, json.dumps(body), content_type="application/json")
    assert (answered.status_code, published) == (200, []), "prepared only"
    params = {"change": answered.json()["answer"]["change"]}
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": params}
    second = scene.browser("podium", "shift-manager")
    approved = second.post(
        "/floor/larkfield/acts/approve_change", json.dumps(body), content_type="application/json"
    )
    assert (approved.status_code, published) == (200, [scene.table.pk])
