"""Chips on their way: the floor asks for a fill, the cage and security hand it over, the table counts and signs."""

import datetime as dt
import re

import pytest
from playwright.sync_api import Page, expect

from audit import clock
from audit.devices import enroll
from games.chips import KNOWN_CHIPS_CENTS
from tables.figures import rollup
from tables.models import ChipTransfer, Table, TableInventory
from tables.money.chips import change_chips, change_keeping
from tests.e2e.fills import sends_the_fill
from tests.e2e.floor import Screen, Tablet, resize
from tests.e2e.test_looks import broken_rules
from tests.e2e.test_taps import DIALOG_PAIRS
from tests.tables import test_reconciliation as reconciled
from tests.tables.cast import Scene
from tests.tables.test_money import OPENER, box, cage, count, fill, request

pytestmark = pytest.mark.browser
SIZES = ((1280, 800), (1024, 768), (820, 1180))
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def open_tray(stage) -> Scene:
    """A table of a house that keeps inventories: its tray is counted and some chips short of the par."""
    scene = stage(opened=False)
    change_keeping(scene.table.facility, True)
    scene.staff()
    count(scene, "count_opener", {**OPENER, "500": 118, "2500": 96})
    box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.act("set_par", {"chips": OPENER}, by="pit-manager", witness="shift-manager", device=scene.podium)
    scene.inspect()
    scene.open()
    return scene


def is_well(page: Page) -> None:
    """Nothing that axe finds, and nothing scrolls sideways at any size."""
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(SIDEWAYS) <= 0, size
    assert broken_rules(page) == []
    resize(page, SIZES[0])


def sends_nothing_by_a_second_tap(page: Page, *dialogs: str) -> None:
    """No two taps within a second send what a dialog asks, at any size."""
    page.evaluate("[...document.querySelectorAll('dialog[open]')].forEach((dialog) => dialog.close())")
    for size in SIZES:
        resize(page, size)
        outcome = page.evaluate(DIALOG_PAIRS)
        assert outcome["surprises"] == [], size
        assert set(dialogs) <= set(outcome["tried"])
    resize(page, SIZES[0])


def test_a_fill_goes_from_the_request_to_the_tray_with_every_signature(open_tray, new_page, spotless):
    scene = open_tray
    before = Table.objects.get(pk=scene.table.pk).tray_cents
    _device, token = enroll("Cage 1", "larkfield", "podium")
    cage, floor, dealer = Screen(new_page()), Screen(new_page()), Tablet(new_page())
    spotless += [cage, floor, dealer]
    cage.let_in(token, "cage")
    expect(cage.page.locator(".lane--requested .none-here")).to_be_visible()

    floor.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.tap(floor.page.locator(".tray-summary a", has_text="Ask for a fill"))
    request = floor.page.locator("#request")
    expect(request.locator("[data-chip='500']")).to_have_value("150")
    sends_nothing_by_a_second_tap(floor.page, "request", "box-off")
    floor.tap("[data-open=request][data-kind=fill]")
    request.locator("[data-chip='2500']").fill("250")
    expect(request.locator("[data-chips-total]")).to_have_text("$7,000")
    floor.tap(request.locator("[data-go]"))
    expect(floor.page.locator(".move .slip-code")).to_have_text("no slip yet")

    expect(cage.page.locator(".lane--requested .amount")).to_have_text("$7,000")  # nobody reloads the page
    sends_nothing_by_a_second_tap(cage.page, "prepare", "cancel")
    sends_the_fill(cage)
    is_well(cage.page)

    dealer.begin(scene)
    dealer.tap("[data-open=more]")
    dealer.tap("#more .choice:has-text('Tray')")
    go = dealer.page.locator("#go")
    dealer.tap(".switch a:has-text('Sell chips')")
    expect(go).to_have_attribute("data-code", "sell")
    expect(dealer.page.locator("html")).to_have_attribute("data-ready", "")
    dealer.page.keyboard.type("20")
    expect(go).to_contain_text("Sell $20")
    sends_nothing_by_a_second_tap(dealer.page, "sell-chips")
    dealer.tap(".switch a:has-text('The fill')")
    expect(go).to_have_attribute("data-code", "slip")
    expect(dealer.page.locator("html")).to_have_attribute("data-ready", "")
    expect(go).to_have_attribute("aria-disabled", "true")
    for digit in "149":
        dealer.tap(f"[data-count-digit='{digit}']")
    expect(go).to_contain_text("The count differs")
    dealer.tap("[data-count-back]")
    dealer.tap("[data-count-back]")
    for digit in "50":
        dealer.tap(f"[data-count-digit='{digit}']")
    dealer.tap("[data-count-next]")
    dealer.page.keyboard.type("250")
    expect(go).to_contain_text("Sign for $7,000")
    is_well(dealer.page)
    dealer.tap(go)
    signature = dealer.page.locator("#sign-count")
    signature.locator("[data-witness]").select_option("floorperson")
    dealer.enter_pin(signature)
    expect(signature).to_be_hidden()
    after = Table.objects.get(pk=scene.table.pk).tray_cents
    assert (before, after) == (before, before + 700_000)
    expect(dealer.page.locator("[data-tray-value]")).to_have_text(f"${after // 100:,}")
    expect(cage.page.locator(".received-row b")).to_have_text("F-0001")
    dealer.tap(".back")
    dealer.is_live()

    # The page of figures has the round that follows, and states no hold before the count room's figure.
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()
    today = scene.table.facility.gaming_day(clock.now())
    floor.page.goto(f"/floor/larkfield/figures/?from={today - dt.timedelta(days=1)}&to={today}")
    expect(floor.page.locator(".figures-headline")).to_contain_text("not counted yet")
    for name in ("Handle", "Seats"):
        expect(floor.page.get_by_role("img", name=f"{name} by day")).to_be_visible()
    resize(floor.page, (390, 844))
    assert floor.page.evaluate(SIDEWAYS) <= 0
    is_well(floor.page)
    floor.page.goto("/floor/larkfield/advice/")
    is_well(floor.page)
    floor.page.goto("/floor/larkfield/T-01/")
    floor.tap(floor.page.locator(".tray-summary a", has_text="Inventories"))
    expect(floor.page.locator(".inventories tbody tr")).to_contain_text("open")
    is_well(floor.page)


def test_a_signature_is_for_the_count_of_its_dialog_whatever_happens_meanwhile(open_tray, new_page, spotless):
    """1. The dealer counts the tray. 2. The dialog asks for the floor's PIN. 3. Chips are asked for, and the page shows
    it. 4. The floor signs."""
    scene = open_tray
    dealer = Tablet(new_page()).begin(scene)
    spotless.append(dealer)
    page = dealer.page
    page.goto("/floor/larkfield/T-01/tray")
    expect(page.locator("html")).to_have_attribute("data-ready", "")
    counted = {**OPENER, "500": 117, "2500": 96}
    for chip, count_of_chip in counted.items():
        cell = page.locator(f"[data-cell='{chip}']")
        dealer.tap(cell)
        expect(cell).to_have_attribute("aria-pressed", "true")
        page.keyboard.type(str(count_of_chip))
        expect(cell.locator("[data-number]")).to_have_text(str(count_of_chip))
    dealer.tap("#go")
    signature = page.locator("#sign-count")
    transfer = fill(scene, {"500": 100})
    expect(page.locator(".move .slip-code")).to_have_text("F-0001")
    signature.locator("[data-witness]").select_option("floorperson")
    dealer.enter_pin(signature)
    expect(signature).to_be_hidden()
    assert TableInventory.objects.get().counted_chips == counted

    # A fill that is voided while its dialog is open cannot be signed for; the dialog says why.
    expect(page.locator("#go")).to_have_attribute("data-code", "slip")
    page.keyboard.type("100")
    dealer.tap("#go")
    cage(scene, "void_transfer", {**transfer, "reason": "torn"}, "security")
    expect(page.locator("#move-h")).to_have_text("Fills and credits")
    signature.locator("[data-witness]").select_option("floorperson")
    dealer.enter_pin(signature)
    expect(signature.locator("[data-refused]")).to_contain_text("F-0001")
    assert TableInventory.objects.get().fills_cents == 0


def test_a_credit_with_half_dollars_leaves_once_its_carrier_has_signed(open_tray, new_page, spotless):
    scene = open_tray
    change_chips(scene.fresh.facility, KNOWN_CHIPS_CENTS)
    scene.act("sell_chips", {"cents": 5_000})
    count(scene, "count_tray", {**OPENER, "50": 40, "500": 112, "2500": 95})
    credit = request(scene, "credit", {"50": 20, "10000": 40})
    cage(scene, "prepare_transfer", credit)
    dealer = Tablet(new_page()).begin(scene)
    spotless.append(dealer)
    page = dealer.page
    page.goto("/floor/larkfield/T-01/tray")
    expect(page.locator("html")).to_have_attribute("data-ready", "")
    expect(page.locator(".move")).to_contain_text("Who carries it signs first")
    expect(page.locator(".denomination")).to_have_count(7)
    is_well(page)
    sends_nothing_by_a_second_tap(page, "carrier-signs")
    dealer.tap("[data-open=carrier-signs]")
    carrier = page.locator("#carrier-signs")
    carrier.locator("[data-witness]").select_option("security")
    dealer.enter_pin(carrier)
    expect(carrier).to_be_hidden()
    go = page.locator("#go")
    expect(go).to_have_attribute("data-code", "slip")
    dealer.tap("[data-cell='50']")
    page.keyboard.type("19")
    expect(go).to_contain_text("The count differs")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("20")
    dealer.tap("[data-cell='10000']")
    page.keyboard.type("40")
    expect(go).to_contain_text("Sign for $4,010")
    dealer.tap(go)
    signature = page.locator("#sign-count")
    signature.locator("[data-witness]").select_option("floorperson")
    dealer.enter_pin(signature)
    expect(signature).to_be_hidden()
    transfer = ChipTransfer.objects.get()
    assert (transfer.status, transfer.carrier.code) == ("on-the-way", "security")


def test_a_day_is_reconciled_on_one_sheet_and_taken_as_a_file(open_tray, new_page, spotless):
    """Opener, fills, credits, drop, closer and both wins of each table, and what differs."""
    opener = {**OPENER, "500": 118, "2500": 96}
    reconciled.play_and_count(open_tray, drop_cents=50_000, closer={**opener, "500": 4})
    reader = Screen(new_page())
    reader.let_in(open_tray.tokens["podium"], "compliance", f"{reconciled.ADDRESS}?day={reconciled.day()}")
    spotless.append(reader)
    page = reader.page
    line = page.get_by_role("row").filter(has_text="T-01").first
    expect(line).to_contain_text("−$20")  # four chips of $5 are missing in the closer
    for words in ("Opener", "Fills", "Credits", "Drop", "Closer", "Won in rounds", "Difference"):
        expect(page.get_by_role("columnheader").filter(has_text=words).first).to_be_visible()
    is_well(page)
    with page.expect_download() as taken:
        reader.tap(page.get_by_role("link", name="CSV", exact=True))
    assert "T-01" in taken.value.path().read_text("utf-8-sig")


def test_the_count_of_open_cases_stays_in_the_bar_of_the_cage(open_tray, new_page, spotless):
    """The sheet of the tray draws a count too, which is a panel."""
    case = {"kind": "other", "about": "A patron asks for a round", "table": "", "number": 0, "seat": 0}
    open_tray.in_room("open_case", case, by="compliance")
    reader = Screen(new_page())
    spotless.append(reader)
    reader.let_in(open_tray.tokens["podium"], "compliance", "/floor/larkfield/cage/")
    link = reader.page.locator(".page-links a", has=reader.page.locator(".count"))
    expect(link).to_contain_text(re.compile(r"1 open case$"))
    around, inside = link.bounding_box(), link.locator(".count").bounding_box()
    assert around and inside
    assert around["y"] <= inside["y"] and inside["y"] + inside["height"] <= around["y"] + around["height"]
    assert inside["height"] == inside["width"] == 20
