"""Error Notification Slips in a real browser: what is owed stands there before two people sign it, and settle it."""

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tables.models import Slip
from tests.e2e.floor import resize
from tests.e2e.test_looks import faults_outside
from tests.e2e.test_rooms import IGNORED, Office, is_well
from tests.tables.slip_scene import file

pytestmark = pytest.mark.browser
ROUND = "/floor/larkfield/T-01/rounds/1/"
LINKS = re.compile(f"{IGNORED.pattern}|<a ")


def begin(scene, page, person="floorperson", device="podium"):
    scene.play((1, "small", 2_500), (2, "big", 5_000), (3, "total:12", 1_000), dice=[2, 5, 5])
    scene.finish()
    office = Office(page)
    office.let_in(scene.tokens[device], person, ROUND)
    return office


def look(page: Page, name: str) -> None:
    folder = os.environ.get("SLIP_SHOTS")
    if folder:
        for width, height in ((1280, 800), (1024, 768), (820, 1180)):
            resize(page, (width, height))
            page.wait_for_timeout(150)
            page.screenshot(path=Path(folder) / f"{name}-{width}.png")
        resize(page, (1280, 800))


def kind(office: Office, box: Locator, code: str) -> None:
    office.tap(box.locator(f".pick:has([name=kind][value={code}])"))


def sign(office: Office, box: Locator, person: str) -> None:
    box.locator("[data-witness]").select_option(person)
    office.sign(box)


def test_dice_are_put_right_and_the_money_moves(scene, new_page, spotless):
    office = begin(scene, new_page())
    spotless.append(office)
    page = office.page
    office.tap(page.locator("[data-open=file-slip]"))
    box = page.locator("#file-slip")
    expect(box.locator("[data-go]")).to_have_text("Pick what was wrong")
    kind(office, box, "dice")
    look(page, "dice-empty")
    for face in (2, 5, 5):
        office.tap(box.locator(f"[data-slip-face='{face}']"))
    expect(box.locator("[data-owed]")).to_contain_text("Enter the dice that were on the layout")
    for _ in range(3):
        office.tap(box.locator("[data-slip-face-back]"))
    for face in (1, 1, 2):
        office.tap(box.locator(f"[data-slip-face='{face}']"))
    expect(box.locator(".owed li")).to_have_text(["Seat 1gets$50", "Seat 2owes$100", "Seat 3owes$70"])
    box.locator("[name=reason]").fill("Called before the shaker was lifted")
    expect(box.locator("[data-go]")).to_have_text("PIN of the second person")
    look(page, "dice")
    sign(office, box, "dealer")
    office.go(box)
    expect(page.locator(".fix--open h3")).to_contain_text("ENS-0001")
    expect(page.locator(".correction-link")).to_have_text("Corrected by ENS-0001, still open")
    look(page, "filed")
    office.tap(page.locator("[data-open=settle-slip]"))
    box = page.locator("#settle-slip")
    expect(box.locator("[data-row]")).to_have_count(3)
    box.locator("[name=cents]").nth(2).fill("20")
    expect(box.locator("[name=reason]")).to_be_visible()
    box.locator("[name=reason]").fill("The player has left")
    look(page, "settle")
    sign(office, box, "pit-manager")
    office.go(box)
    expect(page.locator(".fix .done")).to_contain_text("$50 to seat 1, $100 from seat 2, $20 from seat 3")
    expect(page.locator(".correction-link")).to_have_text("Corrected by ENS-0001")
    look(page, "settled")
    page.goto("/floor/larkfield/T-01/")
    expect(page.locator(".rounds .slip-mark")).to_have_text("slip")
    expect(page.locator(".slip-mark--open")).to_have_count(0)
    slip = Slip.objects.get()
    assert [one["cents"] for one in slip.handed_over] == [5_000, -10_000, -2_000]
    assert faults_outside(page, LINKS) == []


def test_wagers_and_payments_are_put_right_and_a_void_asks_a_manager(scene, new_page, spotless):
    office = begin(scene, new_page(), "dealer", "tablet")
    spotless.append(office)
    page = office.page
    office.tap(page.locator("[data-open=file-slip]"))
    box = page.locator("#file-slip")
    kind(office, box, "wager")
    expect(box.locator("[data-go]")).to_have_text("Tap a wager")
    office.tap(box.locator("[data-add-wager][data-seat='1']"))
    expect(box.locator("[data-go]")).to_have_text("What was there; 0 for nothing")
    row = box.locator("[data-row]").first
    row.locator("[name=cents]").fill("0")
    expect(box.locator(".owed li")).to_have_text(["Seat 1gets$25"])
    row.locator("[name=chips]").select_option("player")
    expect(box.locator("[data-owed]")).to_contain_text("No money is owed.")
    office.tap(box.locator("[data-add-missed]"))
    missed = box.locator("[data-row]").nth(1)
    missed.locator("[name=seat]").select_option("4")
    missed.locator("[name=wager]").select_option("total:12")
    missed.locator("[name=cents]").fill("15")
    expect(box.locator(".owed li")).to_have_text(["Seat 4gets$90"])
    look(page, "wager")
    assert faults_outside(page, LINKS) == []
    kind(office, box, "payment")
    office.tap(box.locator("[data-add-payment][data-seat='2']"))
    row = box.locator("[data-of-kind=payment] [data-row]")
    expect(row.locator("[name=paid_cents]")).to_have_value("50")
    row.locator("[name=paid_cents]").fill("30")
    expect(box.locator(".owed li")).to_have_text(["Seat 2gets$20"])
    look(page, "payment")
    kind(office, box, "void")
    expect(box.locator(".owed li")).to_have_count(3)
    expect(box.locator("[data-witness] option:not([disabled])")).to_have_count(2)
    box.locator("[name=reason]").fill("A die was found under the rail")
    look(page, "void")
    sign(office, box, "shift-manager")
    office.go(box)
    expect(page.locator(".correction-link")).to_have_text("Void by ENS-0001, still open")
    look(page, "void-filed")
    slip = Slip.objects.get()
    assert (slip.kind, slip.filed_by.code, slip.filed_with.code) == ("void", "dealer", "shift-manager")


def test_surveillance_reviews_a_slip_and_says_what_differs(scene, new_page, spotless):
    scene.play((1, "small", 2_500), (2, "big", 5_000), dice=[2, 5, 5])
    scene.finish()
    file(scene, "dice", dice=[1, 1, 2])
    office = Office(new_page())
    office.let_in(scene.tokens["podium"], "surveillance", ROUND)
    spotless.append(office)
    page = office.page
    is_well(page)
    look(page, "to-review")
    office.tap(page.locator("[data-open=review-slip]"))
    box = page.locator("#review-slip")
    expect(box.locator("[data-go]")).to_have_text("Say what you found")
    office.tap(box.locator(".pick", has_text="I differ"))
    expect(box.locator("[data-go]")).to_have_text("Say what differs")
    box.locator("[name=reason]").fill("Camera 12 shows 1 1 3")
    look(page, "review")
    is_well(page)
    office.go(box)
    expect(page.locator(".fix--open")).to_contain_text("The review differs, so no money moves on this slip.")
    expect(page.locator("[data-open=review-slip]")).to_have_count(0)
    look(page, "reviewed")
