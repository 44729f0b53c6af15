"""A player is registered, rated from the table page and looked up by the pit; then their seat is refused."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tables.models import Player, Rating
from tests.e2e.floor import Screen
from tests.e2e.test_limits import IGNORED
from tests.e2e.test_looks import faults_outside

pytestmark = pytest.mark.browser
SMALL_ELSEWHERE = re.compile(IGNORED.pattern + '|href="rounds/|href="sign/|limits-sign')
PLAYERS, AT = "/floor/larkfield/players/", "/floor/larkfield/T-01/"


def looked_at(page: Page, name: str) -> None:
    """The page at a phone, a podium and a wall: nothing is cut off or too small, and nothing scrolls sideways."""
    for width, height in ((390, 844), (1024, 768), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(50)
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width}"
    assert faults_outside(page, SMALL_ELSEWHERE) == []


def test_a_player_is_rated_from_the_table_page_and_read_by_the_pit(scene, new_page, spotless):
    scene.place((1, "small", 1_000), (3, "big", 2_500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    floor = Screen(new_page())
    floor.let_in(scene.tokens["podium"], "floorperson", PLAYERS)
    spotless += [floor]
    page = floor.page
    page.get_by_role("button", name="Register a player").click()
    box = page.locator("#register")
    box.locator("[name=name]").fill("Quentin Vane")
    box.locator("[name=card]").fill("55512345")
    box.locator("[data-go]").click()
    expect(page.locator("h1")).to_contain_text("P-")
    code = Player.objects.get().code
    expect(page.locator("body")).not_to_contain_text("Quentin Vane")

    page.goto(AT)
    floor.is_live()
    page.locator("[data-rate]").click()
    rate = page.locator("#rate")
    rate.locator("[type=submit]").click()
    expect(rate.locator("[data-refused]")).to_have_text("Enter the number of the seat.")
    rate.locator("[name=seat]").fill("1")
    rate.locator("[name=player]").fill(code.lower())
    rate.locator("[type=submit]").click()
    expect(page.locator(".side")).to_contain_text(code)
    scene.place((1, "small", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [4, 5, 6]})
    scene.finish()
    page.locator("[data-rate]").click()
    rate.locator("[name=seat]").fill("3")
    rate.locator("[name=act]").select_option("refuse_seat")
    expect(rate.locator("[name=player]")).to_be_hidden()
    rate.locator("[type=submit]").click()
    expect(page.locator(".side")).to_contain_text("refused: no wager")
    looked_at(page, "table")

    page.goto(PLAYERS)
    page.get_by_role("link", name=code).click()
    expect(page.locator(".figures.day")).to_contain_text("$20")
    page.get_by_role("button", name="Show name and card").click()
    page.locator("#read [data-go]").click()
    expect(page.locator(".page-name")).to_contain_text("Quentin Vane")
    looked_at(page, "player")
    assert Rating.objects.get().last_round is None
