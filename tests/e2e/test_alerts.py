"""Alerts on the pit's screens: somebody of the floor acknowledges them there, and everybody sees who has them."""

import pytest
from playwright.sync_api import Route, expect

from audit.devices import enroll
from tables.models import Alert
from tests.e2e.floor import Dashboard, Tablet, dashboard, tablet, touch

pytestmark = pytest.mark.browser
TOUCH = 56
A_SECOND_ACT_WOULD_BE_OUT = 700  # milliseconds


def test_an_alert_is_acknowledged_on_the_floor_and_every_dashboard_says_who_has_it(scene, new_page):
    scene.act("report_device_failure")
    pit, other = dashboard(new_page, scene), Dashboard(new_page(1440, 900))
    _, token = enroll("Podium of surveillance", "larkfield", "podium")
    other.let_in(token, "surveillance")
    alert = pit.page.locator("#alerts .alert")
    expect(alert).to_contain_text("Gaming ceased")
    button = alert.get_by_role("button", name="Acknowledge")
    box = button.bounding_box()
    assert box and box["height"] >= TOUCH and box["width"] >= TOUCH
    expect(other.page.locator("#alerts .acknowledge")).to_be_hidden()
    expect(pit.page.locator("#alert-count")).to_have_text("1")
    touch(button)
    for shown in (pit, other):
        expect(shown.page.locator("#alerts .alert.calm")).to_contain_text("Acknowledged by P. Manager")
        expect(shown.page.locator("#alert-count")).to_have_text("")
    expect(button).to_have_count(0)
    assert Alert.objects.get().acknowledged_by.code == "pit-manager"


def test_a_dispute_is_decided_in_writing_on_the_page_of_its_table(scene, new_page):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    pit = dashboard(new_page, scene)
    pit.page.goto("/floor/larkfield/T-01/")
    touch(pit.page.locator(".alerts-here").get_by_role("button", name="Decide"))
    box = pit.page.get_by_role("dialog", name="How was it decided?")
    expect(box).to_contain_text("a late chip")
    touch(box.get_by_role("button", name="Decided"))
    expect(box).to_be_visible()  # nothing was written
    box.get_by_label("Decision, for the record").fill("stands, seen on camera")
    touch(box.get_by_role("button", name="Decided"))
    expect(pit.page.locator(".alerts-here")).to_have_count(0)
    assert (Alert.objects.get().note, Alert.objects.get().ended_at is None) == (
        "stands, seen on camera",
        False,
    )


def test_an_alert_that_somebody_else_acknowledged_meanwhile_says_so(scene, new_page, pushes_lost):
    scene.act("report_device_failure")
    pit = dashboard(new_page, scene)
    button = pit.page.locator("#alerts").get_by_role("button", name="Acknowledge")
    expect(button).to_be_visible()
    with pushes_lost():
        scene.act("acknowledge_alert", {"alert": Alert.objects.get().pk}, by="floorperson")
    touch(button)
    expect(pit.page.locator("#alert-message")).to_contain_text("has already ended or been acknowledged")
    expect(pit.page.locator("#alerts .alert.calm")).to_contain_text("Acknowledged by Floorperson")


def test_the_rail_counts_down_by_itself(scene, new_page):
    import datetime as dt

    from audit import clock
    from tables.clock.ticker import warn_of_dice
    from tables.models import DiceLot

    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() + dt.timedelta(seconds=59))
    warn_of_dice()
    pit = dashboard(new_page, scene)
    until = pit.page.locator("#alerts .until")
    before = until.inner_text()
    assert before.endswith(" s left")
    expect(until).not_to_have_text(before)


def test_the_dealer_reads_an_alert_quietly_and_only_the_floor_acknowledges_it_there(scene, new_page):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    dealer = tablet(new_page, scene)
    expect(dealer.page.locator("#calls-list")).to_be_hidden()
    dealer.tap("#calls")
    said = dealer.page.locator("#calls-list")
    expect(said).to_contain_text("Dispute at seat 3")
    expect(said.locator(".acknowledge")).to_be_hidden()
    floor = Tablet(new_page())
    floor.let_in(scene.tokens["tablet"], "floorperson")
    floor.is_live()
    floor.tap("#calls")
    touch(floor.page.locator("#calls-list").get_by_role("button", name="Decide"))
    floor.page.get_by_label("Decision, for the record").fill("stands")
    touch(floor.page.get_by_role("button", name="Decided"))
    expect(floor.page.locator("#calls")).to_have_count(0)
    alert = Alert.objects.get()
    assert (alert.acknowledged_by.code, alert.note) == ("floorperson", "stands")


def test_a_dealer_reports_a_dispute_and_the_pit_is_called(scene, new_page):
    pit, dealer = dashboard(new_page, scene), tablet(new_page, scene)
    dealer.tap("[data-open=more]")
    dealer.tap("#more [data-dispute]")
    box = dealer.page.get_by_role("dialog", name="Report a dispute")
    box.get_by_label("Seat").select_option("4")
    box.get_by_label("What is disputed").fill("a late chip")
    touch(box.get_by_role("button", name="Call the floor"))
    expect(pit.page.locator("#alerts .alert")).to_contain_text("Dispute at seat 4")
    expect(dealer.page.locator("#calls")).to_be_visible()
    assert Alert.objects.get().params == {"seat": 4, "about": "a late chip", "round": None}


def test_the_console_sends_one_act_at_a_time_an_acknowledgement_among_them(scene, new_page):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    floor = Tablet(new_page())
    floor.let_in(scene.tokens["tablet"], "floorperson")
    floor.is_live()
    sent: list[str] = []
    held: list[Route] = []

    def delay_the_first(route: Route) -> None:
        sent.append(route.request.url.rsplit("/", 1)[-1])
        held.append(route)
        if len(held) > 1:
            route.continue_()

    floor.page.route("**/acts/*", delay_the_first)
    with floor.page.expect_request("**/acts/place_wagers"):
        floor.tap(floor.area("small"))
    floor.tap("#calls")
    touch(floor.page.locator("#calls-list").get_by_role("button", name="Decide"))
    floor.page.get_by_label("Decision, for the record").fill("stands")
    touch(floor.page.get_by_role("button", name="Decided"))
    floor.page.wait_for_timeout(A_SECOND_ACT_WOULD_BE_OUT)
    assert sent == ["place_wagers"]
    assert "place_wagers" in floor.page.evaluate("sessionStorage.getItem('pitside.waiting')")
    held[0].continue_()
    expect(floor.page.locator("#calls")).to_have_count(0)
    floor.is_taken()
    assert sent == ["place_wagers", "acknowledge_alert"]
    assert Alert.objects.get().note == "stands"


def test_without_a_line_the_console_takes_no_acknowledgement(scene, new_page):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    floor = Tablet(new_page())
    floor.let_in(scene.tokens["tablet"], "floorperson")
    floor.is_live()
    floor.tap("#calls")
    touch(floor.page.locator("#calls-list").get_by_role("button", name="Decide"))
    floor.page.get_by_label("Decision, for the record").fill("stands")
    floor.page.evaluate("document.documentElement.dataset.live = 'dead'")
    touch(floor.page.get_by_role("button", name="Decided"))
    expect(floor.page.locator("#alert-message")).to_contain_text("Nothing was recorded")
    assert Alert.objects.get().acknowledged_at is None
