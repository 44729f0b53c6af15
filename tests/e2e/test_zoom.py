"""The console enlarged: by the browser to 125, 150 and 200 %, and by the setting Large of the device."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.floor import Tablet, resize, tablet
from tests.e2e.test_felt import FAULTS, LEAST_TEXT, READ, SIC_BO
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
SCREEN = (1280, 800)
# The same glass at a zoom of the browser has fewer pixels of CSS
ZOOMED = {percent: (SCREEN[0] * 100 // percent, SCREEN[1] * 100 // percent) for percent in (125, 150, 200)}
# Whether the finger reaches the next step as the page stands, and what it says is whole
STEP_IN_REACH = """() => {
    const next = document.getElementById('next'), { x, y, width, height } = next.getBoundingClientRect();
    const words = next.querySelector('.next-l').getBoundingClientRect();
    const hit = document.elementFromPoint(Math.max(words.left, 0) + 4, y + height / 2);
    const isWhole = words.left >= 0 && words.right <= innerWidth;
    return next.contains(hit) && y >= 0 && y + height <= innerHeight + 1 && isWhole;
}"""
# Areas that no scrolling brings under the finger, or that are too small for it
LOST_AREAS = """() => [...document.querySelectorAll('button.area')].filter((area) => {
    area.scrollIntoView({ block: 'center', inline: 'center' });
    const { x, y, width, height } = area.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return width < 44 || height < 44 || !area.contains(hit);
}).map(({ dataset }) => dataset.wager)"""
OVERLAPPING = """() => {
    const boxes = [...document.querySelectorAll('.area:not([data-wager^="three"]) .odds, .area .figure')]
        .map((part) => part.getBoundingClientRect());
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap((box, i) => boxes.slice(i + 1).filter((other) => over(box, other))).length;
}"""


def is_usable(page: Page, size: tuple[int, int]) -> None:
    resize(page, size)
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(STEP_IN_REACH), size
    assert page.evaluate(OVERLAPPING) == 0, size
    assert page.evaluate(LOST_AREAS) == [], size
    assert page.evaluate(STEP_IN_REACH), size  # also after scrolling


@pytest.mark.parametrize("percent", ZOOMED)
def test_the_console_is_usable_at_a_zoom_of(scene: Scene, new_page, percent: int):
    scene.place((1, "small", 500), *((seat, "big", 2_500) for seat in range(1, 9)))
    dealer: Tablet = tablet(new_page, scene)
    size = ZOOMED[percent]
    is_usable(dealer.page, size)
    for act, params in (("shake", {"shakes": 3}), ("no_more_bets", {}), ("call_dice", {"dice": [5, 5, 6]})):
        scene.act(act, params)
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        is_usable(dealer.page, size)
    for act in ("take_losers", "pay_seats"):
        scene.act(act, {})
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        is_usable(dealer.page, size)
    dealer.tap(dealer.next)
    dealer.is_in("open")


def test_large_is_larger_by_an_eighth_and_keeps_a_full_felt_in_sight(scene, new_page):
    scene.place(*SIC_BO)
    dealer = tablet(new_page, scene)
    odds = dealer.page.locator('[data-wager="total:12"] .odds')
    before = odds.bounding_box()
    dealer.tap_each("[data-open=people]", "[data-open=device]", "[data-setting=text][data-value=large]")
    dealer.tap("#device [data-close]")
    after = odds.bounding_box()
    assert before and after and after["height"] > 1.1 * before["height"]
    is_usable(dealer.page, SCREEN)
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
    for act, params in (("no_more_bets", {}), ("call_dice", {"dice": [2, 5, 5]}), ("take_losers", {})):
        faults = dealer.page.evaluate(FAULTS, [READ, LEAST_TEXT])
        assert not faults, "\n".join([act, *faults])
        assert dealer.page.evaluate("document.documentElement.scrollHeight <= innerHeight"), act
        scene.act(act, params)
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
    resize(dealer.page, (820, 1180))
    assert dealer.page.evaluate(STEP_IN_REACH)
    assert dealer.page.evaluate(FAULTS, [READ, LEAST_TEXT]) == []
    expect(dealer.page.locator("html")).to_have_attribute("data-text", "large")
