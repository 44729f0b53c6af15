"""The page of a table that stays open while rounds end: each is listed once, however many leave the list."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import dashboard
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
NUMBERS = """() => [...document.querySelectorAll(".rounds tbody th a")].map((link) => parseInt(link.textContent, 10))"""


def play_a_round(scene: Scene) -> None:
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    scene.finish()


def test_rounds_that_leave_the_list_stay_on_the_page_once(scene, new_page, spotless):
    for _ in range(19):
        play_a_round(scene)
    pit = dashboard(new_page, scene)
    spotless.append(pit)
    pit.page.goto("/floor/larkfield/T-01/")
    pit.is_live()
    button = pit.page.get_by_role("button", name="Earlier rounds")
    expect(button).to_be_hidden()
    for _ in range(2):
        play_a_round(scene)
    scene.place((1, "small", 2_500))
    expect(button).to_be_visible()
    pit.tap(button)
    expect(pit.page.locator("#earlier tr")).to_have_count(1)
    assert pit.page.evaluate(NUMBERS) == list(range(21, 0, -1))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 2, 3]})
    scene.finish()
    expect(pit.page.locator("#earlier tr")).to_have_count(2)
    assert pit.page.evaluate(NUMBERS) == list(range(22, 0, -1))
