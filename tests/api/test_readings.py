"""A dice reader posts what it read; the dealer confirms it, and where they differ the floor decides."""

import datetime as dt
import json
import uuid

import pytest

from audit import clock, registration
from audit.models import Device, Entry
from audit.verification import verify
from games.engine import Refusal
from tables.alerts.calls import alert_words
from tables.core.alerts import ALERT_RULES
from tables.dice.readings import READER_SILENT
from tables.models import Alert, Approval, DiceReading, Shaker
from tables.ticker import reconcile_alerts, silent_tablets
from tests.api.conftest import make_machine
from tests.fixtures import jurisdictions
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HERE = "facilities/larkfield/tables/T-01/acts/post_reading"
TABLE_PAGE = "/floor/larkfield/T-01/console"
ruritania = jurisdictions.ruritania


@pytest.fixture
def reader(machine):
    return machine("readings", place="larkfield/T-01", name="DR-01")


@pytest.fixture
def dice_next(scene):
    """The dice are to be called: 25 dollars on small, 10 dollars on the total 12."""
    registration.record_people()
    scene.place((1, "small", 2_500), (2, "total:12", 1_000))
    scene.to_the_dice()
    return scene


def post(reader, dice, number=1, *, at=None, key=None, confidence=98):
    at = at or clock.now()
    params = {
        "number": number, "dice": dice, "read_at": at.isoformat(), "confidence": confidence, "firmware": "2.4.1",
    }  # fmt: skip
    answer = reader.post(HERE, {"params": params}, {"Idempotency-Key": str(key or uuid.uuid4())})
    return answer.status_code, answer.json()


def entries(type_):
    rows = Entry.objects.filter(type=type_).order_by("id")
    return [json.loads(bytes(row.body)) for row in rows]


def open_alerts(scene, kind):
    return list(Alert.objects.filter(table=scene.table, kind=kind, ended_at=None))


def test_a_reading_is_shown_and_enters_no_dice(reader, dice_next):
    status, answer = post(reader, [5, 2, 5])
    assert (status, answer["answer"]["outcome"]) == (200, "pending")
    shown = dice_next.round_part["round"]
    assert (shown["phase"], shown["dice"]) == ("ready", None)
    reading = shown["reading"]
    assert (reading["device"], reading["read"]["dice"], reading["confidence"]) == ("DR-01", [2, 5, 5], 98)
    assert (reading["read"]["wins"], reading["read"]["losses"], reading["read"]["pay_cents"]) == (1, 1, 6_000)
    assert reading["entered"] is None


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"confidence": 101}, "params.confidence: Input should be a whole number from 0 to 100"),
        ({"confidence": 0.97}, "params.confidence: Input should have no fraction"),
        ({"dice": [7, 1, 1]}, "params.dice: Input should be faces from 1 to 6"),
        ({"dice": [0, 1, 1]}, "params.dice: Input should be faces from 1 to 6"),
        (
            {"firmware": "x" * 60},
            "params.firmware: Input should be one line of text of 40 characters at most",
        ),
        (
            {"read_at": "2026-11-21T09:24:04"},
            "params.read_at: Input should be a moment with its offset, such as",
        ),
        ({"read_at": None}, "params.read_at: Field required"),
        ({"sensor": 1}, "params.sensor: Extra inputs are not permitted"),
    ],
)
def test_a_reader_is_told_which_parameter_is_malformed_and_what_it_takes(reader, dice_next, changed, fault):
    sent = {
        "number": 1, "dice": [2, 5, 5], "read_at": clock.now().isoformat(), "confidence": 98, "firmware": "2.4.1",
    } | changed  # fmt: skip
    params = {name: value for name, value in sent.items() if value is not None}
    answer = reader.post(HERE, {"params": params}, {"Idempotency-Key": str(uuid.uuid4())})
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["title"]) == (422, "malformed", "Malformed")
    assert problem["detail"].startswith(f"The request is not as the document says. {fault}")
    assert not DiceReading.objects.exists()


def test_the_dealer_confirms_it_with_one_act_and_the_entry_says_so(reader, dice_next):
    post(reader, [5, 2, 5], number=41)
    dice_next.act("call_dice", {"dice": [2, 5, 5]})
    (settled,) = entries("round.settled")
    assert settled["actor"] == "dealer"
    assert settled["data"]["reading"] == {"device": "DR-01", "number": 41, "dice": [5, 2, 5]}
    assert dice_next.round_part["round"]["reading"] is None
    assert verify().findings == []


def test_other_dice_are_on_record_with_the_reading_and_the_floor_decides(reader, dice_next):
    post(reader, [2, 5, 5])
    with dice_next.refused_on_record("reading-differs"):
        dice_next.act("call_dice", {"dice": [2, 5, 6]})
    (differ,) = entries("dice.differ")
    assert (differ["data"]["read"], differ["data"]["entered"]) == ([2, 5, 5], [2, 5, 6])
    (alert,) = open_alerts(dice_next, "reading-differs")
    shown = dice_next.round_part["round"]["reading"]
    assert shown["entered"]["dice"] == [2, 5, 6]
    assert [(row["label"], row["seats"], row["read_cents"], row["entered_cents"]) for row in shown["differing"]] == [
        ("Total 12", [2], 6_000, 0)
    ]  # fmt: skip
    # Without the floor neither counts any more, and nothing more is recorded
    for dice in ([2, 5, 5], [2, 5, 6]):
        with dice_next.refused("reading-differs"):
            dice_next.act("call_dice", {"dice": dice})
    dice_next.act("call_dice", {"dice": [2, 5, 5]}, witness="floorperson")
    (settled,) = entries("round.settled")
    assert (settled["data"]["dice"], settled["witness"]) == ([2, 5, 5], "floorperson")
    assert settled["data"]["reading"] == {
        "device": "DR-01",
        "number": 1,
        "dice": [2, 5, 5],
        "entered": [2, 5, 6],
    }
    alert.refresh_from_db()
    assert alert.ended_at is not None
    assert verify().findings == []


def test_a_further_reading_does_not_take_the_place_of_the_floors_signature(reader, dice_next):
    post(reader, [2, 5, 5])
    with dice_next.refused_on_record("reading-differs"):
        dice_next.act("call_dice", {"dice": [2, 5, 6]})
    before = dice_next.round_part["round"]["reading"]
    assert post(reader, [2, 5, 6], number=2)[1]["answer"]["outcome"] == "pending"
    assert dice_next.round_part["round"]["reading"] == before
    with dice_next.refused("reading-differs"):
        dice_next.act("call_dice", {"dice": [2, 5, 6]})
    dice_next.act("call_dice", {"dice": [2, 5, 6]}, witness="floorperson")
    (settled,) = entries("round.settled")
    assert settled["witness"] == "floorperson"
    assert (settled["data"]["reading"]["number"], settled["data"]["reading"]["entered"]) == (1, [2, 5, 6])
    assert open_alerts(dice_next, "reading-differs") == []
    assert verify().findings == []


def test_two_readings_that_differ_are_both_named_and_neither_is_offered(reader, dice_next):
    other = make_machine("readings", place="larkfield/T-01", name="DR-02")
    post(reader, [2, 5, 5])
    assert 'id="reading"' in dice_next.browser("tablet", "dealer").get(TABLE_PAGE).content.decode()
    assert post(other, [6, 5, 2])[1]["answer"]["outcome"] == "pending"
    assert post(reader, [2, 6, 5], number=2)[1]["answer"]["outcome"] == "pending"
    shown = dice_next.round_part["round"]["reading"]
    assert (shown["other"], shown["read"]["dice"]) == ({"device": "DR-01", "dice": [2, 5, 5]}, [2, 5, 6])
    (alert,) = open_alerts(dice_next, "readings-differ")
    assert (
        "DR-01 read 2 5 5, and then DR-02 read 6 5 2" in alert_words(alert.kind, alert.key, alert.params)[1]
    )
    page = dice_next.browser("tablet", "dealer").get(TABLE_PAGE).content.decode()
    assert "Two readings differ. Enter the dice." in page and 'id="reading"' not in page
    with dice_next.refused_on_record("reading-differs"):
        dice_next.act("call_dice", {"dice": [2, 5, 5]})
    dice_next.act("call_dice", {"dice": [2, 5, 6]}, witness="floorperson")
    assert open_alerts(dice_next, "readings-differ") == []
    assert verify().findings == []


def test_a_reading_is_taken_once(reader, dice_next):
    key, at = uuid.uuid4(), clock.now()
    first = post(reader, [1, 2, 3], at=at, key=key)
    assert post(reader, [1, 2, 3], at=at, key=key) == (200, {**first[1], "again": True})
    status, problem = post(reader, [1, 2, 3], at=at)
    assert (status, problem["code"]) == (422, "reading-known")
    assert post(reader, [1, 2, 4], at=at)[1]["code"] == "reading-number-used"
    assert DiceReading.objects.count() == 1


def approve(scene, version):
    """An approval of the shaker that names this version of its software."""
    return Approval.objects.create(
        facility=scene.table.facility, subject="shaker", reference="BGL-9", approved_on=dt.date(2020, 1, 1),
        shaker=Shaker.objects.get(table=scene.table), version=version,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("begins", "seconds_ago", "approved"),
    [(True, 0, ""), (True, 1, ""), (True, 0, "2.4.0"), (False, 0, ""), (False, 3_600, "")],
)
def test_nobody_may_know_the_dice_while_wagers_may_be_placed(reader, scene, begins, seconds_ago, approved):
    if approved:
        approve(scene, approved)
    if begins:
        scene.place((1, "small", 2_500))
    status, problem = post(reader, [1, 2, 3], at=clock.now() - dt.timedelta(seconds=seconds_ago))
    assert (status, problem["code"]) == (422, "reading-while-bets-are-open")
    assert DiceReading.objects.count() == 0
    assert entries("dice.read") == []


def test_a_reading_after_the_call_is_late_and_changes_nothing(reader, dice_next, hands):
    read_at = clock.now()
    dice_next.act("call_dice", {"dice": [2, 5, 5]})
    before = dice_next.round_part["round"]
    status, answer = post(reader, [2, 5, 5], at=read_at)
    assert (status, answer["answer"]["outcome"]) == (200, "late")
    assert answer["answer"]["say"] == "It came after its throw, so it is on record and changes nothing."
    assert dice_next.round_part["round"] == before
    assert entries("dice.read")[0]["data"]["called"] == [2, 5, 5]
    assert open_alerts(dice_next, "reading-differs") == []
    post(reader, [2, 5, 6], number=2, at=read_at)
    assert len(open_alerts(dice_next, "reading-differs")) == 1
    dice_next.finish()
    assert post(reader, [6, 6, 6], number=3, at=read_at)[1]["code"] == "reading-while-bets-are-open"
    hands.now += dt.timedelta(seconds=1)
    dice_next.place((1, "small", 2_500))
    dice_next.to_the_dice()
    assert post(reader, [6, 6, 6], number=3, at=read_at)[1]["answer"]["outcome"] == "late"
    assert dice_next.round_part["round"]["reading"] is None
    assert DiceReading.objects.get(number=3).round is None
    assert verify().findings == []


@pytest.mark.parametrize("dice", [[], [0, 2, 5], [2, 5, 7], [2, 5], [1, 2, 3, 4]])
def test_faces_that_no_throw_here_shows_are_refused(reader, dice_next, dice):
    assert post(reader, dice)[0] == 422
    assert DiceReading.objects.count() == 0


def test_what_was_read_before_the_dice_were_shaken_is_not_offered_for_the_call(reader, scene, hands):
    registration.record_people()
    scene.place((1, "small", 2_500))
    hands.now += dt.timedelta(seconds=1)
    old = hands.now
    hands.now += dt.timedelta(seconds=1)
    scene.to_the_dice()
    status, answer = post(reader, [2, 5, 5], at=old)
    assert (status, answer["answer"]["outcome"]) == (200, "late")
    assert scene.round_part["round"]["reading"] is None
    assert post(reader, [1, 2, 3], number=2)[1]["answer"]["outcome"] == "pending"


def test_a_clock_that_is_ahead_is_refused(reader, dice_next, hands):
    status, problem = post(reader, [1, 2, 3], at=clock.now() + dt.timedelta(seconds=40))
    assert (status, problem["code"]) == (422, "reading-ahead-of-clock")
    assert "40 seconds ahead" in problem["detail"]


def test_a_silent_reader_is_an_alert_until_it_is_heard(reader, dice_next, hands):
    rules = [rule for rule in ALERT_RULES if READER_SILENT in rule.kinds]
    post(reader, [1, 2, 3])
    hands.now += dt.timedelta(seconds=29)
    assert reconcile_alerts(rules, clock.now()) == []
    hands.now += dt.timedelta(seconds=1)
    reconcile_alerts(rules, clock.now())
    (alert,) = open_alerts(dice_next, "reader-silent")
    assert alert.params == {"device": "DR-01"}
    assert reader.post("heartbeat").json() == {"now": "2026-11-21T15:00:30Z"}
    reconcile_alerts(rules, clock.now())
    assert open_alerts(dice_next, "reader-silent") == []
    assert [entry["data"]["kind"] for entry in entries("alert.ended")] == ["reader-silent"]


def test_a_firmware_that_the_approval_of_the_shaker_does_not_name_is_for_the_record_alone(reader, dice_next):
    approval = approve(dice_next, "2.4.0")
    status, answer = post(reader, [2, 5, 5])
    assert (status, answer["answer"]["outcome"]) == (200, "unapproved")
    assert dice_next.round_part["round"]["reading"] is None
    (alert,) = open_alerts(dice_next, "reader-firmware")
    assert alert.params == {"device": "DR-01", "firmware": "2.4.1"}
    approval.further_versions = ["2.4.1"]
    approval.save()
    assert post(reader, [2, 5, 5], number=2)[1]["answer"]["outcome"] == "pending"


def test_a_reader_that_is_heard_does_not_hide_a_silent_tablet(reader, scene, hands):
    Device.objects.filter(pk=scene.tablet.pk).update(
        person=scene.people["dealer"], signed_on_at=clock.now(), heard_at=clock.now()
    )
    hands.now += dt.timedelta(minutes=2)
    reader.post("heartbeat")
    assert [alert.params["device"] for alert in silent_tablets(clock.now())] == [scene.tablet.name]


def test_a_reader_of_the_whole_facility_posts_none(machine, dice_next):
    status, problem = post(machine("readings"), [1, 2, 3])
    assert (status, problem["code"]) == (403, "machine-without-table")
    assert DiceReading.objects.count() == 0


def test_a_person_does_not_post_readings(dice_next):
    with pytest.raises(Refusal) as refusal:
        dice_next.act("post_reading", {}, by="floorperson")
    assert refusal.value.code == "role-may-not"


@pytest.fixture
def automatic(db, hands, ruritania):
    """A table where the law approves automatic results, with its reader; the dice are to be called."""
    scene = make_scene("xx-7/A")
    registration.record_people()
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    return scene, make_machine("readings", place="larkfield/T-01", name="DR-01")


def test_where_the_law_approves_automatic_results_a_sure_reading_is_the_call(automatic):
    scene, reader = automatic
    assert post(reader, [2, 5, 5], confidence=94)[1]["answer"]["outcome"] == "pending"
    status, answer = post(reader, [2, 5, 5], number=2, confidence=95)
    assert (status, answer["answer"]["type"], answer["answer"]["outcome"]) == (
        200,
        "round.settled",
        "automatic",
    )
    (settled,) = entries("round.settled")
    assert (settled["actor"], settled["data"]["dice"]) == (reader.client.person.code, [2, 5, 5])
    assert settled["data"]["reading"] == {"device": "DR-01", "number": 2, "dice": [2, 5, 5]}
    assert scene.round_part["round"]["phase"] == "lit"
    assert [entry["data"]["outcome"] for entry in entries("dice.read")] == ["pending", "automatic"]
    assert verify().findings == []


@pytest.mark.parametrize("dice", [[2, 5, 5], [2, 5, 6]])
def test_no_reading_is_the_call_once_the_floor_is_to_sign(automatic, dice):
    scene, reader = automatic
    post(reader, [2, 5, 5], confidence=94)
    with scene.refused_on_record("reading-differs"):
        scene.act("call_dice", {"dice": [2, 5, 6]})
    assert post(reader, dice, number=2)[1]["answer"]["outcome"] == "pending"
    assert scene.round_part["round"]["phase"] == "ready"


def test_no_reading_is_the_call_where_an_earlier_one_has_other_dice(automatic):
    scene, reader = automatic
    post(reader, [2, 5, 5], confidence=94)
    for number in (2, 3):
        assert post(reader, [2, 5, 6], number=number)[1]["answer"]["outcome"] == "pending"
        assert scene.round_part["round"]["reading"]["number"] == number


def test_elsewhere_no_reading_is_the_call_however_sure_it_is(reader, dice_next):
    assert post(reader, [2, 5, 5], confidence=100)[1]["answer"]["outcome"] == "pending"
    assert dice_next.round_part["round"]["phase"] == "ready"


def test_a_reader_asks_whether_it_is_its_turn(reader, scene):
    turn = reader.get("facilities/larkfield/tables/T-01/readings/turn").json()
    assert (turn["round"], turn["wanted"]) == (None, False)
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    turn = reader.get("facilities/larkfield/tables/T-01/readings/turn").json()
    assert (turn["throw"], turn["wanted"], turn["reading"]) == (1, True, None)
    post(reader, [1, 2, 3], number=7)
    assert reader.get("facilities/larkfield/tables/T-01/readings/turn").json()["reading"] == 7
