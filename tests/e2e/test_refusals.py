"""What the table refuses stands beside the finger, with its section, and leaves the fresh state behind."""

import datetime as dt

import pytest
from playwright.sync_api import Locator, Page, expect

from audit import clock
from tables.models import DiceLot
from tests.e2e.floor import Dashboard, Tablet, dashboard, lying, tablet
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser


def stands_beside(refusal: Locator, finger: Locator) -> bool:
    """Above or below it, no further than a thumb is wide."""
    box, at = refusal.bounding_box(), finger.bounding_box()
    assert box and at
    apart = max(at["y"] - box["y"] - box["height"], box["y"] - at["y"] - at["height"])
    beside = box["x"] <= at["x"] + at["width"] / 2 <= box["x"] + box["width"]
    return beside and apart < 60


@pytest.fixture
def late(new_page, line):
    """A floorperson's podium with the console of the table on it, whose socket has just fallen silent."""

    def stand(scene: Scene) -> Tablet:
        page = new_page()
        silenced = line(page)
        podium = Dashboard(page).begin(scene, "floorperson")
        console(podium.page)
        second = Tablet(podium.page)
        second.is_live()
        silenced.cut = True
        return second

    return stand


def console(page: Page) -> None:
    page.goto("/floor/larkfield/T-01/console")


def test_a_wager_after_no_more_bets_is_refused_at_the_second_tablet(stage, new_page, late):
    scene = stage("pa-539")
    scene.place((1, "big", 2_500))
    second = late(scene)
    scene.act("no_more_bets")
    area = second.area("small")
    second.tap(area)
    expect(second.refused()).to_be_visible()
    expect(second.refused().locator("cite")).to_contain_text("§ 539")
    assert stands_beside(second.refused(), second.area("small"))
    second.is_in("closed")
    assert second.lying() == {(1, "big"): 2_500}


def test_a_stale_step_is_refused_and_the_screen_shows_the_fresh_state(stage, late):
    scene = stage("pa-539")
    scene.place((1, "big", 2_500))
    second = late(scene)
    scene.act("no_more_bets")
    second.tap(second.next)
    expect(second.refused()).to_contain_text("Dealer was first on another screen: No more bets, $25")
    expect(second.refused()).not_to_contain_text("Try again")
    second.is_in("closed")
    assert scene.round.phase == "closed"
    second.step("Shaken")
    second.is_in("ready")


def test_two_screens_that_pay_at_once_pay_once(scene, new_page, late):
    scene.play((1, "big", 2_500), (2, "big", 2_500), dice=[5, 5, 6])
    second = late(scene)
    scene.act("pay_seats", {"seats": [1]})
    second.tap(second.next)
    expect(second.refused()).to_contain_text("on another screen")  # and what was done there
    expect(second.refused()).not_to_contain_text("Try again")
    expect(second.page.locator(".due--paid")).to_have_count(1)
    assert scene.round.paid_seats == [1]


def test_dice_past_their_time_block_the_shake_until_a_floorperson_signs_for_new_ones(scene, new_page):
    scene.place((1, "big", 2_500))
    dealer = tablet(new_page, scene)
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("L-0001")
    expect(dealer.refused().locator("cite")).to_contain_text("§ 625a.2(b)")
    assert stands_beside(dealer.refused(), dealer.next)
    dealer.tap(dealer.refused().get_by_role("button", name="Change dice lot"))
    dealer.tap('#ask [data-fill="lot"][data-value="L-0002"]')
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    expect(dealer.page.locator("#top")).to_contain_text("L-0002")
    dealer.tap(dealer.next)
    dealer.is_in("shaken")


def test_the_pit_is_warned_of_dice_past_their_time(scene, new_page):
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    pit = dashboard(new_page, scene)
    pit.shows(left="out of time")
    expect(pit.page.locator("#alerts")).to_contain_text("T-01")


def test_a_die_tapped_wrongly_is_taken_back_before_it_counts(scene, new_page):
    scene.place((1, "big", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    dealer.enter(1, 6)
    dealer.tap("[data-do=face-back]")
    expect(dealer.next).to_have_attribute("aria-disabled", "true")
    dealer.enter(2, 3)
    expect(dealer.next).to_contain_text("One, two, three: total 6")
    dealer.tap(dealer.next)
    dealer.is_in("lit")
    assert scene.round.phase == "lit"


def test_no_roll_and_void_return_every_wager(scene, new_page):
    wagers = [
        (seat, code, 2_500) for seat in range(1, 9) for code in ("big", "small", "total:9", "two-dice:1-2")
    ]
    scene.place(*wagers)
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    expect(dealer.page.locator('.dock [data-ask="call_no_roll"]')).to_have_count(0)
    dealer.tap('#side-seats [data-ask="call_no_roll"]')
    for face in (1, 6):
        dealer.tap(f'#ask [data-ask-face="{face}"]')
    dealer.tap("#ask [data-choices] [data-fill] >> nth=0")
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()  # the floor looks at the dice and signs
    dealer.sign("floorperson")
    expect(dealer.page.locator("#side-return .run--now")).to_contain_text("Hand back 4 wagers")
    expect(dealer.area("big").locator(".stk")).to_have_count(8)
    assert scene.last_round.phase == "no-roll"
    assert (scene.entry["witness"], scene.entry["data"]["faces_read"]) == ("floorperson", [1, 6])
    everything = dealer.page.locator("#all")
    expect(everything).to_contain_text("Scroll: ")
    dealer.step("Returned seat 1")
    expect(dealer.page.locator("#side-return .run--done")).to_contain_text("Seat 1 returned")
    dealer.page.locator("#side-return .run >> nth=-1").scroll_into_view_if_needed()
    expect(everything).to_contain_text("7 seats, $700")
    dealer.tap(everything)
    expect(dealer.page.locator("#side-seats")).to_be_visible()
    assert scene.last_round.returned_seats == list(range(1, 9))
    dealer.place((2, "small", 2_500))
    dealer.other("void_round")
    dealer.tap('#ask [data-choices] [data-ask="report_device_failure"] >> nth=0')
    expect(dealer.page.locator("#ask-title")).to_have_text("Device failure")
    dealer.tap("#ask [data-cancel]")
    dealer.other("void_round")
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()
    dealer.page.locator("#ask [name=note]").fill("fire alarm")
    dealer.tap('#ask [data-value="emergency"]')
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    assert scene.last_round.phase == "void"
    said = scene.entry["data"]
    assert (said["reason"], said["note"]) == ("emergency", "fire alarm")
    dealer.step("Returned seat 2")
    dealer.is_in("open")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "betting")


def test_a_late_wager_gets_an_answer_and_a_refusal_goes_when_it_is_no_longer_true(scene, new_page):
    scene.place((1, "big", 2_500))
    dealer = tablet(new_page, scene)
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("L-0001")
    dealer.page.wait_for_timeout(400)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    expect(dealer.refused()).to_be_hidden()
    scene.to_the_dice()
    dealer.is_in("ready")
    dealer.tap(dealer.area("small"))
    expect(dealer.refused()).to_contain_text("No more bets")
    assert lying(scene) == {(1, "big"): 2_500}
