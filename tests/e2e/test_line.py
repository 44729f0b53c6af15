"""The line between a screen and the table: a lost push, a silent socket, no line at all."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from audit.models import Entry
from tests.e2e.conftest import Line
from tests.e2e.floor import Dashboard, Tablet, dashboard, lying, resize, tablet
from tests.e2e.test_looks import CUT_OFF, SIZES, broken_rules
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
SILENCE = 12_000


def last_data(scene: Scene, number: int) -> list[dict[str, Any]]:
    entries = Entry.objects.filter(stream=scene.fresh.stream).order_by("-seq")[:number]
    return [json.loads(bytes(entry.body))["data"] for entry in entries]


def test_a_push_that_was_lost_is_noticed_by_the_heartbeat(scene, new_page, pushes_lost):
    pit, dealer = dashboard(new_page, scene), tablet(new_page, scene)
    with pushes_lost():
        dealer.place((1, "big", 2_500))
        lost_version = scene.version
    assert pit.tile().get_attribute("data-version") != str(lost_version)
    expect(pit.tile()).to_have_attribute("data-version", str(lost_version))
    pit.shows(wagered="$25")
    pit.was_never_loaded_again()


def test_a_silent_socket_makes_the_screen_stale_and_polling_keeps_it_fresh(scene, new_page, line):
    page = new_page()
    cut = line(page)
    page.clock.install()
    dealer = Tablet(page).begin(scene)
    cut.cut = True
    page.clock.fast_forward(SILENCE + 1_000)
    expect(page.locator("#live")).to_contain_text("STALE")
    expect(page.locator("#stale-say")).to_contain_text("Live updates are down.")
    scene.place((1, "big", 2_500))
    expect(page.locator("#screen")).to_have_attribute("data-version", str(scene.version))
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
    cut.cut = False
    expect(page.locator("#live")).to_have_text("LIVE")


def test_the_dashboard_goes_stale_too_and_stays_fresh(scene, new_page, line):
    page = new_page(1440, 900)
    cut = line(page)
    page.clock.install()
    pit = Dashboard(page).begin(scene)
    cut.cut = True
    page.clock.fast_forward(SILENCE + 1_000)
    expect(page.locator("#live")).to_contain_text("STALE")
    scene.place((1, "big", 2_500))
    expect(pit.tile()).to_have_attribute("data-version", str(scene.version))


def test_what_is_tapped_offline_waits_by_name_and_time_and_is_taken_when_the_line_is_back(
    scene, new_page, line
):
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    scene.place((1, "big", 2_500))
    expect(page.locator("#screen")).to_have_attribute("data-version", str(scene.version))
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE", timeout=2_000)  # at once, not after the silence
    box = page.locator("#stale-say")
    expect(box).to_contain_text("A tap waits until the connection is back")
    dealer.tap_each('[data-chip="2500"]', '[data-wager="small"]')
    expect(box).to_contain_text(re.compile(r"One act waits: Wagers of seat 1 \(\d\d:\d\d:\d\d\)"))
    dealer.next.tap()
    expect(box).to_contain_text(re.compile(r"Two acts wait: .*, Shaken \(\d\d:\d\d:\d\d\)"))
    expect(page.locator("#unknown-act")).to_be_hidden()  # its sentence is in the box
    assert lying(scene) == {(1, "big"): 2_500} and scene.round.phase == "open"
    page.wait_for_timeout(2_000)
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_in("shaken")
    dealer.is_live()
    expect(box).to_be_hidden()
    assert lying(scene) == {(1, "big"): 2_500, (1, "small"): 2_500}
    claims = [data["device_claim"] for data in last_data(scene, 2)]
    assert all(claim["waited_ms"] >= 2_000 for claim in claims)


def test_offline_areas_behind_the_list_of_what_waits_take_chips(scene, new_page, line):
    page = new_page(1024, 768)
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    lose_the_line(page, cut)
    dealer.tap('[data-chip="2500"]')
    for seat in (1, 2, 3, 4, 5):
        dealer.tap_each(dealer.seat(seat), dealer.area("small"))
    expect(page.locator("#stale-say")).to_contain_text(
        re.compile(r"Five acts wait: (Wagers of seat \d \(\d\d:\d\d:\d\d\),? ){3}and 2 more\.")
    )
    doubles = dealer.area("two-of-a-kind:2")
    doubles.tap(position={"x": 20, "y": 10}, timeout=5_000)
    expect(doubles.locator("[data-own]")).to_have_text("Seat 5: $25, not yet taken.")


def test_offline_a_step_that_ends_the_round_says_that_it_needs_the_connection(scene, new_page, line):
    scene.play((1, "small", 2_500), dice=[2, 5, 5])
    scene.until("clear_layout")
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("Nothing was recorded")
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_live()
    expect(dealer.refused()).to_be_hidden()
    dealer.tap(dealer.next)
    dealer.is_in("open")


def to_no_more_bets_offline(scene: Scene, page: Page, cut: Line) -> Tablet:
    """A dealer whose line is lost after the shake, and who has said no more bets since."""
    scene.place((1, "big", 2_500), (3, "total:9", 10_000))
    scene.act("shake", {"shakes": 3})
    dealer = Tablet(page).begin(scene)
    dealer.tap_each('[data-chip="2500"]', dealer.seat(1))
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.step("No more bets")
    return dealer


def test_offline_the_dice_after_no_more_bets_are_kept_and_what_comes_next_is_said(scene, new_page, line):
    page = new_page()
    cut = line(page)
    dealer = to_no_more_bets_offline(scene, page, cut)
    paper, dock, ribbon = (page.locator(part) for part in ("#side-paper", "#dock-entry", "#ribbon"))
    expect(paper).to_contain_text(f"Write round {scene.round.number} and its dice on the slip")
    expect(paper).to_contain_text("aloud to read them with you")
    expect(paper).to_contain_text("Take nothing, pay nothing yet.")
    expect(paper).to_contain_text("If the line stays away, the floor decides on settlement by hand.")
    expect(paper.locator(".paper-foot")).to_contain_text("2 wagers")
    expect(paper.locator(".paper-foot")).to_contain_text("$125")
    expect(ribbon).not_to_contain_text("bets open")
    expect(ribbon.locator(".step--waits")).to_have_text("No more bets, waits")
    dealer.tap(dealer.area("total:12"))
    expect(dealer.refused()).to_contain_text("No chip placed on Total 12")
    expect(page.locator(".stk--pending, .seat-mark--sending")).to_have_count(0)
    dealer.enter(2, 5, 4)
    dealer.tap(dealer.next)
    expect(dock).to_contain_text("waits, not recorded")
    dealer.says("Wait for the line")
    dealer.tap("[data-do=change-dice]")
    dealer.tap("[data-do=face-back]")
    dealer.enter(5)
    dealer.tap(dealer.next)
    expect(dock).to_contain_text("2, 5, 5")
    borders = "(dice) => dice.map((die) => getComputedStyle(die.parentElement).borderStyle)"
    assert page.locator("#slots .die").evaluate_all(borders) == ["dashed"] * 3
    box = page.locator("#stale-say")
    expect(box).to_contain_text("Write the dice down, call the floor, take and pay nothing yet.")
    expect(paper.locator(".paper-waits li")).to_have_text(
        [re.compile(r"No more bets\s*\d\d:\d\d:\d\d"), re.compile(r"Dice 2, 5, 5\s*\d\d:\d\d:\d\d")]
    )
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(CUT_OFF) == []
        next_box, dock_box = dealer.next.bounding_box(), dock.bounding_box()
        assert next_box and dock_box and dock_box["height"] >= 80
    assert broken_rules(page) == []
    assert scene.round.phase == "shaken"
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_in("lit")
    dealer.is_live()
    expect(paper).to_have_count(0)
    (called,) = (data for data in last_data(scene, 1))
    assert called["dice"] == [2, 5, 5]
    assert lying(scene) == {(1, "big"): 2_500, (3, "total:9"): 10_000}


def lose_the_line(page: Page, cut: Line) -> None:
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")


def bring_back_the_line(page: Page, cut: Line) -> None:
    page.context.set_offline(False)
    cut.cut = False


def fits(page: Page) -> None:
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(CUT_OFF) == []
    assert broken_rules(page) == []


def waits_by_name(page: Page, *names: str) -> None:
    expect(page.locator(".ribbon .step--waits")).to_have_text([f"{name}, waits" for name in names])


def test_offline_shaken_waits_and_no_more_bets_follows_while_bets_stay_open(scene, new_page, line):
    scene.place((1, "big", 2_500))
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    lose_the_line(page, cut)
    dealer.step("Shaken")
    waits_by_name(page, "Shaken")
    dealer.says("No more bets")
    expect(page.locator("#side-paper")).to_have_count(0)  # bets are open, and nothing goes on paper yet
    expect(page.locator("#stale-say")).to_contain_text("You can continue")
    dealer.tap_each('[data-chip="2500"]', dealer.seat(3), dealer.area("total:9"))
    expect(dealer.next).to_contain_text("2 seats, $50")
    fits(page)
    resize(page, (1280, 800))
    dealer.step("No more bets")
    waits_by_name(page, "Shaken", "No more bets")
    expect(page.locator("#side-paper")).to_contain_text("Take nothing, pay nothing yet.")
    expect(page.locator("#stale-say")).to_contain_text("Bets stay closed.")
    dealer.tap(dealer.area("total:12"))
    expect(dealer.refused()).to_contain_text("No chip placed on Total 12")
    dealer.enter(2, 5, 5)
    dealer.tap(dealer.next)
    dealer.says("Wait for the line")
    assert (scene.round.phase, lying(scene)) == ("open", {(1, "big"): 2_500})
    bring_back_the_line(page, cut)
    dealer.is_in("lit")
    assert lying(scene) == {(1, "big"): 2_500, (3, "total:9"): 2_500}
    assert last_data(scene, 1)[0]["dice"] == [2, 5, 5]


def test_offline_where_bets_close_first_the_shake_follows_and_then_the_dice(stage, new_page, line):
    scene = stage("nj-19-47-9")
    scene.place((1, "big", 2_500), (2, "small", 2_500))
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    lose_the_line(page, cut)
    dealer.step("No more bets")
    waits_by_name(page, "No more bets")
    expect(page.locator("#side-paper")).to_contain_text(
        f"Write round {scene.snapshot['round']['number']} and its dice"
    )
    expect(page.locator("#dock-say")).to_contain_text("shake")
    dealer.step("Shaken")
    waits_by_name(page, "No more bets", "Shaken")
    fits(page)
    resize(page, (1280, 800))
    dealer.enter(2, 5, 5)
    dealer.tap(dealer.next)
    dealer.says("Wait for the line")
    bring_back_the_line(page, cut)
    dealer.is_in("lit")
    assert last_data(scene, 1)[0]["dice"] == [2, 5, 5]


def test_dice_that_waited_and_are_refused_are_named(scene, new_page, line):
    page = new_page()
    cut = line(page)
    dealer = to_no_more_bets_offline(scene, page, cut)
    dealer.enter(2, 5, 5)
    dealer.tap(dealer.next)
    expect(page.locator("#dock-entry")).to_contain_text("waits, not recorded")
    scene.act("no_more_bets")
    scene.act("call_dice", {"dice": [1, 1, 2]})
    page.context.set_offline(False)
    cut.cut = False
    expect(dealer.refused()).to_contain_text("Dice 2, 5, 5 were not recorded")
    dealer.is_in("lit")
    (called,) = (data for data in last_data(scene, 1))
    assert called["dice"] == [1, 1, 2]


def test_chips_that_waited_and_are_refused_are_named_by_seat_area_and_amount(scene, new_page, line):
    scene.place((1, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(scene)
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.tap_each('[data-chip="10000"]', dealer.seat(3), dealer.area("total:9"))
    expect(page.locator("#stale-say")).to_contain_text("Wagers of seat 3")
    scene.act("no_more_bets")
    page.context.set_offline(False)
    cut.cut = False
    expect(dealer.refused()).to_contain_text("seat 3, $100 on Total 9")
