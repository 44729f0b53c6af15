"""Wagers that one tablet takes while the closing of the bets waits on another one, which has no line."""

import datetime as dt
import json
import uuid

import pytest

from audit.devices import enroll
from tables.models import Alert
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def other(scene):
    """A second tablet of the table."""
    device, _ = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    return device


def send_late(hands, scene, browser, act, params, *, waited):
    """An act that has waited so many seconds on its tablet."""
    clock = (hands.now - waited * SECOND).isoformat()
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params}
    body["tapped"] = {"clock": clock, "waited_ms": waited * 1_000}
    answer = browser.post(
        f"/floor/larkfield/T-01/acts/{act}", json.dumps(body), content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    return answer


def late_wagers():
    return [alert.params for alert in Alert.objects.filter(kind="late-wagers")]


@pytest.fixture
def closed_elsewhere(hands, scene, other):
    """At 0:00 seat 1 has a wager, at 0:05 bets are closed at a tablet without a line, at 0:10 the other takes one."""
    scene.act("shake", {"shakes": 3})
    scene.place((1, "big", 500))
    hands.now += 10 * SECOND
    scene.act("place_wagers", {"wagers": [{"seat": 3, "wager": "big", "cents": 2_500}]}, device=other)
    hands.now += 20 * SECOND
    return scene


def test_the_floor_is_told_of_wagers_that_were_taken_after_bets_were_closed(hands, closed_elsewhere):
    scene = closed_elsewhere
    send_late(hands, scene, scene.browser("tablet", "dealer"), "no_more_bets", {}, waited=25)
    (alert,) = late_wagers()
    assert (alert["round"], alert["seats"], alert["seconds"]) == (1, [3], 25)
    shown = next(shown for shown in scene.snapshot["alerts"] if shown["kind"] == "late-wagers")
    assert shown["title"] == "Wagers after bets were closed, seat 3"
    assert "Round 1: bets were closed at a tablet that had no line for 25 s." in shown["text"]


def test_a_wager_that_was_taken_before_bets_were_closed_is_not_late(hands, closed_elsewhere):
    scene = closed_elsewhere
    send_late(hands, scene, scene.browser("tablet", "dealer"), "no_more_bets", {}, waited=19)
    assert late_wagers() == []


def test_bets_closed_with_a_line_make_nothing_late(hands, closed_elsewhere):
    closed_elsewhere.act("no_more_bets")
    assert late_wagers() == []


def test_a_wager_that_waited_on_the_other_tablet_too_counts_from_its_tap(hands, scene):
    _, token = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    scene.act("shake", {"shakes": 3})
    hands.now += 10 * SECOND
    wager = {"wagers": [{"seat": 3, "wager": "big", "cents": 2_500}]}
    other = scene.browser(token, "floorperson")
    send_late(hands, scene, other, "place_wagers", wager, waited=6)
    hands.now += 20 * SECOND
    send_late(hands, scene, scene.browser("tablet", "dealer"), "no_more_bets", {}, waited=25)
    assert late_wagers() == []


def test_dice_out_at_a_silent_stick_tells_the_floor_what_the_dealers_took_meanwhile(hands):
    scene = make_scene("pa-577")
    _, token = enroll("Stick of T-01", "larkfield", "dealer", "larkfield/T-01")
    scene.place((5, "touchdown", 500))
    scene.act("offer_dice", {"seat": 5, "accepted": True})
    hands.now += 10 * SECOND
    scene.place((6, "touchdown", 10_000))
    hands.now += 30 * SECOND
    send_late(hands, scene, scene.browser(token, "stickperson"), "throw_dice", {}, waited=35)
    (alert,) = late_wagers()
    assert (alert["seats"], alert["seconds"]) == ([6], 35)
