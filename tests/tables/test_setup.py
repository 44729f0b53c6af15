"""A facility from nothing: the command, pits and tables, what is missing before the first opening."""

import datetime as dt
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from audit import clock
from audit.models import Device, Entry, Person
from audit.verification import verify
from games.models import Facility
from tables.management.commands import create_facility as command
from tables.models import Pit, Shaker, Table
from tables.opening.opening import RESERVED_CODES
from tables.setup.first_day import first_day
from tables.urls import urlpatterns
from tests.tables.cast import PIN, approve, make_scene

pytestmark = pytest.mark.django_db
NEW = (
    "--jurisdiction=PA", "--time-zone=America/New_York", "--system-administrator", "teo", "Teo Marsh",
    "--compliance", "carla", "Carla Reyes", "--pins-from-stdin",
)  # fmt: skip


@pytest.fixture
def token(monkeypatch) -> str:
    """The token of the podium of a facility that the command has just created."""
    return created(monkeypatch, f"{PIN}\n{PIN}\n")


def created(monkeypatch, pins: str, *more: str) -> str:
    monkeypatch.setattr(command.sys, "stdin", io.StringIO(pins))
    out = io.StringIO()
    call_command(
        "create_facility", "boardwalk", "Larkfield Boardwalk", *NEW, *more, stdout=out, stderr=io.StringIO()
    )
    return out.getvalue().strip()


def entries(stream: str) -> list[tuple[str, dict]]:
    rows = Entry.objects.filter(stream__name=stream).order_by("seq")
    return [(row.type, json.loads(bytes(row.body))["data"]) for row in rows]


def test_the_command_creates_a_facility_with_two_people_and_a_device_and_states_each_on_the_record(token):
    facility = Facility.objects.get(code="boardwalk")
    assert (facility.name, facility.gaming_day_start) == ("Larkfield Boardwalk", dt.time(6))
    assert entries("boardwalk/setup") == [
        (
            "facility.made",
            {
                "code": "boardwalk", "name": "Larkfield Boardwalk", "jurisdiction": "PA",
                "time_zone": "America/New_York", "gaming_day_start": "06:00",
            },
        )
    ]  # fmt: skip
    roles = {person.code: (person.role, person.department) for person in Person.objects.all()}
    assert roles == {
        "teo": ("system-administrator", "information-technology"),
        "carla": ("compliance", "compliance"),
    }
    assert [data["person"] for _, data in entries("boardwalk/staff")] == ["teo", "carla"]
    types = [type_ for type_, _ in entries("boardwalk/sign-in")]
    assert types == ["person.recorded", "person.recorded", "device.enrolled"]
    assert Device.objects.get().station == "podium" and len(token) > 40
    assert verify().findings == []


@pytest.mark.parametrize(
    ("pins", "more", "message"),
    [
        ("12345\n123456\n", (), "six digits"),
        (f"{PIN}\n{PIN}\n", ("--time-zone=Mars/Olympus",), "time zone"),
        (f"{PIN}\n{PIN}\n", ("--jurisdiction=ZZ",), "jurisdiction"),
        (f"{PIN}\n{PIN}\n", ("--gaming-day-start=6am",), "no time"),
    ],
)
def test_a_command_that_is_refused_creates_nothing(monkeypatch, pins, more, message):
    with pytest.raises(CommandError, match=message):
        created(monkeypatch, pins, *more)
    assert not Facility.objects.exists() and not Person.objects.exists() and not Entry.objects.exists()


def test_a_facility_is_created_once(token, monkeypatch):
    with pytest.raises(CommandError, match="already"):
        created(monkeypatch, f"{PIN}\n{PIN}\n")


def test_its_administrator_signs_in_at_the_office_and_comes_to_the_first_day(token):
    browser = Client()
    assert browser.post("/enrol", {"token": token})["Location"] == "/sign-in"
    assert "<h1>Larkfield Boardwalk</h1>" in browser.get("/sign-in").content.decode()
    signed_in = browser.post("/sign-in", {"person": "teo", "pin": PIN}, follow=True)
    page = signed_in.content.decode()
    assert signed_in.redirect_chain[-1][0] == "/floor/boardwalk/setup/"
    assert "2 of 8 steps done" in page and 'aria-current="step"' in page
    pits = browser.get("/floor/boardwalk/setup/?step=pits").content.decode()
    assert "No pit yet" in pits and 'id="add-pit"' in pits and 'data-open="add-table"' not in pits
    assert "drafts the first one" in pits and "/office/" not in pits  # an administrator has no access there
    done = browser.post(
        "/floor/boardwalk/acts/add_pit",
        json.dumps(
            {"command": "018f0000-0000-7000-8000-000000000001", "params": {"pit": "p1", "name": "Pit 1"}}
        ),
        content_type="application/json",
    )
    assert done.status_code == 200, done.content
    assert entries("boardwalk/setup")[-1] == ("pit.made", {"pit": "p1", "name": "Pit 1"})
    staff = browser.get("/floor/boardwalk/staff/?all=1").content.decode()
    assert '<option value="carla">Carla Reyes, compliance</option>' in staff
    Shaker.objects.create(facility=Facility.objects.get(), code="S-01", kind="manual")
    browser.post("/sign-in", {"person": "carla", "pin": PIN})
    rules = browser.get("/floor/boardwalk/setup/?step=rules").content.decode()
    assert "somebody else approves it" in rules
    assert '<a href="/office/boardwalk/submissions/">Rules submission in force</a>' in rules
    equipment = browser.get("/floor/boardwalk/equipment/").content.decode()
    assert "rules in force require an approval" in equipment


@pytest.fixture
def scene():
    return make_scene(opened=False)


TABLE = {
    "table": "T-02", "pit": "p1", "submission": "RS-0009", "kind": "live", "seats": 6, "min_cents": 1_000,
    "max_cents": 50_000,
}  # fmt: skip


def test_a_table_is_added_with_a_stream_of_its_own_in_the_name_of_who_added_it(scene):
    scene.in_room("add_table", TABLE, by="games-administrator")
    table = Table.objects.get(code="T-02")
    assert (table.status, table.seats, table.game, table.submission_code) == (
        "closed",
        6,
        "sic-bo",
        "RS-0009",
    )
    assert entries("larkfield/setup")[-1] == ("table.added", {**TABLE, "game": "sic-bo"})
    made = Entry.objects.get(stream=table.stream)
    assert (made.type, made.actor) == ("table.made", "games-administrator")
    assert "T-02" in scene.browser("podium", "floorperson").get("/floor/larkfield/").content.decode()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"table": "T-01"}, "table-code-taken"),
        ({"table": "t-01"}, "table-code-taken"),
        ({"table": "Staff"}, "table-code-reserved"),
        ({"table": "setup"}, "table-code-reserved"),
        ({"table": "Figures"}, "table-code-reserved"),
        ({"table": "T 02"}, "malformed"),
        ({"pit": "p9"}, "no-such-place"),
        ({"submission": "RS-0404"}, "no-such-submission"),
        ({"max_cents": 999}, "maximum-under-minimum"),
        ({"min_cents": 49}, "minimum-under-a-chip"),
        ({"kind": "simulated"}, "malformed"),
        ({"seats": 0}, "malformed"),
    ],
)
def test_a_table_that_may_not_be_added_is_refused(scene, changed, code):
    with scene.refused(code):
        scene.in_room("add_table", {**TABLE, **changed}, by="games-administrator")


def test_no_table_has_the_address_of_a_page():
    routes = (str(route.pattern) for route in urlpatterns)
    pages = {route.split("/")[2] for route in routes if route.startswith("floor/<slug:facility>/")}
    assert {page for page in pages if page and "<" not in page} <= RESERVED_CODES


def test_a_pit_has_a_code_and_a_name_of_its_own(scene):
    scene.in_room("add_pit", {"pit": "p2", "name": "Pit 2"}, by="games-administrator")
    for params in ({"pit": "P2", "name": "Another"}, {"pit": "p3", "name": "pit 2"}):
        with scene.refused("pit-code-taken"):
            scene.in_room("add_pit", params, by="games-administrator")


def move(scene, **params: str) -> None:
    there = {"table": "T-01", "pit": "p1", "submission": "RS-0009"}
    scene.in_room("move_table", {**there, **params}, by="games-administrator")


def test_a_closed_table_moves_to_another_pit_and_its_record_says_so(scene):
    scene.in_room("add_pit", {"pit": "p2", "name": "Pit 2"}, by="games-administrator")
    Pit.objects.filter(code="p1").update(places={"T-01": [1, 1]})
    scene.act("take_over_table", {}, by="dealer")
    with scene.refused("somebody-at-a-post"):
        move(scene, pit="p2")
    scene.act("leave_table", {}, by="dealer")
    move(scene, pit="p2")
    assert scene.fresh.pit.code == "p2" and Pit.objects.get(code="p1").places == {}
    assert entries("larkfield/setup")[-1][1]["pit_before"] == "p1"
    assert entries("larkfield/T-01")[-1][0] == "table.changed"
    with scene.refused("table-is-there"):
        move(scene, pit="p2")


def test_an_open_table_stays_where_it_is_and_a_table_never_changes_its_game():
    scene = make_scene()
    facility = scene.table.facility
    approve(facility, "pa-625a/B", {}, None, code="RS-0077")
    approve(facility, "pa-675a", {}, 7_500_000, code="RS-0078")
    with scene.refused("table-must-be-closed"):
        move(scene, submission="RS-0077")
    closed = Table.objects.filter(pk=scene.table.pk)
    closed.update(status="closed", dealer=None)
    with scene.refused("submission-of-another-game"):
        move(scene, submission="RS-0078")
    move(scene, submission="RS-0077")
    assert scene.fresh.submission_code == "RS-0077"


def test_the_first_day_lists_what_is_missing_from_the_rows_and_nothing_once_a_table_deals():
    closed = make_scene(opened=False)
    steps = {step.code: step for step in first_day(closed.table.facility, clock.now())}
    assert steps["pits"].is_done and steps["facility"].is_done
    missing = {need.name for step in steps.values() for need in step.missing}
    assert "Table opened" in missing and "Gaming guide" in missing and "Tablet of T-01" in missing
    assert "T-01: shaker" not in missing and "T-01: dice" not in missing
