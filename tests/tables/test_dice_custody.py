"""The way of a dice lot, from receipt to destruction; each step signed, recorded, and told in its chain of custody."""

import json
import re
import uuid
from typing import Any

import pytest

from audit.entry_types import ACT_LINES, ENTRY_TYPES
from audit.models import Entry
from audit.refusals import CommandChanged
from games.engine import Refusal
from tables.models import DiceLot, DiceMeasurement, LotStep
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

TWO = {"by": "shift-manager", "witness": "security"}


def box(code: str = "L-0101", **changed: Any) -> dict[str, Any]:
    return {"lot": code, "dice": 3, "size_um": 19_050, "attested": True, "seal_intact": True, **changed}


def receive(scene: Scene, *lots: dict[str, Any], **how: Any) -> None:
    scene.in_room("receive_dice", {"from": "the maker", "lots": list(lots) or [box()]}, **{**TWO, **how})


def die(**changed: Any) -> dict[str, Any]:
    return {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True, **changed}


def measure(scene: Scene, *dice: dict[str, Any], lot: str = "L-0101", **how: Any) -> None:
    tools = {"micrometer": "M-7", "caliper": "C-2", "square": "Q-1"}
    params = {"lot": lot, "compartment": "A-3", "dice": list(dice) or [die()] * 3, **tools}
    scene.in_room("inspect_dice", params, **{**TWO, **how})


def stored(scene: Scene, **changed: Any) -> DiceLot:
    receive(scene, box(**changed))
    measure(scene, *[die()] * changed.get("dice", 3))
    return DiceLot.objects.get(code="L-0101")


def issue(scene: Scene, lot: str = "L-0101", **how: Any) -> None:
    scene.act("issue_dice", {"lot": lot}, device=scene.podium, **{**TWO, **how})


def chain(code: str) -> list[str]:
    """Types of the entries of a lot's chain of custody, in order."""
    steps = LotStep.objects.filter(lot__code=code).order_by("pk")
    return [Entry.objects.get(stream=step.stream, seq=step.seq).type for step in steps]


def newest(stream: str) -> dict[str, Any]:
    return json.loads(bytes(Entry.objects.filter(stream__name=stream).latest("seq").body))


def test_a_lot_goes_from_the_box_to_destruction_and_every_step_is_in_its_chain(scene):
    stored(scene)
    issue(scene)
    scene.act("change_dice_lot", {"lot": "L-0101", "seal": "SL-9"}, by="floorperson")
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    scene.act("examine_dice", {"lot": "L-0101"}, by="floorperson")
    scene.close(dice="removed")
    scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "cancelled"}, **TWO)
    listed = (
        scene.browser("podium", "compliance").get("/floor/larkfield/dice/?state=destroyed").content.decode()
    )
    ended = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", listed))
    assert re.search(r"L-0101 .* Canceled \d+ \w+ \d{4} [\d:]+ Shift Manager and Security", ended)
    assert chain("L-0101") == [
        "dice.received",
        "dice_lot.stored",
        "dice_lot.issued",
        "dice_lot.placed",
        "dice_lot.examined",
        "table.closed",
        "dice.destroyed",
    ]
    lot = DiceLot.objects.get(code="L-0101")
    assert (lot.status, lot.removed_why, lot.table) == ("destroyed", "table-closed", scene.table)
    assert [throw.lot.code for throw in scene.last_round.throws.all()] == ["L-0101"]


@pytest.mark.parametrize(
    ("by", "witness"),
    [
        ("shift-manager", None),
        ("shift-manager", "pit-manager"),
        ("shift-manager", "floorperson"),
        ("shift-manager", "gaming-agent"),
        ("shift-manager", "system-administrator"),
    ],
)
def test_receipt_is_signed_by_two_people_of_different_departments(scene, by, witness):
    with pytest.raises(Refusal) as refusal:
        receive(scene, by=by, witness=witness)
    assert (refusal.value.code, refusal.value.section) == (
        "two-departments-must-sign",
        "58 Pa. Code § 603a.13(a)",
    )
    assert not DiceLot.objects.filter(code="L-0101").exists()
    receive(scene, by=by, witness="security")
    said = newest("larkfield/dice")
    assert (said["_type"], said["actor"], said["witness"]) == ("dice.received", by, "security")


@pytest.mark.parametrize("by", ["dealer", "floorperson", "security", "compliance", "gaming-agent"])
def test_only_who_holds_the_table_games_key_works_in_the_dice_room(scene, by):
    for act in ("receive_dice", "inspect_dice", "destroy_dice"):
        with pytest.raises(Refusal) as refusal:
            scene.in_room(act, by=by, witness="security")
        assert refusal.value.code == "role-may-not"


def test_a_tablet_of_a_table_is_no_place_for_the_dice_room(scene):
    with pytest.raises(Refusal) as refusal:
        receive(scene, device=scene.tablet)
    assert refusal.value.code == "device-of-another-table"


def test_somebody_off_duty_neither_acts_nor_signs(scene):
    scene.people["security"].assignments.all().delete()
    with pytest.raises(Refusal, match="witness-not-on-duty"):
        receive(scene)
    scene.people["shift-manager"].assignments.all().delete()
    with pytest.raises(Refusal, match="not-on-duty"):
        receive(scene)


def test_a_repeated_receipt_is_one_receipt(scene):
    command = uuid.uuid4()
    receive(scene, command=command)
    receive(scene, command=command)
    assert DiceLot.objects.filter(code="L-0101").count() == 1
    with pytest.raises(CommandChanged):
        receive(scene, box("L-0102"), command=command)


def test_a_code_is_given_once(scene):
    for lots in ([box("L-0001")], [box(), box()]):
        with pytest.raises(Refusal, match="lot-code-taken"):
            receive(scene, *lots)
    assert not DiceLot.objects.filter(code="L-0101").exists()


def test_the_record_of_a_receipt_names_each_lot_and_its_seal(scene):
    receive(scene, box(seal_intact=False, serial="ZX-88", maker="Midwest"), box("L-0102"))
    said = newest("larkfield/dice")["data"]
    assert said["lots"][0] == {
        "lot": "L-0101",
        "dice": 3,
        "size_um": 19_050,
        "attested": True,
        "colours": "alike",
        "maker": "Midwest",
        "serial": "ZX-88",
        "seal_intact": False,
        "training": False,
    }
    assert [one["lot"] for one in said["lots"]] == ["L-0101", "L-0102"]


@pytest.mark.parametrize(
    "bad",
    [
        {"balanced": False},
        {"square": False},
        {"clean": False},
        {"low_um": 19_050 - 128},
        {"high_um": 19_050 + 128},
    ],
)
def test_one_bad_die_rejects_the_lot(scene, bad):
    receive(scene)
    measure(scene, die(), die(**bad), die())
    lot = DiceLot.objects.get(code="L-0101")
    assert lot.status == "rejected"
    assert list(DiceMeasurement.objects.filter(lot=lot).values_list("die", "good")) == [
        (1, True),
        (2, False),
        (3, True),
    ]
    said = newest("larkfield/dice")
    assert (said["_type"], said["data"]["bad"], said["data"]["tolerance_um"]) == (
        "dice_lot.rejected",
        [2],
        127,
    )
    with scene.refused("lot-is-elsewhere"):
        issue(scene)
    scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "destroyed"}, **TWO)


def test_a_die_at_the_edge_of_the_tolerance_is_good(scene):
    receive(scene)
    measure(scene, *[die(low_um=19_050 - 127, high_um=19_050 + 127)] * 3)
    lot = DiceLot.objects.get(code="L-0101")
    assert (lot.status, lot.compartment) == ("stored", "A-3")
    said = newest("larkfield/dice")["data"]
    assert said["instruments"] == {"micrometer": "M-7", "caliper": "C-2", "square": "Q-1"}
    assert said["dice"][2] == {**die(low_um=18_923, high_um=19_177), "die": 3, "good": True}


def test_inspection_and_destruction_are_signed_by_two_departments(scene):
    receive(scene)
    with scene.refused("two-departments-must-sign", "58 Pa. Code § 603a.13(c)"):
        measure(scene, witness="pit-manager")
    assert DiceLot.objects.get(code="L-0101").status == "received"
    measure(scene, die(square=False), die(), die())
    with scene.refused("two-departments-must-sign"):
        scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "destroyed"}, witness="pit-manager")
    assert DiceLot.objects.get(code="L-0101").status == "rejected"


@pytest.mark.parametrize("many", [1, 2, 4])
def test_every_die_is_measured(scene, many):
    receive(scene)
    with pytest.raises(Refusal, match="measure-every-die"):
        measure(scene, *[die()] * many)
    assert not DiceMeasurement.objects.exists()


def test_dice_are_measured_once_and_not_issued_before(scene):
    receive(scene)
    with scene.refused("lot-is-elsewhere", "58 Pa. Code § 603a.13(d)"):
        issue(scene)
    measure(scene)
    with pytest.raises(Refusal, match="lot-is-elsewhere"):
        measure(scene)


def test_issue_is_signed_by_two_departments_and_recorded_at_the_table(scene):
    stored(scene)
    with scene.refused("two-departments-must-sign", "58 Pa. Code § 603a.13(d)"):
        issue(scene, witness="floorperson")
    issue(scene)
    said = scene.entry
    assert (said["_type"], said["actor"], said["witness"]) == ("dice_lot.issued", "shift-manager", "security")
    assert said["data"]["from"] == "A-3"
    lot = DiceLot.objects.get(code="L-0101")
    assert (lot.status, lot.table) == ("issued", scene.table)
    with scene.refused("lot-is-elsewhere"):
        issue(scene)


def test_a_lot_goes_into_no_shaker_that_it_was_not_issued_to(scene):
    stored(scene)
    with scene.refused("lot-not-issued"):
        scene.act("change_dice_lot", {"lot": "L-0101"}, by="floorperson")
    with scene.refused("no-such-lot"):
        scene.act("change_dice_lot", {"lot": "L-0999"}, by="floorperson")


def test_an_issued_lot_that_was_not_needed_goes_back(scene):
    stored(scene)
    issue(scene)
    with scene.refused("two-departments-must-sign"):
        scene.act("return_dice", {"lot": "L-0101"}, by="shift-manager", device=scene.podium)
    scene.act("return_dice", {"lot": "L-0101", "compartment": "B-1"}, device=scene.podium, **TWO)
    lot = DiceLot.objects.get(code="L-0101")
    assert (lot.status, lot.table, lot.compartment) == ("stored", None, "B-1")
    with scene.refused("lot-not-issued"):
        scene.act("change_dice_lot", {"lot": "L-0101"}, by="floorperson")
    with scene.refused("lot-not-issued"):
        scene.act("return_dice", {"lot": "L-0101"}, device=scene.podium, **TWO)


@pytest.mark.parametrize(
    ("rules", "wrong", "code"),
    [
        pytest.param("pa-539", {"dice": 4}, "lot-of-other-dice", marks=clause("PA-539.2(a)-number")),
        pytest.param("nj-19-47-9", {"dice": 2}, "lot-of-other-dice", marks=clause("NJ-19:47-9.1-number")),
        pytest.param("pa-675a", {"dice": 10}, "dice-of-another-size", marks=clause("PA-675a.3(a)-number")),
        pytest.param(
            "pa-675a", {"dice": 10, "size_um": 19_000, "attested": False}, "dice-not-attested",
            marks=clause("PA-675a.3(a)-standard"),
        ),
        pytest.param("pa-577", {"dice": 6}, "dice-of-other-colours", marks=clause("PA-577.4(a)-set")),
        pytest.param(
            "pa-675a.6", {"dice": 6, "size_um": 19_000, "colours": "green-red"}, "dice-of-other-colours"
        ),
        pytest.param("pa-625a/A", {"training": True}, "lot-of-another-kind"),
    ],
)  # fmt: skip
def test_a_lot_that_does_not_suit_the_game_is_not_issued_to_its_table(rules, wrong, code):
    scene = make_scene(rules, opened=False)
    size = wrong.get("size_um", 19_050)
    receive(scene, box(**wrong))
    measure(scene, *[die(low_um=size, high_um=size)] * wrong.get("dice", 3))
    with scene.refused(code):
        issue(scene)


@clause("NJ-19:47-9.1-sealed")
def test_new_jersey_names_the_seal_over_the_dice():
    scene = make_scene("nj-19-47-9", opened=False)
    with scene.refused("seal-missing", "N.J.A.C. 19:47-9.1"):
        scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    scene.act("change_dice_lot", {"lot": "L-0002", "seal": "NJ-55"}, by="floorperson")
    assert scene.entry["data"]["seal"] == DiceLot.objects.get(code="L-0002").seal == "NJ-55"


def test_a_report_of_tampering_names_time_table_finder_and_licence(scene):
    scene.people["dealer"].licence = "PA-77"
    scene.people["dealer"].save()
    scene.act("withdraw_dice", {"why": "tampered", "found": "a filed edge"}, by="dealer")
    said = scene.entry
    assert said["data"] | {"section": ""} == {
        "lot": "L-0001",
        "shaker": "S-01",
        "why": "tampered",
        "section": "",
        "found": "a filed edge",
        "table": "T-01",
        "finder": "Dealer",
        "licence": "PA-77",
        "round": None,
    }
    lot = DiceLot.objects.get(code="L-0001")
    assert (lot.status, lot.tampered, lot.removed_why) == ("removed", True, "tampered")
    with scene.refused("no-dice"):
        scene.place((1, "small", 2_500))


def test_the_end_of_day_inspection_finds_a_lot_sound_or_says_what_was_found(scene):
    scene.act("examine_dice", {"lot": "L-0001"}, by="floorperson")
    assert scene.entry["_type"] == "dice_lot.examined"
    with scene.refused("withdraw-tampered-dice"):
        scene.act("examine_dice", {"lot": "L-0001", "tampered": True, "found": "a scratch"}, by="floorperson")
    scene.close(dice="removed")
    with scene.refused("say-what-was-found"):
        scene.act("examine_dice", {"lot": "L-0001", "tampered": True}, by="floorperson")
    scene.act("examine_dice", {"lot": "L-0001", "tampered": True, "found": "a scratch"}, by="floorperson")
    assert scene.entry["_type"] == "dice_lot.tampered"
    assert (scene.entry["data"]["table"], scene.entry["data"]["finder"]) == ("T-01", "Floorperson")
    assert DiceLot.objects.get(code="L-0001").tampered


def test_an_issued_lot_found_tampered_with_is_never_placed(scene):
    stored(scene)
    issue(scene)
    scene.act("examine_dice", {"lot": "L-0101", "tampered": True, "found": "no seal"}, by="floorperson")
    with scene.refused("lot-not-issued"):
        scene.act("change_dice_lot", {"lot": "L-0101"}, by="floorperson")
    scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "destroyed"}, **TWO)


@pytest.mark.parametrize("lots", [["L-0001"], ["L-0002"], ["L-0999"], []])
def test_only_dice_out_of_play_are_destroyed_and_all_of_a_list_or_none(scene, lots):
    scene.act("withdraw_dice", {"why": "chipped"})
    scene.act("change_dice_lot", {"lot": "L-0003"}, by="floorperson")
    if lots == ["L-0001"]:
        scene.in_room("destroy_dice", {"lots": lots, "how": "cancelled"}, **TWO)
        assert DiceLot.objects.get(code="L-0001").status == "destroyed"
        return
    with pytest.raises(Refusal):
        scene.in_room(
            "destroy_dice", {"lots": [*lots, *(["L-0001"] if lots else [])], "how": "cancelled"}, **TWO
        )
    assert DiceLot.objects.get(code="L-0001").status == "removed"


NEVER_SHOWN = {"table.made"}  # before anybody looks


def test_every_entry_type_of_the_floor_has_a_line():
    declared = {name for name, kind in ENTRY_TYPES.items() if kind.data.__module__.startswith("tables.")}
    assert "dice.received" in declared
    assert declared - set(ACT_LINES) == NEVER_SHOWN
