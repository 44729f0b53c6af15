"""The chips to cut for a seat stay within the dock, at each size of a tablet."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import resize, tablet

pytestmark = pytest.mark.browser
OUTSIDE = """() => {
  const dock = document.querySelector("#dock-dice").getBoundingClientRect();
  return [...document.querySelectorAll(".cutting-chips > span")].map((chip) => chip.getBoundingClientRect())
    .filter((chip) => chip.top < dock.top || chip.bottom > dock.bottom || chip.right > dock.right).length;
}"""


@pytest.mark.parametrize(("cents", "kinds"), [(1_000, 3), (2_900, 5)])
def test_the_chips_to_cut_stay_within_the_dock(scene, new_page, cents, kinds):
    scene.place((4, "any-three-of-a-kind", cents))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [4, 4, 4]})
    page = tablet(new_page, scene).page
    expect(page.locator(".cutting-chips > span")).to_have_count(kinds)
    for size in ((1280, 800), (1024, 768), (820, 1180)):
        resize(page, size)
        assert page.evaluate(OUTSIDE) == 0, size
