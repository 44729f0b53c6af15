"""The line between a screen and the table: a lost push, a silent socket, no line at all."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import Dashboard, Tablet, dashboard, lying, tablet

pytestmark = pytest.mark.browser
SILENCE = 12_000


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
    expect(page.locator("#stale-say")).to_contain_text("Nothing heard for")
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


def test_without_any_line_the_tablet_says_so_and_takes_no_act(scene, new_page, line):
    page = new_page()
    cut = line(page)
    page.clock.install()
    dealer = Tablet(page).begin(scene)
    scene.place((1, "big", 2_500))
    cut.cut = True
    page.context.set_offline(True)
    page.clock.fast_forward(SILENCE + 1_000)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.next.tap(force=True)
    dealer.area("small").tap(force=True)
    expect(dealer.next).to_have_css("pointer-events", "none")
    dealer.next.press("Enter")
    expect(dealer.refused()).to_contain_text("cannot be reached")
    assert lying(scene) == {(1, "big"): 2_500} and scene.round.phase == "open"
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_live()
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
