"""How many taps and seconds a full table costs."""

import time

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import again, lying, tablet

pytestmark = pytest.mark.browser
MOST_TAPS, MOST_SECONDS = 9, 15

FOUR_EACH = tuple(
    (seat, wager, 2_500)
    for seat in range(1, 9)
    for wager in ("small" if seat % 2 else "big", "total:12", "two-dice:2-5", f"one-of-a-kind:{1 + seat % 6}")
)


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-539"), again("pa-625a/B"), again("nj-19-47-9")])
def test_a_round_after_the_wagers_costs_at_most_nine_taps(stage, new_page, rules, record_property):
    scene = stage(rules)
    dealer = tablet(new_page, scene)
    dealer.place((1, "small", 2_500), (2, "big", 2_500), (3, "total:12", 2_500))
    dealer.taps = 0
    phases = ["shaken", "ready"] if rules.startswith("pa-625a") else ["closed", "ready"]
    for phase in phases:
        dealer.tap(dealer.next)
        dealer.is_in(phase)
    dealer.call(2, 5, 5)
    dealer.tap(dealer.next)
    dealer.is_in("taken")
    dealer.tap(dealer.next)
    dealer.is_in("paid")
    dealer.tap(dealer.next)
    dealer.is_in("open")
    record_property("taps", dealer.taps)
    assert dealer.taps <= MOST_TAPS
    assert scene.last_round.phase == "cleared"


def test_eight_seats_with_four_wagers_each_go_in_under_fifteen_seconds(scene, new_page, record_property):
    scene.play(*FOUR_EACH, dice=[1, 3, 6])
    scene.finish()
    dealer = tablet(new_page, scene)
    dealer.taps, began = 0, time.monotonic()
    dealer.tap("[data-do=repeat-all]")
    dealer.place((3, "big", 2_500), (6, "three-of-a-kind:4", 500))
    dealer.tap(dealer.seat(8))
    dealer.tap("[data-do=clear-seat]")
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    seconds = time.monotonic() - began
    record_property("taps", dealer.taps)
    record_property("seconds", round(seconds, 2))
    expected = {(seat, wager): cents for seat, wager, cents in FOUR_EACH}
    expected |= {(3, "big"): 2_500, (6, "three-of-a-kind:4"): 500}
    assert dealer.lying() == expected
    assert lying(scene) == expected
    expect(dealer.page.locator("#side-seats .seat--empty")).to_have_count(0)
    assert seconds < MOST_SECONDS
