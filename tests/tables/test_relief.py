"""Relief: how long a dealer has worked, when a break is due by the house's figures, and who comes next."""

import datetime as dt

import pytest

from audit.devices import enroll
from audit.models import Person
from games.models import Facility
from tables.models import Assignment, Qualification, Table
from tables.opening.new_tables import make_table
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
