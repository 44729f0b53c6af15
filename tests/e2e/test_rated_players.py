"""A player is registered, rated from the table page and looked up by the pit; then their seat is refused."""

import os
import re

import pytest
from playwright.sync_api import Page, expect

from tables.models import Player, Rating
from tests.e2e.floor import Screen
from tests.e2e.test_limits import IGNORED
from tests.e2e.test_looks import faults_outside
from tests.e2e.test_rooms import Office

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
    expect(rate.locator("[data-refused]")).to_have_text("Tap the seat.")
    floor.tap(rate.locator(".rate-seats:visible label", has_text="1"))
    rate.locator("[name=player]").fill(code[-3:].lower())
    floor.tap(rate.get_by_role("button", name=code, exact=True))
    expect(rate.locator("[name=player]")).to_have_value(code)
    go = rate.locator("[type=submit]")
    expect(go).to_have_text(f"Rate {code} at seat 1")
    looked_at(page, "rate")
    floor.tap(go)
    expect(page.locator(".side")).to_contain_text(code)
    scene.place((1, "small", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [4, 5, 6]})
    scene.finish()
    page.locator("[data-rate]").click()
    floor.tap(rate.locator(".rate-seats:visible label", has_text="3"))
    rate.locator("[name=act]").select_option("refuse_seat")
    expect(go).to_have_text("Refuse seat 3")
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


def test_two_people_merge_two_codes_and_take_it_back(scene, new_page, spotless):
    names = ("Quentin Vane", "Q. Vane")
    code, other = (
        str(scene.in_room("register_player", {"name": name}, by="floorperson").body["player"])
        for name in names
    )
    page = new_page()
    office = Office(page)
    office.let_in(scene.tokens["podium"], "floorperson", f"{PLAYERS}{code}/")
    spotless.append(office)
    box = office.slip("merge")
    box.locator("[name=into]").fill(other.lower())
    expect(box).to_contain_text("At their own tables, within 24 h; older or elsewhere with compliance.")
    box.locator("[data-witness]").select_option("pit-manager")
    for width, height in ((390, 844), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        if folder := os.environ.get("PICTURES"):
            page.screenshot(path=f"{folder}/merge-{width}.png")
    assert faults_outside(page, SMALL_ELSEWHERE) == []
    office.sign(box)
    office.go(box)
    expect(page.locator(".page-name")).to_contain_text(f"The same person as {other}")
    expect(page.get_by_role("button", name="Recorded twice")).to_have_count(0)
    looked_at(page, "merged")
    box = office.slip("unmerge")
    box.locator("[data-witness]").select_option("compliance")
    office.sign(box)
    office.go(box)
    expect(page.get_by_role("button", name="Recorded twice")).to_be_visible()
    page.goto(PLAYERS)
    expect(page.locator("main")).to_contain_text(f"{code} is not the same person as {other}")
    expect(page.locator("main")).to_contain_text("Floorperson, with Compliance")
    looked_at(page, "players")
    assert Player.objects.get(code=code).merged_into is None
