"""An electronic sign reads what it shall show, says what it shows, and posts the sign of a change by that."""

import asyncio
import datetime as dt
import json
import uuid
from dataclasses import replace

import pytest
from channels.db import database_sync_to_async
from django.test import AsyncClient

from audit import clock, devices, registration
from audit.models import Entry
from audit.verification import verify
from games.jurisdictions import ResultRules
from games.models import Facility
from tables.api import entry_events
from tables.core.alerts import ALERT_RULES
from tables.models import Alert, LimitsChange
from tables.sign_displays import SIGN_BEHIND
from tables.ticker import reconcile_alerts
from tests.api.conftest import make_machine
from tests.tables.cast import make_scene
from tests.tables.slip_scene import file

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HERE = "facilities/larkfield/tables/T-01/sign"


@pytest.fixture
def sign(machine, scene):
    registration.record_people()
    return machine("signs", place="larkfield/T-01", name="LS-01")


def show(sign, min_cents=1_000, max_cents=100_000, change=0):
    body = {"min_cents": min_cents, "max_cents": max_cents, "change": change}
    answer = sign.post(HERE + "/shown", body, {"Idempotency-Key": str(uuid.uuid4())})
    return answer.status_code, answer.json()


def change_limits(scene):
    scene.place((1, "small", 500))
    scene.act(
        "change_limits", {"min_cents": 2_500, "max_cents": 200_000}, by="floorperson", device=scene.podium
    )


def reconcile():
    return reconcile_alerts([rule for rule in ALERT_RULES if SIGN_BEHIND in rule.kinds], clock.now())


def test_a_sign_reads_the_limits_and_the_change_to_come(sign, scene):
    assert sign.get(HERE).json() == {
        "table": "T-01", "game": "sic-bo", "open": True, "min_cents": 1_000, "max_cents": 100_000, "coming": None,
        "results": None,
    }  # fmt: skip
    before = sign.get(HERE)
    assert sign.get(HERE, headers={"If-None-Match": before["ETag"]}).status_code == 304
    change_limits(scene)
    coming = sign.get(HERE, headers={"If-None-Match": before["ETag"]}).json()["coming"]
    assert (coming["change"], coming["min_cents"], coming["max_cents"], coming["posted_at"]) == (
        1,
        2_500,
        200_000,
        None,
    )


def test_results_reach_a_sign_only_while_a_permission_is_on_record(sign, scene):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    assert sign.get(HERE).json()["results"] is None
    permission = {"reference": "BD-9", "granted_on": "2020-01-01", "letter": scene.on_file()}
    scene.in_office("record_board_permission", {**permission, "granted_on": "2027-01-01"})
    assert sign.get(HERE).json()["results"] is None
    scene.in_office(
        "record_board_permission",
        {**permission, "reference": "BD-10", "tables": ["T-01"], "letter": scene.on_file("Another")},
    )
    (result,) = sign.get(HERE).json()["results"]
    ended = result.pop("ended_at")
    assert result == {"round": 1, "dice": [2, 5, 5]} and dt.datetime.fromisoformat(ended) <= clock.now()
    scene.play((1, "big", 2_500), dice=[1, 1, 2])
    assert len(sign.get(HERE).json()["results"]) == 1, "the dice of a round that is not settled yet"
    scene.finish()
    assert [result["dice"] for result in sign.get(HERE).json()["results"]] == [[1, 1, 2], [2, 5, 5]]
    scene.in_office("withdraw_board_permission", {"reference": "BD-10", "why": "the Board took it back"})
    assert sign.get(HERE).json()["results"] is None


def test_results_reach_a_sign_where_a_text_approves_them(sign, scene, monkeypatch):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    law = replace(scene.table.facility.law, results=ResultRules(approved=True))
    monkeypatch.setattr(Facility, "law", law)
    assert [result["dice"] for result in sign.get(HERE).json()["results"]] == [[2, 5, 5]]


def test_a_round_that_a_slip_made_void_is_no_result_on_a_sign(sign, scene):
    permission = {"reference": "BD-9", "granted_on": "2020-01-01", "letter": scene.on_file()}
    scene.in_office("record_board_permission", permission)
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    assert [result["round"] for result in sign.get(HERE).json()["results"]] == [1]
    file(scene, "void", witness="pit-manager")
    assert sign.get(HERE).json()["results"] == []


def test_what_a_sign_shows_is_on_record_once(sign, scene):
    assert show(sign)[0] == 200
    (entry,) = [json.loads(bytes(row.body)) for row in Entry.objects.filter(type="sign.shown")]
    assert entry["data"] == {"display": "LS-01", "min_cents": 1_000, "max_cents": 100_000, "change": 0}
    assert (entry["device"], entry["actor"]) == (sign.id, sign.client.person.code)
    status, problem = show(sign)
    assert (status, problem["code"]) == (422, "sign-shown-already")
    assert (
        problem["detail"]
        == f"It has been on record since {clock.now():%H:%M UTC on %d %b} that LS-01 shows this."
    )


def test_a_sign_that_shows_anything_else_is_refused(sign, scene):
    status, problem = show(sign, max_cents=200_000)
    assert (status, problem["code"]) == (422, "sign-shows-others")
    assert problem["detail"] == (
        "LS-01 says that it shows $10 to $2,000. The limits at T-01 are $10 to $1,000 now, and no change is to come. "
        "Read what the sign shall show, and show that."
    )
    change_limits(scene)
    assert show(sign, change=1)[0] == 200
    assert show(sign, max_cents=50_000, change=4)[1]["detail"].startswith(
        "LS-01 says that it shows $10 to $500, and change 4. The limits at T-01 are $10 to $1,000 now, and change 1 is"
    )


@pytest.mark.parametrize("body", [
    {"min_cents": "1000", "max_cents": 100_000}, {"min_cents": 1_000, "max_cents": "100000"},
    {"min_cents": 1_000, "max_cents": 100_000, "change": "0"}, {"min_cents": True, "max_cents": 100_000},
    {"min_cents": 1_000.0, "max_cents": 100_000},
])  # fmt: skip
def test_cents_that_are_no_whole_numbers_are_malformed(sign, scene, body):
    answer = sign.post(HERE + "/shown", body, {"Idempotency-Key": str(uuid.uuid4())})
    assert (answer.status_code, answer.json()["code"]) == (422, "malformed")
    assert "Input should be a valid integer" in answer.json()["detail"]
    assert not Entry.objects.filter(type="sign.shown").exists()


def test_a_sign_of_the_whole_facility_posts_no_change(machine, sign, scene):
    change_limits(scene)
    status, problem = show(machine("signs"), change=1)
    assert (status, problem["code"]) == (403, "machine-without-table")
    assert LimitsChange.objects.get(table=scene.table).posted_at is None


def test_a_change_is_posted_by_the_sign_that_shows_it(sign, scene):
    show(sign)
    change_limits(scene)
    assert show(sign, change=1)[0] == 200
    change = LimitsChange.objects.get(table=scene.table)
    assert change.posted_at == clock.now()
    (entry,) = [json.loads(bytes(row.body)) for row in Entry.objects.filter(type="limits.sign_posted")]
    assert (entry["device"], entry["actor"]) == (sign.id, sign.client.person.code)
    assert sign.get(HERE).json()["coming"]["effective_at"] is None
    scene.act("announce_limits")
    assert sign.get(HERE).json()["coming"]["effective_at"] is not None
    assert verify().findings == []


def test_a_sign_that_does_not_follow_within_a_minute_is_an_alert(sign, scene, hands):
    show(sign)
    change_limits(scene)
    for seconds, alerts in ((59, 0), (1, 1)):
        hands.now += dt.timedelta(seconds=seconds)
        sign.post("heartbeat")
        reconcile()
        assert Alert.objects.filter(kind="sign-behind", ended_at=None).count() == alerts
    show(sign, change=1)
    reconcile()
    assert Alert.objects.filter(kind="sign-behind", ended_at=None).count() == 0


@pytest.mark.django_db(transaction=True)
async def test_a_sign_follows_what_it_shall_show_until_it_is_ended(transactional_db, hands, monkeypatch):
    monkeypatch.setattr(entry_events, "POLL_SECONDS", 0.01)
    in_thread = database_sync_to_async
    scene = await in_thread(make_scene)()
    sign = await in_thread(make_machine)("signs", place="larkfield/T-01", name="LS-01")
    answer = await AsyncClient().get(f"/api/v1/{HERE}/stream", headers=sign.headers)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    events = aiter(answer.streaming_content)

    async def shown():
        """The next state of the sign; comments are left out."""
        while True:
            text = (await asyncio.wait_for(anext(events), 20)).decode()
            if text.startswith("event: "):
                return text.partition("\n")[0], json.loads(text.partition("data: ")[2])

    name, state = await shown()
    assert (name, state["max_cents"], state["coming"]) == ("event: sign", 100_000, None)
    await in_thread(scene.place)((2, "big", 500))  # nothing of a sign
    await in_thread(change_limits)(scene)
    _name, state = await shown()
    assert (state["coming"]["change"], state["coming"]["max_cents"]) == (1, 200_000)
    assert state == (await in_thread(sign.get)(HERE)).json()
    hands.now += dt.timedelta(microseconds=123_456)
    await in_thread(show)(sign, change=1)
    _name, state = await shown()
    assert state["coming"]["posted_at"] is not None
    assert state == (await in_thread(sign.get)(HERE)).json()
    await in_thread(devices.revoke)(sign.client.device)
    assert (await shown())[0] == "event: end"
    assert not await in_thread(Entry.objects.filter(type="client.read_entries").exists)()


def test_a_silent_sign_is_an_alert(sign, scene, hands):
    show(sign)
    hands.now += dt.timedelta(seconds=60)
    reconcile()
    (alert,) = Alert.objects.filter(kind="sign-behind", ended_at=None)
    assert alert.params == {"device": "LS-01", "shows": "$10 to $1,000"}
