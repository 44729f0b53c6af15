"""Alerts: raised by acts and by the clock, held until they are over and somebody of the floor has acknowledged them."""

import datetime as dt
import json
import uuid

import pytest

from audit import clock
from audit.models import Command, Entry
from games.engine import Refusal
from tables.alerts.calls import alert_words
from tables.core.alerts import ALERT_KINDS, kind_of
from tables.demo.seeding import approve_shaker
from tables.models import Alert, Shaker
from tables.opening.opening import make_table
from tables.ticker import warn_of_dice
from tables.words.sentences import act_line
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
clause = pytest.mark.clause

A_DAY = dt.timedelta(hours=24)


def entries(scene, *types):
    """The newest entries of these types, the oldest first: type, data and who."""
    found = Entry.objects.filter(stream=scene.table.stream, type__in=types).order_by("seq")
    bodies = [json.loads(bytes(one.body)) for one in found]
    return [(body["_type"], body["data"], body["actor"]) for body in bodies]


def kinds():
    """What stands, by kind."""
    return sorted(Alert.objects.filter(ended_at=None).values_list("kind", flat=True))


def only(scene):
    (alert,) = scene.snapshot["alerts"]
    return alert


def acknowledge(scene, note="", by="floorperson", **how):
    params = {"alert": Alert.objects.latest("pk").pk, **({"note": note} if note else {})}
    return scene.act("acknowledge_alert", params, by=by, **how)


def spare(scene):
    """Another manual shaker, S-02, approved."""
    shaker = Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="manual")
    approve_shaker(scene.table, shaker)


# Further entries of an act


def test_an_act_that_raises_an_alert_tells_the_number_of_its_last_entry(scene):
    before, command = scene.version, uuid.uuid4()
    answer = scene.act("report_device_failure", command=command)
    assert answer.version == scene.version == before + 2
    stream = Entry.objects.filter(stream=scene.table.stream, seq__gt=before).order_by("seq")
    own, alert = (json.loads(bytes(one.body)) for one in stream)
    assert [own["_type"], alert["_type"]] == ["device.failed", "alert.raised"]
    assert (own["command"], alert["command"]) == (str(command), None)
    assert (alert["actor"], alert["device"], alert["at"]) == ("dealer", str(scene.tablet.pk), own["at"])
    assert alert["data"] == {
        "kind": "device-failure",
        "key": "failure",
        "level": "stop",
        "section": "58 Pa. Code § 625a.7(b)",
        "what": "device",
    }
    assert Command.objects.get(pk=command).seq == answer.version
    again = scene.act("report_device_failure", command=command)
    assert (again.is_repeat, again.version, scene.version) == (True, answer.version, before + 2)


def test_what_an_act_changed_is_fresh_to_a_screen_that_saw_its_last_entry_and_stale_to_an_older_one(scene):
    from tables.runner.table import Stale

    scene.place((1, "small", 2_500))
    seen = scene.version
    answer = scene.act("report_device_failure")
    assert scene.fresh.status_seq == seen + 1 == answer.version - 1
    with pytest.raises(Stale):
        scene.act("record_repair", {"what": "fuse"}, by="floorperson", seen=seen)
    scene.act("record_repair", {"what": "fuse"}, by="floorperson", seen=answer.version)


def test_an_alert_that_ends_or_is_acknowledged_makes_no_screen_stale(scene):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    seen = scene.version
    acknowledge(scene, "stands")
    assert scene.version == seen + 2
    scene.place((1, "small", 2_500), seen=seen)


# Acknowledging


def test_somebody_of_the_floor_acknowledges_and_the_alert_stays_until_it_is_over(scene):
    scene.act("report_device_failure")
    shown = only(scene)
    assert shown == {
        "id": Alert.objects.get().pk,
        "count": 1,
        "kind": "device-failure",
        "level": "stop",
        "title": "Gaming ceased",
        "text": "The electrical device failed. Repair it, then record the repair before the next round.",
        "section": "§ 625a.7(b)",
        "since": shown["since"],
        "until": None,
        "round": None,
        "standing": True,
        "acknowledged": None,
        **dict.fromkeys(("to", "reason", "seat", "coming", "asked", "muted")),
        "passes_on": shown["passes_on"],
    }
    acknowledge(scene, by="pit-manager", device=scene.podium)
    at = only(scene)["acknowledged"]["at"]
    assert only(scene) == {
        **shown,
        "acknowledged": {"by": "P. Manager", "at": at},
        "passes_on": None,
    }
    scene.repair()
    assert scene.snapshot["alerts"] == []
    said = entries(scene, "alert.raised", "alert.acknowledged", "alert.ended")
    assert [(type_, actor) for type_, _, actor in said] == [
        ("alert.raised", "dealer"),
        ("alert.acknowledged", "pit-manager"),
        ("alert.ended", "floorperson"),
    ]
    assert said[1][1] == {"kind": "device-failure", "key": "failure", "note": ""}


def test_what_is_over_shows_until_it_is_acknowledged(scene):
    scene.act("report_device_failure")
    scene.repair()
    assert (only(scene)["standing"], only(scene)["acknowledged"]) == (False, None)
    acknowledge(scene, device=scene.tablet)
    assert scene.snapshot["alerts"] == []


@pytest.mark.parametrize("by", ["dealer", "surveillance", "gaming-agent", "compliance", "other-floorperson"])
def test_nobody_else_acknowledges(scene, by):
    scene.act("report_device_failure")
    with scene.refused("not-assigned" if by == "other-floorperson" else "role-may-not"):
        acknowledge(scene, by=by)


def test_an_alert_is_acknowledged_once_and_at_its_own_table(scene):
    scene.act("report_device_failure")
    alert = Alert.objects.get()
    for wrong in (alert.pk + 1, 2**53 - 1):
        with scene.refused("no-such-alert"):
            scene.act("acknowledge_alert", {"alert": wrong}, by="floorperson")
    for malformed in ({}, {"alert": 0}, {"alert": "1"}, {"alert": True}):
        with scene.refused("malformed"):
            scene.act("acknowledge_alert", malformed, by="floorperson")
    acknowledge(scene, "on my way")
    assert (Alert.objects.get().note, Alert.objects.get().acknowledged_by.code) == (
        "on my way",
        "floorperson",
    )
    with scene.refused("no-such-alert"):
        acknowledge(scene)
    other = make_table(
        scene.table.facility, code="T-09", pit=scene.table.pit, submission="RS-0009", kind="live", seats=8,
        min_cents=1_000, max_cents=100_000,
    )  # fmt: skip
    elsewhere = Alert.objects.create(
        table=other, kind="clock", key="clock:behind", level="stop", raised_at=clock.now()
    )
    with scene.refused("no-such-alert"):
        scene.act("acknowledge_alert", {"alert": elsewhere.pk}, by="floorperson")


# Kinds that acts raise


@pytest.mark.parametrize("what", ["device", "layout"])
@clause("PA-625a.7(b)-cease")
def test_a_failure_stands_until_gaming_resumes(scene, what):
    scene.act("report_device_failure", {"what": what})
    scene.act("record_repair", {"what": "fuse"}, by="floorperson")
    assert kinds() == ["device-failure"]
    scene.inspect()
    assert kinds() == []


def test_a_shaker_that_failed_is_a_kind_of_its_own_and_ends_with_a_manual_one():
    scene = make_scene("pa-625a/A", "automated-covered")
    spare(scene)
    scene.place((1, "small", 2_500))
    scene.act("report_device_failure", {"what": "shaker"})
    assert (kinds(), only(scene)["kind"]) == (["shaker-failure"], "shaker-failure")
    assert only(scene)["text"].startswith("The automated shaker failed.")
    scene.act("replace_shaker", {"shaker": "S-02", "covered_or_signed": True}, by="floorperson")
    assert kinds() == []


@clause("PA-577.5(g)")
@pytest.mark.parametrize(
    ("rules", "section"), [("pa-577", "58 Pa. Code § 577.5(g)"), ("pa-625a/A", ""), ("pa-675a", "")]
)
def test_a_dispute_is_decided_in_writing(rules, section):
    scene = make_scene(rules)
    scene.act("report_dispute", {"seat": 3, "about": "which face is up"})
    assert scene.entry["data"] == {"round": None, "seat": 3, "about": "which face is up", "section": section}
    shown = only(scene)
    assert (shown["title"], shown["level"]) == ("Dispute at seat 3", "warn")
    assert "which face is up" in shown["text"]
    with scene.refused("say-how-it-was-decided", section):
        acknowledge(scene)
    acknowledge(scene, "the five; shown to the player")
    assert scene.snapshot["alerts"] == []
    said = entries(scene, "alert.acknowledged", "alert.ended")
    assert [(type_, data.get("note")) for type_, data, _ in said] == [
        ("alert.acknowledged", "the five; shown to the player"),
        ("alert.ended", None),
    ]


def test_two_disputes_stand_side_by_side(scene):
    for _ in range(2):
        scene.act("report_dispute", {"seat": 3, "about": "a late chip"}, by="floorperson")
    assert kinds() == ["dispute", "dispute"]
    acknowledge(scene, "one of them")
    assert kinds() == ["dispute"]


def test_a_dispute_once_the_layout_is_cleared_is_about_the_last_round(scene):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    assert scene.entry["data"]["round"] is None
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    scene.finish()
    scene.act("report_dispute", {"seat": 1, "about": "small was not paid"})
    assert scene.entry["data"]["round"] == 1
    assert Alert.objects.latest("pk").params["round"] == 1


def test_a_dispute_is_at_a_seat_of_a_table_that_is_not_closed(scene):
    with scene.refused("no-such-seat"):
        scene.act("report_dispute", {"seat": 9, "about": "a late chip"})
    for params in ({"seat": 0, "about": "x"}, {"seat": 3}, {"seat": 3, "about": " "}):
        with scene.refused("malformed"):
            scene.act("report_dispute", params)
    scene.close()
    with scene.refused("table-closed"):
        scene.act("report_dispute", {"seat": 3, "about": "a late chip"})


@clause("PA-577.5(c)(5)")
def test_a_throw_called_no_roll_for_a_device_calls_the_pit_until_acknowledged():
    scene = make_scene("pa-577")
    scene.place((5, "touchdown", 500))
    scene.act("offer_dice", {"seat": 5, "accepted": True})
    scene.act("throw_dice")
    scene.act("call_no_roll", {"reason": "cheating-device"})
    assert (only(scene)["kind"], only(scene)["section"]) == ("cheating", "§ 577.5(c)(5)")
    scene.act("throw_dice")
    scene.act("call_no_roll", {"reason": "off-table"})
    assert kinds() == ["cheating"]
    acknowledge(scene)
    assert (kinds(), scene.snapshot["alerts"]) == ([], [])


@clause("PA-521.7(c)")
def test_a_wager_over_the_maximum_reaches_the_floor_before_no_more_bets_and_ends_when_it_is_lowered(scene):
    scene.place((2, "big", 100_000), (3, "big", 120_000))
    alert = only(scene)
    assert (alert["kind"], alert["section"]) == ("over-max", "§ 521.7(c)")
    assert alert["title"] == "$1,200 at seat 3 is over the maximum"
    scene.place((3, "big", 130_000))
    assert kinds() == ["over-max"]
    scene.place((3, "big", 100_000))
    assert kinds() == []


# Dice, held and as they are found


@clause("PA-625a.2(b)-manual")
def test_dice_past_their_time_show_before_anybody_ticked_and_once_when_somebody_did(hands, scene):
    hands.now += A_DAY - dt.timedelta(minutes=1)
    warn_of_dice()
    shown = only(scene)
    assert (shown["kind"], shown["level"], shown["standing"]) == ("dice-time", "stop", True)
    assert shown["until"] == "2026-11-22T15:00:00.000Z"
    assert not any(figure.isdigit() for figure in shown["title"])
    hands.now += dt.timedelta(minutes=1)
    found = only(scene)
    assert (found["kind"], found["id"], found["since"]) == ("dice-expired", None, "2026-11-22T15:00:00.000Z")
    warn_of_dice()
    held = only(scene)
    assert held == {**found, "id": Alert.objects.latest("pk").pk, "passes_on": held["passes_on"]}


def test_acknowledging_dice_acknowledges_the_warnings_before(hands, scene):
    for minutes in (60, 10, 0):
        hands.now = dt.datetime(2026, 11, 22, 15, tzinfo=dt.UTC) - dt.timedelta(minutes=minutes)
        warn_of_dice()
    acknowledge(scene)
    assert not Alert.objects.filter(acknowledged_at=None).exists()
    assert [data["key"] for _, data, _ in entries(scene, "alert.acknowledged")] == [
        "dice:L-0001:4",
        "dice:L-0001:1",
        "dice:L-0001:2",
    ]
    assert only(scene)["acknowledged"] == {"by": "Floorperson", "at": "2026-11-22T15:00:00.000Z"}
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    assert scene.snapshot["alerts"] == []


def test_each_way_of_taking_dice_out_ends_the_warning(hands, scene):
    spare(scene)
    hands.now += A_DAY - dt.timedelta(minutes=10)
    warn_of_dice()
    for act, params in (
        ("withdraw_dice", {"why": "marked"}),
        ("replace_shaker", {"shaker": "S-02"}),
        ("change_dice_lot", {"lot": "L-0002"}),
        ("close_table", {"secured": True, "dice": "removed"}),
    ):
        with scene.tried():
            scene.act(act, params, by="floorperson")
            assert kinds() == [], act
    assert kinds() == ["dice-time"]


def test_an_empty_shaker_calls_somebody_only_while_the_table_is_not_closed(scene):
    scene.act("withdraw_dice", {"why": "marked"})
    assert (only(scene)["kind"], only(scene)["id"]) == ("no-dice", None)
    scene.close(dice="removed")
    assert scene.snapshot["alerts"] == []


def test_a_stop_stays_on_top_and_below_it_the_newest_unanswered_alert_of_each_level_comes_first(hands, scene):
    scene.act("report_device_failure")
    acknowledge(scene)
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    hands.now += dt.timedelta(minutes=1)
    scene.act("report_dispute", {"seat": 4, "about": "a late chip"})
    hands.now += A_DAY
    warn_of_dice()
    shown = [(one["title"], one["level"], bool(one["acknowledged"])) for one in scene.snapshot["alerts"]]
    assert shown == [
        ("Dice expired", "stop", False),
        ("Gaming ceased", "stop", True),
        ("Dispute at seat 4", "warn", False),
        ("Dispute at seat 3", "warn", False),
    ]


# Words


def test_every_kind_has_its_title_its_text_and_its_line_of_the_record():
    params = {
        "code": "RS-0009", "lot": "L-0001", "minutes": 60, "shaker": "S-01", "seat": 3, "about": "a late chip",
        "round": 7, "throw": 1, "post": "stick", "seconds": 30, "device": "Tablet of T-01", "slip": 4, "seen": 4190,
        "last": 4102, "what": "device", "breach": "unsupervised", "table": "T-01",
        "person": "Dealer", "subject": "device", "wager": "big", "cents": 120_000, "version": 2,
        "day": "21 Nov 10:00", "discrepancy": 2, "differs": "count", "expected_cents": 100_000, "counted_cents": 99_500,
        "act": "record_missed_wager", "seats": [3], "held": True, "signed_with": "Floorperson",
        "first_round": 1, "evidence": "21,000", "alarm": 20_020, "player": "P-7KQ2MX",
        "undone": 3, "within_minutes": 240, "percent": 12, "read": [1, 2, 3], "entered": [1, 2, 4],
        "firmware": "2.1", "shows": "$10–$500", "webhook": "WH-0001", "other": [1, 2, 3], "other_device": "DR-02",
        "machine": "app-1", "folder": "/var/lib/pitside", "until": "1 Dec 10:00",
    }  # fmt: skip
    assert len(ALERT_KINDS) > 15
    for kind in ALERT_KINDS:
        key = kind.key.format(cause=9, **params)
        assert kind_of(kind.code, key) == kind
        title, text = alert_words(kind.code, key, params)
        assert "%(" not in title + text and text[-1] in ".”", kind.key
        line = act_line("alert.raised", {**params, "kind": kind.code, "key": key})
        assert line.startswith("Alert: ")
        assert act_line("alert.ended", {"kind": kind.code}) == f"Ended: {kind.name}"


def test_a_refused_raising_leaves_nothing_behind(scene):
    with pytest.raises(Refusal):
        scene.act("report_device_failure", {"dice": [1, 2, 3]})
    assert (Alert.objects.count(), entries(scene, "alert.raised")) == (0, [])


def test_wagers_over_the_maximum_at_one_table_are_one_line_with_their_sum(scene):
    scene.place((2, "big", 120_000), (3, "small", 150_000))
    [alert] = scene.snapshot["alerts"]
    assert (alert["count"], alert["title"]) == (2, "2 wagers over the maximum, seats 2, 3: $2,700")
    scene.act("acknowledge_alert", {"alert": alert["id"]}, by="floorperson")
    assert scene.snapshot["alerts"][0]["acknowledged"]
