"""Taps on the felt: they gather, they are shown at once, and they go out before whatever comes next."""

import datetime as dt
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from audit import clock
from audit.models import Entry
from tables.models import DiceLot
from tests.e2e.floor import AFTER_A_TAP, Tablet, lying, tablet
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
QUICK_PAIRS = (Path(__file__).parent / "quick_pairs.js").read_text().replace("export ", "")
DIALOG_PAIRS = f"() => {{ {QUICK_PAIRS} return dialogPairs(); }}"
PAIRS = f"(phases) => {{ {QUICK_PAIRS} return tapPairs(phases); }}"
FRAGMENT = """async () => {
    const response = await fetch(document.querySelector("live-screen").getAttribute("fallback"),
        { headers: { Accept: "application/json" } });
    return (await response.json()).html;
}"""


@pytest.fixture
def dealer(scene, new_page) -> Tablet:
    return tablet(new_page, scene)


def recorded(scene: Scene) -> list[str]:
    """The types of what stands in the table's record since it opened."""
    types = list(
        Entry.objects.filter(stream=scene.fresh.stream).order_by("seq").values_list("type", flat=True)
    )
    return types[types.index("table.opened") + 1 :]


def test_taps_of_one_seat_within_half_a_second_are_one_act(scene, dealer):
    waiting: list[Route] = []
    drawn: list[bool] = []
    dealer.posts_acts()
    dealer.page.route("**/place_wagers", lambda route: route.continue_() if drawn else waiting.append(route))
    dealer.tap('[data-chip="2500"]')
    dealer.tap_at_once('[data-wager="big"]', '[data-wager="big"]', '[data-wager="total:12"]')
    expect(dealer.area("big").locator(".stk--pending")).to_have_text("150")
    drawn.append(True)
    for route in waiting:
        route.continue_()
    dealer.is_taken()
    assert recorded(scene) == ["wagers.placed"]
    assert lying(scene) == {(1, "big"): 5_000, (1, "total:12"): 2_500}


def test_another_seat_is_another_act(scene, dealer):
    dealer.place((1, "big", 2_500), (4, "small", 2_500))
    assert recorded(scene) == ["wagers.placed"] * 2
    assert lying(scene) == {(1, "big"): 2_500, (4, "small"): 2_500}


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/A"])
def test_taps_still_in_flight_go_out_before_the_next_step(stage, new_page, rules):
    scene = stage(rules)
    dealer = tablet(new_page, scene)
    dealer.tap('[data-chip="2500"]')
    dealer.tap_at_once('[data-wager="big"]', '[data-wager="small"]')
    dealer.tap("#next")
    dealer.is_in("closed" if rules == "pa-539" else "shaken")
    after = "bets.closed" if rules == "pa-539" else "dice.shaken"
    assert recorded(scene) == ["wagers.placed", after]
    assert lying(scene) == {(1, "big"): 2_500, (1, "small"): 2_500}


def test_undo_takes_back_the_last_tap_and_then_the_one_before(scene, dealer):
    dealer.place((2, "big", 2_500), (2, "big", 10_000))
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    assert lying(scene) == {(2, "big"): 2_500}
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    assert lying(scene) == {}
    expect(dealer.page.locator("[data-do=undo]")).to_be_disabled()


def test_an_area_opens_with_its_owners_and_moves_types_and_takes_off_their_chips(scene, dealer):
    dealer.place((1, "big", 2_500), (3, "big", 10_000))
    panel, undo = dealer.page.locator("#area-panel"), dealer.page.locator("#undo-say")
    expect(undo).to_have_text("$100 on Big, seat 3")
    dealer.hold(dealer.area("big"))
    expect(panel.locator(".owner")).to_have_text(["Seat 1$25", "Seat 3$100"])
    expect(panel.locator(".pop-sum")).to_have_text("$125")
    expect(panel.locator(".mine-how")).to_have_text("Each step is $100")  # also while no chip is in hand
    dealer.tap_each("[data-panel=more]", "[data-panel=keypad]")
    for digit in "75":
        dealer.tap(f'[data-digit="{digit}"][data-panel]')
    expect(panel.locator("#area-name")).to_have_text("Seat 3 on Big")
    expect(panel.locator("[data-panel=set]")).to_have_text("Set seat 3 to $75")
    dealer.tap("[data-panel=set]")
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 2_500, (3, "big"): 7_500}
    dealer.tap_each("[data-do=open-area]", dealer.area("big"), "[data-panel=move]", dealer.seat(4))
    expect(panel).to_be_hidden()
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 2_500, (4, "big"): 7_500}
    expect(undo).to_have_text("Big from seat 3 to 4")
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 2_500, (3, "big"): 7_500}
    dealer.tap_each(dealer.area("big"), dealer.area("small"), "[data-panel=close]")
    assert lying(scene) == {(1, "big"): 2_500, (3, "big"): 7_500}, "a tap that opens or closes places nothing"


def test_clearing_a_seat_takes_off_what_it_has_and_nobody_elses(scene, dealer):
    dealer.place((1, "big", 2_500), (3, "small", 500), (3, "total:9", 500))
    dealer.clear_seat()
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 2_500}
    expect(dealer.seat(3)).to_contain_text("No wagers")


def test_a_seat_repeats_its_wagers_of_the_last_round(scene, new_page):
    scene.play((1, "big", 2_500), (3, "small", 500), (3, "total:9", 1_500), dice=[1, 1, 2])
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.tap_each('[data-seat="3"]', "[data-do=repeat-seat]")
    dealer.is_taken()
    assert lying(scene) == {(3, "small"): 500, (3, "total:9"): 1_500}


def test_repeat_all_fills_only_seats_without_wagers_and_knows_the_last_round_that_had_some(scene, new_page):
    scene.play((1, "big", 2_500), (3, "small", 500), (3, "total:9", 1_500), dice=[1, 1, 2])
    scene.finish()
    scene.to_the_dice()  # a round without wagers
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.tap("[data-do=repeat-all]")
    dealer.is_taken()
    repeated = {(1, "big"): 2_500, (3, "small"): 500, (3, "total:9"): 1_500}
    assert lying(scene) == repeated
    dealer.place((1, "big", 10_000))
    dealer.tap("[data-do=repeat-all]")
    dealer.is_taken()
    assert lying(scene) == {**repeated, (1, "big"): 12_500}
    expect(dealer.refused()).to_contain_text("Seat 1 already had wagers and kept them")


def test_a_seat_that_sat_out_a_round_repeats_alone_what_it_had_before(scene, new_page):
    """Repeat all names it and leaves it without wagers: its player may have gone."""
    scene.play((1, "big", 2_500), (3, "small", 500), dice=[1, 1, 2])
    scene.finish()
    scene.play((1, "big", 1_000), dice=[1, 1, 2])
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.tap("[data-do=repeat-all]")
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 1_000}
    expect(dealer.refused()).to_contain_text("Seat 3 sat out the last round.")
    expect(dealer.refused()).to_have_accessible_name("Notice")
    dealer.tap_each('[data-seat="3"]', "[data-do=repeat-seat]")
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 1_000, (3, "small"): 500}


def test_repeat_all_tapped_right_after_clear_is_not_lost(scene, new_page):
    """While what was cleared is still on its way: the seat counts as without wagers."""
    scene.play((1, "big", 2_500), dice=[1, 1, 2])
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.place((1, "small", 500))
    dealer.tap_at_once("#more [data-do=clear-seat]", "[data-do=repeat-all]")
    dealer.is_taken()
    assert lying(scene) == {(1, "big"): 2_500}
    expect(dealer.refused()).to_be_hidden()


def test_an_empty_layout_is_closed_by_a_held_step_alone(scene, dealer):
    """Repeat all, tapped right after Clear, was lost, and the next tap dealt an empty round."""
    dealer.page.evaluate("document.documentElement.style.removeProperty('--hold-time')")
    scene.act("shake", {"shakes": 3})
    dealer.says("No more bets")
    expect(dealer.next).to_contain_text("Hold")
    dealer.page.wait_for_timeout(1_000)
    for _ in range(3):
        dealer.next.tap()
    assert scene.round.phase == "shaken"
    dealer.next.click(delay=900)
    dealer.is_in("ready")


def test_a_wager_outside_the_limits_is_flagged_and_stands(scene, dealer):
    dealer.place((1, "big", 500))
    expect(dealer.seat(1).locator(".seat-mark--flag")).to_contain_text("$5")
    assert lying(scene) == {(1, "big"): 500}


def test_an_answer_that_was_lost_is_asked_for_again_under_the_same_id(scene, dealer):
    lost: list[str] = []

    def lose_the_first(route):
        answer = route.fetch()
        lost.append(json.loads(route.request.post_data)["command"])
        route.abort() if len(lost) == 1 else route.fulfill(response=answer)

    dealer.posts_acts()
    dealer.page.route("**/acts/place_wagers", lose_the_first)
    dealer.place((1, "big", 2_500))
    assert len(lost) == 2 and len(set(lost)) == 1
    assert recorded(scene) == ["wagers.placed"]
    assert lying(scene) == {(1, "big"): 2_500}


PHASE_AFTER = {
    "shake": "shaken",
    "no_more_bets": "ready",
    "call_dice": "lit",
    "take_losers": "taken",
    "pay_seats": "partly",
    "clear_layout": "open",
}


def test_no_two_taps_within_a_second_do_what_was_not_on_the_screen(scene, new_page):
    """Every control of every phase, then its place again and each of its neighbors. No held step goes out by taps."""
    scene.play((1, "small", 2_500), (2, "big", 2_500), (3, "big", 500), dice=[2, 5, 5])
    scene.finish()
    dealer = tablet(new_page, scene)
    fragments, states = (
        {},
        [("open", {}), ("shake", {"shakes": 3}), ("no_more_bets", {}), ("call_dice", {"dice": [2, 5, 5]})],
    )
    states += [("take_losers", {}), ("pay_seats", {"seats": [2]}), ("pay_seats", {})]
    for act, params in states:
        if act == "open":
            scene.place((1, "small", 2_500), (2, "big", 2_500), (3, "big", 500))
        else:
            scene.act(act, params)
        phase = "partly" if params.get("seats") else scene.round.phase
        fragments[phase] = dealer.page.evaluate(FRAGMENT)
    pairs = 0
    surprises: list[list[Any]] = []
    for phase in fragments:
        outcome = dealer.page.evaluate(PAIRS, {"phase": phase, "fragments": fragments, "next": PHASE_AFTER})
        pairs, surprises = pairs + outcome["pairs"], surprises + outcome["surprises"]
    assert surprises == []
    assert len(fragments) == 7 and pairs > 150


def test_a_refused_tap_says_so_on_the_next_step_and_starves_nobody(scene, new_page):
    scene.play((7, "small", 2_500), *((seat, "big", 10_000) for seat in range(1, 7)), dice=[2, 5, 6])
    scene.act("take_losers")
    dealer = tablet(new_page, scene)
    dealer.page.evaluate(
        "document.documentElement.style.setProperty('--read-time', 5_000)"
    )  # a busy machine taps late
    dealer.next.click(delay=900)  # the first payment is held
    expect(dealer.next).to_contain_text("Paid seat 2")
    dealer.next.tap()
    expect(dealer.next).to_have_class(re.compile("too-quick"))
    words = dealer.next.evaluate("(step) => getComputedStyle(step, '::after').content")
    assert "Not taken. One moment." in words and "Then: Paid seat 2" in words
    assert dealer.next.evaluate("(step) => getComputedStyle(step).outlineStyle") == "dashed"
    last = dealer.page.locator(".due--last")
    expect(last).to_have_count(1)
    expect(last).to_contain_text(re.compile(r"1\s*\$100[\s\S]*paid \d\d:\d\d:\d\d"))
    assert scene.round.paid_seats == [1]
    dealer.page.evaluate("document.documentElement.style.removeProperty('--read-time')")
    for _ in range(6):
        dealer.page.wait_for_timeout(600)
        dealer.next.tap()
    dealer.page.wait_for_timeout(300)
    assert len(scene.round.paid_seats) >= 3


def test_a_refused_tap_on_any_other_button_is_framed_and_said_to_screen_readers(scene, new_page):
    """A tap lands on Correct dice, which has just come under the finger."""
    scene.place((1, "big", 2_500), (2, "small", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    dealer.page.evaluate("document.documentElement.style.setProperty('--read-time', 60_000)")
    scene.act("call_dice", {"dice": [2, 5, 5]})
    dealer.is_in("lit")
    correct = dealer.page.locator(".dock [data-ask=correct_dice]").first
    correct.tap()
    expect(correct).to_have_class(re.compile("too-quick"))
    frame = "(button) => ['Width', 'Offset'].map((part) => getComputedStyle(button)[`outline${part}`])"
    assert correct.evaluate(frame) == [
        "4px",
        "-4px",
    ]  # wider than the ring of the focus, and within the button
    expect(dealer.page.locator("#hold-say")).to_have_text(
        "Not taken: the screen has just changed. Read it, then tap."
    )
    expect(dealer.page.locator("#ask")).to_be_hidden()


def payments(scene: Scene) -> int:
    return sum(line["paid"] for seat in scene.round_part["round"]["pay"]["seats"] for line in seat["lines"])


def test_of_twenty_taps_on_paid_every_second_one_counts(scene, new_page, record_property):
    """One each 0.6 s, with the second to read of the floor. It was one of sixty: a refused tap began the wait anew."""
    wins = ("big", "total:16", "two-dice:5-6")
    scene.play(*((seat, wager, 2_500) for seat in range(1, 9) for wager in wins), dice=[5, 5, 6])
    dealer = tablet(new_page, scene)
    dealer.page.evaluate("document.documentElement.style.removeProperty('--read-time')")
    dealer.next.click(delay=900)  # the first payment is held
    expect(dealer.page.locator(".due--paid")).to_have_count(1)
    dealer.page.wait_for_timeout(1_000)
    before = payments(scene)
    began = time.monotonic()
    for number in range(20):
        dealer.page.wait_for_timeout(max(0, 1_000 * (began + 0.6 * number - time.monotonic())))
        dealer.next.tap()
    dealer.is_taken()
    taken = payments(scene) - before
    record_property("taps_refused", 20 - taken)
    assert taken >= 8, f"{20 - taken} of 20 taps were refused"


def test_a_step_that_closes_corrections_is_pressed_and_held(scene, new_page):
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    scene.act("take_losers")
    dealer = tablet(new_page, scene)
    dealer.page.evaluate("document.documentElement.style.removeProperty('--hold-time')")
    expect(dealer.next).to_have_text(re.compile("Hold"))
    box = dealer.next.bounding_box()
    assert box and box["height"] >= 56
    for _ in range(3):
        dealer.next.tap()
    assert (scene.round.phase, scene.round.paid_seats) == ("taken", [])
    dealer.next.click(delay=900)
    dealer.is_in("paid")
    dealer.next.focus()
    dealer.page.keyboard.press("Enter", delay=900)
    dealer.is_in("open")


# The middle of an area that a finger reaches now
FREE_AREA = """() => [...document.querySelectorAll("button.area")].map((area) => [area, area.getBoundingClientRect()])
    .map(([area, { x, y, width, height }]) => [area, x + width / 2, y + height / 2])
    .find(([area, x, y]) => area.contains(document.elementFromPoint(x, y)))?.slice(1)"""


def test_a_tap_that_dismisses_something_places_nothing(scene, new_page):
    """Whatever covers the felt is closed by a tap beside it, or by two quick taps on its own button."""
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.finish()
    dealer = tablet(new_page, scene)
    page = dealer.page
    acts: list[str] = []
    dealer.posts_acts()
    page.on("request", lambda request: acts.append(request.url) if "place_wagers" in request.url else None)

    def read_for(ms: int) -> None:
        page.evaluate(f"document.documentElement.style.setProperty('--read-time', {ms})")

    def tap_beside(element: str) -> None:
        expect(page.locator(element)).to_be_visible()
        page.touchscreen.tap(*page.evaluate(FREE_AREA))
        expect(page.locator(element)).to_be_hidden()

    def tap_at_once(x: float, y: float) -> None:
        """Two taps within the time to read, however busy this machine is."""
        read_for(10_000)
        for _ in range(2):
            page.touchscreen.tap(x, y)
        read_for(1)
        page.evaluate(AFTER_A_TAP)  # the mark of the second tap, which the next finger need not heed

    def tap_twice(button: str) -> None:
        box = page.locator(button).bounding_box()
        assert box
        tap_at_once(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page.locator(button)).to_be_hidden()

    read_for(1)
    for opening, element in ((".results-open", "#results"), ("[data-call=floor]", "#call-floor")):
        dealer.tap(opening)
        tap_beside(element)
    dealer.tap("[data-call=floor]")
    tap_twice("#call-floor [data-close-call]")
    dealer.tap("[data-open=more]")
    tap_twice("#more [data-close]")
    dealer.hold(dealer.area("small"))
    dealer.tap("[data-panel=keypad]")
    dealer.tap("[data-digit='5'][data-panel]")
    tap_at_once(*page.evaluate(FREE_AREA))
    expect(page.locator("#area-panel")).to_be_hidden()
    dealer.hold(dealer.area("big"))
    tap_twice("#area-panel [data-panel=close]")
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_be_visible()
    tap_twice("#refusal [data-close]")
    dealer.is_taken()
    assert (acts, lying(scene)) == ([], {})
    dealer.tap(dealer.area("small"))
    dealer.is_taken()
    assert len(acts) == 1
