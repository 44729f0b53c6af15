"""The loop from a table to the floor and back: call, answer, decision; and what is passed on unanswered."""

import datetime as dt
import json

import pytest

from audit.models import Entry
from tables.alerts.calls import pass_on_unanswered
from tables.models import Alert
from tables.screens.table_data import TableData
from tables.words.sentences import act_line

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def lines(scene, after):
    """The lines of the record about the entries after this one."""
    entries = Entry.objects.filter(stream=scene.table.stream, seq__gt=after).order_by("seq")
    bodies = [json.loads(bytes(entry.body)) for entry in entries]
    return [(act_line(body["_type"], body["data"]), body["actor"]) for body in bodies]


def call(scene, **params):
    """A call of the table, and its reason and seat, if any."""
    to = params.pop("to", "floor")
    scene.act("call_floor", {"to": to})
    alert = Alert.objects.latest("pk")
    if params:
        scene.act("explain_call", {"alert": alert.pk, **params})
    return alert.pk


@pytest.mark.clause("PA-577.5(g)")
def test_a_call_goes_to_the_floor_and_its_decision_comes_back_to_the_table(hands, scene):
    before = scene.version
    alert = call(scene, reason="dispute", seat=2)
    (shown,) = scene.snapshot["alerts"]
    assert (shown["title"], shown["to"], shown["seat"], shown["coming"]) == (
        "Dispute, seat 2",
        "floor",
        2,
        None,
    )
    hands.now += dt.timedelta(seconds=20)
    scene.act("answer_alert", {"alert": alert}, by="floorperson", device=scene.podium)
    (shown,) = scene.snapshot["alerts"]
    assert shown["coming"] == {"by": "Floorperson", "at": "2026-11-21T15:00:20.000Z"}
    scene.act(
        "decide_alert",
        {"alert": alert, "decision": "as-recorded", "note": "Surveillance saw one chip."},
        by="floorperson",
    )
    snapshot = scene.snapshot
    assert snapshot["alerts"] == []
    (decision,) = snapshot["decisions"]
    assert (decision["decision"], decision["by"], decision["seat"]) == (
        "Stands as recorded. Surveillance saw one chip.",
        "Floorperson",
        2,
    )
    scene.act("read_decision", {"alert": alert})
    assert scene.snapshot["decisions"] == []
    assert lines(scene, before) == [
        ("Floor called", "dealer"),
        ("Alert: Floor called", "dealer"),
        ("Called about: Dispute, seat 2", "dealer"),
        ("Dispute at seat 2: (tapped, without words)", "dealer"),
        ("Coming: Floor called", "floorperson"),
        ("Decided: Stands as recorded. Surveillance saw one chip.", "floorperson"),
        ("Acknowledged: Floor called. Surveillance saw one chip.", "floorperson"),
        ("Ended: Floor called", "floorperson"),
        ("Decision read at the table", "dealer"),
    ]


def test_a_dispute_that_was_decided_in_words_comes_back_to_the_table(scene):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    scene.act("acknowledge_alert", {"alert": Alert.objects.get().pk, "note": "stands"}, by="floorperson")
    (decision,) = scene.snapshot["decisions"]
    assert (decision["title"], decision["decision"]) == ("Dispute at seat 3", "stands")
    scene.close(dice="stay")
    assert scene.snapshot["decisions"] == []


def test_a_call_is_made_once_and_security_is_called_apart(scene):
    call(scene)
    with scene.refused("already-called"):
        call(scene)
    call(scene, to="security", reason="medical")
    assert [(alert["level"], alert["title"]) for alert in scene.snapshot["alerts"]] == [
        ("stop", "Medical"),
        ("warn", "Floor called"),
    ]
    with scene.refused("malformed"):
        scene.act("explain_call", {"alert": Alert.objects.latest("pk").pk, "reason": "dispute"})
    with scene.refused("no-such-seat"):
        scene.act("explain_call", {"alert": Alert.objects.latest("pk").pk, "seat": 9})


def test_a_canceled_call_leaves_the_pit_alone_unless_somebody_is_coming(scene):
    alert = call(scene)
    scene.act("cancel_call", {"alert": alert})
    assert scene.snapshot["alerts"] == []
    alert = call(scene)
    scene.act("answer_alert", {"alert": alert}, by="floorperson")
    with scene.refused("already-coming"):
        scene.act("answer_alert", {"alert": alert}, by="floorperson")
    scene.act("cancel_call", {"alert": alert})
    assert [(shown["standing"], shown["title"]) for shown in scene.snapshot["alerts"]] == [
        (False, "Floor called")
    ]
    for act in ("cancel_call", "read_decision"):
        with scene.refused("no-such-alert"):
            scene.act(act, {"alert": alert})
    with scene.refused("no-such-alert"):
        scene.act("decide_alert", {"alert": alert, "decision": "settled"}, by="floorperson")


def test_a_decision_in_words_needs_its_words(scene):
    alert = call(scene)
    with scene.refused("say-how-it-was-decided"):
        scene.act("decide_alert", {"alert": alert}, by="floorperson")


def test_an_alert_that_nobody_answers_is_passed_on_to_each_role_once(hands, scene, settings):
    settings.ALERT_PASSES_ON_SECONDS = {"stop": 60, "warn": 180}
    before = call(scene)
    assert scene.snapshot["alerts"][0]["passes_on"] == {
        "role": "Pit manager",
        "at": "2026-11-21T15:03:00.000Z",
    }
    hands.now += dt.timedelta(seconds=179)
    assert pass_on_unanswered() == []
    hands.now += dt.timedelta(seconds=1)
    assert pass_on_unanswered() == [scene.table.pk]
    assert pass_on_unanswered() == []
    assert scene.snapshot["alerts"][0]["asked"] == {"role": "Pit manager", "at": "2026-11-21T15:03:00.000Z"}
    hands.now += dt.timedelta(hours=1)
    assert (pass_on_unanswered(), pass_on_unanswered()) == ([scene.table.pk], [])
    assert scene.snapshot["alerts"][0]["asked"]["role"] == "Shift manager"
    assert scene.snapshot["alerts"][0]["passes_on"] is None
    passed = [line for line, _ in lines(scene, 0) if line.startswith("Passed on")]
    assert passed == [
        "Passed on to the pit manager: Floor called",
        "Passed on to the shift manager: Floor called",
    ]
    assert Alert.objects.get(pk=before).asked_role == "shift-manager"


@pytest.mark.parametrize("answer", ["answer_alert", "acknowledge_alert", "nothing"])
def test_an_answered_alert_is_not_passed_on(hands, scene, settings, answer):
    settings.ALERT_PASSES_ON_SECONDS = {"stop": 60, "warn": 180 if answer != "nothing" else 0}
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    scene.act("report_device_failure")
    for alert in Alert.objects.all():
        if answer == "answer_alert" and alert.kind == "dispute":
            scene.act(answer, {"alert": alert.pk}, by="floorperson")
        elif alert.kind == "dispute" and answer == "acknowledge_alert":
            scene.act(answer, {"alert": alert.pk, "note": "stands"}, by="floorperson")
        elif alert.kind != "dispute":
            scene.act("acknowledge_alert", {"alert": alert.pk}, by="floorperson")
    hands.now += dt.timedelta(hours=1)
    assert pass_on_unanswered() == []


def test_an_alert_is_muted_for_some_minutes_with_a_name_and_stays(hands, scene):
    scene.act("report_device_failure")
    alert = Alert.objects.get().pk
    scene.act("mute_alert", {"alert": alert, "minutes": 10}, by="floorperson")
    (shown,) = scene.snapshot["alerts"]
    assert shown["muted"] == {"by": "Floorperson", "until": "2026-11-21T15:10:00.000Z"}
    assert (shown["standing"], shown["acknowledged"]) == (True, None)
    with scene.refused("malformed"):
        scene.act("mute_alert", {"alert": alert, "minutes": 16}, by="floorperson")


@pytest.mark.parametrize("is_call", [True, False])
def test_a_table_does_not_close_before_its_dispute_is_decided(scene, is_call):
    if is_call:
        alert = call(scene, reason="dispute", seat=2)
    else:
        scene.act("report_dispute", {"seat": 2, "about": "a late chip"})
        alert = Alert.objects.get().pk
    needed = TableData(scene.snapshot).closing_needs
    assert needed is not None
    assert (needed["label"], needed["text"], needed["url"]) == (
        "A dispute is open",
        "The dispute at seat 2 is not decided. Decide it, then close T-01.",
        "#alerts-here",
    )
    with scene.refused("dispute-undecided"):
        scene.close()
    scene.act("decide_alert", {"alert": alert, "decision": "as-recorded"}, by="floorperson")
    assert TableData(scene.snapshot).closing_needs is None
    scene.close()


def test_a_call_about_something_else_does_not_keep_a_table_open(scene):
    call(scene, reason="chips")
    call(scene, to="security")
    assert TableData(scene.snapshot).closing_needs is None
    scene.close()
