"""The odds page in a real browser: odds are tried while they are typed, and every size is well."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import again
from tests.e2e.test_looks import faults_outside
from tests.e2e.test_rooms import Office

pytestmark = pytest.mark.browser
# The bar and the tabs, which are tested with the frame.
IGNORED = re.compile(
    r'class="brand"|href="/(floor|office)/larkfield/[a-z]*/?"[^>]*>(Floor|Dice|Equipment|Staff|Rules)<|>Sign off<'
    r'|aria-current="page"|href="/office/larkfield/[a-z-]*/"'
)


@pytest.fixture
def page(scene, new_page, spotless):
    desk = Office(new_page())
    spotless.append(desk)
    desk.get_session(scene.tokens["podium"], "games-administrator")
    return desk.page


def test_odds_are_judged_as_they_are_typed_and_the_offered_ones_pass(page):
    page.goto("/office/larkfield/odds/?rules=nj-19-47-9")
    page.evaluate("window.loadedOnce = true")
    page.locator("[name=family]").select_option("total:4")
    page.locator("input[name=odds]").press_sequentially("80")
    verdict = page.locator("#odds-gate-h")
    expect(verdict).to_have_text("Refused: Total 4 at 80 to 1 favors the player by 12.50 %")
    assert page.evaluate("window.loadedOnce") is True
    assert page.locator("input[name=odds]").evaluate("one => one === document.activeElement")
    row = page.locator(".odds-bad")
    expect(row).to_contain_text("favors the player")
    expect(row).to_contain_text("−12.50 %")
    expect(page.locator(".odds-plot title")).to_have_text(
        re.compile("From 72 to 1 Total 4 would favor the player")
    )
    assert faults_outside(page, IGNORED) == []
    page.get_by_role("link", name="Set Total 4 to 70 to 1").click()
    expect(verdict).to_have_text("Total 4 at 70 to 1 may be filed")
    expect(page.locator("input[name=odds]")).to_have_value("70 to 1")
    expect(page.locator(".odds-new")).to_contain_text("1.39 %")


@pytest.mark.parametrize("rules", ["RS-0009.1", again("pa-675a"), again("pa-577")])
def test_the_sheet_of_every_game_is_well_at_every_size(page, rules):
    page.goto(f"/office/larkfield/odds/?rules={rules}")
    expect(page.locator(".odds-sheet tbody tr").first).to_be_visible()
    assert faults_outside(page, IGNORED) == []
