"""The page that explains the API, as a maker reads it: at three sizes, and with a keyboard alone."""

import pytest
from playwright.sync_api import expect

from tests.e2e.test_looks import broken_rules

pytestmark = pytest.mark.browser
SCROLLED_TO_ITS_END = """(part) => new Promise((resolve) => {
    const isAtItsEnd = () => part.scrollTop + part.clientHeight >= part.scrollHeight - 2;
    const look = () => isAtItsEnd() ? resolve() : requestAnimationFrame(look);
    look();
})"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (820, 1180), (390, 844)])
def test_a_maker_opens_an_example_and_reads_all_of_it_without_a_mouse(new_page, width, height):
    page = new_page(width, height)
    page.goto("/api/v1/docs")
    place = page.locator("#read_round")
    summary, (request, answer) = place.locator("summary"), place.locator("pre").all()
    place.locator("a").last.focus()
    page.keyboard.press("Tab")
    expect(summary).to_be_focused()
    expect(answer).to_be_hidden()
    page.keyboard.press("Enter")
    expect(request).to_have_text("GET /api/v1/facilities/larkfield/tables/T-01/rounds/1")
    page.keyboard.press("Tab")
    expect(request).to_be_focused()
    page.keyboard.press("Tab")
    expect(answer).to_be_focused()
    page.keyboard.press("End")
    answer.evaluate(SCROLLED_TO_ITS_END)
    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide = "[...document.querySelectorAll('details pre')].filter((pre) => pre.scrollWidth > pre.clientWidth + 1).length"
    assert page.evaluate(wide) == 0
    assert broken_rules(page) == []
