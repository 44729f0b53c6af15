"""A tablet as a kiosk: installed, awake, and at the same table after a reload and without a line."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import expect

from audit.models import Device, Entry
from tables.core.alerts import ALERT_RULES
from tables.ticker import LOW_BATTERY, Ticker
from tables.views import service
from tests.e2e.field import FieldTablet
from tests.e2e.floor import Tablet, dashboard, resize
from tests.e2e.test_high_roll import FOUR_FIVES

pytestmark = pytest.mark.browser
IN_CHARGE = """new Promise((done) => {
    const workers = navigator.serviceWorker;
    if (workers.controller) done(true);
    workers.addEventListener("controllerchange", () => done(true));
})"""
KEPT = """caches.keys().then((names) => Promise.all(names.map(async (name) =>
    [name, (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)])))"""
FALLBACK = (
    "fetch(document.querySelector('live-screen').getAttribute('fallback')).then(({ status }) => status)"
)
A_LOCK = """
    window.locks = [];
    const request = async () => {
        const lock = new EventTarget();
        lock.released = false;
        window.locks.push(lock);
        return lock;
    };
    Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""
A_BATTERY = """
    const battery = Object.assign(new EventTarget(), { level: 0.41, charging: true });
    window.drain = (level, charging) => {
        Object.assign(battery, { level, charging });
        battery.dispatchEvent(new Event("levelchange"));
    };
    window.plug = (charging) => {
        battery.charging = charging;
        battery.dispatchEvent(new Event("chargingchange"));
    };
    Object.defineProperty(navigator, "getBattery", { value: async () => battery });
"""


def installed(new_page, scene, size=(1280, 800), person="dealer"):
    """A tablet whose service worker is in charge of its page."""
    dealer = Tablet(new_page(*size, installed=True)).begin(scene, person)
    assert dealer.page.evaluate(IN_CHARGE)
    return dealer


def show(page, state):
    """The tablet sleeps (`hidden`) or wakes (`visible`)."""
    page.evaluate(
        """(state) => {
            Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
            Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_chromium_finds_nothing_that_keeps_it_from_being_installed(scene, new_page):
    page = installed(new_page, scene).page
    devtools = page.context.new_cdp_session(page)
    assert devtools.send("Page.getInstallabilityErrors")["installabilityErrors"] in (
        [],
        [{"errorId": "in-incognito", "errorArguments": []}],  # a test's own context
    )
    manifest = devtools.send("Page.getAppManifest")
    assert manifest["errors"] == []
    assert manifest["url"].endswith("/manifest.webmanifest")
    assert json.loads(manifest["data"])["display_override"] == ["fullscreen", "standalone"]
    icons = Client().get("/manifest.webmanifest").json()["icons"]
    assert [(icon["sizes"], icon.get("purpose")) for icon in icons] == [
        ("192x192", None), ("512x512", None), ("192x192", "maskable"), ("512x512", "maskable"),
    ]  # fmt: skip
    for icon in icons:
        size = page.evaluate(
            "(src) => { const i = new Image(); i.src = src; return i.decode().then(() => i.naturalWidth); }",
            icon["src"],
        )
        assert f"{size}x{size}" == icon["sizes"]


def test_the_worker_keeps_files_and_the_page_without_a_line_and_nothing_of_a_table(scene, new_page):
    dealer = installed(new_page, scene)
    dealer.place((1, "big", 2_500))
    dealer.reload()
    dealer.is_live()
    dealer.place((1, "small", 500))
    assert dealer.page.evaluate(FALLBACK) == 200  # what a screen without its socket asks for
    ((name, paths),) = dealer.page.evaluate(KEPT)
    assert name == f"pitside-{service.version()}"
    assert [path for path in paths if not path.startswith("/static/")] == ["/no-line"]
    assert "T-01" not in Client().get("/no-line").content.decode()


def test_undo_is_there_after_a_reload(scene, new_page):
    dealer = Tablet(new_page()).begin(scene)
    dealer.place((1, "big", 2_500))
    dealer.place((1, "big", 2_500))
    undo, said = dealer.page.locator("[data-do=undo]"), dealer.page.locator("#undo-say")
    expect(said).to_have_text("$25 on Big, seat 1")
    dealer.reload()
    dealer.is_live()
    expect(undo).to_be_enabled()
    expect(said).to_have_text("$25 on Big, seat 1")
    dealer.tap(undo)
    dealer.is_taken()
    assert dealer.lying() == {(1, "big"): 2_500}
    dealer.reload()
    dealer.is_live()
    dealer.tap(undo)
    dealer.is_taken()
    assert dealer.lying() == {}
    dealer.reload()
    dealer.is_live()
    expect(undo).to_be_disabled()


def test_the_screen_is_kept_on_and_asked_again_when_the_tablet_wakes(scene, new_page):
    page = new_page()
    page.add_init_script(A_LOCK)
    Tablet(page).begin(scene)
    assert page.evaluate("locks.length") == 1
    show(page, "hidden")
    page.evaluate("locks[0].released = true")
    assert page.evaluate("locks.length") == 1
    show(page, "visible")
    assert page.evaluate("locks.length") == 2
    show(page, "visible")
    assert page.evaluate("locks.length") == 2


def test_the_tablet_says_how_full_it_is_whenever_that_changes_and_the_pit_hears_of_a_low_one(
    scene, new_page, session_server
):
    page = new_page()
    page.add_init_script(A_BATTERY)
    Tablet(page).begin(scene)

    def stored(percent, charging):
        for _ in range(40):
            device = Device.objects.get(pk=scene.tablet.pk)
            if (device.battery_percent, device.is_charging) == (percent, charging):
                return True
            page.wait_for_timeout(500)
        return False

    assert stored(41, True)
    page.evaluate("drain(0.17, false)")
    assert stored(17, False)
    pit = dashboard(new_page, scene)
    assert Ticker().check_rules([rule for rule in ALERT_RULES if LOW_BATTERY in rule.kinds]) == [
        scene.table.pk
    ]
    session_server.push(scene.table.pk)
    expect(pit.page.locator("#alerts")).to_contain_text("Tablet at 17% without power")


def a_build_comes(page, monkeypatch):
    """The server gets a newer build. The tablet has it, and may not take it over yet."""
    monkeypatch.setattr(service, "version", lambda: "the next build")
    page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
    for _ in range(50):
        if page.evaluate("navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"):
            return
        page.wait_for_timeout(100)
    raise AssertionError("no newer build waits")


def test_a_newer_build_takes_over_between_rounds_and_never_in_one(scene, new_page, monkeypatch):
    dealer = installed(new_page, scene)
    page = dealer.page
    loaded = page.evaluate("performance.timeOrigin")
    dealer.place((1, "big", 2_500))
    a_build_comes(page, monkeypatch)
    scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    dealer.is_in("ready")
    assert page.evaluate("performance.timeOrigin") == loaded
    dealer.call(6, 6, 1)
    dealer.pay_all()
    assert page.evaluate("performance.timeOrigin") == loaded
    with page.expect_event("load"):
        dealer.step("Layout cleared")
    assert page.evaluate("performance.timeOrigin") != loaded
    dealer.is_live()
    assert [name for name, _ in page.evaluate(KEPT)] == ["pitside-the next build"]


HOLD_ACTS = """
    const send = fetch;
    const gate = new Promise((open) => { window.letActsGo = open; });
    const isAct = ([address]) => String(address).includes("/acts/");
    window.fetch = (...request) => isAct(request) ? gate.then(() => send(...request)) : send(...request);
"""


def test_a_newer_build_that_comes_while_an_act_waits_leaves_the_page_until_it_is_taken_once(
    scene, new_page, monkeypatch
):
    dealer = installed(new_page, scene)
    page, before = dealer.page, Entry.objects.filter(type="alert.raised").count()
    loaded = page.evaluate("performance.timeOrigin")
    dealer.posts_acts()
    page.evaluate(HOLD_ACTS)
    dealer.tap('[data-call="floor"]')
    expect(page.locator("html")).to_have_attribute("data-busy", "")
    a_build_comes(page, monkeypatch)
    page.wait_for_timeout(1_000)
    assert page.evaluate("performance.timeOrigin") == loaded
    assert Entry.objects.filter(type="alert.raised").count() == before
    with page.expect_event("load"):
        page.evaluate("letActsGo()")
    dealer.is_live()
    dealer.is_taken()
    assert page.evaluate("performance.timeOrigin") != loaded
    assert [name for name, _ in page.evaluate(KEPT)] == ["pitside-the next build"]
    page.wait_for_timeout(1_000)
    assert Entry.objects.filter(type="alert.raised").count() == before + 1


def test_a_newer_build_is_not_loaded_while_there_is_no_line_to_load_it_over(scene, new_page, monkeypatch):
    """The page without a line would take the place of the console, and the dealer could not go on."""
    dealer = installed(new_page, scene)
    page = dealer.page
    loaded = page.evaluate("performance.timeOrigin")
    dealer.tap("[data-open=more]")
    a_build_comes(page, monkeypatch)
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")
    dealer.tap("#more [data-close]")
    page.evaluate("document.querySelector('live-screen').dispatchEvent(new Event('screen:applied'))")
    page.wait_for_timeout(1_000)
    assert page.evaluate("performance.timeOrigin") == loaded
    expect(dealer.next).to_be_visible()
    with page.expect_event("load"):
        page.context.set_offline(False)
    dealer.is_live()
    assert [name for name, _ in page.evaluate(KEPT)] == ["pitside-the next build"]


def test_the_frame_stays_clear_of_what_the_tablet_cuts_off(scene, new_page):
    page = Tablet(new_page()).begin(scene).page
    devtools = page.context.new_cdp_session(page)
    devtools.send(
        "Emulation.setSafeAreaInsetsOverride", {"insets": {"top": 30, "left": 40, "bottom": 20, "right": 10}}
    )
    frame = page.locator("#screen").bounding_box()
    assert (frame["x"], frame["y"]) == (40, 30)
    assert (frame["x"] + frame["width"], frame["y"] + frame["height"]) == (1270, 780)


def test_what_waits_says_that_a_tablet_without_the_app_may_lose_it(scene, new_page):
    dealer = Tablet(new_page()).begin(scene)
    dealer.page.context.set_offline(True)
    box = dealer.page.locator("#stale-say")
    expect(box).to_contain_text("Offline for")
    expect(box).not_to_contain_text("not installed")
    dealer.tap_each(dealer.chip(2_500), dealer.area("big"))
    expect(box).to_contain_text(
        "Pitside is not installed on this tablet, so its system may clear them: keep this page open."
    )
    dealer.page.evaluate(
        "document.documentElement.toggleAttribute('data-storage-kept', true); dispatchEvent(new Event('storage:asked'))"
    )
    expect(box).not_to_contain_text("not installed")
    dealer.page.context.set_offline(False)
    dealer.is_taken()


def test_the_server_hears_of_power_that_goes(scene, new_page):
    page = new_page()
    page.add_init_script(A_BATTERY)
    Tablet(page).begin(scene)
    page.evaluate("plug(false)")
    for _ in range(40):  # the next heartbeat stores it
        stored = Device.objects.get(pk=scene.tablet.pk)
        if stored.is_charging is not None:
            break
        page.wait_for_timeout(200)
    assert (stored.battery_percent, stored.is_charging) == (41, False)


STORAGE_THAT_IS_KEPT = """
    window.asked = 0;
    const storage = Object.getPrototypeOf(navigator.storage);
    storage.persist = async () => { window.asked += 1; return true; };
"""


def test_a_tablet_asks_its_system_to_keep_what_waits(scene, new_page):
    page = new_page()
    page.add_init_script(STORAGE_THAT_IS_KEPT)
    dealer = Tablet(page).begin(scene)
    expect(page.locator("html[data-storage-kept]")).to_have_count(1)
    assert page.evaluate("asked") == 1
    page.context.set_offline(True)
    box = page.locator("#stale-say")
    expect(box).to_contain_text("Offline for")
    dealer.tap_each(dealer.chip(2_500), dealer.area("big"))
    expect(box).to_contain_text("One act waits")
    expect(box).not_to_contain_text("not installed")
    page.context.set_offline(False)
    dealer.is_taken()


SEVEN_MINUTES = 420
A_SWIPE = [(4, 400), (160, 400), (420, 402), (700, 405)]


def swipe(page, devtools):
    for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove", "touchMove"), A_SWIPE, strict=True):
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def disturb(dealer):
    """All that happens to a tablet on a table: swipe, pinch, Back, a turn, sleep. The table stays as it was."""
    page, address, lying = dealer.page, dealer.page.url, dealer.lying()
    devtools = page.context.new_cdp_session(page)
    swipe(page, devtools)
    devtools.send(
        "Input.synthesizePinchGesture", {"x": 500, "y": 300, "scaleFactor": 3, "gestureSourceType": "touch"}
    )
    page.evaluate("history.back()")
    page.wait_for_timeout(150)
    assert page.evaluate("visualViewport.scale") == 1
    resize(page, (820, 1180))
    expect(dealer.next).to_be_in_viewport(ratio=1)
    resize(page, (1280, 800))
    expect(dealer.next).to_be_in_viewport(ratio=1)
    show(page, "hidden")
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    devtools.send("Page.setWebLifecycleState", {"state": "active"})
    show(page, "visible")
    dealer.is_live()
    assert (page.url, dealer.lying()) == (address, lying)


@dataclass(frozen=True)
class Moment:
    """A phase of a round on a tablet that loses its line for seven minutes.

    `says`: the box, before anything is tapped. `tap`: what is tapped then, if anything. `waits`: the act as it is
    listed; "" where it needs the connection, and nothing is recorded. `then`: the box while it waits. `page`: what the
    page without a line says.
    """

    says: str
    page: str
    waits: str = ""
    then: str = ""
    tap: Callable[[Any], None] | None = lambda dealer: dealer.tap(dealer.next)


GOES_ON = "You can continue. A tap waits until the connection is back, and counts then."
IN_ORDER = "They go out in this order when the line is back, and count once they are confirmed."
CLOSED = f"Bets stay closed. {IN_ORDER}"
NO_MORE_WAGERS = "Take no more wagers. Leave the chips as they lie. Call the floor."
BETS_CLOSED = "Bets stay closed. Write the dice down and call the floor. Take and pay nothing yet."
DICE = "Write the dice down and call the floor. Take and pay nothing yet."
DICE_WAIT = f"Bets stay closed. Write the dice down, call the floor, take and pay nothing yet. {IN_ORDER}"
TAKE_NOTHING = "Take and pay nothing more. Leave the dice as they lie. Call the floor."
PAY_NOTHING = "Pay nothing more. Leave the dice as they lie. Call the floor."
STEP_COMES = f"The next step comes when the connection is back. {IN_ORDER}"
SETTLE_NOTHING = "Take and pay nothing until the connection is back."
CLEAR_NOTHING = "Leave the layout as it lies until the connection is back."
CEASED = "Gaming stays ceased. The next step needs the connection."
STAY_CEASED = "Gaming stays ceased. Leave chips and dice as they lie. Call the floor."
WITHOUT_THE_DICE = f"You can take wagers. Throw nothing until the connection is back. {IN_ORDER}"
UNTIL_ALOUD = "You can take wagers until they are closed aloud."
UNHEARD = "Bets stay closed. Take and pay nothing until the connection is back."
NEEDS_THE_LINE = "This step needs the connection. Nothing was recorded."


def live_through(dealer, scene, moment):
    """A swipe, a pinch, Back, a turn and sleep; then seven minutes without a line, and the page is loaded again."""
    disturb(dealer)
    page, context, address = dealer.page, dealer.page.context, dealer.page.url
    round_shown = page.locator(".fact--round dd").evaluate("(fact) => fact.firstChild.textContent.trim()")
    context.set_offline(True)
    box = page.locator("#stale-say")
    expect(box).to_contain_text("Offline for")
    expect(box).to_contain_text(moment.says)
    if moment.tap:
        moment.tap(dealer)
    waiting = []
    if moment.waits:
        expect(box).to_contain_text(f": {moment.waits} (")
        expect(box).to_contain_text(moment.then)
        tapped_at = re.search(r"\d\d:\d\d:\d\d", box.inner_text())
        assert tapped_at
        waiting = [f"{moment.waits}{tapped_at[0]}"]
    elif moment.tap:
        expect(dealer.refused()).to_contain_text(NEEDS_THE_LINE)
    page.clock.fast_forward(1_000 * SEVEN_MINUTES)
    expect(box).to_contain_text(re.compile(r"Offline for 4[2-9]\d s\."))
    page.reload()
    expect(page.get_by_role("heading", name="Offline")).to_be_visible()
    expect(page.locator("#since")).to_contain_text(f"It last showed T-01, round {round_shown}, at")
    expect(page.locator("#do")).to_have_text(moment.page)
    expect(page.locator("#waits li")).to_have_text(waiting)
    assert page.url == address
    context.set_offline(False)
    dealer.is_live()
    dealer.is_taken()
    expect(dealer.refused()).to_be_hidden()


def types_of(scene):
    entries = Entry.objects.filter(stream=scene.fresh.stream).order_by("seq").values_list("type", flat=True)
    return [name for name in entries if not name.startswith(("alert.", "table.", "shift."))]


def aged(dealer):
    """Its page has a clock that a test moves."""
    dealer.page.clock.install()
    dealer.reload()
    dealer.is_live()
    return dealer


def test_an_installed_tablet_survives_while_wagers_are_taken(scene, new_page):
    dealer, before = aged(installed(new_page, scene)), types_of(scene)
    dealer.choose(dealer.chip(2_500))

    def wager(dealer):
        dealer.tap(dealer.area("big"))

    first = Moment(GOES_ON, NO_MORE_WAGERS, "Wagers of seat 1", f"You can continue. {IN_ORDER}", wager)
    live_through(dealer, scene, first)
    assert dealer.lying() == {(1, "big"): 2_500}
    live_through(dealer, scene, Moment(GOES_ON, NO_MORE_WAGERS, "Shaken", f"You can continue. {IN_ORDER}"))
    dealer.is_in("shaken")
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, "No more bets", CLOSED))
    dealer.is_in("ready")
    assert types_of(scene)[len(before) :] == ["wagers.placed", "dice.shaken", "bets.closed"]


def test_an_installed_tablet_survives_from_no_more_bets_to_the_clear_layout(stage, new_page):
    scene = stage("pa-539")
    scene.place((1, "big", 2_500), (2, "small", 2_500))
    scene.act("no_more_bets")
    dealer, before = aged(installed(new_page, scene)), types_of(scene)
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, "Shaken", CLOSED))
    dealer.is_in("ready")

    def dice(dealer):
        dealer.enter(6, 6, 1)
        dealer.tap(dealer.next)

    live_through(dealer, scene, Moment(GOES_ON, DICE, "Dice 6, 6, 1", DICE_WAIT, dice))
    dealer.is_in("lit")
    pay_nothing = f"Pay nothing until the connection is back. {IN_ORDER}"
    live_through(dealer, scene, Moment(GOES_ON, TAKE_NOTHING, dealer.state()["next"]["label"], pay_nothing))
    dealer.is_in("taken")
    pay_no_more = f"Pay nothing more until the connection is back. {IN_ORDER}"
    live_through(dealer, scene, Moment(GOES_ON, PAY_NOTHING, "Paid seat 1", pay_no_more))
    dealer.is_in("paid")
    live_through(dealer, scene, Moment(CLEAR_NOTHING, PAY_NOTHING))
    dealer.step("Layout cleared")
    dealer.is_in("open")
    assert types_of(scene)[len(before) :] == [
        "dice.shaken", "round.settled", "losers.taken", "winners.paid", "layout.cleared",
    ]  # fmt: skip


def test_a_phone_draws_the_upright_layout_of_a_tablet_reduced(scene, new_page):
    dealer = Tablet(new_page()).begin(scene)
    tablet = dealer.page.context
    phone = tablet.browser.new_context(
        viewport={"width": 390, "height": 844}, screen={"width": 390, "height": 844},
        is_mobile=True, has_touch=True, storage_state=tablet.storage_state(),
    )  # fmt: skip
    page = phone.new_page()
    page.goto(dealer.page.url)
    page.locator("html[data-ready]").wait_for(state="attached")
    felt = page.locator("#felt").bounding_box()
    assert page.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [820, 820]
    assert felt and felt["height"] > 400, "the felt is crushed"
    phone.close()


def test_an_installed_tablet_survives_what_ends_a_round_otherwise(scene, new_page):
    """Wagers that go back, a failed device, a closed table: no step there is kept, and none is promised."""
    scene.place((1, "big", 2_500))
    scene.act("void_round", {"reason": "emergency"}, by="floorperson", device=scene.podium)
    dealer = aged(installed(new_page, scene))
    give_nothing = "Give nothing back until the connection is back."
    live_through(dealer, scene, Moment(give_nothing, "Give nothing more back. Call the floor."))
    scene.act("return_wagers", {"round": 1, "seats": [1]})
    scene.act("report_device_failure", {"what": "device"}, by="floorperson", device=scene.podium)
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "ceased")
    before = types_of(scene)
    live_through(dealer, scene, Moment(CEASED, STAY_CEASED, tap=None))
    scene.act("record_repair", {"what": "fuse"}, by="floorperson", device=scene.podium)
    expect(dealer.next).to_contain_text("Inspected")
    live_through(dealer, scene, Moment(CEASED, STAY_CEASED, tap=None))
    assert types_of(scene)[len(before) :] == ["repair.recorded"]


HIGH_ROLL_WAGERS = (
    (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500), (2, "like-kind:5", 2_500),
    (2, "extra-roll", 2_500),
)  # fmt: skip


def test_an_installed_tablet_survives_from_no_more_bets_to_the_shake_of_high_roll(stage, new_page):
    scene = stage("pa-675a")
    scene.place(*HIGH_ROLL_WAGERS)
    dealer, before = aged(installed(new_page, scene)), types_of(scene)
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, "No more bets", CLOSED))
    while (act := scene.round_part["next"]["act"]) != "call_dice":
        label = dealer.state()["next"]["label"]
        live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, label, IN_ORDER))
        assert scene.round_part["next"]["act"] != act
    assert types_of(scene)[len(before) :] == [
        "bets.closed", "extra_rolls.locked_out", "fees.collected", "dice.shaken",
    ]  # fmt: skip


def test_an_installed_tablet_survives_from_the_dice_to_the_extra_throw_of_high_roll(stage, new_page):
    scene = stage("pa-675a")
    scene.place(*HIGH_ROLL_WAGERS)
    scene.to_the_dice()
    dealer, before = aged(installed(new_page, scene)), types_of(scene)

    def dice(dealer):
        dealer.enter(*FOUR_FIVES)
        dealer.tap(dealer.next)
        dealer.says("Wait for the line")
        expect(dealer.page.locator("#dock-entry [data-face]:enabled")).to_have_count(0)

    live_through(dealer, scene, Moment(GOES_ON, DICE, "10 dice", DICE_WAIT, dice))
    label = dealer.state()["next"]["label"]
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, label, STEP_COMES))
    live_through(dealer, scene, Moment(SETTLE_NOTHING, TAKE_NOTHING, tap=None))
    assert types_of(scene)[len(before) :] == ["throw.settled", "dice.moved"]


def test_an_installed_tablet_survives_between_the_two_rolls_of_high_roll_and_to_the_clear_layout(
    stage, new_page
):
    """The dice that match stay in their box; the others are gathered, shaken and thrown once more."""
    scene = stage("pa-675a")
    scene.place(*HIGH_ROLL_WAGERS)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": list(FOUR_FIVES)})
    scene.until("gather_loose_dice")
    dealer, before = aged(installed(new_page, scene)), types_of(scene)
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, "Loose dice gathered", IN_ORDER))
    live_through(dealer, scene, Moment(GOES_ON, BETS_CLOSED, "Shaken", IN_ORDER))
    dealer.is_in("ready")

    def loose_dice(dealer):
        dealer.enter(5, 5, 1, 2, 3, 4)
        dealer.tap(dealer.next)
        dealer.says("Wait for the line")

    live_through(dealer, scene, Moment(GOES_ON, DICE, "6 dice", DICE_WAIT, loose_dice))
    dealer.is_in("lit")
    live_through(dealer, scene, Moment(SETTLE_NOTHING, TAKE_NOTHING, tap=None))
    scene.until("clear_layout")
    dealer.says("Layout cleared")
    live_through(dealer, scene, Moment(CLEAR_NOTHING, PAY_NOTHING))
    assert types_of(scene)[len(before) :] == [
        "dice.gathered", "dice.shaken", "round.settled", "seats.settled",
    ]  # fmt: skip


def test_an_installed_tablet_survives_each_phase_of_football(stage, new_page):
    scene = stage("pa-577")
    scene.place((5, "touchdown", 2_500), (5, "no-gain", 500, 1))
    stick = FieldTablet(installed(new_page, scene, person="stickperson").page)
    aged(stick)
    before = types_of(scene)

    def accept(stick):
        stick.step("Seat 5 accepts")
        expect(stick.next).to_have_css("border-style", "dashed")
        expect(stick.page.locator("#decline")).to_have_css("pointer-events", "none")

    live_through(stick, scene, Moment(GOES_ON, NO_MORE_WAGERS, "Seat 5 accepts", WITHOUT_THE_DICE, accept))
    live_through(stick, scene, Moment(GOES_ON, BETS_CLOSED, "Dice out", CLOSED))
    stick.is_in("ready")

    def dice(stick):
        stick.tap_dice(3, 1, 4)
        stick.tap(stick.next)
        stick.says("Wait for the line")
        expect(stick.page.locator("#entry [data-die]:enabled")).to_have_count(0)

    live_through(stick, scene, Moment(GOES_ON, DICE, "Dice 3, 1, 4", DICE_WAIT, dice))
    stick.is_in("lit")
    live_through(stick, scene, Moment(SETTLE_NOTHING, TAKE_NOTHING, tap=None))
    assert types_of(scene)[len(before) :] == ["dice.offered", "dice.thrown", "throw.settled"]


def test_an_installed_tablet_survives_the_extra_point_roll_and_the_next_game_of_football(stage, new_page):
    scene = stage("pa-577")
    scene.place((5, "touchdown", 2_500), (5, "extra-point", 500))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [6, 6, 6]})  # Trips TD
    while scene.round_part["next"]["act"] == "settle_seats":
        scene.act("settle_seats", scene.round_part["next"]["params"])
    stick = FieldTablet(installed(new_page, scene, person="stickperson").page)
    aged(stick)
    stick.is_in("point")
    before = types_of(scene)
    live_through(stick, scene, Moment(GOES_ON, BETS_CLOSED, "Dice out", CLOSED))

    def dice(stick):
        stick.tap_dice(1, 4, 1)
        stick.tap(stick.next)

    live_through(stick, scene, Moment(GOES_ON, DICE, "Dice 1, 4, 1", DICE_WAIT, dice))
    stick.is_in("lit")
    while scene.round_part["next"]["act"] == "settle_seats":
        scene.act("settle_seats", scene.round_part["next"]["params"])
    stick.is_in("paid")
    live_through(stick, scene, Moment(CLEAR_NOTHING, PAY_NOTHING, tap=None))
    assert types_of(scene)[len(before) :][:2] == ["dice.thrown", "round.settled"]


def test_the_tablet_of_a_football_dealer_is_told_what_it_cannot_hear(stage, new_page):
    """Without a line it does not hear of the dice, which are the stickperson's: nothing there says that it goes on."""
    scene = stage("pa-577")
    scene.place((5, "touchdown", 2_500), (5, "no-gain", 500, 1), (12, "no-gain", 500, 1))
    scene.until("throw_dice")
    right = FieldTablet(installed(new_page, scene).page)
    aged(right)
    before = types_of(scene)
    right.choose(right.seat(2))

    def wager(right):
        right.tap_each(right.chip(500), right.area("over-four"))

    waits = f"{UNTIL_ALOUD} {IN_ORDER}"
    live_through(right, scene, Moment(UNTIL_ALOUD, NO_MORE_WAGERS, "Wagers of seat 2", waits, wager))
    scene.act("throw_dice")
    right.is_in("ready")
    live_through(right, scene, Moment(UNHEARD, DICE, tap=None))
    scene.act("call_dice", {"dice": [3, 1, 4]})
    right.is_in("lit")

    def settle(right):
        right.says("Places 1–8: took $5, paid $25")
        right.tap(right.next)

    live_through(right, scene, Moment(SETTLE_NOTHING, TAKE_NOTHING, tap=settle))
    assert types_of(scene)[len(before) :] == ["wagers.placed", "dice.thrown", "throw.settled"]
    right.tap(right.next)
    right.says("Places 1–8: all settled")
    live_through(right, scene, Moment(SETTLE_NOTHING, TAKE_NOTHING, tap=None))
    assert types_of(scene)[len(before) :][3:] == ["seats.settled"]
