"""Alerts on the pit's screens: somebody of the floor acknowledges them there, and everybody sees who has them."""

import datetime as dt
import re

import pytest
from playwright.sync_api import Route, expect

from audit import clock
from audit.devices import enroll
from audit.models import Device
from tables.models import Alert
from tests.e2e.floor import Dashboard, Tablet, become, dashboard, resize, slow_readers, tablet, touch
from tests.e2e.test_looks import CUT_OFF

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
    expect(other.page.locator("#alerts .acknowledge").first).to_be_hidden()
    expect(pit.page.locator("#alert-count")).to_have_text("1")
    touch(button)
    for shown in (pit, other):
        expect(shown.page.locator("#alerts .alert.calm")).to_contain_text("Acknowledged by P. Manager at")
        expect(shown.page.locator("#alert-count")).to_have_text("")
    expect(button).to_have_count(0)
    assert Alert.objects.get().acknowledged_by.code == "pit-manager"


def test_a_dispute_is_decided_in_writing_on_the_page_of_its_table(scene, new_page):
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    pit = dashboard(new_page, scene)
    pit.page.goto("/floor/larkfield/T-01/")
    touch(pit.page.locator(".alerts-here").get_by_role("button", name="Decide"))
    box = pit.page.get_by_role("dialog", name="T-01: how was it decided?")
    expect(box).to_contain_text("Disputed: “a late chip.” Decide it, and write how.")
    touch(box.get_by_role("button", name="Decided"))
    expect(box).to_be_visible()  # nothing was written
    box.get_by_label("Decision, for the record").fill("stands, seen on camera")
    touch(box.get_by_role("button", name="Decided"))
    expect(pit.page.locator(".alerts-here")).to_have_count(0)
    assert (Alert.objects.get().note, Alert.objects.get().ended_at is None) == (
        "stands, seen on camera",
        False,
    )


def test_a_second_tap_does_not_answer_the_dispute_that_moves_up(scene, new_page):
    for seat in (3, 5):
        scene.act("report_dispute", {"seat": seat, "about": "a late chip"})
    pit, requests = dashboard(new_page, scene), []
    pit.page.on("request", lambda request: requests.append(request.url))
    pit.page.evaluate("document.documentElement.style.setProperty('--read-time', 20000)")
    unanswered = pit.page.locator("#alerts").get_by_role("button", name="I’m coming")
    expect(unanswered).to_have_count(2)
    box = None
    while box is None:  # the live line draws the buttons of this person again
        expect(unanswered.first).to_be_visible()
        box = unanswered.first.bounding_box()
    for _ in range(2):
        pit.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(unanswered).to_have_count(1)
    expect(pit.page.locator("#alerts .too-quick")).to_have_count(1)
    assert sum("answer_alert" in request for request in requests) == 1


def test_an_alert_that_somebody_else_acknowledged_meanwhile_says_so(scene, new_page, pushes_lost):
    scene.act("report_device_failure")
    pit = dashboard(new_page, scene)
    button = pit.page.locator("#alerts").get_by_role("button", name="Acknowledge")
    expect(button).to_be_visible()
    with pushes_lost():
        scene.act("acknowledge_alert", {"alert": Alert.objects.get().pk}, by="floorperson")
    touch(button)
    expect(pit.page.locator("#alert-message")).to_contain_text("has already ended or been acknowledged")
    expect(pit.page.locator("#alerts .alert.calm")).to_contain_text("Floorperson at")


def test_the_rail_counts_down_by_itself(scene, new_page):
    import datetime as dt

    from audit import clock
    from tables.models import DiceLot
    from tables.ticker import warn_of_dice

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
    expect(said.locator(".acknowledge").first).to_be_hidden()
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
    box.get_by_label("What is disputed").fill("a late chip")
    touch(box.get_by_role("button", name="Call the floor"))
    expect(box).to_be_visible()  # no seat is chosen for the dealer
    assert box.get_by_label("Seat").input_value() == ""
    box.get_by_label("Seat").select_option("4")
    touch(box.get_by_role("button", name="Call the floor"))
    expect(pit.page.locator("#alerts .alert")).to_contain_text("Dispute at seat 4")
    expect(dealer.page.locator("#calls")).to_be_visible()
    assert Alert.objects.get().params == {"seat": 4, "about": "a late chip", "round": None}


def test_a_call_is_one_tap_and_its_answer_and_decision_come_back_to_the_table(scene, new_page):
    scene.place((5, "small", 120_000))  # over the maximum: an alert has its mark beside the call
    pit, dealer = dashboard(new_page, scene), tablet(new_page, scene)
    dealer.tap("[data-call=floor]")
    box = dealer.page.locator("#call-floor")
    expect(box).to_contain_text("The call is sent")
    dealer.tap(box.get_by_role("button", name="Dispute"))
    dealer.tap(box.get_by_role("button", name="Seat 2"))
    alert = pit.page.locator("#alerts .alert", has_text="Dispute")
    expect(alert).to_contain_text("Dispute, seat 2")
    expect(alert).to_contain_text("Pit manager in")
    touch(alert.get_by_role("button", name="I’m coming"))
    expect(dealer.page.locator("[data-call=floor]")).to_contain_text("P. Manager is coming")
    expect(dealer.page.locator("[data-call=floor] [data-elapsed]")).to_have_text(re.compile(r"^0:\d\d$"))
    expect(dealer.seat(2)).to_have_class(re.compile("seat--called"))
    resize(dealer.page, (1024, 768))
    assert dealer.page.evaluate(CUT_OFF) == []
    resize(dealer.page, (1280, 800))
    scene.play((2, "small", 2_500), dice=[1, 2, 3])
    expect(dealer.page.locator("#side-pay .called-seat").last).to_contain_text("2")
    touch(alert.get_by_role("button", name="Decide"))
    with slow_readers(pit.page):  # a second tap decides nothing
        pit.page.get_by_role("button", name="Stands as recorded").click()
        expect(pit.page.locator("#decide")).to_be_visible()
    pit.page.get_by_label("Decision, for the record").fill("Surveillance saw one chip.")
    touch(pit.page.get_by_role("button", name="Stands as recorded"))
    decided = dealer.page.get_by_role("region", name="Decision of the floor")
    expect(decided).to_contain_text("P. Manager decided")
    expect(decided).to_contain_text("Stands as recorded. Surveillance saw one chip.")
    expect(alert).to_have_count(0)
    expect(box).to_have_count(0)
    expect(dealer.page.locator(".seat--called")).to_have_count(0)
    dealer.tap(decided.get_by_role("button", name="Understood"))
    expect(decided).to_have_count(0)
    call = Alert.objects.get(kind="floor-call")
    assert (call.decision, call.read_at is None) == ("as-recorded", False)


def test_an_alert_is_muted_with_a_name_and_a_stop_stays_red_whoever_has_it(scene, new_page):
    scene.act("report_device_failure")
    pit = dashboard(new_page, scene)
    alert = pit.page.locator("#alerts .alert")
    color = "(element) => getComputedStyle(element).backgroundColor"
    red = pit.page.locator(".tile").evaluate(color)
    touch(alert.get_by_role("button", name="Mute for 10 minutes"))
    expect(alert).to_contain_text(re.compile(r"Sound off until \d\d:\d\d, P. Manager"))
    touch(alert.get_by_role("button", name="Acknowledge"))
    expect(alert).to_contain_text("Acknowledged by P. Manager at")
    assert alert.evaluate(color) == red
    resize(pit.page, (390, 844))
    touch(pit.page.locator("#alert-summary"))
    for part in (".more", ".age", ".by"):
        expect(alert.locator(part).first).to_be_visible()
    expect(pit.page.locator(".bar .me strong")).to_be_visible()
    assert pit.page.locator(".bar .me").evaluate("(name) => name.scrollWidth <= name.clientWidth")
    assert pit.page.evaluate(CUT_OFF) == []
    resize(pit.page, (1440, 900))
    time = alert.locator(".muted time")
    expect(time).to_be_visible()
    pit.page.locator("html").evaluate(
        "(html) => html.removeAttribute('data-clocks')"
    )  # as before it is the casino's
    assert time.evaluate("(time) => getComputedStyle(time).visibility") == "hidden"
    scene.act("call_floor", {"to": "security"})
    call = pit.page.locator("#alerts .alert", has_text="Security called")
    expect(call.get_by_role("button")).to_have_count(3)
    assert call.evaluate("(line) => line.scrollWidth <= line.clientWidth")
    pit.page.goto("/floor/larkfield/T-01/")
    assert pit.page.locator(".alerts-here .alert").first.evaluate(color) == red


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

    floor.posts_acts()
    floor.page.route("**/acts/*", delay_the_first)
    with floor.page.expect_request("**/acts/place_wagers"):
        floor.tap(floor.area("small"))
    floor.tap("#calls")
    touch(floor.page.locator("#calls-list").get_by_role("button", name="Decide"))
    floor.page.get_by_label("Decision, for the record").fill("stands")
    touch(floor.page.get_by_role("button", name="Decided"))
    floor.page.wait_for_timeout(A_SECOND_ACT_WOULD_BE_OUT)
    assert sent == ["place_wagers"]
    assert "place_wagers" in floor.page.evaluate("localStorage.getItem('pitside.waiting')")
    held[0].continue_()
    expect(floor.page.locator("#calls")).to_have_count(0)
    floor.is_taken()
    assert sent == ["place_wagers", "decide_alert"]
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


OUT_OF_THE_RAIL = """() => [...document.querySelectorAll('#alerts .acknowledge')]
    .filter((button) => button.checkVisibility())
    .filter((button) => button.getBoundingClientRect().right
        > document.getElementById('alerts').getBoundingClientRect().right + 1)
    .map((button) => button.textContent)"""
STOP_OVER_PAD = """() => document.querySelector('#alerts .stop').getBoundingClientRect().bottom
    <= document.getElementById('lock-pad').getBoundingClientRect().top"""


def test_podium_phone_and_wall_stay_live_for_an_hour_and_a_pin_is_asked_for_the_one_act(scene, new_page):
    """An hour later they lock and go on; the PIN acknowledges what the pad names, and nothing else."""
    scene.act("report_device_failure")
    pit = dashboard(new_page, scene, "floorperson")
    wall = Dashboard(new_page(1920, 1080))
    become(wall.page, enroll("Wall", "larkfield", "wall")[1])
    wall.page.goto("/")
    expect(wall.page.locator("#loud")).to_contain_text("T-01")
    phone = Dashboard(new_page(390, 844))
    phone.let_in(enroll("Phone", "larkfield", "pit")[1], "floorperson")
    hour = dt.timedelta(hours=1)
    Device.objects.exclude(station="tablet").update(last_seen_at=clock.now() - hour)
    for screen in (pit, phone):
        expect(screen.page.locator(".lock-state strong")).to_have_text("Locked")
        screen.watch()
    scene.act("call_floor", {"to": "floor"})
    for screen in (pit, phone):
        expect(screen.tile()).to_have_attribute("data-version", str(scene.version))
        expect(screen.page.locator("#alerts")).to_contain_text("Floor called")
        expect(screen.page.locator("#live")).to_have_text("LIVE")
        screen.was_never_loaded_again()
    expect(wall.page.locator("#wall-T-01")).to_have_attribute("data-version", str(scene.version))
    assert pit.page.evaluate(OUT_OF_THE_RAIL) == []
    stop = pit.page.locator("#alerts .alert.stop")
    button = stop.get_by_role("button", name="Acknowledge")
    pad = pit.page.locator("#lock-pad")
    touch(button)
    expect(pad).to_contain_text("Acknowledge T-01")
    expect(pad).to_contain_text("Gaming ceased")
    expect(pit.page.locator("#alerts .more").first).to_be_hidden()  # the other alerts keep a line each
    expect(pit.page.locator("#alerts h3").last).to_be_in_viewport()
    touch(phone.page.get_by_role("button", name="2 to act on"))
    touch(phone.page.locator("#alerts .alert").last.locator("[data-acknowledge]").first)
    for screen in (pit, phone):  # the stop stays above the keys, and all of the pad is reached
        assert screen.page.evaluate(STOP_OVER_PAD)
        expect(screen.page.locator("#alerts .alert.stop h3")).to_be_in_viewport(ratio=1)
        touch(screen.page.locator("[data-lock-cancel]"))
    touch(button)
    pit.enter_pin(pad, "000000")
    expect(pad.get_by_role("alert")).to_contain_text("wrong")
    scene.act("record_repair", {"what": "fuse"}, by="floorperson", device=scene.podium)
    expect(pit.tile()).to_have_attribute("data-version", str(scene.version))
    assert Alert.objects.get(kind="device-failure").acknowledged_at is None
    pit.enter_pin(pad)
    expect(stop).to_contain_text("Acknowledged by Floorperson")
    expect(pit.page.locator(".lock-state")).to_have_count(0)
    assert Alert.objects.get(kind="device-failure").acknowledged_by.code == "floorperson"
    expect(wall.page.locator("#loud")).to_contain_text("Acknowledged by Floorperson")
