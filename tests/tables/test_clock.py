"""The server's clock jumps back (nothing is recorded, and screens still work) or forward."""

import datetime as dt
import json
import uuid

import pytest

from audit import clock
from audit.clock import SteadyTime
from audit.models import Stream
from audit.refusals import ClockRefused
from tables.ticker import Ticker
from tests.tables.cast import PIN, make_scene


def test_a_clock_that_went_back_refuses_acts_and_blinds_nobody(db, hands):
    scene = make_scene()
    scene.place((1, "small", 2_500))
    tablet, podium = scene.browser("tablet", "dealer"), scene.browser("podium", "shift-manager")
    as_of = scene.snapshot["as_of"]
    hands.now -= dt.timedelta(seconds=10)
    for page in ("console", "screen/dealer", "light?dice=1,2,3"):
        assert tablet.get(f"/floor/larkfield/T-01/{page}").status_code == 200
    for page in ("", "tiles", "T-01/"):
        assert podium.get(f"/floor/larkfield/{page}").status_code == 200
    assert scene.snapshot["as_of"] == as_of
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": {"shakes": 3}}
    shake = tablet.post("/floor/larkfield/T-01/acts/shake", json.dumps(body), content_type="application/json")
    assert (shake.status_code, shake.json()["refusal"]["code"]) == (503, "clock-went-back")
    for answer in (tablet.post("/lock"), tablet.post("/sign-off")):
        assert answer.status_code == 503 and "The clock went back" in answer.content.decode()
    assert tablet.post("/sign-in", {"person": "relief", "pin": PIN}).status_code == 403


def test_a_clock_that_went_back_is_shown_and_acts_are_accepted_again_once_it_has_caught_up(db, hands):
    scene = make_scene()
    scene.place((1, "small", 2_500))
    mine = Ticker(lambda: 0.0)
    hands.now -= dt.timedelta(seconds=10)
    with pytest.raises(ClockRefused):
        scene.act("shake", {"shakes": 3})
    mine.watch_clock()
    (alerts,) = scene.snapshot["alerts"]
    assert (alerts["kind"], alerts["level"], alerts["standing"]) == ("clock", "stop", True)
    assert alerts["until"] == "2026-11-21T14:59:58.000Z"
    with pytest.raises(ClockRefused):
        scene.act("acknowledge_alert", {"alert": alerts["id"]}, by="floorperson")
    hands.now += dt.timedelta(seconds=8)
    scene.act("shake", {"shakes": 3})
    assert Ticker().watch_clock() == [scene.table.pk]
    scene.act("acknowledge_alert", {"alert": alerts["id"]}, by="floorperson")
    assert scene.snapshot["alerts"] == []


def test_while_the_clock_is_a_year_ahead_nothing_is_recorded_and_then_play_goes_on(db, hands, monkeypatch):
    scene, steady = make_scene(), SteadyTime(lambda: 0.0)
    steady.note(hands.now)
    monkeypatch.setattr(clock.clock, "jump", steady.jump)
    tablet, fresh = scene.browser("tablet", "dealer"), scene.browser("podium", "shift-manager")
    streams = set(Stream.objects.values_list("name", "seq", "last_at"))
    hands.now += dt.timedelta(days=365)
    with pytest.raises(ClockRefused) as refused:
        scene.act("call_floor", {"to": "floor"})
    assert (refused.value.code, refused.value.status) == ("clock-jumped", 503)
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": {"to": "floor"}}
    answer = tablet.post(
        "/floor/larkfield/T-01/acts/call_floor", json.dumps(body), content_type="application/json"
    )
    assert (answer.status_code, answer.json()["command"]) == (503, body["command"])
    assert fresh.post("/sign-in", {"person": "relief", "pin": PIN}).status_code == 403
    assert set(Stream.objects.values_list("name", "seq", "last_at")) == streams
    hands.now -= dt.timedelta(days=365)
    scene.act("call_floor", {"to": "floor"})


def test_a_clock_that_jumps_forward_takes_acts_and_the_dice_by_the_new_time(db, hands):
    scene = make_scene()
    mine = Ticker(lambda: 0.0)
    mine.watch_clock()
    hands.now += dt.timedelta(hours=24)
    assert mine.tick() == [scene.table.pk]
    alerts = {alert["kind"]: alert for alert in scene.snapshot["alerts"]}
    assert alerts["clock"]["text"].startswith("The server's clock jumped by 86400 seconds.")
    assert alerts["dice-expired"]["level"] == "stop"
    scene.place((1, "small", 2_500))
    with scene.refused("dice-past-their-time"):
        scene.act("shake", {"shakes": 3})
