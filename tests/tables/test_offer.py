"""What a table offers: a new version takes over with its next round, and the record says when."""

import datetime as dt
import json

import pytest

from audit.models import Entry
from games.engine import Refusal
from games.models import RulesSubmission
from games.submissions import draft
from tables import rules
from tables.models import Alert, Table
from tables.ticker import tick
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause
A, B = "pa-625a@2019-08-31/A", "pa-625a@2019-08-31/B"


def approve(scene, when="", edition=B, **options):
    """The next version of RS-0009: drafted, filed, approved with a letter, in force from `when`."""
    number = scene.in_office("draft_submission", {"code": "RS-0009", "edition": edition, "why": ""}).body[
        "version"
    ]
    named = {"code": "RS-0009", "version": number}
    scene.in_office("change_draft", {**named, "edition": edition, **options})
    scene.in_office("file_submission", named)
    decision = {
        "granted": True,
        "body": "Bureau of Gaming Operations",
        "reference": "1",
        "letter": scene.on_file(),
        "in_force_from": when,
    }
    scene.in_office("record_decision", {**named, **decision})
    return RulesSubmission.objects.get(code="RS-0009", version=number)


def announcements(scene):
    """The entries about rules that took effect at the table, in order."""
    found = Entry.objects.filter(stream=scene.table.stream, type="rules.took_effect").order_by("seq")
    return [json.loads(bytes(one.body))["data"] for one in found]


def pays(scene, wager="total:4"):
    return next(one["odds"] for one in scene.snapshot["layout"] if one["wager"] == wager)


@clause("PA-521.8(b)")
def test_the_round_in_play_settles_under_its_version_and_the_next_one_under_the_new(hands, scene):
    approve(scene, "2026-11-21T10:05")
    scene.play((1, "total:4", 1000), dice=[1, 1, 2])
    hands.now += dt.timedelta(minutes=10)
    tick()
    assert announcements(scene) == [] and pays(scene) == ["50 to 1"]
    scene.finish()
    assert scene.last_round.submission.version == 1
    assert [(entry["was"], entry["version"]) for entry in announcements(scene)] == [(1, 2)]
    assert pays(scene) == ["62 to 1"]
    scene.acknowledge_rules()
    scene.play((1, "total:4", 1000), dice=[1, 1, 2])
    assert scene.round.submission.version == 2
    scene.finish()
    assert [paid for _, _, _, paid, _ in scene.settled] == [62_000]


def test_the_first_round_paid_what_its_own_version_pays(hands, scene):
    approve(scene, "2026-11-21T10:05")
    scene.play((1, "total:4", 1000), dice=[1, 1, 2])
    hands.now += dt.timedelta(minutes=10)
    scene.finish()
    assert [paid for _, _, _, paid, _ in scene.settled] == [50_000]


def test_the_clock_tells_a_table_where_nobody_plays_once(hands, scene):
    approve(scene, "2026-11-21T10:05")
    assert tick() == [] and announcements(scene) == []
    hands.now += dt.timedelta(minutes=5)
    assert scene.table.pk in tick()
    (said,) = announcements(scene)
    version = RulesSubmission.objects.get(version=2)
    assert said == {
        "submission": "RS-0009",
        "was": 1,
        "version": 2,
        "edition": B,
        "terms_sha256": version.terms_sha256,
        "stopped": [],
        "started": [],
    }
    tick()
    assert len(announcements(scene)) == 1


def test_no_round_begins_under_new_rules_before_the_floor_has_acknowledged_them(hands, scene):
    approve(scene, "2026-11-21T10:05")
    hands.now += dt.timedelta(minutes=6)
    with scene.refused("rules-not-acknowledged", "58 Pa. Code § 601a.2"):  # before the clock announced them
        scene.place((1, "small", 1000))
    tick()
    with scene.refused("rules-not-acknowledged"):
        scene.place((1, "small", 1000))
    snapshot = scene.snapshot
    assert snapshot["missing"]["code"] == "rules-not-acknowledged" and snapshot["next"] is None
    assert [alert["title"] for alert in snapshot["alerts"]] == ["New rules in force"]
    scene.acknowledge_rules()
    assert scene.snapshot["alerts"] == []
    scene.place((1, "small", 1000))
    assert len(announcements(scene)) == 1 and scene.round.submission.version == 2


def test_acknowledging_one_version_is_not_acknowledging_the_next(hands, scene):
    approve(scene)
    tick()
    [alert] = Alert.objects.filter(kind="new-rules")
    hands.now += dt.timedelta(minutes=1)
    approve(scene, edition=A)
    tick()
    scene.act("acknowledge_alert", {"alert": alert.pk}, by="floorperson", device=scene.podium)
    with scene.refused("rules-not-acknowledged") as refused:
        scene.place((1, "small", 1000))
    assert refused.value.params["version"] == 3
    scene.acknowledge_rules()
    scene.place((1, "small", 1000))


def test_opening_a_table_acknowledges_its_rules(hands, scene):
    approve(scene)
    tick()
    scene.close()
    hands.now += dt.timedelta(minutes=1)
    scene.inspect()
    scene.open()
    assert not Alert.objects.filter(kind="new-rules", ended_at=None).exists()
    scene.place((1, "small", 1000))


def test_opening_announces_new_rules_to_a_closed_table(hands, scene):
    scene.close()
    approve(scene)
    tick()
    assert announcements(scene) == []
    hands.now += dt.timedelta(minutes=1)
    scene.inspect()
    scene.open()
    assert scene.entry["data"]["submission_version"] == 2
    assert rules.parse_key(scene.fresh.recorded_rules_key).version == 2
    tick()
    assert announcements(scene) == []


def test_a_withdrawn_version_is_announced_too_and_no_round_opens_under_it(hands, scene):
    scene.play((1, "total:4", 1000), dice=[1, 1, 2])
    scene.in_office("withdraw_submission", {"code": "RS-0009", "version": 1, "why": "a fault"})
    tick()
    assert announcements(scene) == []
    scene.finish()
    assert [paid for _, _, _, paid, _ in scene.settled] == [50_000]
    assert [(entry["was"], entry["version"]) for entry in announcements(scene)] == [(1, None)]
    with scene.refused("no-rules-in-force"):
        scene.place((1, "small", 1000))


def test_the_layout_words_odds_as_the_submission_does(hands, scene):
    approve(scene, odds_word="wins")
    tick()
    assert pays(scene) == ["1 wins 62"] and pays(scene, "one-of-a-kind:3") == [
        "1 wins 1",
        "1 wins 2",
        "1 wins 12",
    ]


@clause("PA-521.7(d)")
def test_an_increment_is_asked_only_when_the_submission_in_force_holds_it(hands, scene):
    scene.place((1, "total:4", 1100), (1, "small", 1100))
    scene.act("void_round", {"reason": "dispute"}, by="floorperson", device=scene.podium)
    approve(scene, increments=[{"family": "total", "cents": 500}])
    hands.now += dt.timedelta(seconds=1)
    scene.acknowledge_rules()
    with scene.refused("not-an-increment", "58 Pa. Code § 521.7(d)") as refused:
        scene.place((1, "total:4", 1100))
    assert refused.value.params["step"] == "$5"
    increments = {area["wager"]: area.get("increment_cents") for area in scene.snapshot["layout"]}
    assert (increments["total:4"], increments["small"]) == (500, None), (
        "the keypad of an area asks for it too"
    )
    scene.place((1, "total:4", 1500), (1, "small", 1100))
    scene.place((1, "total:4", 0))
    assert [wager["wager"] for wager in scene.snapshot["round"]["wagers"]] == ["small"]


def test_an_increment_of_a_version_to_come_is_not_asked_yet(hands, scene):
    approve(scene, "2026-11-21T10:05", increments=[{"family": "total", "cents": 500}])
    scene.place((1, "total:4", 1100))
    hands.now += dt.timedelta(minutes=9)
    scene.place((1, "total:4", 1200))


def test_a_table_opens_and_deals_only_with_a_shaker_that_the_submission_names(hands, scene):
    approve(scene, shakers=[{"kind": "automated-covered", "procedure": "Each round.", "named": True}])
    with scene.refused("shaker-not-filed", "58 Pa. Code § 625a.1(d)"):
        scene.place((1, "small", 1000))
    scene.close()
    hands.now += dt.timedelta(minutes=1)
    scene.inspect()
    with pytest.raises(Refusal, match="shaker-not-filed"):
        scene.open()


def test_a_table_with_a_named_shaker_opens(hands):
    scene = make_scene()
    approve(scene, shakers=[{"kind": "manual", "procedure": "Three times.", "named": True},
                            {"kind": "automated-covered", "procedure": "", "named": False}])  # fmt: skip
    assert RulesSubmission.objects.get(version=2).options == {"shakers": {"manual": "Three times."}}
    scene.acknowledge_rules()
    scene.place((1, "small", 1000))
    assert scene.round.submission.version == 2


def test_a_key_is_read_as_it_was_written_and_fits_its_field():
    one = draft(facility=make_scene(opened=False).table.facility, code="RS-0099", key="pa-625a/B")
    for codes in (
        (),
        ("total:4", "total:17"),
        [f"two-dice:{n}-{m}" for n in range(1, 6) for m in range(n + 1, 7)],
    ):
        key = rules.rules_in_effect(one, one.code, codes).key
        assert len(key) <= Table._meta.get_field("recorded_rules_key").max_length
        assert rules.parse_key(key) == rules.rules_in_effect(one, one.code, codes)
    assert rules.parse_key("") is None
    assert rules.rules_in_effect(None, "RS-0099", {"small"}).codes == {"small"}


@clause("PA-675a.5(e)-floor")
def test_no_minimum_rises_over_the_payout_limit_of_a_version_that_is_still_to_come(hands):
    scene = make_scene("pa-675a")
    approve(scene, "2026-11-21T10:05", "pa-675a@2016-08-27", payout_limit_cents=5_006_000)
    rise = {"min_cents": 1_100, "max_cents": 100_000, "nobody_plays": False}
    with scene.refused("filed-limit-too-low", "58 Pa. Code § 675a.5(e)") as refused:
        scene.act("change_limits", rise, by="floorperson", device=scene.podium)
    assert (refused.value.params["figure"], refused.value.params["least"]) == ("$50,060", "$55,066")
    scene.act("change_limits", {**rise, "min_cents": 900}, by="floorperson", device=scene.podium)
