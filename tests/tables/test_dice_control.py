"""Control of the dice room: who signs second, seals as recorded, instruments in calibration, counts and deadlines."""

import datetime as dt

import pytest

from audit.models import Person
from games.engine import Refusal
from games.jurisdictions import jurisdiction
from games.models import Facility
from games.separation import policy
from tables.dice import room
from tables.models import Alert, DiceCount, DiceLot, Instrument
from tables.ticker import tick
from tests.tables.test_dice_custody import TWO, box, die, issue, measure, newest, receive, stored
from tests.tables.test_dice_pages import see, words

pytestmark = pytest.mark.django_db
DAY, HOUR = dt.timedelta(days=1), dt.timedelta(hours=1)
ALL_THERE = {"received": 0, "stored": 0, "removed": 0, "rejected": 0}


def instrument(scene, name="register_instrument", **data):
    scene.in_room(name, data)


def count(scene, **counted):
    scene.in_room("count_dice", {**ALL_THERE, **counted}, **TWO)


# The second signature


@pytest.mark.parametrize("witness", ["surveillance", "compliance"])
def test_the_second_signature_is_of_security_at_every_step(scene, witness):
    assert policy.row_of(jurisdiction("PA"), "dice").approve == {"security": "security"}
    Person.objects.filter(code=witness).update(role="security")  # the department counts, not the role
    how = {"by": "shift-manager", "witness": witness}
    with scene.refused("two-departments-must-sign") as refusal:
        receive(scene, **how)
    assert refusal.value.params["departments"] == "security"
    receive(scene)
    with scene.refused("two-departments-must-sign"):
        measure(scene, **how)
    measure(scene)
    with scene.refused("two-departments-must-sign"):
        issue(scene, **how)
    issue(scene)
    with scene.refused("two-departments-must-sign"):
        scene.act("return_dice", {"lot": "L-0101"}, device=scene.podium, **how)
    scene.act("examine_dice", {"lot": "L-0101", "tampered": True, "found": "filed"}, by="floorperson")
    with scene.refused("two-departments-must-sign"):
        scene.in_room("destroy_dice", {"lots": ["L-0101"], "how": "destroyed"}, **how)
    with scene.refused("two-departments-must-sign"):
        scene.in_room("count_dice", ALL_THERE, **how)


def test_the_file_of_the_jurisdiction_says_who_signs_second(scene):
    Facility.objects.update(jurisdiction="NJ")
    assert "surveillance" in policy.row_of(jurisdiction("NJ"), "dice").approve
    receive(scene, witness="surveillance")
    assert newest("larkfield/dice")["witness"] == "surveillance"
    with scene.refused("two-departments-must-sign"):
        receive(scene, box("L-0102"), witness="pit-manager")


def test_the_dialogs_offer_the_people_of_that_department_alone(scene):
    page = see(scene, "dice/")
    assert "Second person, of security" in page and ">Security, security</option>" in page
    assert "Surveillance, surveillance" not in page


# Seals


def test_a_seal_is_claimed_only_where_an_entry_recorded_it(scene):
    assert DiceLot.objects.get(code="L-0001").seal_intact is None
    page = words(see(scene, "dice/L-0001/"))
    assert "no entry about its seal" in page and "seal intact" not in page
    stored(scene)
    assert "seal intact at receipt" in words(see(scene, "dice/L-0101/"))


def test_a_broken_seal_is_marked_wherever_the_lot_appears(scene):
    stored(scene, seal_intact=False)
    mark = "seal broken at receipt"
    assert mark in words(see(scene, "dice/")) and mark in words(see(scene, "dice/L-0101/"))
    assert 'data-seal="The seal of its box was broken at receipt."' in see(scene, "dice/")
    issue(scene)
    assert (scene.snapshot["issued_broken"], "L-0101" in scene.snapshot["issued"]) == (["L-0101"], True)
    tablet = scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console").content.decode()
    assert tablet.count(mark) == 1  # where the lot is chosen
    scene.act("change_dice_lot", {"lot": "L-0101", "seal": "SL-9"}, by="floorperson")
    assert scene.snapshot["lot"]["seal_broken"] and scene.snapshot["issued_broken"] == []
    podium = scene.browser("podium", "floorperson")
    pages = {
        "tablet": scene.browser("tablet", "dealer").get("/floor/larkfield/T-01/console"),
        "table page": podium.get("/floor/larkfield/T-01/"),
        "tile": podium.get("/floor/larkfield/"),
    }
    missing = {name for name, page in pages.items() if "broken at receipt" not in page.content.decode()}
    assert missing == set()
    scene.play((1, "small", 1_000), dice=[1, 1, 2])
    assert mark in words(podium.get("/floor/larkfield/T-01/rounds/1/dice").content.decode())


# Instruments


def test_an_instrument_whose_calibration_has_ended_measures_nothing(hands, scene):
    receive(scene)
    hands.now += 366 * DAY
    with scene.refused("calibration-ended") as refusal:
        measure(scene)
    assert refusal.value.params == {"kind": "micrometer", "instrument": "M-7", "day": "21 Nov 2027"}
    assert DiceLot.objects.get(code="L-0101").status == "received"
    today = Facility.objects.get().local(hands.now).date()
    for code in ("M-7", "C-2", "Q-1"):
        dates = {"calibrated_on": today.isoformat(), "ends_on": (today + 30 * DAY).isoformat()}
        instrument(scene, "calibrate_instrument", instrument=code, certificate="LAB-2", **dates)
    measure(scene)
    assert DiceLot.objects.get(code="L-0101").status == "stored"


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ({"micrometer": "M-99"}, "no-such-instrument"),
        ({"micrometer": "C-2"}, "no-such-instrument"),
        ({"square": "Q-1"}, "instrument-retired"),
    ],
)
def test_only_instruments_of_the_register_in_service_measure(hands, scene, tools, code):
    receive(scene)
    instrument(scene, "retire_instrument", instrument="Q-1", why="dropped")
    data = {"micrometer": "M-7", "caliper": "C-2", "square": "Q-1", **tools}
    with scene.refused(code):
        scene.in_room(
            "inspect_dice", {"lot": "L-0101", "compartment": "A", "dice": [die()] * 3, **data}, **TWO
        )


def test_instruments_are_added_with_their_calibration_and_the_page_lists_them(hands, scene):
    dates = {"calibrated_on": "2026-11-01", "ends_on": "2026-12-01"}
    instrument(scene, instrument="M-8", kind="micrometer", serial="77", certificate="LAB-1", **dates)
    data = newest("larkfield/dice")
    assert (data["_type"], data["data"]["ends_on"]) == ("instrument.registered", "2026-12-01")
    for wrong in ({"calibrated_on": "2026-11-22"}, {"ends_on": "2026-10-01"}):
        with pytest.raises(Refusal, match="calibration-dates"):
            instrument(scene, instrument="M-9", kind="micrometer", **{**dates, **wrong})
    with pytest.raises(Refusal, match="instrument-code-taken"):
        instrument(scene, instrument="M-8", kind="caliper", **dates)
    instrument(scene, "retire_instrument", instrument="C-2", why="dropped")
    page = words(see(scene, "dice-control/"))
    assert "M-8 micrometer 77" in page and "ends soon: calibrated 1 Nov 2026 to 1 Dec 2026 LAB-1" in page
    assert "out of service dropped" in page
    assert 'value="M-8"' in see(scene, "dice/") and 'value="C-2"' not in see(scene, "dice/")
    assert Instrument.objects.get(code="C-2").retired_why == "dropped"


# Counts and deadlines


def test_a_count_is_compared_with_the_record_and_says_what_differs(hands, scene):
    stored(scene)
    with scene.refused("count-differs") as refusal:
        count(scene)
    assert refusal.value.params["differences"] == "in storage 1 by the record, 0 counted"
    count(scene, note="the sleeve is at the maker")
    data = newest("larkfield/dice")["data"]
    assert (data["counted"]["stored"], data["expected"]["stored"]) == (0, 1)
    count(scene, stored=1)
    assert [row.note for row in DiceCount.objects.order_by("pk")] == ["the sleeve is at the maker", ""]
    assert "(1 by the record)" in words(see(scene, "dice-control/"))


def test_a_count_is_due_after_the_days_of_the_jurisdiction(hands, scene):
    facility = Facility.objects.get()
    days = jurisdiction("PA").custody.count_days
    assert room.count_due_at(facility) == hands.now + days * DAY
    hands.now += days * DAY
    tick()
    (alert,) = Alert.objects.filter(key="late-count")
    assert alert.params == {"day": f"{facility.local(hands.now).day} {facility.local(hands.now):%b %H:%M}"}
    assert "The physical count is late." in words(see(scene, "dice/"))
    count(scene)
    hands.now += 2 * dt.timedelta(minutes=1)
    tick()
    alert.refresh_from_db()
    assert alert.ended_at is not None
    assert room.count_due_at(facility) == DiceCount.objects.get().counted_at + days * DAY


def test_dice_out_of_play_are_destroyed_within_the_hours_of_the_jurisdiction(hands, scene):
    scene.act("change_dice_lot", {"lot": "L-0002", "seal": "S"}, by="floorperson")
    receive(scene)
    measure(scene, die(balanced=False), die(), die())
    hours = jurisdiction("PA").custody.destruction_hours
    facility = Facility.objects.get()
    due = room.destructions_due(facility, hands.now)
    assert [(row.lot.code, row.due_at, row.is_late) for row in due] == [
        ("L-0001", hands.now + hours * HOUR, False),
        ("L-0101", hands.now + hours * HOUR, False),
    ]
    hands.now += hours * HOUR
    tick()
    (alert,) = Alert.objects.filter(key="late-destruction")
    assert (alert.table, alert.params["lot"]) == (scene.table, "L-0001")
    page = words(see(scene, "dice-control/"))
    assert page.count("late since") == 2
    assert "2 lots should have been canceled or destroyed by now." in words(see(scene, "dice/"))
    scene.in_room("destroy_dice", {"lots": ["L-0001", "L-0101"], "how": "destroyed"}, **TWO)
    hands.now += 2 * dt.timedelta(minutes=1)
    tick()
    alert.refresh_from_db()
    assert alert.ended_at is not None
    assert room.destructions_due(facility, hands.now) == []
