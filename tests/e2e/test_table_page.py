"""The page of a table beside its round: the sum that it says is what its layout draws."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import Screen
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
SIX_OF_EIGHT = (
    (1, "big", 5_000), (2, "big", 2_500), (3, "small", 2_500), (4, "total:16", 1_000), (5, "two-dice:5-6", 2_500),
    (6, "total:9", 2_500), (8, "small", 6_000),
)  # fmt: skip
# In whole dollars: what the head says, and what the areas of the layout say together
SAID = r"() => Number(document.querySelector('.now-on strong').textContent.replace(/[$,]/g, ''))"
DRAWN = r"""() => [...document.querySelectorAll('.spot :is(b, .wins)')]
    .map((words) => Number(/\$([\d,]+)/.exec(words.innerText)?.[1].replace(',', '') ?? 0))
    .reduce((sum, dollars) => sum + dollars, 0)"""


def test_the_sum_of_a_table_page_is_what_its_layout_draws_in_every_phase(scene: Scene, new_page):
    """At Clear it said $220 in 7 wagers, and drew $200."""
    scene.place(*SIX_OF_EIGHT)
    floor = Screen(new_page(1440, 900))
    floor.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.is_live()
    page, sums = floor.page, []
    while scene.round is not None:
        expect(page.locator("#screen")).to_have_attribute("data-version", str(scene.version))
        sums.append((page.evaluate(SAID), page.evaluate(DRAWN)))
        following = scene.round_part["next"]
        dice = {"dice": [5, 5, 6]}
        params = {"pay_seats": {"seats": [1]}, "call_dice": dice}.get(following["act"], following["params"])
        if following["act"] == "pay_seats" and 1 in scene.round.paid_seats:
            params = {}
        scene.act(following["act"], params)
    assert sums == [(220, 220)] * 4 + [(110, 110), (60, 60), (0, 0)]
