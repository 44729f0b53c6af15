"""The guide in a real browser: made and published at the podium, read by anybody on a phone, in three languages."""

import json

import pytest
from playwright.sync_api import expect

from games.models import BoardPermission, DeviceIncident, Guide, GuideDisplay, RulesBook
from tests.e2e.floor import letter, resize
from tests.e2e.test_looks import CUT_OFF, SMALL_TARGETS, rules_broken_today
from tests.e2e.test_rooms import Office, is_well
from tests.games.office.test_guide_acts import publish
from tests.tables.cast import approve

pytestmark = pytest.mark.browser
PHONE = (390, 844)
GUIDE = "/guide/larkfield/"


class Keeper(Office):
    """A games administrator at the podium, on the guide's tab."""

    def begin_here(self, scene):
        self.let_in(scene.tokens["podium"], "games-administrator", "/office/larkfield/guide/")
        return self


def test_a_guide_goes_from_its_draft_to_a_visitors_phone_in_spanish(scene, new_page, spotless):
    keeper = Keeper(new_page()).begin_here(scene)
    spotless.append(keeper)
    for step in ("generate", "file-sample"):
        keeper.go(keeper.slip(step))
    box = keeper.slip("decide-guide")
    expect(box.locator("[data-go]")).to_have_text("Approved or denied")
    keeper.tap(box.locator(".pick", has_text="Approved"))
    box.locator("[name=reference]").fill("BGO-77")
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text("D-0001, letter.txt")
    keeper.go(box)
    scene.approve_changes()
    keeper.page.reload()
    is_well(keeper.page)
    keeper.go(keeper.slip("publish"))
    expect(keeper.page.locator("main")).to_contain_text("Version 1 is published")
    assert Guide.objects.get().published_at is not None
    visitor = new_page(*PHONE)
    visitor.goto(f"{GUIDE}?lang=es")
    visitor.get_by_role("link", name="Sic Bo").click()
    expect(visitor.get_by_role("heading", name="Qué puede apostar")).to_be_visible()
    expect(visitor.locator(".bets li", has_text="Tres iguales").locator(".pays")).to_have_text("150 a 1")
    assert visitor.context.cookies() == []
    visitor.get_by_role("link", name="中文").click()
    expect(visitor.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(visitor.locator("h1")).to_have_text("骰宝")


def test_what_patrons_read_is_well_on_a_phone_and_on_a_wall(scene, new_page, spotless):
    for code, rules in (("RS-0021", "pa-675a"), ("RS-0022", "pa-675a.6"), ("RS-0031", "pa-577")):
        approve(scene.table.facility, rules, {}, None, code)
    publish(scene)
    book = {
        "document": scene.on_file("Rules", b"The rules."),
        "games": ["pa-625a", "pa-675a", "pa-675a.6", "pa-577"],
    }
    scene.in_office("file_rules_book", book)
    page = new_page(*PHONE)
    slugs = [game["slug"] for game in Guide.objects.get().content["games"]]
    addresses = [GUIDE, "/rules/larkfield/", *(f"{GUIDE}{slug}/" for slug in slugs)]
    faults = []
    for number, address in enumerate(addresses):
        page.goto(f"{address}?lang={('en', 'es', 'zh')[number % 3]}")
        for width, height in (PHONE, (320, 640), (1280, 800)):
            resize(page, (width, height))
            faults += [
                f"{address} {width}: {one}"
                for one in [*page.evaluate(CUT_OFF), *page.evaluate(SMALL_TARGETS, 56)]
            ]
        resize(page, PHONE)
        faults += [f"{address}: {one}" for one in rules_broken_today(page)]
    assert faults == [], json.dumps(faults, indent=1)
    spotless.clear()


def test_the_floor_logs_a_device_from_the_page_of_its_table(scene, new_page, spotless):
    floor = Office(new_page())
    spotless.append(floor)
    floor.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.tap(floor.page.locator("[data-log-device]"))
    box = floor.page.locator("#device")
    box.locator("[name=seat]").select_option("3")
    box.locator("[name=what]").fill("A telephone counting rolls")
    box.locator("[name=action]").fill("Taken away")
    assert rules_broken_today(floor.page) == []
    floor.tap(box.get_by_role("button", name="Log it"))
    expect(box).not_to_be_visible()
    assert [(one.table, one.seat, one.what) for one in DeviceIncident.objects.all()] == [
        ("T-01", 3, "A telephone counting rolls")
    ]


def test_the_book_its_readers_and_permissions_go_on_record_in_dialogs(scene, new_page, spotless):
    publish(scene)
    keeper = Keeper(new_page(820, 1180)).begin_here(scene)
    spotless.append(keeper)
    box = keeper.slip("file-book")
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")
    expect(box.locator("[data-go]")).to_have_text("Check what it covers")
    keeper.tap(box.locator(".pick", has_text="58 Pa. Code Chapter 625a"))
    keeper.go(box)
    box = keeper.slip("inspection")
    box.locator("[name=note]").fill("A guest")
    keeper.go(box)
    box = keeper.slip("permission")
    box.locator("[name=reference]").fill("BD-9")
    box.locator("[name=granted_on]").fill("2020-01-02")
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")
    keeper.go(box)
    scene.approve_changes()
    keeper.page.reload()
    expect(keeper.page.locator("#page")).to_contain_text("Patrons may be shown earlier rolls")
    box = keeper.slip("withdraw-permission")
    box.locator("[name=why]").fill("The Board took it back")
    keeper.go(box)
    expect(keeper.page.locator("#page")).to_contain_text("No page for patrons shows earlier rolls")
    box = keeper.slip("display")
    box.locator("[name=place]").fill("Rack at Pit 1")
    keeper.go(box)
    expect(keeper.page.locator("#page")).to_contain_text("Rack at Pit 1")
    keeper.go(keeper.slip("end-display"))
    assert [(one.place, one.until is None) for one in GuideDisplay.objects.all()] == [
        ("Rack at Pit 1", False)
    ]
    book, permission = RulesBook.objects.get(), BoardPermission.objects.get()
    assert (book.games, book.place, book.inspections.get().note) == (
        ["pa-625a"],
        "Security podium",
        "A guest",
    )
    assert permission.tables == [] and permission.withdrawn_at is not None
    is_well(keeper.page)
