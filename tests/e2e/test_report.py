"""The daily report in a real browser: figures by table, game and hour, each of them traced, and the day on paper."""

import pytest
from playwright.sync_api import expect

from audit import clock
from tests.e2e.test_rooms import Office, is_well
from tests.services.chromium import Pages

pytestmark = pytest.mark.browser


def begin(scene, page):
    desk = Office(page)
    desk.let_in(scene.tokens["podium"], "compliance", "/record/larkfield/report/")
    return desk


@pytest.fixture
def played(scene):
    """Small won $25 and lost $30; a dispute about the second round."""
    for cents, dice in ((2_500, [1, 1, 2]), (3_000, [6, 6, 2])):
        scene.play((1, "small", cents), dice=dice)
        scene.finish()
    scene.act("report_dispute", {"seat": 1, "about": "a late chip"})
    return scene


def test_a_figure_is_read_drawn_and_traced_to_the_record(played, new_page: Pages, spotless):
    desk = begin(played, new_page())
    spotless.append(desk)
    page = desk.page
    row = page.locator(".report-sheet tbody tr").first
    expect(row).to_contain_text("T-01")
    expect(row.locator("td.num").nth(1)).to_have_text("$55")
    expect(row.locator(".report-bar rect")).to_have_attribute("x", "5.0")
    desk.tap(".report-by a >> text=By game")
    expect(page.locator(".report-sheet tbody tr").first).to_contain_text("Sic Bo")
    is_well(page)
    desk.tap(".report-by a >> text=By hour")
    expect(page.locator("#plot-h")).to_be_visible()
    is_well(page)
    desk.tap(".report-by a >> text=By table")
    expect(page.locator("#lines-h")).to_have_text("Win by table")
    for fold in page.locator(".report-fold summary").all():
        desk.tap(fold)
    expect(page.locator(".report-fold code").first).to_be_visible()
    is_well(page)
    desk.tap(page.locator(".report-sheet tbody tr").first.locator(".report-of"))
    page.wait_for_url(f"**/record/larkfield/?day={today(played)}&place=T-01")
    expect(page.locator("#page")).to_contain_text("T-01")


def test_a_day_is_picked_and_printed(played, new_page: Pages, spotless):
    desk = begin(played, new_page(820, 1180))
    spotless.append(desk)
    page = desk.page
    desk.tap(".report-days a >> text=Day before")
    expect(page.locator("#page")).to_contain_text("Nothing was played on this day")
    is_well(page)
    page.locator("[name=day]").fill(today(played))
    desk.tap(".report-pick button")
    expect(page.locator(".report-sum")).to_contain_text("$55")
    paper = page.request.get(page.locator(".report-top a.act").get_attribute("href"))
    assert paper.ok and paper.body().startswith(b"%PDF")


def today(scene):
    return scene.table.facility.gaming_day(clock.now()).isoformat()
