"""The page of a table that stays open while rounds end: each is listed once, however many leave the list."""

import pytest
from playwright.sync_api import Route, expect

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
    last = pit.page.locator(".rounds tbody th a").first
    expect(last).to_have_text("21, replay")
    expect(button).to_be_visible()
    answers: list[Route] = []
    pit.page.route("**/rounds?before=*", lambda route: answers.append(route))
    pit.tap(button)
    play_a_round(scene)  # while the answer is on its way
    expect(last).to_have_text("22, replay")
    answers[0].continue_()
    expect(button).to_have_count(0)
    assert pit.page.evaluate(NUMBERS) == list(range(22, 0, -1))
    play_a_round(scene)
    expect(last).to_have_text("23, replay")
    assert pit.page.evaluate(NUMBERS) == list(range(23, 0, -1))
