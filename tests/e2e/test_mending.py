"""Mistakes are corrected on the same tablet with a floorperson's own PIN, until money has moved."""

import contextlib
import json

import pytest
from playwright.sync_api import TimeoutError, expect

from audit.models import Entry
from tests.e2e.floor import Tablet, resize, tablet
from tests.tables.cast import Scene
from tests.tables.house import hire

pytestmark = pytest.mark.browser

# The parts of the dialog that lie over the felt or a step of the ribbon, or have no room beside it.
COVERS_THE_FELT = """() => {
    const areas = [document.getElementById("felt"), ...document.querySelectorAll("#ribbon .step")]
        .map((area) => area.getBoundingClientRect());
    const { clientWidth, clientHeight, scrollHeight } = document.querySelector("#ask .ask");
    if (clientWidth < 360 || scrollHeight > clientHeight + 1) return [clientWidth, clientHeight, scrollHeight];
    return [...document.querySelectorAll("#ask .ask > *, #ask .ask-inputs")].filter((part) => {
        const { left, right, top, bottom, width } = part.getBoundingClientRect();
        return width && areas.some((area) =>
            left < area.right && right > area.left && top < area.bottom && bottom > area.top);
    }).map((part) => part.className);
}"""


@pytest.fixture
def lit(scene) -> Scene:
    """Big and small lie there for seats 1 and 2, and the dice say 13."""
    scene.play((1, "big", 2_500), (2, "small", 2_500), dice=[2, 5, 6])
    return scene


@pytest.fixture
def dealer(lit, new_page) -> Tablet:
    return tablet(new_page, lit)


def last_type(scene: Scene) -> str:
    """The newest entry that a person made; an alert is raised beside it."""
    made = Entry.objects.filter(stream=scene.fresh.stream).exclude(type__startswith="alert.")
    return made.order_by("-seq")[0].type


def give_reason(dealer: Tablet) -> None:
    dealer.tap("#ask [data-reasons] [data-reason] >> nth=0")


def is_done(dealer: Tablet) -> None:
    expect(dealer.page.locator("#ask")).to_be_hidden()


def leaves_the_felt_in_sight(dealer: Tablet) -> None:
    for width, height in ((1280, 800), (1024, 768), (820, 1180)):
        resize(dealer.page, (width, height))
        with contextlib.suppress(TimeoutError):  # the dialog moves with the felt, a moment later
            dealer.page.wait_for_function(f"!({COVERS_THE_FELT})().length", timeout=5_000)
        assert dealer.page.evaluate(COVERS_THE_FELT) == [], (width, height)


def test_before_the_dice_too_the_felt_is_in_sight_and_marked(scene, new_page):
    scene.place((1, "big", 2_500), (2, "small", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    dealer.other("strike_mistaken_wager")
    dealer.page.locator("#ask [name=lying]").select_option(label="Seat 1: Big, $25")
    expect(dealer.area("big").locator(".would-word")).to_have_text("STRUCK")
    leaves_the_felt_in_sight(dealer)


def test_dice_entered_wrongly_are_corrected_and_the_layout_lights_anew(lit, dealer):
    assert "big" in dealer.lit()
    dealer.tap('[data-ask="correct_dice"] >> nth=0')
    dealer.replace_dice(1, 2, 3)
    expect(dealer.page.locator("#ask .would")).to_contain_text("now loses: take it")
    expect(dealer.area("big")).to_have_attribute("data-would", "loses")
    expect(dealer.area("small").locator(".would-word")).to_have_text("WINS")
    expect(dealer.page.locator("#felt [data-lit]")).to_have_count(0)  # what is lit is recorded
    leaves_the_felt_in_sight(dealer)
    dealer.page.keyboard.press("Escape")
    expect(dealer.page.locator("#felt .area[data-would]")).to_have_count(0)
    assert "big" in dealer.lit()
    dealer.tap('[data-ask="correct_dice"] >> nth=0')
    dealer.replace_dice(1, 2, 3)
    dealer.sign("floorperson")
    is_done(dealer)
    expect(dealer.page.locator("#side-take .corrected")).to_contain_text("Dice corrected to 1, 2, 3")
    expect(dealer.area("small")).to_have_attribute("data-lit", "")
    assert dealer.lit() == {
        "small", "total:6", "two-dice:1-2", "two-dice:1-3", "two-dice:2-3",
        "one-of-a-kind:1", "one-of-a-kind:2", "one-of-a-kind:3",
    }  # fmt: skip
    assert last_type(lit) == "dice.corrected"
    expect(dealer.page.locator("#side-take")).to_contain_text("$25")


def test_one_wrong_die_takes_two_taps_beside_the_pin(lit, dealer):
    """It took five: the button, three faces and a reason. A tap on the wrong die, and what it shows, are left."""
    taps, page = dealer.taps, dealer.page
    dealer.tap('.tray [data-die="2"]')
    chosen = page.locator('#ask [data-ask-die="2"]')
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#ask .slot .die")).to_have_count(3)  # as they were entered
    expect(page.locator("#ask [data-go]")).to_be_disabled()
    expect(page.locator("#ask .would")).to_have_count(0)  # nothing has changed yet
    dealer.tap('#ask [data-ask-face="1"]')
    expect(page.locator("#ask .would")).to_contain_text("now loses: take it")
    expect(page.locator("#ask [data-entered] .die--replaced")).to_have_count(1)
    expect(page.locator("#ask [data-go]")).to_have_text("Correct to 2, 5, 1")
    expect(page.locator("#ask [data-reason]").first).to_have_attribute("aria-pressed", "true")
    dealer.sign("floorperson")
    is_done(dealer)
    assert dealer.taps - taps == 2 + 6
    corrected = json.loads(bytes(Entry.objects.get(type="dice.corrected").body))["data"]["mended"]
    assert corrected == {"before": [2, 5, 6], "after": [2, 5, 1], "reason": "Entered wrongly"}


def test_from_the_button_the_wrong_die_is_asked_for_first_and_another_reason_is_one_tap(lit, dealer):
    taps, page = dealer.taps, dealer.page
    dealer.tap('.acts [data-ask="correct_dice"]')
    expect(page.locator("#ask [data-ask-which]")).to_have_text("Tap the wrong die")
    expect(page.locator('#ask [data-ask-face="1"]')).to_be_disabled()
    dealer.tap_each('#ask [data-ask-die="2"]', '#ask [data-ask-face="1"]')
    dealer.tap('#ask [data-reason="Read wrongly"]')
    expect(page.locator("#ask .would")).to_be_visible()
    dealer.sign("floorperson")
    is_done(dealer)
    assert dealer.taps - taps == 4 + 6
    corrected = json.loads(bytes(Entry.objects.get(type="dice.corrected").body))["data"]["mended"]
    assert corrected["reason"] == "Read wrongly"


def test_a_missed_wager_is_written_down_and_settled(lit, dealer):
    dealer.tap('[data-ask="record_missed_wager"] >> nth=0')
    assert [dealer.page.locator(f"#ask [name={name}]").input_value() for name in ("seat", "wager")] == [
        "",
        "",
    ]
    dealer.page.locator("#ask [name=seat]").select_option("4")
    dealer.page.locator("#ask [name=wager]").select_option("total:13")
    dealer.page.locator("#ask [name=dollars]").fill("25")
    give_reason(dealer)
    dealer.sign("floorperson")
    is_done(dealer)
    assert dealer.lying()[4, "total:13"] == 2_500
    assert last_type(lit) == "wager.missed"


def test_what_is_held_back_is_said_and_is_not_on_the_list_to_pay(lit, dealer):
    dealer.tap('[data-ask="record_missed_wager"] >> nth=0')
    dealer.page.locator("#ask [name=seat]").select_option("4")
    dealer.page.locator("#ask [name=wager]").select_option("total:13")
    dealer.page.locator("#ask [name=dollars]").fill("500")
    give_reason(dealer)
    dealer.sign("floorperson")
    is_done(dealer)
    dealer.tap(dealer.next)
    held = lit.snapshot["round"]["held"][0]["cents"]
    expect(dealer.page.locator("#side-pay .corrected")).to_contain_text("Held back of seat 4: $")
    expect(dealer.page.locator("#side-pay")).to_contain_text("held back")
    assert lit.snapshot["round"]["pay"]["cents"] == 2_500 and held >= 100_000


def test_a_mistaken_wager_is_struck(lit, dealer):
    dealer.tap('[data-ask="strike_mistaken_wager"] >> nth=0')
    expect(dealer.page.locator("#ask [name=lying]")).to_have_value("")
    dealer.page.locator("#ask [name=lying]").select_option(label="Seat 2: Small, $25")
    give_reason(dealer)
    dealer.sign("floorperson")
    is_done(dealer)
    assert last_type(lit) == "wager.struck"
    dealer.is_in("taken")


def test_the_wager_that_was_selected_is_struck_though_another_tablet_struck_one_before_it(lit, dealer):
    missed = {"seat": 3, "wager": "total:13", "cents": 2_500, "reason": "Chips were on the line"}
    lit.act("record_missed_wager", missed, by="floorperson", witness="dealer")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-version", str(lit.version))
    dealer.tap('[data-ask="strike_mistaken_wager"] >> nth=0')
    dealer.page.locator("#ask [name=lying]").select_option(label="Seat 2: Small, $25")
    give_reason(dealer)
    lit.act(
        "strike_mistaken_wager",
        {"seat": 1, "wager": "big", "reason": "Wrong seat"},
        by="floorperson",
        witness="dealer",
    )
    expect(dealer.page.locator("#screen")).to_have_attribute("data-version", str(lit.version))
    expect(dealer.page.locator("#ask .would")).to_be_visible()  # nobody signs what is not shown
    dealer.sign("floorperson")
    is_done(dealer)
    assert set(dealer.lying()) == {(3, "total:13")}


def test_who_came_on_duty_and_took_over_the_table_signs_at_a_tablet_that_was_open_before(lit, dealer):
    hire(lit, ("nadia", "floorperson"))
    lit.act("take_supervision", by="nadia", device=lit.podium)
    expect(dealer.page.locator("#screen")).to_have_attribute("data-version", str(lit.version))
    dealer.tap('[data-ask="strike_mistaken_wager"] >> nth=0')
    dealer.page.locator("#ask [name=lying]").select_option(label="Seat 2: Small, $25")
    give_reason(dealer)
    expect(dealer.page.locator("#ask [name=person]")).to_have_value("nadia")
    dealer.sign("nadia")
    is_done(dealer)
    assert lit.entry["witness"] == "nadia"


def test_a_wrong_pin_mends_nothing_and_says_so(lit, dealer):
    dealer.tap('[data-ask="strike_mistaken_wager"] >> nth=0')
    dealer.page.locator("#ask [name=lying]").select_option(label="Seat 2: Small, $25")
    give_reason(dealer)
    dealer.sign("floorperson", "000000")
    expect(dealer.page.locator("#ask [data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    expect(dealer.page.locator("#ask .dots")).to_have_attribute("aria-label", "0 of 6 digits")
    assert last_type(lit) == "round.settled"
    dealer.page.wait_for_timeout(2_000)  # a page that leaves for the sign-in waits a moment before it goes
    dealer.sign("floorperson")
    is_done(dealer)


def test_after_the_first_payment_nothing_is_mended(lit, new_page, dealer):
    dealer.tap('[data-ask="correct_dice"] >> nth=0')
    dealer.replace_dice(1, 2, 3)
    expect(dealer.page.locator("#ask .would")).to_be_visible()
    give_reason(dealer)
    lit.act("take_losers")
    lit.act("pay_seats")
    dealer.is_in("paid")
    expect(dealer.page.locator("#ask [data-preview] .ask-refused")).to_contain_text("has been paid")
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()
    expect(dealer.page.locator("#felt .area[data-would]")).to_have_count(0)
    dealer.tap("#ask [data-close]")
    expect(dealer.page.locator('.dock [data-ask="correct_dice"]')).to_have_count(0)
    dealer.tap("[data-open=more]")
    expect(dealer.page.locator("#more [data-ask=record_missed_wager]")).to_be_hidden()
    assert last_type(lit) == "winners.paid"


def test_a_device_that_fails_with_the_dice_seen_is_settled_by_hand_before_a_witness(scene, new_page):
    scene.place((1, "big", 2_500), (2, "small", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    dealer.report_failure("layout", 2, 5, 6)
    expect(dealer.page.locator("#ask [data-end=settle]")).to_contain_text("§ 625a.7(b)")
    dealer.sign("floorperson")
    is_done(dealer)
    assert last_type(scene) == "round.settled_by_hand"
    while scene.round is not None:
        phase = scene.round.phase
        dealer.tap(dealer.next)
        expect(dealer.page.locator(f"#screen[data-phase={phase}]")).to_have_count(0)
    assert scene.last_round.phase == "cleared"
    expect(dealer.page.locator("#side-ceased")).to_contain_text("§ 625a.7")
    assert scene.fresh.status == "ceased"


def test_a_device_that_fails_before_the_dice_voids_the_round_and_a_floorperson_records_the_repair(
    scene, new_page
):
    scene.place((1, "big", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene, "floorperson")
    dealer.report_failure("device")
    expect(dealer.page.locator("#ask [data-end=void]")).to_contain_text("Hand back to seat 1 $25")
    dealer.sign("dealer")
    is_done(dealer)
    assert scene.last_round.phase == "void"
    expect(dealer.page.locator("#dock-return")).to_contain_text("Device failed")
    dealer.step("Returned seat 1")
    dealer.step("Record the repair")
    dealer.page.locator("#ask [name=text]").fill("Cable replaced, three values tested")
    dealer.tap("#ask [data-go]")
    is_done(dealer)
    expect(dealer.page.locator("#side-inspect")).to_contain_text("After the repair")
    assert scene.fresh.status == "ceased"
    dealer.inspect(1, 2, 5)
    dealer.is_in("open")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "betting")
    assert scene.fresh.status == "open"


def test_a_floorperson_writes_down_the_round_that_was_settled_by_hand(scene, new_page):
    scene.act("report_device_failure", {"what": "device"})
    floor = tablet(new_page, scene, "floorperson")
    floor.other("record_hand_settled_round")
    expect(floor.page.locator("#ask [name=person] option:not([disabled])")).to_have_text(
        ["Dealer, dealer", "Relief, dealer", "Stickperson, stickperson"]
    )
    for face in (2, 5, 5):
        floor.tap(f'#ask [data-ask-face="{face}"]')
    floor.page.locator("#ask [name=seat]").select_option("1")
    floor.page.locator("#ask [name=wager]").select_option("big")
    floor.page.locator("#ask [name=dollars]").fill("25")
    floor.tap("#ask [data-add-wager]")
    give_reason(floor)
    floor.sign("dealer")
    is_done(floor)
    assert last_type(scene) == "round.recorded_by_hand"
    assert scene.last_round.paid_cents == 2_500


def test_a_round_settled_by_hand_is_offered_once_a_failure_is_on_record(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.tap("[data-open=more]")
    expect(dealer.page.locator("#more [data-ask=report_device_failure]")).to_be_visible()
    expect(dealer.page.locator("#more [data-ask=record_hand_settled_round]")).to_be_hidden()
    dealer.page.keyboard.press("Escape")
    scene.act("report_device_failure", {"what": "device"}, by="floorperson", device=scene.podium)
    dealer.is_in("open")
    dealer.tap("[data-open=more]")
    expect(dealer.page.locator("#more [data-ask=record_hand_settled_round]")).to_be_visible()
