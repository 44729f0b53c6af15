"""Relief: how long a dealer has worked, when a break is due by the house's figures, and who comes next."""

import datetime as dt
import json
import re
import uuid

import pytest

from audit.columns import check_columns
from audit.devices import enroll
from audit.models import Person
from games.models import Facility
from tables.models import Assignment, PlannedMove, Qualification, Table
from tables.opening.opening import make_table
from tables.words.sentences import act_line
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(hands) -> Scene:
    """A table of a house where a dealer works for 80 minutes and then rests for 20."""
    scene = make_scene()
    Facility.objects.update(work_minutes=80, break_minutes=20)
    Assignment.objects.update(started_at=hands.now)
    return scene


def wait(hands, minutes: int) -> None:
    hands.now += dt.timedelta(minutes=minutes)


def due(scene: Scene) -> str | None:
    """When the dealer's break is due, as the clock in the casino shows it."""
    moment = scene.snapshot["people"]["dealer"]["break_due"]
    return moment and scene.table.facility.local(dt.datetime.fromisoformat(moment)).strftime("%H:%M")


def view(scene: Scene, by: str = "dealer") -> str:
    page = scene.browser("tablet", by).get("/floor/larkfield/T-01/relief")
    return " ".join(page.content.decode().split())


def test_a_break_is_due_after_the_houses_minutes_and_a_short_pause_counts_as_work(table, hands):
    table.act("take_over_table", by="relief")
    assert due(table) == "11:20"
    wait(hands, 30)
    table.act("take_over_table", by="dealer")
    wait(hands, 19)
    table.act("take_over_table", by="relief")
    assert due(table) == "11:20", "19 minutes are no break"
    table.act("take_over_table", by="dealer")
    wait(hands, 20)
    table.act("take_over_table", by="relief")
    assert due(table) == "12:29"


def test_no_break_is_due_without_a_house_figure_or_at_a_closed_table_and_work_rests_while_it_is_closed(
    table, hands
):
    table.act("take_over_table", by="relief")
    table.close()
    assert due(table) is None
    wait(hands, 19)
    with table.tried():
        table.inspect()
        table.open()
        assert due(table) == "11:20"
    wait(hands, 21)
    table.inspect()
    table.open()
    assert due(table) == "12:00"
    Facility.objects.update(work_minutes=None)
    assert due(table) is None


def test_the_relief_view_says_how_long_each_has_worked_and_who_is_free_the_longest_rested_first(table, hands):
    table.act("take_over_table", by="relief")
    wait(hands, 90)
    page = view(table, "relief")
    assert "At the table 1 h 30 min, since" in page and "break was due" in page
    assert "House rule: at most 80 min at tables, then 20 off." in page
    assert "<b>Dealer</b><span>Rested 1 h 30 min</span>" in page
    table.act("take_over_table", by="dealer")
    wait(hands, 8)
    stranger = Person.objects.get(code="stranger")
    began = hands.now - dt.timedelta(minutes=9)
    Assignment.objects.create(
        person=stranger, facility=table.table.facility, table=table.table, started_at=began
    )
    Qualification.objects.create(person=stranger, game="sic-bo", reference="TR-1", since=began.date())
    page = view(table)
    longest, shortest = (
        "<b>Stranger</b><span>No table yet, on duty since",
        "<b>Relief</b><span>Rested 8 of 20 min",
    )
    assert 0 < page.index(longest) < page.index(shortest)


def test_a_dealer_who_cannot_come_is_found_by_search_alone_with_the_reason(table):
    house, pit = table.table.facility, table.table.pit
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    make_table(house, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Table.objects.filter(code="T-02").update(status="open", dealer=Person.objects.get(code="relief"))
    page = table.browser("tablet").get("/sign-in").content.decode()
    assert '<li data-elsewhere="Relief" data-badge="" hidden>' in page and "Works at T-02" in page
    assert "Works at T-02" not in view(table) and "No dealer on duty here is free" in view(table)


def test_a_relief_may_name_the_post_that_it_relieves(db):
    scene = make_scene("pa-577")
    tablet = scene.browser("tablet")
    page = tablet.get("/sign-in?post=dealer-left&person=dealer").content.decode()
    assert 'name="post" value="dealer-left"' in page and "Relieves Relief" in page
    form = {"person": "dealer", "pin": PIN, "post": "dealer-left"}
    assert tablet.post("/sign-in", form).status_code == 302
    assert (scene.fresh.dealer_left.code, scene.fresh.dealer.code) == ("dealer", "relief")
    assert scene.entry["data"]["post"] == "dealer-left"


@pytest.mark.parametrize("post", ["", "dealer"])
def test_a_refused_relief_names_the_table_that_holds_the_person(table, post):
    house, pit = table.table.facility, table.table.pit
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    make_table(house, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Assignment.objects.filter(person__code="dealer").update(table=None, pit=pit)
    tablet = table.browser(enroll("Tablet of T-02", house.code, "dealer", "larkfield/T-02")[1])
    answer = tablet.post("/sign-in", {"person": "dealer", "pin": PIN, "post": post})
    assert answer.status_code == 403 and "is at T-01 and may not leave it alone" in answer.content.decode()


def send(scene: Scene, pin: str = PIN, by: str = "floorperson", **params: str) -> tuple[int, str]:
    """The floor relieves at the podium, and the dealer "relief" types a PIN there: the status, and the refusal."""
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params}
    body["witness"] = {"person": "relief", "pin": pin}
    answer = scene.browser("podium", by).post(
        "/floor/larkfield/T-01/acts/relieve_dealer", json.dumps(body), content_type="application/json"
    )
    return answer.status_code, answer.json().get("refusal", {}).get("code", "")


def test_the_floor_relieves_a_dealer_at_the_podium_with_the_pin_of_who_comes(scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    assert send(scene, "654321") == (401, "wrong-pin")
    assert scene.fresh.dealer.code == "dealer"
    assert send(scene) == (200, "")
    entry = scene.entry
    assert (entry["_type"], entry["actor"], entry["witness"]) == ("dealer.relieved", "floorperson", "relief")
    assert entry["data"] == {
        "dealer": "relief",
        "relieves": "dealer",
        "takes_shaker": "S-01",
        "round": 1,
        "sent_by": "floorperson",
    }
    assert act_line(entry["_type"], entry["data"]) == "Sends a dealer, who signs and takes the shaker"
    with scene.refused("at-no-post"):
        scene.act("take_losers")
    scene.finish(by="relief")


def test_a_relief_from_the_podium_takes_the_signature_of_a_dealer_who_may_come(scene):
    for witness in (None, "pit-manager"):
        with scene.refused("relief-must-sign"):
            scene.act("relieve_dealer", by="floorperson", witness=witness, device=scene.podium)
    with scene.refused("already-dealing"):
        scene.act("relieve_dealer", by="floorperson", witness="dealer", device=scene.podium)
    Qualification.objects.filter(person__code="relief").delete()
    with scene.refused("not-qualified"):
        scene.act("relieve_dealer", by="floorperson", witness="relief", device=scene.podium)
    with scene.refused("role-may-not"):
        scene.act("relieve_dealer", witness="relief")


def test_a_planned_move_is_taken_by_a_relief_from_the_podium(table, hands):
    plan = {"person": "relief", "table": "T-01", "post": "dealer"}
    table.in_room("plan_move", plan, by="pit-manager")
    table.act("relieve_dealer", by="floorperson", witness="relief", device=table.podium)
    move = PlannedMove.objects.get()
    assert (move.outcome, move.ended_by.code, move.ended_at) == ("taken", "floorperson", hands.now)
    assert table.entry["data"]["planned_moves"] == [1]
    assert [finding.code for finding in check_columns(lambda: None, [PlannedMove])] == []


def test_at_football_a_relief_from_the_podium_names_the_post(db):
    scene = make_scene("pa-577")
    post = {"post": "dealer-left"}
    scene.act("relieve_dealer", post, by="floorperson", witness="dealer", device=scene.podium)
    assert (scene.fresh.dealer_left.code, scene.fresh.dealer.code) == ("dealer", "relief")
    assert (scene.entry["data"]["leaves_post"], scene.entry["data"]["follows"]) == ("dealer", "relief")
    with scene.refused("post-of-another"):
        scene.act("relieve_dealer", post, by="floorperson", witness="stickperson", device=scene.podium)


def card(scene: Scene, by: str = "floorperson") -> str:
    page = scene.browser("podium", by).get("/floor/larkfield/T-01/relief/card")
    return " ".join(page.content.decode().split())


def test_the_card_of_the_podium_proposes_who_is_planned_and_says_who_may_not_come(table, hands):
    house = table.table.facility
    stranger = Person.objects.get(code="stranger")
    Assignment.objects.create(
        person=stranger, facility=house, started_at=hands.now - dt.timedelta(minutes=50)
    )
    assert re.search(r'value="relief"[^>]*checked>', card(table))
    assert "<b>Stranger</b> <span>No training for Sic Bo in effect</span>" in card(table)
    Qualification.objects.create(person=stranger, game="sic-bo", reference="TR-1", since=dt.date(2026, 1, 1))
    assert re.search(r'value="stranger"[^>]*checked>', card(table)), "the longest rested"
    table.in_room("plan_move", {"person": "relief", "table": "T-01", "post": "dealer"}, by="pit-manager")
    assert re.search(r'value="relief"[^>]*data-post="dealer" checked>', card(table))
    assert re.search(r'value="relief"[^>]*data-post="dealer" checked>', view(table)), "at the tablet, too"


def test_at_the_tablet_nobody_is_chosen_who_is_not_planned_here(table):
    assert 'value="relief"' in view(table) and "checked" not in view(table)
