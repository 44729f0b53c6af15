"""The snapshot of a table that is opened, repaired or closed."""

import datetime as dt
import re

import pytest

from audit import clock
from games.models import RulesSubmission
from tables.core.alerts import ALERT_KINDS
from tables.demo.seeding import approve_equipment
from tables.equipment.approvals import TOSSES
from tables.models import Approval, DiceLot, Shaker
from tables.screens import fragments
from tables.screens.table_data import CLOSING_NOTES, TableData
from tests.tables.cast import Scene, make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def step(scene):
    """The next step, and the code of what is missing for it."""
    snapshot = scene.snapshot
    return snapshot["next"]["act"], (snapshot["missing"] or {}).get("code")


@pytest.mark.parametrize(
    ("rules", "shaker", "dice", "tosses", "lines"),
    [
        ("pa-625a/A", "manual", True, 0, ["boxes", "shaker-seals"]),
        ("pa-625a/A", "automated-covered", True, 3, ["boxes", "shaker-seals", "cover-conceals"]),
        ("pa-539", "automated-uncovered", True, 3, ["boxes", "layout-odds", "shaker-seals", "shaker-uncovered"]),
        ("nj-19-47-9", "manual", True, 0, ["dice-sealed"]),
        ("pa-675a", "manual", False, 0, ["boxes", "throw-box", "extra-roll-sensors", "shaker-and-dice"]),
        ("pa-577", "dice-cup", False, 0, ["boxes-attached", "dice-in-cup", "cup-in-front", "stick", "cameras"]),
    ],
)  # fmt: skip
def test_the_inspection_asks_what_the_edition_wants_of_this_table(rules, shaker, dice, tosses, lines):
    scene = make_scene(rules, shaker, opened=False)
    asks = scene.snapshot["inspection_asks"]
    assert (asks["dice"], asks["tosses"], asks["why"]) == (dice, tosses, "opening")
    assert [line["code"] for line in asks["lines"]] == lines
    assert all(line["text"].endswith(".") and line["section"] for line in asks["lines"])


@pytest.mark.parametrize(
    ("rules", "shaker", "seal"),
    [
        ("pa-625a/A", "manual", (True, False)),
        ("pa-625a/B", "automated-covered", (True, False)),
        ("pa-539", "manual", (True, False)),
        ("nj-19-47-9", "manual", (True, True)),
        ("pa-675a", "manual", (False, False)),
        ("pa-577", "dice-cup", (False, False)),
    ],
)
def test_a_seal_is_asked_where_the_edition_shuts_the_dice_up_in_the_shaker(rules, shaker, seal):
    scene = make_scene(rules, shaker, opened=False)
    snapshot = scene.snapshot["shaker"]
    assert (snapshot["takes_seal"], snapshot["sealed"]) == seal
    page = scene.browser(signed_in="floorperson").get("/floor/larkfield/T-01/console").content.decode()
    field = re.search(r'<input name="seal"[^>]*>', page)
    assert (field is not None, "required" in (field[0] if field else "")) == seal


def test_the_list_has_a_tick_for_each_run_of_the_shaker_that_the_act_asks():
    scene = make_scene("pa-625a/A", "automated-covered", opened=False)
    page = scene.browser(signed_in="floorperson").get("/floor/larkfield/T-01/console").content.decode()
    assert (page.count("data-toss "), scene.snapshot["inspection_asks"]["tosses"]) == (TOSSES, TOSSES)
    params = scene.inspection()
    with scene.refused("too-few-tosses"):
        scene.act("inspect_table", {**params, "tosses": TOSSES - 1}, by="floorperson")
    scene.act("inspect_table", {**params, "tosses": TOSSES}, by="floorperson")


def test_what_is_asked_and_confirmed_is_what_the_act_takes():
    scene = make_scene(opened=False)
    scene.staff()
    asks = scene.snapshot["inspection_asks"]
    params = {"lines": [line["code"] for line in asks["lines"]], "dice": [1, 1, 1]}
    lit = ["any-three-of-a-kind", "three-of-a-kind:1", "one-of-a-kind:1", "two-of-a-kind:1", "total:3"]
    with scene.refused("lights-do-not-agree"):
        scene.act("inspect_table", params, by="floorperson")
    scene.act("inspect_table", {**params, "lit": [w for w in lit if w != "total:3"]}, witness="floorperson")
    snapshot = scene.snapshot["inspection"]
    assert (snapshot["by"], snapshot["dice"], snapshot["lines"]) == (
        "Floorperson",
        [1, 1, 1],
        [line["text"] for line in asks["lines"]],
    )


@clause("PA-577.9(a)-ends")
def test_the_cameras_of_the_last_inspection_are_offered_again():
    scene = make_scene("pa-577")
    scene.act("close_table", {"secured": True}, by="floorperson")
    asks = scene.snapshot["inspection_asks"]
    assert (asks["cameras"], asks["last_cameras"]) == (2, ["C-1", "C-2"])


def test_the_way_to_an_opening_names_one_step_after_the_other():
    scene = make_scene(opened=False)
    assert step(scene) == ("inspect_table", None)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    assert step(scene) == ("open_table", "post-is-empty")
    assert "open_table" not in scene.snapshot["offers"]
    scene.staff()
    assert step(scene) == ("open_table", None)
    assert "open_table" in scene.snapshot["offers"]
    scene.act("open_table", witness="floorperson")
    snapshot = scene.snapshot
    assert (snapshot["next"]["act"], snapshot["inspection_asks"], snapshot["to_open"]) == ("shake", None, [])


def test_the_time_left_to_the_dice_runs_on_in_what_a_closing_asks(scene):
    """The text is as old as the newest act; clocks.js paints it again every second."""
    part = fragments.render("dealer", scene.snapshot).partition('data-part="keep"')[2]
    lot = scene.snapshot["lot"]
    assert f'<span data-expires="{lot["expires_at"]}">' in part.partition("</button>")[0]


def test_without_dice_nothing_is_inspected():
    scene = make_scene(opened=False)
    scene.act("withdraw_dice", {"why": "lost"}, by="floorperson")
    assert step(scene) == ("inspect_table", "no-dice")
    assert "inspect_table" not in scene.snapshot["offers"]
    with scene.refused("no-dice"):
        scene.act("inspect_table", scene.inspection(), by="floorperson")
    Shaker.objects.update(table=None)
    snapshot = scene.snapshot
    assert (snapshot["inspection_asks"], snapshot["missing"]["code"]) == (None, "no-shaker")


@clause("PA-577.9(b)-dealers", "PA-577.9(b)-stick")
def test_everybody_who_is_still_missing_is_named_at_once():
    scene = make_scene("pa-577", opened=False)
    [needed] = scene.snapshot["to_open"]
    assert (needed["code"], needed["section"]) == ("post-is-empty", "§ 577.9(b)")
    assert needed["text"].startswith("The dealer, the left dealer and the stickperson are still missing.")
    scene.act("take_over_table")
    [needed] = scene.snapshot["to_open"]
    assert needed["text"].startswith("The left dealer and the stickperson are still missing.")
    scene.act("take_over_table", {"post": "dealer-left"}, by="relief")
    [needed] = scene.snapshot["to_open"]
    assert needed["text"].startswith("The stickperson is still missing.")


def test_the_screen_lists_beforehand_all_that_opening_would_refuse_dice_first():
    scene = make_scene(opened=False)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    Approval.objects.filter(subject="layout").delete()
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    snapshot = scene.snapshot
    assert [(missing["code"], missing["section"]) for missing in snapshot["to_open"]] == [
        ("dice-past-their-time", "§ 625a.2(b)"),
        ("not-approved", "§ 625a.1(c)"),
        ("post-is-empty", "§ 465a.35"),
    ]
    assert snapshot["missing"] == snapshot["to_open"][0]
    for needed, repair in zip(
        snapshot["to_open"], (change_the_dice, approve_the_layout, Scene.staff), strict=True
    ):
        with scene.refused(needed["code"]):
            scene.act("open_table", by="floorperson")
        repair(scene)
    scene.act("open_table", by="floorperson")


def change_the_dice(scene):
    scene.act("change_dice_lot", {"lot": scene.snapshot["issued"][0]}, by="floorperson")


def approve_the_layout(scene):
    Approval.objects.all().delete()
    approve_equipment(scene.table)


@clause("PA-577.4(d)-reopen")
def test_a_football_set_from_before_the_closing_counts_as_missing_new_dice():
    scene = make_scene("pa-577")
    scene.act("close_table", {"secured": True}, by="floorperson")
    assert step(scene) == ("inspect_table", "no-dice")


@clause("PA-625a.7(b)-cease")
def test_after_a_failure_the_repair_comes_first_and_then_the_inspection(scene):
    scene.act("report_device_failure", {"what": "layout"})
    assert step(scene) == ("record_repair", None)
    assert scene.snapshot["ceased"]["repaired_at"] is None
    assert "inspect_table" not in scene.snapshot["offers"]
    scene.act("record_repair", {"what": "cable"}, witness="floorperson")
    snapshot = scene.snapshot
    assert (step(scene), snapshot["inspection_asks"]["why"]) == (("inspect_table", None), "repair")
    assert snapshot["ceased"]["repaired_at"] and "inspect_table" in snapshot["offers"]
    scene.act("inspect_table", scene.inspection(), witness="floorperson")
    assert (scene.snapshot["ceased"], scene.fresh.status) == (None, "open")


def test_a_table_that_closed_while_it_was_ceased_is_repaired_inspected_and_opened(scene):
    scene.act("report_device_failure", {"what": "layout"})
    scene.act("close_table", {"secured": True}, by="floorperson")
    assert (step(scene), scene.snapshot["to_open"]) == (("record_repair", None), [])
    scene.act("record_repair", {"what": "cable"}, by="floorperson")
    assert step(scene) == ("inspect_table", None)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    assert step(scene) == ("open_table", None)


def test_the_lots_offered_are_those_issued_here_and_never_placed(scene):
    assert scene.snapshot["issued"] == ["L-0002", "L-0003", "L-0004", "L-0005"]
    scene.act("change_dice_lot", {"lot": "L-0003"}, by="floorperson")
    DiceLot.objects.filter(code="L-0004").update(table=None, status="stored")
    assert scene.snapshot["issued"] == ["L-0002", "L-0005"]


@pytest.mark.parametrize(
    ("rules", "shaker", "dice", "secure"),
    [
        ("pa-625a/A", "manual", ["stay", "removed"], {"shaker": "S-01", "section": "§ 625a.1(e)"}),
        ("pa-625a/A", "automated-covered", ["stay", "removed"], None),
        ("pa-577", "dice-cup", ["removed"], {"shaker": "S-01", "section": ""}),
    ],
)
def test_closing_asks_for_the_dice_and_for_a_shaker_that_may_not_stand_alone(rules, shaker, dice, secure):
    scene = make_scene(rules, shaker)
    assert scene.snapshot["closing_asks"] == {
        "dice": dice,
        "secure": secure,
        "open": [],
        "counts_chips": False,
    }
    steps = [step["label"] for step in TableData(scene.snapshot).closing]
    assert steps == ["The round is over", "Nothing is disputed"], "no chips are counted here"
    if secure:
        with scene.refused("secure-the-shaker"):
            scene.act("close_table", {"dice": dice[0]}, witness="floorperson")
    scene.act("close_table", {"dice": dice[0], "secured": secure is not None}, witness="floorperson")
    assert scene.snapshot["closing_asks"] is None


def test_a_closing_names_what_stays_open_and_is_not_kept_up_by_it():
    scene = make_scene("pa-625a/A", "automated-covered")
    assert TableData(scene.snapshot).closing_notes == []
    scene.act("report_device_failure", {"what": "layout"})
    scene.act("call_floor")
    notes = [(note["title"], note["text"]) for note in TableData(scene.snapshot).closing_notes]
    assert notes == [
        ("Gaming ceased", "The repair and a new inspection come before the next opening."),
        ("Floor called", "Somebody of the table still asks for the floor."),
    ]
    scene.act("close_table", {"dice": "stay", "secured": True}, witness="floorperson")
    assert TableData(scene.snapshot).closing_notes == []


def test_every_note_of_a_closing_is_about_a_kind_of_alert():
    assert set(CLOSING_NOTES) <= {kind.code for kind in ALERT_KINDS}


def test_a_table_without_rules_in_force_still_says_what_closing_asks():
    scene = make_scene("pa-625a/A", "automated-covered")
    RulesSubmission.objects.update(status="withdrawn")
    snapshot = scene.snapshot
    closing_asks: object = snapshot["closing_asks"]
    assert closing_asks == {
        "dice": ["stay", "removed"],
        "secure": {"shaker": "S-01", "section": ""},
        "open": [],
        "counts_chips": False,
    }
    assert (snapshot["inspection_asks"], snapshot["to_open"]) == (None, [])
    scene.act("close_table", {"dice": "removed", "secured": True}, witness="floorperson")
    snapshot = scene.snapshot
    assert (snapshot["next"], snapshot["missing"]["code"], snapshot["to_open"]) == (
        None,
        "no-rules-in-force",
        [],
    )


def test_a_shaker_is_unlocked_only_where_its_dice_have_a_month(scene):
    assert "unlock_shaker" not in scene.snapshot["offers"]
    automated = scene.table.facility
    Shaker.objects.filter(facility=automated).update(kind="automated-covered")
    assert "unlock_shaker" in scene.snapshot["offers"]
