"""Taps on the felt: they gather, they are shown at once, and they go out before whatever comes next."""

import json

import pytest
from playwright.sync_api import expect

from audit.models import Entry
from tests.e2e.floor import Tablet, lying, tablet
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser


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
    dealer.tap_each(
        '[data-chip="2500"]', '[data-wager="big"]', '[data-wager="big"]', '[data-wager="total:12"]'
    )
    expect(dealer.area("big").locator(".chip--sending")).to_have_text("501")
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
    dealer.tap_each('[data-chip="2500"]', '[data-wager="big"]', '[data-wager="small"]', "#next")
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


def test_clearing_a_seat_takes_off_what_it_has_and_nobody_elses(scene, dealer):
    dealer.place((1, "big", 2_500), (3, "small", 500), (3, "total:9", 500))
    dealer.tap("[data-do=clear-seat]")
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

    dealer.page.route("**/acts/place_wagers", lose_the_first)
    dealer.place((1, "big", 2_500))
    assert len(lost) == 2 and len(set(lost)) == 1
    assert recorded(scene) == ["wagers.placed"]
    assert lying(scene) == {(1, "big"): 2_500}


DOUBLE_TAP = """async () => {
    const click = (detail) => new MouseEvent("click", { bubbles: true, detail });
    const tap = (detail) => document.getElementById("next").dispatchEvent(click(detail));
    const phase = () => document.getElementById("screen").dataset.phase, before = phase();
    tap(1);
    while (phase() === before) await new Promise(requestAnimationFrame);
    tap(2);
}"""


def test_the_second_tap_of_a_double_tap_does_not_do_the_step_that_has_come_meanwhile(scene, new_page):
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    dealer = tablet(new_page, scene)
    dealer.page.evaluate(DOUBLE_TAP)
    dealer.page.wait_for_timeout(400)
    assert (scene.round.phase, scene.round.paid_seats) == ("taken", [])
    dealer.tap("#next")
    dealer.is_in("paid")
