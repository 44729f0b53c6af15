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


# Each area by its words, those for screen readers included, and where its middle is
AREAS = r"""() => [...document.querySelectorAll('.layout .spot')].map((area) => {
    const { x, y, width, height } = area.getBoundingClientRect();
    return [area.innerText.replace(/\s+/g, ' ').trim(), x + width / 2, y + height / 2];
  })"""
PAIRS = tuple(f"Two dice {low} and {high}" for low in range(1, 7) for high in range(low + 1, 7))
BANDS = (
    (
        *("Small 4 to 10", "Two of a Kind 1", "Two of a Kind 2", "Two of a Kind 3"),
        *("Three of a Kind 1", "Three of a Kind 2", "Three of a Kind 3", "Any triple"),
        *("Three of a Kind 4", "Three of a Kind 5", "Three of a Kind 6"),
        *("Two of a Kind 4", "Two of a Kind 5", "Two of a Kind 6", "Big 11 to 17"),
    ),
    tuple(f"Total {total}" for total in range(4, 18)),
    (*PAIRS, *(f"One of a Kind {face}" for face in range(1, 7))),
)


def test_the_layout_of_a_table_page_is_ordered_like_the_felt(scene: Scene, new_page):
    """Doubles and triples from left to right about any triple, totals below them, then pairs and single faces."""
    floor = Screen(new_page(1440, 900))
    floor.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.is_live()
    areas = floor.page.evaluate(AREAS)
    places = {words: (x, y) for words, x, y in areas}
    bands = [sorted(band, key=lambda words: places.get(words, (0, 0))) for band in BANDS]
    assert sorted(places) == sorted(words for band in BANDS for words in band)
    assert bands == [list(band) for band in BANDS]
    above, totals, below = ([places[words][1] for words in band[1:14]] for band in BANDS)
    assert max(above) < min(totals) and max(totals) < min(below)
