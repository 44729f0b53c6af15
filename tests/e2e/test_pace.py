"""How many taps a full table costs."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import Tablet, again, lying, tablet

pytestmark = pytest.mark.browser
MOST_TAPS, MOST_TAPS_REPEATED, MOST_TAPS_EIGHT_SEATS = 15, 9, 12

FOUR_EACH = tuple(
    (seat, wager, 2_500)
    for seat in range(1, 9)
    for wager in ("small" if seat % 2 else "big", "total:12", "two-dice:2-5", f"one-of-a-kind:{1 + seat % 6}")
)


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-539"), again("pa-625a/B"), again("nj-19-47-9")])
def test_three_seats_with_two_wagers_each_cost_fifteen_taps_a_round_and_nine_with_repeats(
    stage, new_page, rules, record_property
):
    scene = stage(rules)
    dealer = tablet(new_page, scene)
    dealer.choose(dealer.chip(2_500))
    dealer.taps = 0
    dealer.tap_each(dealer.area("small"), dealer.area("total:12"))
    for seat in (2, 3):
        dealer.drag(dealer.seat(seat), "big")
        dealer.tap(dealer.area("total:12"))
    dealer.is_taken()
    wagers = {
        (seat, wager): 2_500 for seat in (1, 2, 3) for wager in ("small" if seat == 1 else "big", "total:12")
    }
    assert lying(scene) == wagers
    deal(dealer, rules)
    record_property("taps", dealer.taps)
    assert dealer.taps <= MOST_TAPS
    assert scene.last_round.phase == "cleared"
    dealer.taps = 0
    dealer.tap("[data-do=repeat-all]")
    dealer.is_taken()
    assert lying(scene) == wagers
    deal(dealer, rules)
    record_property("taps_with_repeats", dealer.taps)
    assert dealer.taps <= MOST_TAPS_REPEATED


def deal(dealer: Tablet, rules: str) -> None:
    """From the last wager to the next round."""
    for phase in ["shaken", "ready"] if rules.startswith("pa-625a") else ["closed", "ready"]:
        dealer.tap(dealer.next)
        dealer.is_in(phase)
    dealer.call_held(2, 5, 5)
    dealer.tap(dealer.next)
    dealer.is_in("taken")
    dealer.pay_all()
    dealer.is_in("paid")
    dealer.tap(dealer.next)
    dealer.is_in("open")


def test_one_held_button_pays_eight_seats_once_every_line_was_on_screen(scene, new_page, record_property):
    """It took a tap for each. A tap that is too short pays nobody."""
    scene.play(*((seat, "big", 2_500) for seat in range(1, 9)), dice=[5, 5, 6])
    dealer = tablet(new_page, scene)
    everything = dealer.page.locator("#all")
    expect(everything).to_contain_text("Scroll: 1 more")  # nobody pays what was not read
    dealer.page.locator("#side-pay [data-seen]").last.scroll_into_view_if_needed()
    expect(everything).to_have_attribute("aria-disabled", "false")
    expect(everything).to_contain_text("8 wagers, $200")
    everything.evaluate("(button) => button.click()")
    dealer.page.wait_for_timeout(500)
    assert scene.round.paid_seats == []
    dealer.taps = 0
    dealer.pay_all()
    dealer.is_in("paid")
    record_property("taps", dealer.taps)
    assert dealer.taps == 1
    assert scene.round.paid_seats == [*range(1, 9)]


def test_eight_seats_with_four_wagers_each_go_in_with_twelve_taps(scene, new_page, record_property):
    scene.play(*FOUR_EACH, dice=[1, 3, 6])
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.taps = 0
    dealer.tap("[data-do=repeat-all]")
    dealer.place((3, "big", 2_500), (6, "three-of-a-kind:4", 500))
    dealer.tap(dealer.seat(8))
    dealer.clear_seat()
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    record_property("taps", dealer.taps)
    expected = {(seat, wager): cents for seat, wager, cents in FOUR_EACH}
    expected |= {(3, "big"): 2_500, (6, "three-of-a-kind:4"): 500}
    assert dealer.lying() == expected
    assert lying(scene) == expected
    expect(dealer.page.locator("#side-seats .seat--empty")).to_have_count(0)
    assert dealer.taps <= MOST_TAPS_EIGHT_SEATS
