"""A floor with many alerts: equal ones are one line on podium and wall, and on a phone the floor comes first."""

import datetime as dt
import re
from functools import partial

import pytest
from playwright.sync_api import expect

from audit import clock
from audit.devices import enroll
from games.models import Facility
from tables.core.alerts import ExpectedAlert, raise_alert
from tables.core.context import TableContext
from tables.models import Alert, Pit, Table
from tables.opening.opening import make_table
from tables.rounds.wagers import OVER_MAX
from tables.runner.table import for_each_table
from tables.ticker import STALE_TABLET
from tests.e2e.floor import Dashboard, become, dashboard, resize, touch
from tests.e2e.test_looks import CUT_LINES, CUT_OFF, CUT_TEXT, LEAST_ON_A_WALL, SMALL_TEXT, broken_rules
from tests.services.chromium import Pages
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
PHONE, WALL = (390, 844), (1920, 1080)
TOUCH = 56
COUNT_TONES = """(() => {
    window.tones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...time) { window.tones += 1; return start.apply(this, time); };
})()"""


@pytest.fixture
def floor(scene) -> Scene:
    """Eleven tables: T-01 to T-08 in Pit 1, T-11 to T-13 in Pit 2."""
    second = Pit.objects.create(facility=scene.table.facility, code="p2", name="Pit 2")
    limits = {"kind": "live", "seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    for number in (*range(2, 9), *range(11, 14)):
        pit = second if number > 10 else scene.table.pit
        made = {"code": f"T-{number:02}", "pit": pit, "submission": "RS-0009"}
        make_table(scene.table.facility, **made, **limits)
    return scene


def _raise(alert: ExpectedAlert, ctx: TableContext) -> bool:
    is_raised = raise_alert(ctx, alert)
    ctx.append_extra_entries()
    return is_raised


def goes_silent(*codes: str) -> None:
    """The tablet of each of these tables was not heard for a minute."""
    for code in codes:
        table = Table.objects.get(code=code)
        alert = STALE_TABLET.expected(table.pk, cause=code, device=f"Tablet {code}", table=code)
        assert for_each_table(Table.objects.filter(pk=table.pk), partial(_raise, alert)) == [table.pk]


def is_over(code: str, seat: int) -> None:
    table = Table.objects.get(code=code)
    alert = OVER_MAX.expected(table.pk, round=1, seat=seat, wager="small", cents=120_000)
    for_each_table(Table.objects.filter(pk=table.pk), partial(_raise, alert))


def wall_of(new_page: Pages) -> Dashboard:
    wall = Dashboard(new_page(*WALL))
    become(wall.page, enroll("Wall", "larkfield", "wall")[1])
    wall.page.goto("/")
    return wall


def fits(wall: Dashboard) -> None:
    assert wall.page.evaluate(CUT_TEXT) + wall.page.evaluate(SMALL_TEXT, LEAST_ON_A_WALL) == []
    assert wall.page.evaluate(CUT_OFF) + wall.page.evaluate(CUT_LINES) == []


def test_equal_alerts_are_one_line_with_a_number_and_the_tables_on_podium_and_wall(floor, new_page):
    goes_silent("T-02", "T-03", "T-05", "T-11")
    pit, wall = dashboard(new_page, floor), wall_of(new_page)
    joined = pit.page.locator("#alerts .joined")
    expect(joined).to_have_count(1)
    expect(joined.locator("> h3")).to_have_text(re.compile(r"^3\s*Pit 1, Tablet offline$"))
    expect(joined.locator("> .more")).to_have_text(
        "T-05, T-03, T-02"
    )  # the newest first, as all alerts of a podium
    loud, lines = wall.page.locator("#loud"), wall.page.locator("#waiting li")
    expect(loud.get_by_role("heading")).to_have_text("3")
    expect(loud.locator(".wall-what")).to_have_text("Pit 1, Tablet offline")
    expect(loud.locator(".wall-todo")).to_have_text("T-02, T-03, T-05")
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("T-11, Pit 2")
    fits(wall)

    # A player waits: that is loud, and the tablets are a line under it
    floor.act("report_dispute", {"seat": 3, "about": "a late chip"})
    expect(loud.get_by_role("heading")).to_have_text("T-01")
    expect(loud.locator(".wall-what")).to_have_text("Dispute at seat 3")
    expect(lines).to_have_count(2)
    expect(lines.first.locator("strong")).to_have_text("3")
    expect(lines.first.locator("b")).to_have_text("Pit 1, Tablet offline")
    expect(lines.first.locator("span")).to_have_text("T-02, T-03, T-05")
    is_over("T-12", 4)
    wall.page.reload()
    # What has no line of its own is counted, and its tables are named
    expect(lines.last.locator("strong")).to_have_text("+2")
    expect(lines.last.locator("span")).to_have_text("T-11, T-12")
    fits(wall)
    assert broken_rules(wall.page) == []

    # One tap for all of a line, an entry for each
    touch(joined.get_by_role("button", name="Acknowledge all 3"))
    expect(pit.page.locator("#alerts .alert.calm", has_text="Tablet offline")).to_have_count(3)
    known = Alert.objects.filter(kind="stale-tablet", acknowledged_at__isnull=False)
    assert sorted(known.values_list("table__code", flat=True)) == ["T-02", "T-03", "T-05"]


def test_a_call_without_an_answer_fills_the_wall_until_somebody_comes(floor, new_page):
    floor.act("call_floor", {"to": "floor"})
    wall = wall_of(new_page)
    color = "(box) => getComputedStyle(box).backgroundColor"
    expect(wall.page.locator("#loud .wall-what")).to_have_text("Floor called")
    amber = wall.page.locator("#loud").evaluate(color)
    goes_silent("T-02")
    floor.act(
        "answer_alert", {"alert": floor.snapshot["alerts"][-1]["id"]}, by="floorperson", device=floor.podium
    )
    expect(wall.page.locator("#loud .wall-what")).to_have_text("Tablet offline")
    assert wall.page.locator("#loud").evaluate(color) != amber


def test_on_a_phone_the_floor_comes_before_its_alerts_and_one_line_opens_them(floor, new_page):
    floor.act("report_dispute", {"seat": 3, "about": "a late chip"})
    goes_silent("T-02", "T-03", "T-04")
    for code, seat in (("T-05", 1), ("T-06", 2), ("T-11", 3), ("T-12", 4)):
        is_over(code, seat)
    phone = Dashboard(new_page(*PHONE))
    phone.let_in(enroll("Phone", "larkfield", "pit")[1], "floorperson")
    phone.watch()
    page = phone.page
    line = page.get_by_role("button", name=re.compile("to act on"))
    expect(line).to_contain_text("4 to act on")
    expect(line).to_contain_text("T-01 Dispute at seat 3")
    assert (line.bounding_box() or {})["height"] >= TOUCH
    for code in ("T-01", "T-02", "T-03", "T-04"):
        expect(phone.tile(code)).to_be_in_viewport(ratio=1)
    expect(page.locator("#alerts")).to_be_hidden()
    assert page.evaluate(CUT_OFF) + page.evaluate(CUT_TEXT) + broken_rules(page) == []
    touch(line)
    dispute = page.locator("#alerts .alert", has_text="Dispute at seat 3")
    expect(dispute).to_be_visible()
    touch(dispute.get_by_role("button", name="I’m coming"))
    expect(dispute).to_contain_text("is coming")
    expect(line).to_contain_text("3 to act on")
    expect(line).to_contain_text("2 Pit 2, Wager over the maximum")
    touch(line)
    expect(page.locator("#alerts")).to_be_hidden()


def test_on_a_phone_every_page_of_the_bar_is_reached(floor, new_page):
    Facility.objects.update(keeps_inventory=True)
    phone = Dashboard(new_page(*PHONE))
    phone.let_in(enroll("Phone", "larkfield", "podium")[1], "pit-manager")
    phone.watch()
    page = phone.page
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    names = links.all_inner_texts()
    assert len(names) > 5
    more = page.locator(".more-pages summary")
    touch(more)
    for number in range(len(names)):
        link = links.nth(number)
        expect(link).to_be_in_viewport(ratio=1)
        box = link.bounding_box()
        assert box and box["height"] >= TOUCH and box["x"] + box["width"] <= PHONE[0], names[number]
    assert page.evaluate(CUT_OFF) + page.evaluate(CUT_TEXT) + broken_rules(page) == []
    touch(links.last)
    expect(page.locator(".page-links [aria-current]")).to_be_in_viewport(ratio=1)
    resize(page, (1440, 900))
    expect(more).to_be_hidden()


def test_a_break_is_information_until_it_is_overdue_and_wall_and_rotation_agree_that_it_is_due(
    floor, new_page
):
    """Breaks that were due drowned a dispute: nearly every tile was amber."""
    Facility.objects.update(work_minutes=80, break_minutes=20)
    Table.objects.filter(code="T-01").update(dealer_works_since=clock.now() - dt.timedelta(minutes=82))
    pit, wall = dashboard(new_page, floor), wall_of(new_page)
    said = pit.tile().locator(".break")
    expect(said).to_have_class("break due")
    expect(pit.page.locator("#no-alerts")).to_be_visible()
    expect(pit.page.locator(".tile.needs")).to_have_count(0)
    color = "(line) => getComputedStyle(line).color"
    information = said.evaluate(color)
    expect(wall.page.locator(".relief", has_text="T-01")).to_contain_text("A break is due")
    board = Dashboard(new_page(1440, 900))
    board.let_in(floor.tokens["podium"], "pit-manager", "/floor/larkfield/rotation/")
    expect(board.page.get_by_text("1 break due")).to_be_visible()

    Table.objects.filter(code="T-01").update(dealer_works_since=clock.now() - dt.timedelta(minutes=96))
    pit.page.reload()
    expect(said).to_have_class(re.compile(r"\blate\b"))
    assert said.evaluate(color) != information


def test_an_alert_names_its_tablet_as_people_do(floor, new_page):
    """It named the tablet "ebd7a6"."""
    table = Table.objects.get(code="T-02")
    alert = STALE_TABLET.expected(table.pk, cause="ebd7a6", device="ebd7a6", table="T-02", post="dealer-left")
    assert for_each_table(Table.objects.filter(pk=table.pk), partial(_raise, alert)) == [table.pk]
    line = dashboard(new_page, floor).page.locator("#alerts .alert")
    expect(line).to_contain_text("Left tablet of T-02 has been silent for a minute.")
    expect(line).not_to_contain_text("ebd7a6")


def test_sound_is_on_after_the_first_touch_and_a_test_plays_it(floor, new_page):
    page = new_page(1440, 900)
    page.add_init_script(COUNT_TONES)
    pit = Dashboard(page).begin(floor)
    expect(page.get_by_text("Touch for sound")).to_be_visible()
    touch(page.get_by_role("heading", name="Alerts"))
    expect(page.get_by_text("Sound on")).to_be_visible()
    expect(page.get_by_text("Touch for sound")).to_be_hidden()
    assert page.evaluate("window.tones") == 0
    touch(page.get_by_role("button", name="Test"))
    page.wait_for_timeout(200)
    assert page.evaluate("window.tones") == 2  # the chime of a warning
    floor.act("report_dispute", {"seat": 3, "about": "a late chip"})
    expect(page.locator("#alerts .alert")).to_have_count(1)
    page.wait_for_timeout(2_500)
    assert page.evaluate("window.tones") > 2
    assert pit.complaints == []
