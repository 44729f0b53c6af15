"""The line between a screen and the table: a lost push, a silent socket, no line at all."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from audit.models import Entry
from tests.e2e.floor import Dashboard, Tablet, dashboard, lying, tablet
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
