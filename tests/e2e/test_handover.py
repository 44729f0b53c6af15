"""A shift is handed over in a browser: each open item gets an owner by PIN, then both sides sign."""

import datetime as dt
import re

import pytest
from playwright.sync_api import expect

from audit import clock
from tables.cases.case import open_found_cases
from tables.models import Case, Handover, ItemAcceptance
from tests.e2e.test_rooms import Office, is_well
from tests.e2e.test_scope import open_and_play
from tests.tables import slip_scene
from tests.tables.cast import Scene
from tests.tables.house import make_house

pytestmark = pytest.mark.browser


def test_a_shift_is_handed_over_once_everything_open_has_an_owner(scene: Scene, new_page, spotless):
    scene.play((1, "small", 1_000), dice=[1, 1, 2])
    scene.finish()
    slip_scene.file(scene, "dice", dice=[5, 5, 6])
    scene.act("report_dispute", {"seat": 3, "about": "the call of the last round"})
    manager = Office(new_page()).begin(scene, "pit-manager", "handover")
    spotless.append(manager)
    page = manager.page
    expect(page.locator(".go")).to_have_text(re.compile("2 of 2 have no owner"))
    is_well(page)
    manager.tap(".go")
    expect(page.locator(".open-list .free .owner").first).to_be_focused()
    page.keyboard.press("Enter")
    box = page.locator("#accept")
    expect(box.locator("[name=items]").first).to_be_checked()
    manager.tap(box.locator(".pick").nth(1))
    box.locator("[data-witness]").select_option("floorperson")
    is_well(page)
    manager.sign(box)
    manager.go(box)
    assert {row.person.code for row in ItemAcceptance.objects.select_related("person")} == {"floorperson"}
    expect(page.locator(".open-list .owner b")).to_have_text(["Floorperson", "Floorperson"])
    box = manager.slip("sign-over")
    box.locator("textarea").fill("The patron of seat 3 waits at the desk.")
    expect(box.locator("[data-witness]")).to_have_value("shift-manager")
    manager.sign(box)
    manager.go(box)
    assert Handover.objects.get().taken_over_by.code == "shift-manager"
    manager.tap(page.locator(".signed-list a").first)
    expect(page.locator("h1")).to_have_text("Handover 1")
    expect(page.locator(".note-text")).to_have_text("The patron of seat 3 waits at the desk.")
    is_well(page)


def test_sixty_wagers_outside_the_limits_are_one_line_and_one_tap_gives_it_an_owner(scene: Scene, new_page):
    """An evening had 551 such lines, each with a signature of its own, on a page of 37,000 px."""
    codes = ("small", "total:12", "two-dice:2-5", "one-of-a-kind:1")
    for _ in range(2):
        scene.place(*((seat, code, 500) for seat in range(1, 9) for code in codes))
        scene.to_the_dice()
        scene.act("call_dice", {"dice": [1, 2, 5]})
        scene.finish()
    open_found_cases()
    manager = Office(new_page()).begin(scene, "pit-manager", "handover")
    page = manager.page
    lines = page.locator(".open-list .owner")
    expect(lines).to_have_count(1)
    expect(page.locator(".open-list")).to_contain_text("64 wagers out of limits, $320")
    expect(page.locator(".open-list")).to_contain_text("2 cases, C-")  # one of each round
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 800
    manager.tap(".go")
    page.keyboard.press("Enter")
    box = page.locator("#accept")
    box.locator("[data-witness]").select_option("floorperson")
    manager.sign(box)
    manager.go(box)
    expect(page.locator(".open-list .owner b")).to_have_text("Floorperson")
    expect(page.locator(".go")).not_to_contain_text("have no owner")


def test_a_due_date_is_written_in_one_form_in_the_inbox_and_at_the_handover(scene: Scene, new_page):
    """The handover wrote "21 Nov" where the inbox wrote "Sat 21 Nov"."""
    scene.play((1, "small", 500), dice=[1, 2, 5])
    scene.finish()
    open_found_cases()
    house, in_two_days = scene.table.facility, clock.now() + dt.timedelta(days=2)
    Case.objects.update(due_at=in_two_days)
    day = house.local(in_two_days)
    words = f"{day:%a} {day.day} {day:%b}"
    manager = Office(new_page()).begin(scene, "pit-manager", "handover")
    expect(manager.page.locator(".open-list p.due")).to_have_text(["By", f"By: {words}"])
    reader = Office(new_page())
    reader.let_in(scene.tokens["podium"], "compliance", "/inbox/larkfield/")
    expect(reader.page.locator(".due-next strong")).to_contain_text(f"Due {words}, in")


def test_the_cases_of_two_tables_are_one_group_that_one_signature_takes_over(stage, new_page):
    house = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-539", None))
    open_and_play(house["T-01"], "dealer", 500)
    open_and_play(house["T-02"], "relief", 500)
    open_found_cases()
    manager = Office(new_page()).begin(house["T-01"], "pit-manager", "handover")
    page = manager.page
    group = page.locator(".open-list .together", has_text="out of limits")
    expect(group.locator("h3")).to_have_text("Wagers out of limits, 2")
    expect(group.locator("li")).to_have_count(2)
    expect(group.locator(".owner")).to_have_count(1)
    manager.tap(group.locator(".owner"))
    expect(page.locator("#accept [name=items]:checked")).to_have_count(2)
