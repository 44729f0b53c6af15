"""Leave of absence: who is on leave cannot act until the return is recorded, and two people record both."""

import datetime as dt
import re

import pytest
from django.test import RequestFactory

from audit import devices, passwords, people, registration
from audit.columns import check_columns
from audit.models import Entry, OneTimeSecret, Password, Person, SecondFactor
from audit.people_record_checks import check_people
from audit.refusals import LeaveHasBegun, OnLeave
from games.engine import Refusal
from games.jurisdictions import jurisdiction
from games.separation import policy
from tables.desk.query import parse_query
from tables.desk.search import search_record
from tables.models import Alert, Assignment, PlannedMove
from tables.rotation.board import board
from tables.staffing.access_review import check_registrations
from tables.staffing.leaves import begin_leaves
from tables.staffing.roster import dealers_on_duty
from tables.ticker import Ticker
from tables.words.entries import words_of
from tests.services.entries import newest_body
from tests.services.sign_ins import WORDS, next_code, register_app
from tests.tables.cast import PIN, Scene, make_scene
from tests.tables.test_people import ADMINISTRATOR, change, page

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
TODAY, IN_TWO_DAYS = "2026-11-21", "2026-11-23"
SIX = dt.datetime(
    2026, 11, 23, 11, tzinfo=dt.UTC
)  # 06:00 at Larkfield, when the gaming day of IN_TWO_DAYS begins


@pytest.fixture
def scene(hands) -> Scene:
    scene = make_scene()
    registration.record_people(scene.people["compliance"])
    return scene


def leave(
    scene: Scene, person: str = "relief", begins_on: str = TODAY, *, by: str = ADMINISTRATOR, **more: str
):
    params = {"person": person, "begins_on": begins_on, "reason": "vacation", **more}
    change(scene, "record_leave", params, by=by)
    scene.people[person].refresh_from_db()


def come_back(scene: Scene, person: str = "relief"):
    change(scene, "record_return", {"person": person})
    scene.people[person].refresh_from_db()


def refusal(scene: Scene, begins_on: str = TODAY, *, person: str = "relief", **more: str) -> str:
    """The code with which the preparation of a leave is refused."""
    params = {"person": person, "begins_on": begins_on, "reason": "vacation", **more}
    with pytest.raises(Refusal) as refused:
        scene.in_room("record_leave", params, by=ADMINISTRATOR, approve=False)
    return refused.value.code


def signs_in(scene: Scene, person: str, pin: str = PIN) -> tuple[int, str]:
    """The status and the page of a sign-in at the podium."""
    answer = scene.browser("podium").post("/sign-in", {"person": person, "pin": pin})
    return answer.status_code, " ".join(answer.content.decode().split())


def findings() -> list[str]:
    """What a full verification finds of people, who was on leave, duties and planned moves."""
    checks = (check_people(lambda: None), check_registrations(lambda: None))
    stated = check_columns(lambda: None, [Assignment, PlannedMove])
    return [finding.code for found in (*checks, stated) for finding in found]


def test_nobody_on_leave_signs_in_or_signs_until_their_return_is_recorded(scene, hands):
    leave(scene, "other-floorperson", last_day="2026-12-03")
    status, shown = signs_in(scene, "other-floorperson")
    sentence = (
        "Other Floorperson is on leave until 3 Dec 2026, and nobody signs in or signs while on leave. Once they are "
        "back, somebody else records their return under People."
    )
    assert status == 403 and sentence in shown
    refused = newest_body("person.refused")["data"]
    assert (refused["code"], refused["why"]) == ("other-floorperson", "on-leave")
    assert words_of("person.refused", refused) == (
        "other-floorperson refused on leave, with the right PIN, password or second factor, at Podium"
    )
    request = RequestFactory().post("/")
    request.device, request.user = scene.tablet, scene.people["dealer"]
    with pytest.raises(OnLeave):
        people.verify_witness(request, "other-floorperson", PIN)

    hands.now += dt.timedelta(days=13)  # the last day is over: somebody has to say that they are back
    assert signs_in(scene, "other-floorperson")[0] == 403
    come_back(scene, "other-floorperson")
    assert newest_body("leave.ended")["data"] == {
        "person": "other-floorperson", "begins_on": TODAY, "last_day": "2026-12-03", "reason": "vacation",
    }  # fmt: skip
    assert signs_in(scene, "other-floorperson")[0] == 302
    assert findings() == []


def test_a_wrong_pin_says_nothing_of_a_leave(scene):
    leave(scene)
    assert "on leave" not in signs_in(scene, "relief", "000000")[1]


def test_a_leave_that_begins_today_ends_duty_sign_ins_and_planned_moves_at_once(scene, hands):
    tablet = scene.browser("podium", "relief")
    scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="floorperson")
    [duty] = Assignment.objects.filter(person__code="relief")
    leave(scene, last_day="2026-12-03", reason="medical")
    entry = newest_body("leave.recorded")
    assert entry["data"] == {
        "person": "relief", "begins_on": TODAY, "last_day": "2026-12-03", "reason": "medical",
        "assignments": [duty.pk], "devices": ["Podium"], "planned_moves": [1],
    }  # fmt: skip
    assert words_of("leave.recorded", entry["data"]) == (
        "relief on leave from 21 Nov 2026 until 3 Dec 2026: medical"
    )
    assert tablet.get("/floor/larkfield/T-01/console").status_code != 200
    duty.refresh_from_db()
    assert duty.ended_at == hands.now and PlannedMove.objects.get().outcome == "off-duty"
    assert begin_leaves() == [] and not Entry.objects.filter(type="leave.began").exists()
    assert findings() == []


def test_nobody_on_leave_is_put_on_duty_planned_or_proposed(scene, hands):
    leave(scene)
    for act, params in (
        ("assign_person", {"person": "relief", "table": "T-01"}),
        ("plan_move", {"person": "relief", "table": "T-01"}),
    ):
        with scene.refused("person-on-leave") as refused:
            scene.in_room(act, params, by="pit-manager")
        assert refused.value.sentence == (
            "Relief is on leave until further notice. Choose somebody else, or have the return recorded under People "
            "first."
        )
    # As in the seconds before the ticker ends the duty of somebody whose leave has begun
    Assignment.objects.filter(person__code="relief").update(ended_at=None)
    assert "relief" not in {row.person.code for row in dealers_on_duty(scene.fresh, hands.now)}
    rows = [row.code for section in board(scene.table.facility, hands.now).sections for row in section.rows]
    assert "dealer" in rows and "relief" not in rows


def test_a_floorperson_on_leave_is_given_no_table(scene):
    leave(scene, "other-floorperson")
    with scene.refused("person-on-leave"):
        scene.act(
            "assign_floorperson", {"person": "other-floorperson"}, by="pit-manager", device=scene.podium
        )
    with scene.refused("person-on-leave"):
        elsewhere = {"person": "other-floorperson", "game": "craps"}
        scene.in_room("assign_elsewhere", elsewhere, by="pit-manager")


def test_a_later_leave_begins_with_its_gaming_day(scene, hands):
    [duty] = Assignment.objects.filter(person__code="relief")
    leave(scene, begins_on=IN_TWO_DAYS)
    assert newest_body("leave.recorded")["data"]["assignments"] == [] and begin_leaves() == []
    hands.now = SIX - dt.timedelta(minutes=1)
    tablet = scene.browser("podium", "relief")
    with scene.refused("person-on-leave"):
        planned = {"person": "relief", "table": "T-01", "planned_for": "2026-11-23T11:00:00Z"}
        scene.in_room("plan_move", planned, by="floorperson")
    scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="floorperson")
    assert begin_leaves() == []

    hands.now = SIX
    with pytest.raises(LeaveHasBegun) as refused:
        scene.act("take_over_table", by="relief")
    assert refused.value.sentence == (
        "You are on leave until further notice, so somebody else must do this. Once you are back, somebody else "
        "records your return under People."
    )
    assert begin_leaves() == []  # a closed or other table that shows nothing of them
    began = newest_body("leave.began")
    assert (began["actor"], began["data"]) == (
        None,
        {"person": "relief", "assignments": [duty.pk], "devices": ["Podium"], "planned_moves": [1]},
    )
    assert tablet.get("/floor/larkfield/T-01/console").status_code != 200
    assert begin_leaves() == [] and Entry.objects.filter(type="leave.began").count() == 1
    assert findings() == []


def test_a_duty_on_record_that_a_later_leave_ends_is_ended_on_the_record(scene, hands):
    scene.in_room("assign_person", {"person": "stranger", "pit": "p1"}, by="pit-manager")
    leave(scene, "stranger", IN_TWO_DAYS)
    hands.now = SIX
    begin_leaves()
    assert Assignment.objects.get(person__code="stranger").ended_at == SIX
    assert findings() == []


def test_who_works_at_an_open_table_is_relieved_before_a_leave_that_begins_today(scene):
    assert refusal(scene, person="dealer") == "still-at-a-post"
    assert refusal(scene, person="floorperson") == "still-supervises"
    scene.act("take_over_table", by="relief")
    leave(scene, "dealer")
    assert scene.snapshot["people"]["dealer"]["code"] == "relief"


def test_a_leave_that_begins_at_an_open_table_calls_the_floor(scene, hands):
    leave(scene, "dealer", IN_TWO_DAYS)
    leave(scene, "floorperson", IN_TWO_DAYS)
    hands.now = SIX
    before = scene.version
    assert begin_leaves() == [scene.table.pk, scene.table.pk]
    assert scene.version == before + 2
    ticker = Ticker()
    for _ in range(6):
        ticker.tick()
    kinds = set(Alert.objects.filter(ended_at=None).values_list("kind", flat=True))
    assert {"shaker-unattended", "span"} <= kinds
    assert findings() == []


@pytest.mark.parametrize(
    ("days", "code"),
    [
        ({"begins_on": "2026-11-20"}, "leave-begins-in-the-past"),
        ({"begins_on": IN_TWO_DAYS, "last_day": "2026-11-22"}, "leave-ends-before-it-begins"),
        ({"begins_on": TODAY, "reason": "tired"}, "malformed"),
    ],
)
def test_days_and_reasons_that_cannot_be_are_refused(scene, days, code):
    assert refusal(scene, **days) == code


def test_a_leave_that_was_prepared_before_midnight_is_approved_the_day_after(scene, hands):
    code = scene.in_room(
        "record_leave",
        {"person": "relief", "begins_on": TODAY, "reason": "family"},
        by=ADMINISTRATOR,
        approve=False,
    ).body["change"]
    hands.now += dt.timedelta(hours=21)
    scene.in_room("approve_change", {"change": code}, by="compliance")
    assert newest_body("leave.recorded")["data"]["begins_on"] == TODAY


def test_of_a_leave_only_the_last_day_and_the_reason_change(scene):
    leave(scene, last_day="2026-12-03")
    same = {"last_day": "2026-12-03"}
    assert refusal(scene, **same) == refusal(scene, "2026-12-01", **same) == "has-a-leave"
    leave(scene, last_day="2026-12-10")
    assert newest_body("leave.recorded")["data"]["assignments"] == []
    assert Person.objects.get(code="relief").leave_end_in_words == "until 10 Dec 2026"
    assert findings() == []


def test_a_leave_is_called_off_before_it_begins(scene, hands):
    leave(scene, begins_on=IN_TWO_DAYS)
    come_back(scene)
    hands.now = SIX
    scene.act("take_over_table", by="relief")
    with scene.refused("not-on-leave"):
        scene.in_room("record_return", {"person": "relief"}, by=ADMINISTRATOR, approve=False)


def test_a_person_on_leave_gets_no_new_pin_and_no_second_factor(scene, settings):
    change(scene, "replace_pin", {"person": "relief"})
    leave(scene)
    for act in ("replace_pin", "replace_sign_in"):
        why = {} if act == "replace_pin" else {"why": "Left in a taxi", "lost": True}
        with scene.refused("person-on-leave"):
            scene.in_room(act, {"person": "relief", **why}, by=ADMINISTRATOR, approve=False)
    with scene.refused("person-on-leave"):
        scene.in_room("make_pin", {"person": "relief"}, by="compliance")
    assert OneTimeSecret.objects.get().made_at is None
    come_back(scene)
    scene.in_room("make_pin", {"person": "relief"}, by="compliance")  # as it was approved


def test_a_leave_that_begins_during_a_sign_in_stops_it(scene, settings, hands):
    change(scene, "replace_pin", {"person": "relief"})
    scene.in_room("make_pin", {"person": "relief"}, by="compliance")
    [pin] = re.findall(r"<p><code>(\d{6})</code></p>", page(scene, "compliance"))
    tablet = scene.browser("podium")
    chooses = tablet.post("/sign-in", {"person": "relief", "pin": pin})["Location"]
    assert chooses.startswith("/sign-in/new-pin")
    leave(scene)
    tablet.post("/sign-in/new-pin", {"pin": "271828", "again": "271828"})
    assert not Person.objects.get(code="relief").check_password("271828")
    assert not Entry.objects.filter(type="person.signed_in", actor="relief").exists()


def test_the_password_and_the_second_factor_of_somebody_on_leave_open_nothing(scene, settings):
    settings.SECOND_FACTORS, settings.DEVICE_IDLE_LOCK_SECONDS = True, 3600
    desk, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    factor = register_app(scene.people["surveillance"], desk)
    client = scene.browser("desk")
    password = {"person": "surveillance", "password": WORDS}
    assert client.post("/sign-in", password)["Location"] == "/sign-in/second-factor"
    settings.SECOND_FACTORS = False  # for the acts of the scene, which give none
    leave(scene, "surveillance")
    settings.SECOND_FACTORS = True
    client.post("/sign-in/second-factor", {"code": next_code(factor)})
    assert not Entry.objects.filter(type="person.signed_in", actor="surveillance").exists()
    shown = scene.browser("desk").post("/sign-in", password)
    assert shown.status_code == 403 and "Surveillance is on leave" in shown.content.decode()
    assert SecondFactor.objects.get().ended_at is None


def test_a_one_time_password_sets_up_nothing_once_a_leave_has_begun(scene, settings):
    _desk, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    change(scene, "replace_sign_in", {"person": "surveillance", "lost": True, "why": "Left in a taxi"})
    scene.in_room("give_password", {"person": "surveillance"}, by="compliance")
    settings.SECOND_FACTORS = True
    text = passwords.one_time_text(Password.objects.get(person__code="surveillance"))
    client = scene.browser("desk")
    client.post("/sign-in", {"person": "surveillance", "password": text})
    assert client.get("/sign-in/set-up").status_code == 200
    settings.SECOND_FACTORS = False
    leave(scene, "surveillance")
    settings.SECOND_FACTORS = True
    assert client.get("/sign-in/set-up")["Location"] == "/sign-in"
    chosen = {"password": "eight loud tables", "again": "eight loud tables", "label": "Phone", "code": "1"}
    client.post("/sign-in/set-up", chosen)
    assert Password.objects.get(person__code="surveillance").is_one_time
    assert not SecondFactor.objects.exists()


def test_table_games_sends_nobody_on_leave_who_watches_it(scene):
    params = {"person": "surveillance", "begins_on": TODAY, "reason": "other"}
    with scene.refused("access-of-another-department"):
        scene.in_room("record_leave", params, by="shift-manager", approve=False)
    leave(scene, by="shift-manager")


def test_whoever_is_needed_for_access_goes_on_no_leave(scene):
    assert refusal(scene, person="compliance") == "last-with-access-rights"
    assert refusal(scene, person=ADMINISTRATOR) == "not-your-own-access"
    change(scene, "add_person", {"person": "two", "name": "Second", "role": "compliance"})
    scene.people["two"] = Person.objects.get(code="two")
    leave(scene, "two", IN_TWO_DAYS)
    assert refusal(scene, person="compliance") == "last-with-access-rights"
    come_back(scene, "two")
    leave(scene, "two")


def test_who_records_a_leave_is_a_row_of_the_policy(scene, monkeypatch):
    row = {
        "title": "Leaves of absence",
        "covers": "that a person is on leave",
        "prepare": {"pit-manager": "table-games"},
        "approve": {"surveillance": "surveillance"},
        "told": [],
        "hours": 24,
    }
    monkeypatch.setitem(
        jurisdiction("PA").separation, "leaves", policy.read_separation({"leaves": row})["leaves"]
    )
    params = {"person": "relief", "begins_on": TODAY, "reason": "family"}
    with scene.refused("may-not-prepare"):
        scene.in_room("record_leave", params, by=ADMINISTRATOR, approve=False)
    code = scene.in_room("record_leave", params, by="pit-manager", approve=False).body["change"]
    assert "Approved by: surveillance." in page(scene, "pit-manager")
    scene.in_room("approve_change", {"change": code}, by="surveillance")
    assert 'data-open="record-return"' in page(scene, "pit-manager", "?person=relief")
    assert 'data-open="record-return"' not in page(scene, ADMINISTRATOR, "?person=relief")


def test_the_page_shows_who_is_on_leave_and_asks_for_the_return_once_it_is_over(scene, hands):
    leave(scene, last_day="2026-12-03", reason="public-duty")
    shown = " ".join(page(scene, ADMINISTRATOR, "?show=leave&person=relief").split())
    assert re.findall(r'<th scope="row"><a [^>]*>\s*(\w+)', shown) == ["Relief"]
    assert "On leave until 3 Dec 2026" in shown
    assert "Military or jury duty, from 21 Nov 2026 until 3 Dec 2026" in shown
    assert 'data-open="record-return"' in shown and 'data-open="replace-pin"' not in shown
    assert 'data-open="record-leave"' in page(scene, ADMINISTRATOR, "?person=dealer")
    assert 'data-open="record-leave"' not in page(scene, "compliance", "?person=dealer")
    hands.now += dt.timedelta(days=13)
    assert "Leave ended 3 Dec 2026: back?" in page(scene, ADMINISTRATOR, "?show=need")


def test_the_search_of_the_record_finds_leaves_among_people_and_by_their_types(scene):
    leave(scene)
    come_back(scene)
    for query in ("type=access", "type=leave.recorded leave.ended"):
        asked = parse_query({"type": query.removeprefix("type=")}, scene.table.facility)
        types = [entry.type for entry in search_record(asked).entries if entry.type.startswith("leave.")]
        assert types == ["leave.ended", "leave.recorded"], query


def test_nobody_on_leave_is_named_as_somebody_who_may_approve(scene):
    code = scene.in_room("set_review_sum", {"cents": 50_000}, by="compliance", approve=False).body["change"]
    address = f"/office/larkfield/changes/{code}/"

    def may_approve() -> str:
        shown = scene.browser("podium", "compliance").get(address).content.decode()
        return " ".join(re.findall(r"<dt>May approve</dt><dd>(.*?)</dd>", shown, re.DOTALL)[0].split())

    assert may_approve() == "Shift Manager, shift manager (on duty)"
    leave(scene, "shift-manager")
    assert "nobody with access here" in may_approve()
