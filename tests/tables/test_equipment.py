"""What must be on file, and what the floorperson confirms, before a table opens; one line missing keeps it closed."""

import datetime as dt
import json
from typing import Any

import pytest

from games.engine import Refusal
from tables.core.context import locked_table
from tables.equipment.approvals import Equipment, approval_subjects
from tables.models import Alert, Approval, Inspection, Shaker
from tables.opening.opening import INSPECTION_HOLDS
from tables.ticker import tick
from tests.tables.cast import CHAPTER, Scene, make_scene, newest_of_an_act
from tests.tables.test_rooms_and_tables import LAYOUT

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def inspected(rules: str, shaker: str | None = None, **how) -> Scene:
    scene = make_scene(rules, shaker, opened=False, **how)
    scene.staff()
    scene.inspect()
    return scene


@pytest.mark.parametrize(
    ("rules", "shaker", "subject", "section"),
    [
        pytest.param("pa-539", None, "device", "1(b)", marks=clause("PA-539.1(b)-approval")),
        pytest.param("pa-539", None, "boxes", "1(a)", marks=clause("PA-539.1(a)")),
        pytest.param("pa-539", None, "layout", "1(c)", marks=clause("PA-539.1(c)")),
        pytest.param("pa-539", None, "shaker", "1(d)", marks=clause("PA-539.1(d)")),
        pytest.param(
            "pa-539", "automated-uncovered", "shaker-automated", "1(d)(2)", marks=clause("PA-539.1(d)(2)")
        ),
        pytest.param(
            "pa-539", "automated-uncovered", "shaker-place", "1(d)(2)(ii)", marks=clause("PA-539.1(d)(2)(ii)")
        ),
        pytest.param(
            "pa-539",
            "automated-uncovered",
            "shaker-procedure",
            "1(d)(2)(ii)",
            marks=clause("PA-539.1(d)(2)(ii)"),
        ),
        pytest.param("pa-625a/A", None, "device", "1(b)", marks=clause("PA-625a.1(b)-approval")),
        pytest.param("pa-625a/A", None, "boxes", "1(a)", marks=clause("PA-625a.1(a)")),
        pytest.param("pa-625a/B", None, "layout", "1(c)", marks=clause("PA-625a.1(c)")),
        pytest.param("pa-625a/A", None, "shaker", "1(d)", marks=clause("PA-625a.1(d)")),
        pytest.param(
            "pa-625a/A", "automated-covered", "shaker-automated", "1(d)(2)", marks=clause("PA-625a.1(d)(2)")
        ),
        pytest.param(
            "pa-625a/A",
            "automated-covered",
            "shaker-procedure",
            "1(d)(2)(ii)",
            marks=clause("PA-625a.1(d)(2)(ii)"),
        ),
        pytest.param(
            "pa-625a/A",
            "player-activated",
            "shaker-place",
            "1(d)(2)(iii)",
            marks=clause("PA-625a.1(d)(2)(iii)"),
        ),
        pytest.param("pa-675a", None, "boxes", "1(d)", marks=clause("PA-675a.1(d)")),
        pytest.param("pa-675a", None, "layout", "1(b)", marks=clause("PA-675a.1(b)")),
        pytest.param("pa-675a", None, "extra-roll-system", "1(c)", marks=clause("PA-675a.1(c)")),
        pytest.param("pa-675a", None, "shaker", "3(b)", marks=clause("PA-675a.3(b)")),
        pytest.param("pa-675a.6", None, "boxes", "1(d)", marks=clause("PA-675a.6(b)")),
        pytest.param("pa-675a.6", None, "layout", "6(b)", marks=clause("PA-675a.6(b)")),
        pytest.param("pa-577", None, "boxes", "2(c)", marks=clause("PA-577.2(c)")),
        pytest.param("pa-577", None, "layout", "2(b)", marks=clause("PA-577.2(b)")),
    ],
)
def test_a_table_stays_closed_while_an_approval_is_missing(rules, shaker, subject, section):
    scene = inspected(rules, shaker)
    approval = Approval.objects.get(subject=subject)
    changes: tuple[dict[str, Any], ...] = (
        {"withdrawn_at": approval.facility.local(scene.fresh.stream.last_at)},
        {"ends_on": approval.approved_on},
        {"lines": []} if approval.lines else {"subject": "boxes-of-another"},
    )
    for changed in changes:
        with scene.tried():
            Approval.objects.filter(pk=approval.pk).update(**changed)
            with scene.refused(
                "approval-says-less" if "lines" in changed else
                "not-on-record" if subject == "extra-roll-system" else "not-approved"
            ) as refusal:  # fmt: skip
                scene.open()
            # What an approval says less of has its own paragraph
            assert refusal.value.section.startswith(CHAPTER[rules] + ("" if "lines" in changed else section))
    scene.open()
    assert scene.fresh.status == "open"


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-539", "manual"),
        ("pa-539", "automated-uncovered"),
        ("pa-625a/A", "manual"),
        ("pa-625a/B", "automated-covered"),
        ("pa-625a/A", "player-activated"),
        ("pa-675a", "manual"),
        ("pa-675a.6", "manual"),
        ("pa-577", "dice-cup"),
        ("nj-19-47-9", "manual"),
    ],
)
def test_nothing_is_inspected_with_a_line_missing(rules, shaker):
    scene = make_scene(rules, shaker, opened=False)
    lines = scene.inspection()["lines"]
    assert lines
    for line in lines:
        with scene.refused("inspection-line-missing") as refusal:
            scene.inspect(lines=[one for one in lines if one != line])
        assert refusal.value.params["line"] == line and refusal.value.section
    with scene.refused("malformed"):
        scene.inspect(lines=[*lines, "another"])
    scene.inspect()
    assert sorted(lines) == Inspection.objects.get().lines == scene.entry["data"]["lines"]


@pytest.mark.parametrize(
    ("rules", "section"),
    [
        pytest.param("pa-625a/A", "1(c)(3)", marks=clause("PA-625a.1(c)(3)-sign")),
        pytest.param("pa-675a", "1(b)(3)", marks=clause("PA-675a.1(b)(3)-sign")),
        pytest.param("pa-577", "2(b)(3)", marks=clause("PA-577.2(b)(3)-sign")),
    ],
)
def test_where_the_layout_lacks_the_odds_a_sign_with_them_stands_at_the_table(rules, section):
    scene = make_scene(rules, opened=False)
    assert "odds-sign" not in scene.inspection()["lines"]
    Approval.objects.filter(subject="layout").update(prints=[])
    lines = scene.inspection()["lines"]
    with scene.refused("inspection-line-missing", CHAPTER[rules] + section):
        scene.inspect(lines=[line for line in lines if line != "odds-sign"])
    scene.inspect()


@clause("PA-539.1(c)(3)")
def test_under_539_no_sign_replaces_the_odds_on_the_layout():
    scene = inspected("pa-539")
    Approval.objects.filter(subject="layout").update(prints=["payout-limit"])
    assert "odds-sign" not in scene.inspection()["lines"]
    with scene.refused("odds-not-on-layout", "58 Pa. Code § 539.1(c)(3)"):
        scene.open()


@clause("PA-675a.1(b)(4)-sign")
def test_a_payout_limit_that_is_not_on_the_layout_hangs_at_the_table():
    scene = make_scene("pa-675a", opened=False, payout_limit_cents=7_500_000)
    assert "limit-sign" not in scene.inspection()["lines"]
    Approval.objects.filter(subject="layout").update(prints=["odds"])
    assert "limit-sign" in scene.inspection()["lines"]
    with scene.refused("inspection-line-missing", "58 Pa. Code § 675a.1(b)(4)"):
        scene.inspect(lines=[line for line in scene.inspection()["lines"] if line != "limit-sign"])


def test_without_a_payout_limit_no_sign_of_it_is_asked_for():
    scene = make_scene("pa-675a", opened=False)
    Approval.objects.filter(subject="layout").update(prints=[])
    assert "limit-sign" not in scene.inspection()["lines"]


@clause("PA-577.9(a)-cameras", "PA-577.9(a)-ends")
@pytest.mark.parametrize("cameras", [[], ["C-1"], ["C-1", "C-1"], ["C-1", ""], ["C-1", "C-2", "C-3"]])
def test_two_cameras_one_for_each_end_of_a_football_table(cameras):
    scene = make_scene("pa-577", opened=False)
    with scene.refused("cameras-missing", "58 Pa. Code § 577.9(a)"):
        scene.inspect(cameras=cameras)
    scene.inspect(cameras=["C-118", "C-119"])
    assert Inspection.objects.get().cameras == scene.entry["data"]["cameras"] == ["C-118", "C-119"]


def test_no_cameras_are_asked_for_elsewhere(scene):
    scene.close()
    with scene.refused("malformed"):
        scene.inspect(cameras=["C-1", "C-2"])


def test_a_console_of_another_version_than_the_approved_one_opens_no_table():
    scene = inspected("pa-625a/A")
    Approval.objects.filter(subject="device").update(version="0.9")
    with scene.refused("device-of-another-version", "58 Pa. Code § 625a.1(b)") as refusal:
        scene.open()
    assert refusal.value.params == {"approved": "0.9", "runs": "dev"}


@clause("PA-625a.1(d)(2)(i)-cover")
def test_a_covered_automated_shaker_is_for_625a_alone():
    covered = make_scene("pa-625a/A", "automated-covered")
    assert covered.snapshot["shaker"]["kind"] == "automated-covered"
    assert [step["key"] for step in covered.snapshot["round"]["steps"]][:3] == [
        "placement",
        "shake",
        "no-more-bets",
    ]
    scene = covered
    scene.close()
    Shaker.objects.filter(code="S-01").update(kind="automated-uncovered")
    assert [step["key"] for step in scene.snapshot["round"]["steps"]][:3] == [
        "placement",
        "no-more-bets",
        "shake",
    ]


@clause("PA-539.1(d)(2)(i)")
def test_a_covered_automated_shaker_is_refused_under_539():
    scene = make_scene("pa-539")
    Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="automated-covered")
    with scene.refused("shaker-not-allowed", "58 Pa. Code § 539.1(d)"):
        scene.act("replace_shaker", {"shaker": "S-02"}, by="floorperson")


@clause("PA-625a.1(d)")
def test_a_shaker_without_its_approval_is_not_put_on_a_table(scene):
    Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="manual")
    with scene.refused("not-approved", "58 Pa. Code § 625a.1(d)"):
        scene.act("replace_shaker", {"shaker": "S-02"}, by="floorperson")


@pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-625a/A", "manual"),
        ("pa-675a", "manual"),
        ("nj-19-47-9", "manual"),
        ("pa-539", "automated-uncovered"),
    ],
)
def test_a_shaker_that_may_not_stand_alone_is_locked_away_at_closing(rules, shaker):
    scene = make_scene(rules, shaker)
    assert not Shaker.objects.get(code="S-01").secured
    with scene.refused("secure-the-shaker"):
        scene.close(secured=False)
    scene.close()
    assert Shaker.objects.get(code="S-01").secured
    scene.inspect()
    scene.open()
    assert not Shaker.objects.get(code="S-01").secured


def test_an_automated_shaker_under_625a_stays_on_its_closed_table():
    scene = make_scene("pa-625a/A", "automated-covered")
    scene.close(secured=False)
    assert scene.entry["data"]["stays"] == "L-0001"


def test_a_closed_table_opens_with_nobody_at_it_to_none():
    scene = make_scene(opened=False)
    scene.inspect()
    with scene.refused("post-is-empty"):
        scene.open()


# Approvals are recorded by the office


def record(scene: Scene, **changed) -> None:
    params = {
        "subject": "layout",
        "table": "T-01",
        "body": "Bureau of Gaming Operations",
        "reference": "BGO-1",
        "approved_on": "2026-01-12",
        "lines": ["layout-logo", "layout-areas"],
        "prints": ["odds"],
        "letter": changed.pop("letter", None) or scene.on_file("The approval"),
        **changed,
    }
    scene.in_room("record_approval", params, by="compliance")


def test_the_office_records_an_approval_and_the_table_opens_under_it():
    scene = inspected("pa-625a/A")
    Approval.objects.filter(subject="layout").delete()
    with scene.refused("not-approved"):
        scene.open()
    record(scene)
    said = json.loads(bytes(newest_of_an_act("larkfield/equipment").body))
    assert (said["_type"], said["actor"], said["data"]["reference"]) == (
        "approval.recorded",
        "shift-manager",
        "BGO-1",
    )
    scene.open()
    approval = Approval.objects.get(subject="layout")
    scene.in_room("withdraw_approval", {"approval": approval.pk, "why": "a new layout"}, by="compliance")
    scene.close()
    scene.inspect(lines=scene.inspection()["lines"])
    with scene.refused("not-approved"):
        scene.open()
    with pytest.raises(Refusal, match="no-such-approval"):
        scene.in_room("withdraw_approval", {"approval": approval.pk, "why": "again"}, by="compliance")


@clause("PA-625a.1(c)")
def test_an_approval_names_the_body_that_the_regulation_names():
    scene = inspected("pa-625a/A")
    for body in ("Kitchen", "Bureau of Gaming Laboratory Operations", ""):
        with pytest.raises(Refusal, match="body-does-not-approve") as refusal:
            record(scene, body=body)
        assert (refusal.value.section, refusal.value.params["body"]) == (
            "58 Pa. Code § 625a.1(c)",
            "Bureau of Gaming Operations",
        )
    Approval.objects.filter(subject="layout").update(body="Kitchen")  # recorded before the body was checked
    with scene.refused("approved-by-another-body", "58 Pa. Code § 625a.1(c)"):
        scene.open()
    assert [missing["code"] for missing in scene.snapshot["to_open"]] == ["approved-by-another-body"]
    Approval.objects.filter(subject="layout").delete()
    record(scene, body="The Bureau of Gaming Operations")
    scene.open()


@clause("PA-625a.1(b)-approval")
@pytest.mark.parametrize("end", ["withdrawn", "ended"])
def test_an_approval_that_ends_in_a_round_lets_it_end_and_then_the_table_asks_for_it(hands, end):
    scene = make_scene()
    scene.place((2, "big", 5_000))
    approval = Approval.objects.get(subject="device")
    if end == "withdrawn":
        scene.in_room("withdraw_approval", {"approval": approval.pk, "why": "a fault"}, by="compliance")
    else:
        Approval.objects.filter(subject="device").update(ends_on=hands.now.date())
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.finish()
    assert scene.settled == [(2, "big", "win", 5_000, 5_000)]
    with scene.refused("not-approved", "58 Pa. Code § 625a.1(b)"):
        scene.place((2, "big", 5_000))
    Approval.objects.filter(subject="device").update(withdrawn_at=None, ends_on=None)
    scene.place((2, "big", 5_000))


@clause("PA-625a.1(b)-approval")
@pytest.mark.parametrize("end", ["withdrawn", "ended"])
def test_an_approval_that_ends_while_the_table_plays_calls_the_pit_at_once(hands, end):
    scene = make_scene()
    scene.place((2, "big", 5_000))
    assert tick() == []
    for subject, section in (("device", "§ 625a.1(b)"), ("shaker", "§ 625a.1(d)")):
        approval = Approval.objects.get(subject=subject)
        if end == "withdrawn":
            scene.in_room("withdraw_approval", {"approval": approval.pk, "why": "a fault"}, by="compliance")
        else:
            Approval.objects.filter(pk=approval.pk).update(ends_on=hands.now.date())
        assert tick() == [scene.table.pk], subject
        (alert,) = (row for row in scene.snapshot["alerts"] if row["standing"])
        assert (alert["kind"], alert["level"], alert["section"]) == ("approval-ended", "stop", section)
        assert approval_subjects()[subject] in alert["text"]
        assert tick() == []
        approval.pk = None
        approval.save()
        assert tick() == [scene.table.pk], "its successor ends the alert"
        assert not Alert.objects.filter(ended_at=None).exists()


def test_an_approval_that_ends_at_a_closed_table_calls_nobody(hands):
    make_scene(opened=False)
    Approval.objects.update(ends_on=hands.now.date())
    assert tick() == []


# The inspection: when, and by whom


@clause("PA-625a.5(a)")
def test_an_inspection_holds_for_eight_hours(hands):
    scene = inspected("pa-625a/A")
    hands.now += INSPECTION_HOLDS + dt.timedelta(seconds=1)
    with scene.refused("inspection-too-old", "58 Pa. Code § 625a.5(a)(1)"):
        scene.open()
    assert scene.snapshot["next"]["act"] == "inspect_table"
    scene.inspect()
    hands.now += INSPECTION_HOLDS
    scene.open()


@clause("PA-625a.5(a)")
def test_the_floorperson_assigned_to_the_table_inspects_it():
    scene = make_scene(opened=False)
    scene.staff()
    scene.act("take_supervision", by="floorperson", device=scene.podium)
    with scene.refused("inspector-not-assigned", "58 Pa. Code § 625a.5(a)(1)"):
        scene.inspect(by="pit-manager")
    scene.inspect()
    scene.act("take_supervision", by="pit-manager", device=scene.podium)
    with scene.refused("inspected-by-another", "58 Pa. Code § 625a.5(a)(1)"):
        scene.open()
    scene.inspect(by="pit-manager")
    scene.open()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"table": "T-99"}, "no-such-equipment"),
        ({"shaker": "S-01"}, "approval-of-one-thing"),
        ({"subject": "shaker"}, "approval-of-another-thing"),
        ({"table": "", "shaker": "S-01"}, "approval-of-another-thing"),
        ({"table": ""}, "approval-of-one-thing"),
        ({"ends_on": "2026-01-12"}, "approval-ends-before-it-begins"),
        ({"approved_on": "2026-02-30"}, "malformed"),
        ({"subject": "roulette wheel"}, "malformed"),
    ],
)
def test_an_approval_that_cannot_be_is_not_recorded(scene, changed, code):
    before = Approval.objects.count()
    with pytest.raises(Refusal) as refusal:
        record(scene, **changed)
    assert (refusal.value.code, Approval.objects.count()) == (code, before)


def test_an_approval_names_the_letter_that_says_it_and_that_letter_says_nothing_else(scene):
    Approval.objects.filter(subject="layout").delete()
    letter = scene.on_file()
    record(scene, letter=letter)
    body = json.loads(bytes(newest_of_an_act("larkfield/equipment").body))
    assert body["data"]["letter"]["document"] == letter
    with pytest.raises(Refusal) as refusal:
        record(scene, letter=letter, reference="BGO-2")
    assert (refusal.value.code, refusal.value.params["use"]) == ("letter-used", "layout BGO-1")
    with pytest.raises(Refusal, match="letter-unreadable"):
        record(scene, letter=scene.on_file("Three bytes", b"abc"))
    with pytest.raises(Refusal, match="malformed"):
        scene.in_room("record_approval", LAYOUT, by="compliance")
    page = scene.browser("podium", "compliance").get("/floor/larkfield/equipment/").content.decode()
    assert f"letter {letter}" in " ".join(page.split())


@pytest.mark.parametrize("by", ["dealer", "floorperson", "pit-manager", "security", "gaming-agent"])
def test_nobody_of_the_floor_records_approvals(scene, by):
    with pytest.raises(Refusal, match="may-not-prepare"):
        scene.in_room("record_approval", {}, by=by)


def test_a_new_shaker_is_registered_once(scene):
    scene.in_room("register_shaker", {"shaker": "S-07", "kind": "manual"}, by="compliance")
    assert Shaker.objects.get(code="S-07").secured
    with pytest.raises(Refusal, match="shaker-code-taken"):
        scene.in_room("register_shaker", {"shaker": "S-07", "kind": "manual"}, by="compliance")


def test_an_out_of_order_shaker_comes_back_only_repaired():
    scene = make_scene("pa-625a/A", "automated-covered")
    from tests.tables.test_shakers import replace, spare

    spare(scene)
    with scene.refused("shaker-not-out-of-order"):
        scene.act("return_shaker", {"shaker": "S-01", "how": "belt"}, by="floorperson")
    replace(scene, covered_or_signed=True)
    scene.act("return_shaker", {"shaker": "S-01", "how": "new belt"}, by="floorperson")
    shaker = Shaker.objects.get(code="S-01")
    assert (shaker.table, shaker.out_of_order, shaker.secured) == (None, False, True)
    assert scene.entry["data"] == {"shaker": "S-01", "kind": "automated-covered", "how": "new belt"}


def test_equipment_is_read_in_few_queries(scene, django_assert_max_num_queries):
    from django.db import transaction

    with transaction.atomic():
        locked = locked_table("larkfield", "T-01")
        from tables.core.context import TableContext

        at = TableContext(locked.table, None, None, None, locked.now)
        with django_assert_max_num_queries(5):
            Equipment(at).verify_approved()
            assert Equipment(at).lines
