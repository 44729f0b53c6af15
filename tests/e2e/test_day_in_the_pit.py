"""A day in the pit: dice from the box to the tables, a failure with its witness, dice out of time, and the evening."""

import datetime as dt
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from audit import clock
from audit.devices import enroll
from tables.models import Alert, DiceLot, Round, Table
from tables.ticker import tick
from tests.e2e.floor import Dashboard, Screen, Tablet, touch
from tests.e2e.test_rooms import Office, measure
from tests.services.chromium import Pages
from tests.tables import test_dice_custody as dice_room
from tests.tables.cast import Scene
from tests.tables.conftest import Hands
from tests.tables.house import make_house

pytestmark = pytest.mark.browser
clause = pytest.mark.clause
ONE_DIE = ("19.04", "19.06")


@pytest.fixture
def hands() -> Iterator[Hands]:
    """The server's clock: ten in the morning, until the day goes on."""
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands


def receive_and_store(scene: Scene, keeper: Office, *codes: str) -> None:
    """The day's boxes, seals looked at; every die measured, of the first lot on the screen; both signed by security."""
    box = keeper.slip("receive")
    box.locator("[name=from]").fill("The maker, delivery 12")
    box.locator("[data-prefix]").fill("N-")
    box.locator("[data-from-number]").fill(codes[0].removeprefix("N-"))
    box.locator("[data-how-many]").fill(str(len(codes)))
    keeper.tap(box.locator("[data-add-lots]"))
    for seal in box.locator("[name=seal_intact]").all():
        seal.check()
    keeper.sign(box)
    keeper.go(box)
    box = keeper.slip("inspect", codes[0])
    measure(box, ONE_DIE, ONE_DIE, ONE_DIE)
    keeper.tap(box.locator("[data-all-good]"))
    keeper.sign(box)
    keeper.go(box)
    for code in codes[1:]:
        dice_room.measure(scene, lot=code)
    keeper.reload()


def issue(keeper: Office, code: str, table: str) -> None:
    box = keeper.slip("issue", code)
    keeper.tap(box.locator(".pick", has_text=table))
    keeper.sign(box)
    keeper.go(box)


def tablet_of(new_page: Pages, scene: Scene, person: str) -> Tablet:
    """A tablet that is bound to this table, and its dealer at it."""
    _, token = enroll(f"Tablet of {scene.table.code}, day", "larkfield", "dealer", scene.table.place)
    screen = Tablet(new_page())
    screen.let_in(token, person)
    screen.is_live()
    return screen


def change_dice(dealer: Tablet, code: str) -> None:
    dealer.other("change_dice_lot")
    dealer.tap(f'#ask [data-fill="lot"][data-value="{code}"]')
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).not_to_be_visible()


def play_a_round(dealer: Tablet) -> None:
    dealer.place((1, "small", 2_500), (2, "big", 2_500))
    for step in ("Shaken", "No more bets"):
        dealer.step(step)
    dealer.call(2, 5, 5)
    dealer.step("Losing wagers taken")
    dealer.pay_all()
    dealer.step("Layout cleared")
    dealer.is_in("open")


def close(dealer: Tablet, *, dice: str) -> None:
    """What becomes of the dice, the shaker locked away, and the floor's PIN."""
    dealer.other("close_table")
    dealer.tap(f'#ask [data-fill="keep"][data-value="{dice}"]')
    dealer.page.locator("#ask [name=secured]").check()
    dealer.sign("floorperson")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "closed")


def printed_pages(page: Page) -> int:
    """How many sheets the page takes on Letter paper."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(format="Letter")))


@clause("PA-625a.2(b)-manual", "PA-625a.7(b)-presence", "PA-625a.7(b)-cease", "PA-625a.5(a)")
@pytest.mark.usefixtures("stage")  # its patience, for what the test does itself
def test_a_day_in_the_pit(hands, session_server, new_page, spotless):
    house = make_house(("T-01", "pa-625a/A", "manual"), ("T-02", "pa-625a/B", "manual"))
    first, second = house["T-01"], house["T-02"]
    people: list[Screen] = spotless

    # Before the doors open: three lots from the box into storage, and to their tables
    keeper = Office(new_page()).begin(first, "shift-manager", "dice")
    people.append(keeper)
    receive_and_store(first, keeper, "N-0101", "N-0102", "N-0103")
    issue(keeper, "N-0101", "T-01")
    issue(keeper, "N-0102", "T-02")

    # Two tables: dealer, dice, inspection, opening
    dealers = {"T-01": tablet_of(new_page, first, "dealer"), "T-02": tablet_of(new_page, second, "relief")}
    people += dealers.values()
    for (code, dealer), lot in zip(dealers.items(), ("N-0101", "N-0102"), strict=True):
        change_dice(dealer, lot)
        dealer.inspect(1, 2, 5, signs="floorperson")
        dealer.open_table(signs="floorperson")
        assert Table.objects.get(code=code).status == "open"
    pit = Dashboard(new_page(1440, 900)).begin(first)
    people.append(pit)
    for dealer in dealers.values():
        play_a_round(dealer)

    # The device of the first table fails with the dice seen: the floorperson witnesses the settlement by hand
    dealer = dealers["T-01"]
    dealer.place((1, "small", 2_500), (2, "big", 2_500))
    for step in ("Shaken", "No more bets"):
        dealer.step(step)
    dealer.report_failure("device", 1, 1, 2)
    dealer.sign("floorperson")
    dealer.step("Losing wagers taken")
    dealer.pay_all()
    dealer.step("Layout cleared")
    by_hand = Round.objects.get(table=first.table, number=2)
    assert (by_hand.by_hand, by_hand.taken_cents, by_hand.paid_cents) == (True, 2_500, 2_500)
    alert = pit.page.locator("#alerts .alert", has_text="T-01")
    touch(alert.get_by_role("button", name="Acknowledge"))
    expect(alert.first).to_contain_text("Acknowledged by")
    dealer.step("Record the repair")
    dealer.page.locator("#ask [name=text]").fill("Power supply replaced")
    dealer.sign("floorperson")
    dealer.inspect(1, 2, 5, signs="floorperson")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "betting")

    # Half an hour before their time the pit is warned; at their time nothing is shaken
    hands.now += dt.timedelta(hours=23, minutes=30)
    tick()
    session_server.push(first.table.pk)
    assert {one.kind for one in Alert.objects.filter(table=first.table, ended_at=None)} == {"dice-time"}
    hands.now += dt.timedelta(minutes=31)
    tick()
    session_server.push(first.table.pk)
    dealer.reload()
    dealer.arrive("dealer")  # a day is long: the tablet has locked, and kept the shaker's custody
    assert first.fresh.dealer.code == "dealer"
    dealer.place((1, "small", 2_500))
    dealer.step("Shaken")
    expect(dealer.refused()).to_contain_text("Dice lot N-0101 reached its time")
    dealer.is_in("open")
    keeper.reload()
    keeper.sign_in("shift-manager")
    keeper.page.wait_for_url("**/floor/larkfield/dice/")
    issue(keeper, "N-0103", "T-01")
    change_dice(dealer, "N-0103")
    for step in ("Shaken", "No more bets"):
        dealer.step(step)
    dealer.call(1, 1, 2)
    dealer.pay_all()
    dealer.step("Layout cleared")
    lots = {
        number: list(Round.objects.get(table=first.table, number=number).throws.values_list("lot__code"))
        for number in (1, 2, 3)
    }
    assert lots == {1: [("N-0101",)], 2: [("N-0101",)], 3: [("N-0103",)]}

    # The evening
    close(dealer, dice="stay")
    dealers["T-02"].reload()
    dealers["T-02"].arrive("relief")
    close(dealers["T-02"], dice="removed")
    assert set(Table.objects.values_list("status", flat=True)) == {"closed"}
    assert {lot.code: lot.status for lot in DiceLot.objects.filter(code__startswith="N-")} == {
        "N-0101": "removed",
        "N-0102": "removed",
        "N-0103": "placed",
    }
    into_storage = ["dice.received", "dice_lot.stored", "dice_lot.issued", "dice_lot.placed"]
    for code, rest in (
        ("N-0101", ["dice_lot.expired", "dice_lot.placed"]),  # the lot that took its place says so
        ("N-0102", ["dice_lot.expired", "table.closed"]),
        ("N-0103", ["table.closed"]),
    ):
        keeper.page.goto(f"/floor/larkfield/dice/{code}/")
        expect(keeper.page.locator("main")).to_contain_text("chain of custody")
        assert dice_room.chain(code) == [*into_storage, *rest]
        assert printed_pages(keeper.page) == 1
    expect(keeper.page.locator("main")).to_contain_text("1 throw in 1 round")
