"""The clock of the house goes back: nothing is recorded, and every screen still shows the floor."""

import datetime as dt
import json
import uuid

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
