"""A tablet stays at its table: Back, a swipe and two fingers leave the felt as it is."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import tablet

pytestmark = pytest.mark.browser
GESTURES = """() => {
    const { overscrollBehaviorX, touchAction } = getComputedStyle(document.documentElement);
    return [overscrollBehaviorX, touchAction];
}"""


def test_back_stays_at_the_table_however_often(scene, new_page):
    dealer = tablet(new_page, scene)
    page, address = dealer.page, dealer.page.url
    dealer.place((1, "big", 2_500))
    for _ in range(3):
        page.evaluate("history.back()")
        page.wait_for_timeout(150)
        assert page.url == address
    expect(page.locator("#next")).to_be_visible()
    dealer.place((1, "small", 2_500))
    assert len(scene.round_part["round"]["wagers"]) == 2


def test_no_gesture_goes_back_or_zooms(scene, new_page):
    assert tablet(new_page, scene).page.evaluate(GESTURES) == ["none", "pan-x pan-y"]
