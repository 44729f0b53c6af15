"""One manager, one scope: Floor and Money add up the same tables, say which, and open every table that they show."""

import datetime as dt
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from games.models import Facility
from tables.figures import rollup
from tables.models import Assignment, Pit, Qualification, Table
from tests.e2e.floor import Dashboard, dashboard
from tests.tables.cast import Scene
from tests.tables.house import make_house

pytestmark = pytest.mark.browser


def open_and_play(scene: Scene, by: str, cents: int) -> None:
    """The table is opened by this dealer, and wins a wager on Small in its first round."""
    scene.act("take_over_table", by=by)
    scene.inspect()
    scene.open()
    scene.place((1, "small", cents), by=by)
    while scene.round is not None:
        following = scene.round_part["next"]
        params = {"dice": [6, 6, 2]} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params, by=by)


@pytest.fixture
def two_pits(stage) -> Scene:
    """T-01 in Pit 1, of the pit manager, has won $10; T-02 in Pit 2 has won $20."""
    house = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-539", None))
    second = Pit.objects.create(facility=house["T-01"].table.facility, code="p2", name="Pit 2")
    Table.objects.filter(code="T-02").update(pit=second)
    open_and_play(house["T-01"], "dealer", 1_000)
    open_and_play(house["T-02"], "relief", 2_000)
    Assignment.objects.filter(person__code="pit-manager").update(pit=Pit.objects.get(code="p1"))
    for table in rollup.tables_behind():
        rollup.roll_up_table(table)
    return house["T-01"]


def test_floor_and_money_say_one_total_and_whose_tables_it_is_and_every_table_opens(two_pits, new_page):
    for person, name, win in (
        ("pit-manager", "Pit 1, yours", "+$10"),
        ("shift-manager", "Whole floor", "+$30"),
    ):
        floor: Dashboard = dashboard(new_page, two_pits, person)
        page = floor.page
        expect(page.locator("[data-sum=win]")).to_have_text(win)
        expect(page.locator("body")).to_contain_text(name)
        links = (
            page.locator(".tile")
            .get_by_role("link", name="T-0")
            .evaluate_all("(links) => links.map((link) => link.href)")
        )
        assert {urlsplit(link).path for link in links} == {"/floor/larkfield/T-01/", "/floor/larkfield/T-02/"}
        for address in ("rotation/", "figures/"):
            page.goto(f"/floor/larkfield/{address}")
            expect(page.locator("main")).to_contain_text(name)
        expect(page.locator("dd.lead").first).to_have_text(win)
        # A shift is handed over as a whole, and its sum says so
        page.goto("/floor/larkfield/handover/")
        expect(page.locator("main")).to_contain_text("The shift so far, whole floor")
        for link in links:
            answer = page.goto(link)
            assert answer and answer.status == 200, link


def test_no_move_and_no_change_is_proposed_at_tables_of_somebody_else(two_pits, new_page):
    """A break is overdue at T-02, in Pit 2, and comes at T-01 in twenty minutes; somebody is free for it."""
    now = timezone.now()
    Facility.objects.update(work_minutes=20, break_minutes=20)
    Table.objects.filter(code="T-01").update(dealer_works_since=now)
    Table.objects.filter(code="T-02").update(dealer_works_since=now - dt.timedelta(minutes=25))
    free = two_pits.people["stranger"]
    Assignment.objects.create(
        person=free, facility=two_pits.table.facility, started_at=now - dt.timedelta(hours=1)
    )
    Qualification.objects.create(person=free, game="sic-bo", reference="TR-9", since=dt.date(2020, 1, 1))
    for person, table, late in (("pit-manager", "T-01", 0), ("shift-manager", "T-02", 1)):
        page = dashboard(new_page, two_pits, person).page
        page.goto("/floor/larkfield/rotation/")
        expect(page.locator(".next[data-plan]")).to_have_attribute("data-table", table)
        page.goto("/floor/larkfield/advice/")
        expect(page.locator("h1")).to_have_text("What to change now")
        expect(page.locator(".proposal h2", has_text="T-02")).to_have_count(late)
