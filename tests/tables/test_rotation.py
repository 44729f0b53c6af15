"""The rotation board: a move is planned, checked, canceled, and ends at the relief or with the duty."""

import datetime as dt
import json

import pytest

from audit.columns import check_columns
from audit.models import Entry, Person
from games.engine import Refusal
from games.models import Facility
from tables.handover.open_items import open_items
from tables.models import Assignment, HourFigures, PlannedMove, Qualification, Table
from tables.opening.opening import make_table
from tables.rotation.board import board, wall_reliefs
from tables.screens.floor_data import TileData
from tests.tables.cast import Scene, make_scene
from tests.tables.test_dice_pages import see, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def floor(hands) -> Scene:
    """It is 10:00. A dealer works for 80 minutes and then rests for 20."""
    scene = make_scene()
    Facility.objects.update(work_minutes=80, break_minutes=20)
    Assignment.objects.update(started_at=hands.now)
    Table.objects.update(dealer_works_since=hands.now)
    return scene


def plan(scene: Scene, person: str = "relief", by: str = "floorperson", **params) -> PlannedMove:
    answer = scene.in_room("plan_move", {"person": person, "table": "T-01", **params}, by=by)
    return PlannedMove.objects.get(number=answer.body["move"])


def second_table(scene: Scene, **changes) -> Table:
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    pit = scene.table.pit
    made = make_table(scene.table.facility, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    Table.objects.filter(pk=made.pk).update(**changes)
    return Table.objects.get(pk=made.pk)


def newest(type_: str) -> dict:
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("at").body))["data"]


def findings() -> list[str]:
    return [finding.code for finding in check_columns(lambda: None, [PlannedMove])]


def test_a_move_is_planned_for_when_the_break_is_due_and_ends_when_the_dealer_takes_the_post(floor, hands):
    move = plan(floor)
    assert newest("rotation.planned") == {
        "move": 1, "person": "relief", "table": "T-01", "post": "dealer",
        "planned_for": "2026-11-21T16:20:00.000000Z", "relieves": "dealer",
    }  # fmt: skip
    assert floor.version == floor.fresh.stream.seq and floor.fresh.dealer.code == "dealer"
    hands.now += dt.timedelta(minutes=80)
    floor.act("take_over_table", by="relief")
    move.refresh_from_db()
    assert (move.outcome, move.ended_by.code, move.ended_at) == ("taken", "relief", hands.now)
    assert newest("dealer.relieved")["planned_moves"] == [1]
    assert findings() == []


def test_a_move_ends_when_somebody_else_comes_or_the_duty_ends_or_the_floor_cancels_it(floor, hands):
    overtaken = plan(floor)
    stranger = Person.objects.get(code="stranger")
    facility = floor.table.facility
    duty = Assignment.objects.create(person=stranger, facility=facility, started_at=hands.now)
    Qualification.objects.create(person=stranger, game="sic-bo", reference="TR-1", since=dt.date(2026, 1, 1))
    floor.act("take_over_table", by="stranger")
    off_duty = plan(floor)
    of_relief = Assignment.objects.get(person__code="relief")
    floor.in_room("end_assignment", {"assignment": of_relief.pk}, by="pit-manager")
    canceled = plan(floor, person="dealer")
    floor.in_room("cancel_planned_move", {"move": canceled.number}, by="pit-manager")
    outcomes = [PlannedMove.objects.get(pk=move.pk).outcome for move in (overtaken, off_duty, canceled)]
    assert outcomes == ["overtaken", "off-duty", "canceled"]
    assert newest("assignment.ended")["planned_moves"] == [off_duty.number]
    with pytest.raises(Refusal, match="no-such-move"):
        floor.in_room("cancel_planned_move", {"move": canceled.number}, by="pit-manager")
    assert findings() == []
    assert Assignment.objects.get(pk=duty.pk).ended_at is None


def test_a_move_is_refused_in_a_sentence_before_it_is_planned(floor, hands):
    def code(person: str = "relief", **params) -> str:
        with pytest.raises(Refusal) as refusal:
            plan(floor, person, **params)
        return refusal.value.code

    assert code("floorperson") == "not-a-dealer"
    assert code("stickperson") == "post-of-another"
    assert code("dealer") == "already-dealing"
    assert code("stranger") == "dealer-not-on-duty"
    assert code(table="T-99") == "no-such-place"
    assert code(post="stick") == "no-such-post"
    assert code(planned_for="2026-11-21T14:40:00Z") == "move-in-the-past"
    assert code(planned_for="2026-11-23T14:40:00Z") == code(planned_for="noon") == "malformed"
    trained = Qualification.objects.filter(person__code="relief")
    with floor.tried():
        trained.update(ends_on=dt.date(2026, 11, 21))
        assert code() == "not-qualified"
    with floor.tried():
        Table.objects.update(floorperson=None)
        assert code() == "unsupervised"
    second_table(floor, floorperson=floor.fresh.floorperson)
    Assignment.objects.filter(person__code="relief").update(table=None)
    plan(floor, table="T-02", planned_for="2026-11-21T15:10:00Z")
    assert code() == "move-planned-already"
    assert code("dealer", table="T-02") == "post-planned-already"


def test_a_dealer_rests_before_a_planned_move_by_the_houses_rule(floor, hands):
    began = hands.now - dt.timedelta(minutes=85)
    resting = Assignment.objects.filter(person__code="relief")
    resting.update(works_since=began, rests_since=hands.now - dt.timedelta(minutes=8))
    at_once = hands.now.isoformat()
    with pytest.raises(Refusal) as refusal:
        plan(floor, planned_for=at_once)
    assert refusal.value.code == "not-rested"
    assert (refusal.value.params["worked"], refusal.value.params["until"]) == (77, "10:12")
    with floor.tried():
        assert plan(floor, planned_for=(hands.now + dt.timedelta(minutes=12)).isoformat()).outcome == ""
    second_table(floor, floorperson=floor.fresh.floorperson)
    Assignment.objects.filter(person__code="dealer").update(table=None)
    late = (hands.now + dt.timedelta(minutes=81)).isoformat()
    with pytest.raises(Refusal, match="break-due-before"):
        plan(floor, "dealer", table="T-02", planned_for=late)
    with floor.tried():
        assert plan(floor, "dealer", table="T-02", planned_for=at_once).table.code == "T-02"
    Facility.objects.update(work_minutes=None)
    assert plan(floor, planned_for=at_once).outcome == "", "a house without figures asks for no rest"


def test_a_move_that_would_open_a_table_counts_in_the_span_of_its_floorperson(floor):
    floorperson = floor.fresh.floorperson
    for number in range(3, 6):
        limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
        made = make_table(
            floor.table.facility, code=f"T-0{number}", pit=floor.table.pit, submission="RS-0009", kind="live", **limits
        )  # fmt: skip
        Table.objects.filter(pk=made.pk).update(status="open", floorperson=floorperson)
    second_table(floor, floorperson=floorperson)
    Assignment.objects.filter(person__code="relief").update(table=None)
    with pytest.raises(Refusal) as refusal:
        plan(floor, table="T-02")
    assert refusal.value.code == "span-exceeded" and refusal.value.section
    assert refusal.value.params["count"] == 5


def test_a_relief_at_a_table_of_several_posts_ends_the_moves_to_both_posts_that_it_changes(hands):
    scene = make_scene("pa-577")
    scene.in_room("plan_move", {"person": "relief", "table": "T-01", "post": "dealer"}, by="floorperson")
    scene.in_room("plan_move", {"person": "dealer", "table": "T-01", "post": "dealer-left"}, by="floorperson")
    scene.act("take_over_table", {"post": "dealer-left"}, by="dealer")
    assert [move.outcome for move in PlannedMove.objects.order_by("number")] == ["taken", "taken"]
    assert sorted(newest("dealer.relieved")["planned_moves"]) == [1, 2]
    assert findings() == []
    Facility.objects.update(work_minutes=80)
    due = hands.now + dt.timedelta(minutes=60)
    Table.objects.update(dealer_works_since=due, dealer_left_works_since=due, stickperson_works_since=due)
    assert "T-01 left dealer Dealer" in words(see(scene, "rotation/", "floorperson"))


def test_the_tablet_the_proposals_and_the_handover_name_who_is_planned(floor, hands):
    stranger = Person.objects.get(code="stranger")
    Assignment.objects.create(
        person=stranger, facility=floor.table.facility, started_at=hands.now - dt.timedelta(hours=1)
    )
    Qualification.objects.create(person=stranger, game="sic-bo", reference="TR-1", since=dt.date(2026, 1, 1))
    second_table(floor, floorperson=floor.fresh.floorperson)
    plan(floor)
    tablet = floor.browser("tablet", "dealer")
    page = words(tablet.get("/floor/larkfield/T-01/relief").content.decode())
    assert "Free, longest rested first Stranger" in page
    assert page.index("Relief Planned here at 11:20, no table yet") < page.index("Stranger No table yet")
    plan(floor, "stranger", table="T-02", planned_for=hands.now.isoformat())
    page = words(tablet.get("/floor/larkfield/T-01/relief").content.decode())
    assert "Stranger Planned for T-02 at 10:00" in page
    hands.now += dt.timedelta(minutes=70)
    assert "Relief is planned for 11:20." in words(see(floor, "advice/", "floorperson"))
    [item] = [item for item in open_items(floor.table.facility, hands.now) if item.label == "Rotation"]
    assert (item.title, item.text) == (
        "2 planned moves of dealers",
        "Stranger to T-02 at 10:00, Relief to T-01 at 11:20",
    )


def test_a_full_verification_names_a_planned_move_that_differs_from_the_record(floor):
    plan(floor)
    PlannedMove.objects.update(outcome="canceled", ended_at=dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    assert set(findings()) == {"row-differs"}
    PlannedMove.objects.update(number=7)
    assert sorted(findings()) == ["row-without-entry", "row-without-row"]


def test_the_board_shows_who_deals_since_when_and_who_comes_next(floor, hands):
    text = words(see(floor, "rotation/", "floorperson"))
    assert "T-01 Dealer" in text and "since 10:00, break due 11:20" in text and "nobody planned" in text
    assert "Relief to T-01, Dealer to break" in text
    assert "House rule: at most 80 min at tables, then 20 off." in text
    plan(floor)
    text = words(see(floor, "rotation/", "floorperson"))
    assert "next Relief 11:20" in text and "Relief to T-01 , for Dealer" in text
    assert "11:20. Planned by Floorperson, 10:00" in text
    hands.now += dt.timedelta(minutes=90)
    text = words(see(floor, "rotation/", "floorperson"))
    assert "break was due 11:20" in text and "11:20, not yet there" in text and "1 break due" in text


def test_a_break_is_information_until_the_practice_figure_makes_it_late(floor, hands):
    assert wall_reliefs("larkfield") == []
    hands.now += dt.timedelta(minutes=80)
    page = see(floor, "rotation/", "floorperson")
    assert "1 break due" in words(page) and "board-row overdue" not in page
    assert [(row.table, row.text) for row in wall_reliefs("larkfield")] == [("T-01", "A break is due")]
    hands.now += dt.timedelta(minutes=14)
    assert "board-row overdue" not in see(floor, "rotation/", "floorperson")
    hands.now += dt.timedelta(minutes=1)
    assert "board-row overdue" in see(floor, "rotation/", "floorperson")
    tile = TileData(floor.snapshot).next_break
    due, late = (dt.datetime.fromisoformat(tile[name]) for name in ("at", "late_at"))
    assert (late - due, late) == (dt.timedelta(minutes=15), hands.now), "the tile agrees"
    assert floor.browser("podium", "surveillance").get("/floor/larkfield/rotation/").status_code == 403


def test_the_wall_and_the_board_agree_about_what_is_due_and_planned(floor, hands):
    """A training table has its dealer relieved like every other; its break stood on the board alone."""
    stranger = Person.objects.get(code="stranger")
    second_table(floor, kind="training", status="open", dealer=stranger, dealer_works_since=hands.now)
    plan(floor)
    for minutes, due in ((79, 0), (1, 2), (15, 2)):
        hands.now += dt.timedelta(minutes=minutes)
        shown, on_wall = board(floor.table.facility, hands.now), wall_reliefs("larkfield")
        assert (shown.due_count, [row.text for row in on_wall if "due" in row.text]) == (
            due,
            [f"{due} breaks are due"] * bool(due),
        )
        assert [row.table for row in on_wall if "due" not in row.text] == [move.table for move in shown.moves]
    Table.objects.filter(code="T-02").update(dealer=None)
    assert board(floor.table.facility, hands.now).due_count == 1, "nobody is there to be relieved"
    assert wall_reliefs("larkfield")[0].text == "A break is due"


def test_a_picked_dealer_has_a_button_or_a_reason_at_each_post(floor, hands):
    page = see(floor, "rotation/?person=relief&in=20", "floorperson")
    assert 'data-table="T-01" data-post="dealer" data-when="2026-11-21T15:20:00+00:00"' in page
    assert "Relief is picked" in words(page)
    page = words(see(floor, "rotation/?person=stickperson", "floorperson"))
    assert "That post is for a stickperson; a stickperson takes no other." in page
    shown = board(floor.table.facility, hands.now, "relief")
    targets = [row.target for section in shown.sections for row in section.rows if row.table]
    assert [(target.is_open, target.time) for target in targets] == [(True, "at 11:20")]


def test_a_picked_dealer_is_compared_with_their_own_past_alone(floor, hands):
    def hour(day: int, rounds: int, minutes: int, dealers: str) -> None:
        begins = hands.now - dt.timedelta(days=day)
        HourFigures.objects.create(
            table=floor.table,
            shift="day",
            gaming_day=begins.date(),
            begins_at=begins,
            dealers=dealers,
            rounds=rounds,
            open_us=minutes * 60_000_000,
        )

    hour(0, 20, 30, "dealer")
    hour(3, 45, 60, "dealer relief")
    hour(9, 55, 60, "dealer")
    hour(9, 99, 60, "dealer-two")
    hour(29, 99, 60, "dealer")
    floor.play((1, "small", 1_000), dice=[1, 1, 2])
    floor.act("correct_dice", {"dice": [1, 1, 3], "reason": "misread"}, witness="floorperson")
    text = words(see(floor, "rotation/?person=dealer", "floorperson"))
    assert (
        "Sic Bo, pace 40 50 Rounds 20 100 Corrections entered 1 0 Corrections in 1,000 rounds 50.0 0.0"
        in text
    )


def test_the_lanes_show_the_posts_and_breaks_of_the_last_hour_and_what_is_planned(floor, hands):
    for minutes, person in ((30, "relief"), (25, "dealer")):
        hands.now += dt.timedelta(minutes=minutes)
        floor.act("take_over_table", by=person)
    hands.now += dt.timedelta(minutes=5)
    plan(floor)
    shown = board(floor.table.facility, hands.now)
    lanes = {row.code: row.lane for section in shown.sections for row in section.rows}
    assert lanes["dealer"].words == (
        "T-01 10:00 to 10:30, break 10:30 to 10:55, T-01 10:55 to 12:15, break after the relief 12:15 to 12:35"
    )
    assert lanes["relief"].words == "T-01 10:30 to 10:55, break 10:55 to 12:15, T-01 planned 12:15 to 12:40"
    part = floor.browser("podium", "floorperson")
    first = part.get("/floor/larkfield/rotation/?part=1")
    again = part.get("/floor/larkfield/rotation/?part=1", headers={"If-None-Match": first["ETag"]})
    assert (first.status_code, again.status_code) == (200, 304)
