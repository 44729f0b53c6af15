"""Chips for cash at the table: the felt stays in sight, and four taps are enough."""

import json
import re

import pytest
from playwright.sync_api import expect

from audit.models import Entry
from tables.models import ChipSale, Table
from tests.e2e.floor import Tablet, resize, tablet
from tests.e2e.test_looks import broken_rules
from tests.e2e.test_money import open_tray

__all__ = ["open_tray"]

pytestmark = pytest.mark.browser
BUY_IN = ".dock [data-do=buy-in]"
SIZES = ((1280, 800), (1024, 768), (820, 1180))


def sales():
    return list(ChipSale.objects.order_by("pk").values_list("seat", "cents", "chips"))


def test_three_taps_sell_chips_to_the_selected_seat_and_a_fourth_to_another(open_tray, new_page):
    scene = open_tray
    before = Table.objects.get(pk=scene.table.pk).tray_cents
    dealer = tablet(new_page, scene)
    address, taps = dealer.page.url, dealer.taps
    go = dealer.page.locator("#buy-in-go")
    dealer.tap(BUY_IN)
    expect(go).to_have_text("Cash firstTap how much was laid down")
    expect(go).to_have_attribute("aria-disabled", "true")
    dealer.tap("[data-cents='20000']")
    expect(go).to_have_text("Sold $200Seat 1; cash in the drop box")
    assert ChipSale.objects.count() == 0  # an amount alone sells nothing
    dealer.tap(go)
    expect(go).to_be_hidden()
    dealer.is_taken()
    assert dealer.taps - taps == 3
    dealer.tap(BUY_IN)
    dealer.tap(dealer.seat(4))
    expect(dealer.page.locator("[data-buy-seat]")).to_have_text("4")
    dealer.tap("[data-cents='10000']")
    dealer.tap(go)
    dealer.is_taken()
    assert dealer.taps - taps == 3 + 4
    assert dealer.page.url == address
    assert sales() == [(1, 20_000, {"2500": 4, "500": 20}), (4, 10_000, {"500": 16, "100": 20})]
    assert Table.objects.get(pk=scene.table.pk).tray_cents == before - 30_000
    data = json.loads(bytes(Entry.objects.filter(type="chips.sold").first().body))["data"]
    assert (data["seat"], data["cents"], data["chips"]) == (1, 20_000, {"2500": 4, "500": 20})


def test_the_log_of_the_day_shows_what_was_sold_and_marks_the_same_sale_again(open_tray, new_page):
    scene = open_tray
    scene.act("sell_chips", {"cents": 50_000})
    scene.act("sell_chips", {"cents": 20_000, "seat": 3})
    dealer = tablet(new_page, scene)
    log, go = dealer.page.locator(".buy-log"), dealer.page.locator("#buy-in-go")
    dealer.tap(BUY_IN)
    expect(log.locator("p")).to_have_text("$700 in 2 buy-ins today")
    lines = log.locator("[data-sold-at]")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text(re.compile(r"Seat 3\s*\$200\s*\d\d:\d\d Dealer"))  # the newest first
    expect(lines.last).to_contain_text("No seat")
    dealer.tap("[data-cents='20000']")
    expect(go).to_have_text("Sold $200Seat 1; cash in the drop box")
    dealer.tap(dealer.seat(3))
    expect(log.locator("[data-same]")).to_have_count(1)
    expect(go).to_contain_text(re.compile(r"Seat 3 bought \$200 at \d\d:\d\d: once more\?"))
    dealer.tap("[data-do=buy-in-sell-on]")
    expect(log.locator("p")).to_have_text("$900 in 3 buy-ins today")
    expect(lines).to_have_count(3)
    assert sales()[-1] == (3, 20_000, {"2500": 4, "500": 20})


def test_a_sale_that_waits_for_the_line_is_named_in_the_log(open_tray, new_page, line):
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(open_tray)
    dealer.tap(BUY_IN)
    expect(page.locator(".buy-log p")).to_have_text("No buy-in at this table today")
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.tap("[data-cents='20000']")
    dealer.tap("[data-do=buy-in-sell-on]")
    expect(page.locator("[data-buy-waits] li")).to_have_text(
        re.compile(r"Sold \$200, seat 1, \d\d:\d\d: waits")
    )
    page.context.set_offline(False)
    cut.cut = False
    expect(page.locator("[data-buy-waits] li")).to_have_count(0)
    expect(page.locator(".buy-log p")).to_have_text("$200 in 1 buy-in today")


def test_the_drawer_covers_no_seat_and_no_step_and_axe_finds_nothing(open_tray, new_page):
    dealer = tablet(new_page, open_tray)
    page = dealer.page
    for size in (*SIZES, (1180, 820)):
        resize(page, size)
        expect(page.locator(BUY_IN)).to_be_visible()
        dock = page.locator(".dock").bounding_box()
        for button in page.locator(".dock button:visible").all():
            place = button.bounding_box()
            assert place["x"] + place["width"] <= dock["x"] + dock["width"], (size, button.inner_text())
    dealer.tap(BUY_IN)
    dealer.tap("[data-cents='50000']")
    expect(page.locator("[data-cut]")).to_have_count(2)
    for size in SIZES:
        resize(page, size)
        drawer, felt = page.locator("#buy-in").bounding_box(), page.locator(".felt").bounding_box()
        assert drawer["x"] >= 0 and drawer["x"] + drawer["width"] <= size[0], size
        assert drawer["y"] - felt["y"] > felt["height"] / 2, size
        for element in (*page.locator("[data-seat]").all(), page.locator("#ribbon")):
            place = element.bounding_box()
            apart = (
                place["y"] + place["height"] <= drawer["y"] + 1
                or place["y"] >= drawer["y"] + drawer["height"] - 1
                or place["x"] >= drawer["x"] + drawer["width"] - 1
                or place["x"] + place["width"] <= drawer["x"] + 1
            )
            assert apart, (size, element.inner_text())
        for button in page.locator("#buy-in button:visible, #buy-in-go").all():
            place = button.bounding_box()
            assert min(place["height"], place["width"]) >= 44, (size, button.inner_text())
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    resize(page, SIZES[0])
    assert broken_rules(page) == []


def test_another_amount_is_typed_and_a_cut_chosen(open_tray, new_page):
    dealer = tablet(new_page, open_tray)
    go = dealer.page.locator("#buy-in-go")
    dealer.tap(BUY_IN)
    dealer.tap(".amount--other")
    for digit in "250":
        dealer.tap(f".buy-keys [data-digit='{digit}']")
    expect(go).to_contain_text("Sold $250")
    dealer.tap("[data-cut='1']")
    dealer.tap(go)
    dealer.is_taken()
    assert sales() == [(1, 25_000, {"2500": 10})]


def test_the_drawer_stays_for_the_next_seat_and_closes_with_the_bets(open_tray, new_page):
    scene = open_tray
    dealer = tablet(new_page, scene)
    drawer = dealer.page.locator("#buy-in")
    dealer.tap(BUY_IN)
    dealer.tap("[data-cents='6000']")
    dealer.tap("[data-do=buy-in-sell-on]")
    dealer.is_taken()
    expect(drawer).to_be_visible()
    expect(dealer.page.locator("#buy-in-go")).to_have_attribute("aria-disabled", "true")
    assert [(seat, cents) for seat, cents, _ in sales()] == [(1, 6_000)]
    dealer.tap("[data-do=buy-in-close]")
    dealer.place((1, "big", 2_500))
    dealer.tap(BUY_IN)
    scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    expect(drawer).to_be_hidden()


def test_a_house_without_inventories_has_no_buy_in(scene, new_page):
    dealer = Tablet(new_page()).begin(scene)
    expect(dealer.page.locator(BUY_IN)).to_be_hidden()
    assert dealer.page.locator("#more [data-do=buy-in]").count() == 0


def test_a_small_tablet_sells_with_four_taps_from_the_other_acts(open_tray, new_page):
    dealer = tablet(new_page, open_tray, size=(768, 1024))
    expect(dealer.page.locator(BUY_IN)).to_be_hidden()
    taps = dealer.taps
    dealer.tap("[data-open=more]")
    dealer.tap("#more [data-do=buy-in]")
    dealer.tap("[data-cents='20000']")
    dealer.tap("#buy-in-go")
    dealer.is_taken()
    assert dealer.taps - taps == 4
    assert sales() == [(1, 20_000, {"2500": 4, "500": 20})]


@pytest.mark.parametrize("size", [(820, 1180), (800, 1280), (1024, 768), (1180, 820)])
def test_a_smaller_tablet_sells_from_its_dock_with_nothing_off_the_screen(open_tray, new_page, size):
    dealer = tablet(new_page, open_tray, size=size)
    dealer.tap(dealer.area("any_three"))
    dealer.is_taken()  # the reason of Undo is at its longest
    for button in dealer.page.locator(".dock .act:visible").all():
        box = button.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] - 12, button.inner_text()
        assert button.evaluate(
            "act => act.scrollHeight <= act.offsetHeight && act.scrollWidth <= act.offsetWidth"
        )
    taps = dealer.taps
    dealer.tap(BUY_IN)
    dealer.tap("[data-cents='20000']")
    dealer.tap("#buy-in-go")
    dealer.is_taken()
    assert dealer.taps - taps == 3
    assert sales() == [(1, 20_000, {"2500": 4, "500": 20})]
