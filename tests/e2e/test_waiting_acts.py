"""Acts that wait on a tablet, attacked: nothing is lost, nothing is recorded twice, nothing false is said."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Request, Route, WebSocketRoute, expect

from audit.devices import enroll
from audit.models import Entry
from tables.views import service
from tests.e2e.floor import Tablet, lying, tablet
from tests.e2e.test_kiosk import installed
from tests.e2e.test_money import open_tray  # noqa: F401 -- a fixture
from tests.tables.cast import Scene
from tests.tables.test_money import fill

pytestmark = pytest.mark.browser
HELD_WAITING = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"
LOOK_FOR_A_BUILD = "navigator.serviceWorker.getRegistration().then((found) => found.update())"


def recorded(scene: Scene) -> list[str]:
    types = Entry.objects.filter(stream=scene.fresh.stream).order_by("seq").values_list("type", flat=True)
    since = list(types)[list(types).index("table.opened") + 1 :]
    return [name for name in since if not name.startswith(("alert.", "shift."))]


def offline(dealer: Tablet) -> None:
    dealer.page.context.set_offline(True)
    expect(dealer.page.locator("#live")).to_contain_text("OFFLINE")


def online(dealer: Tablet) -> None:
    dealer.page.context.set_offline(False)


def box(dealer: Tablet) -> Any:
    return dealer.page.locator("#stale-say")


@pytest.fixture
def dealer(scene, new_page) -> Tablet:
    return tablet(new_page, scene)


@pytest.fixture
def beside(scene, new_page) -> Tablet:
    """The floorperson at a second tablet of the same table."""
    _, token = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    second = Tablet(new_page())
    second.let_in(token, "floorperson")
    second.is_live()
    return second


def test_what_waits_when_the_session_has_ended_is_sent_after_the_sign_in(scene, dealer):
    scene.place((1, "big", 2_500))
    dealer.tap_each(dealer.chip(2_500), dealer.seat(3))
    offline(dealer)
    dealer.tap(dealer.area("small"))
    dealer.tap(dealer.next)
    expect(box(dealer)).to_contain_text("Two acts wait: Wagers of seat 3")
    Session.objects.all().delete()
    online(dealer)
    expect(dealer.page.locator("#sign-in")).to_be_visible()
    assert recorded(scene) == ["wagers.placed"]
    dealer.arrive("dealer")
    dealer.is_in("shaken")
    assert lying(scene) == {(1, "big"): 2_500, (3, "small"): 2_500}
    assert recorded(scene) == ["wagers.placed", "wagers.placed", "dice.shaken"]


def test_what_waited_for_the_person_before_is_told_and_not_called_unsent_if_it_was_sent(scene, dealer):
    lost: list[str] = []

    def take_and_lose(route: Route) -> None:
        if not lost:
            lost.append(str(route.fetch().status))
        route.abort()

    scene.play((1, "big", 2_500), (2, "big", 500), dice=[5, 5, 6])
    expect(dealer.next).to_contain_text("Paid seat 1")
    dealer.posts_acts()
    dealer.page.route("**/acts/pay_seats", take_and_lose)
    dealer.tap(dealer.next)
    expect(dealer.page.locator(".due--paid")).to_have_count(1)  # the push came, the answer did not
    assert lost == ["200"]
    dealer.page.unroute("**/acts/pay_seats")
    dealer.page.evaluate("void (fetch = () => new Promise(() => {}))")  # no try goes out any more
    Session.objects.all().delete()
    dealer.page.goto("/sign-in")
    dealer.sign_in("relief")
    dealer.is_live()
    expect(dealer.refused()).to_contain_text("Not known")
    expect(dealer.refused()).to_contain_text(re.compile(r"no answer came: Paid seat 1 \(\d\d:\d\d:\d\d\)"))
    expect(dealer.refused()).not_to_contain_text("not sent")
    assert scene.round.paid_seats == [1]


def test_a_second_wager_over_the_maximum_is_not_lost_to_the_alert_of_the_first(scene, dealer):
    """The alert of the first wager is an entry too; the second was tapped before its answer came."""
    waiting: list[Route] = []
    answered: list[bool] = []
    dealer.tap(dealer.chip(100_000))
    dealer.posts_acts()
    dealer.page.route(
        "**/place_wagers", lambda route: waiting.append(route) if not answered else route.continue_()
    )
    for _ in range(2):
        dealer.tap(dealer.area("big"))
    dealer.page.wait_for_timeout(600)
    dealer.tap(dealer.area("big"))
    dealer.page.wait_for_timeout(600)
    answered.append(True)
    waiting[0].continue_()
    dealer.is_taken()
    expect(dealer.refused()).to_be_hidden()
    assert lying(scene) == {(1, "big"): 300_000}


def test_two_tablets_at_one_table_lose_nothing_to_their_own_acts(scene, dealer, beside):
    dealer.tap_each(dealer.chip(2_500), dealer.seat(1))
    offline(dealer)
    dealer.tap(dealer.area("big"))
    expect(box(dealer)).to_contain_text("Wagers of seat 1")
    dealer.page.wait_for_timeout(600)
    dealer.tap(dealer.area("big"))
    dealer.tap(dealer.next)
    expect(box(dealer)).to_contain_text("Three acts wait")
    beside.place((7, "small", 500))
    online(dealer)
    dealer.is_in("shaken")
    dealer.is_live()
    dealer.is_taken()
    expect(dealer.refused()).to_be_hidden()
    assert lying(scene) == {(1, "big"): 5_000, (7, "small"): 500}


def test_what_was_refused_of_several_acts_stays_in_sight_until_it_is_read(scene, dealer, beside):
    """A later act that is taken, and moves the round on, hides no refusal of an earlier one."""
    scene.place((1, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    dealer.is_in("shaken")
    dealer.tap_each(dealer.chip(10_000), dealer.seat(3))
    offline(dealer)
    dealer.tap(dealer.area("total:9"))
    dealer.page.wait_for_timeout(600)
    dealer.tap_each(dealer.seat(4), dealer.area("small"))
    dealer.step("No more bets")
    # a finger that is slow on a busy machine holds the last die, which calls the dice
    dealer.tap_at_once(*(f'#dock-entry [data-face="{face}"]' for face in (2, 5, 5)))
    dealer.tap(dealer.next)
    expect(box(dealer)).to_contain_text("Four acts wait")
    for seat in (3, 4):
        scene.act("refuse_seat", {"seat": seat, "reason": "age"}, by="floorperson", device=scene.podium)
    dealer.page.wait_for_timeout(2_000)
    online(dealer)
    dealer.is_in("taken")
    expect(dealer.refused()).to_contain_text("2 taps were not taken")
    expect(dealer.refused()).to_contain_text("seat 3, $100 on Total 9")
    expect(dealer.refused()).to_contain_text("seat 4, $100 on Small")
    dealer.tap("#refusal [data-close]")
    expect(dealer.refused()).to_be_hidden()
    assert lying(scene) == {(1, "big"): 2_500}


def test_airplane_mode_in_the_middle_of_paying_pays_each_seat_once(scene, dealer):
    scene.play((1, "big", 2_500), (2, "big", 2_500), (3, "big", 500), dice=[5, 5, 6])
    expect(dealer.next).to_contain_text("Paid seat 1")
    dealer.tap(dealer.next)
    expect(dealer.next).to_contain_text("Paid seat 2")
    offline(dealer)
    for _ in range(3):
        dealer.next.click(delay=150)
        dealer.page.wait_for_timeout(400)
    expect(box(dealer)).to_contain_text("One act waits: Paid seat 2")
    expect(box(dealer)).to_contain_text("Pay nothing more until the connection is back.")
    everything = dealer.page.locator("#all")
    if everything.count():
        assert scene.round.paid_seats == [1]
    online(dealer)
    dealer.is_live()
    dealer.is_taken()
    expect(dealer.next).to_contain_text("Paid seat 3")
    assert scene.round.paid_seats == [1, 2]


def test_the_page_without_a_line_lists_what_waits_also_while_a_newer_build_waits(
    scene, new_page, monkeypatch
):
    dealer = installed(new_page, scene)
    page = dealer.page
    scene.place((1, "big", 2_500))
    monkeypatch.setattr(service, "version", lambda: "the next build")
    page.evaluate(LOOK_FOR_A_BUILD)
    for _ in range(50):
        if page.evaluate(HELD_WAITING):
            break
        page.wait_for_timeout(100)
    page.context.new_cdp_session(page).send(
        "Network.clearBrowserCache"
    )  # as the system does when it is short of room
    offline(dealer)
    dealer.tap(dealer.next)
    expect(box(dealer)).to_contain_text("Shaken")
    page.reload()
    expect(page.locator("#waits h2")).to_have_text("Not yet confirmed")
    expect(page.locator("#waits li b")).to_have_text(["Shaken"])
    expect(page.locator("#do")).to_have_text(
        "Take no more wagers. Leave the chips as they lie. Call the floor."
    )
    online(dealer)
    dealer.is_in("shaken")
    assert recorded(scene) == ["wagers.placed", "dice.shaken"]


def test_what_is_typed_in_a_dialog_survives_a_push_a_turn_and_a_page_that_is_loaded_again(scene, new_page):
    scene.place((1, "big", 2_500))
    dealer = installed(new_page, scene)
    page, ask = dealer.page, dealer.page.locator("#ask")
    dealer.other("void_round")
    dealer.page.locator("#ask [name=note]").fill("fire alarm in the hall")
    dealer.tap('#ask [data-value="emergency"]')
    scene.place((2, "small", 500))
    expect(page.locator("#screen")).to_have_attribute("data-version", str(scene.version))
    offline(dealer)
    page.reload()
    expect(page.locator("#kept")).to_have_text(
        "What was entered in \u201cVoid the round\u201d is kept on this tablet. Nothing of it is sent yet."
    )
    online(dealer)
    dealer.is_live()
    expect(ask).to_be_visible()
    expect(ask.locator("[name=note]")).to_have_value("fire alarm in the hall")
    expect(ask.locator('[data-value="emergency"]')).to_have_attribute("aria-pressed", "true")
    expect(ask.locator("[data-refused]")).to_contain_text(
        "As it was entered before the page was loaded again."
    )
    expect(ask.locator("[data-go]")).to_be_disabled()  # the PIN was never stored
    dealer.tap("#ask [data-cancel]")
    dealer.reload()
    dealer.is_live()
    expect(ask).to_be_hidden()
    assert scene.round.phase == "open"


def test_a_device_failure_that_is_being_reported_survives_a_reload_and_is_told_once_the_round_has_gone_on(
    scene, new_page
):
    scene.place((1, "big", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    dealer.report_failure("device", 2, 5, 5)
    chosen = dealer.page.locator("#ask [data-fill=what][aria-pressed=true]").inner_text()
    dealer.reload()
    dealer.is_live()
    expect(dealer.page.locator("#ask [data-fill=what][aria-pressed=true]")).to_have_text(
        chosen, use_inner_text=True
    )
    expect(dealer.page.locator("#ask .slots")).to_have_attribute("aria-label", "Dice entered: 2, 5, 5")
    scene.act("void_round", {"reason": "emergency"}, by="floorperson", device=scene.podium, witness="dealer")
    scene.act("return_wagers", {"round": 1, "seats": [1]})
    dealer.reload()
    dealer.is_live()
    expect(dealer.page.locator("#ask")).to_be_hidden()
    expect(dealer.refused()).to_contain_text("was being entered in round 1, and was not sent.")


def test_a_fill_that_is_being_counted_survives_a_reload(open_tray, new_page):  # noqa: F811
    scene = open_tray
    fill(scene)
    dealer = tablet(new_page, scene)
    dealer.page.goto("/floor/larkfield/T-01/tray?count=slip")
    page, go = dealer.page, dealer.page.locator("#go")
    expect(page.locator("html")).to_have_attribute("data-ready", "")
    page.keyboard.type("100")
    dealer.tap("[data-count-next]")
    page.keyboard.type("9")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-ready", "")
    expect(page.locator("[data-number]")).to_have_text(["100", "9"])
    expect(page.locator("#status-message")).to_have_text(
        "The numbers that were entered before are here again."
    )
    expect(go).to_contain_text("The count differs")
    dealer.tap_each(
        "[data-cell='2500']", "[data-count-digit='1']", "[data-count-digit='0']", "[data-count-digit='0']"
    )
    expect(go).to_contain_text("Sign for $3,000")


def test_an_act_whose_answer_is_lost_on_the_socket_is_asked_for_by_post(scene, dealer):
    lost: list[str] = []
    posted: list[Any] = []

    def lose_the_first_answer(page_end: WebSocketRoute) -> None:
        server_end = page_end.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if lost or not str(message).startswith('{"answer"'):
                page_end.send(message)
                return
            lost.append(str(message))
            page_end.close()

        server_end.on_message(pass_on)

    dealer.page.route_web_socket(re.compile("/ws/table/"), lose_the_first_answer)
    dealer.page.reload()
    dealer.is_live()

    def note(request: Request) -> None:
        if "/acts/" in request.url:
            posted.append(request.post_data_json)

    dealer.page.on("request", note)
    dealer.place((1, "big", 2_500))
    assert (len(lost), len(posted)) == (1, 1)
    assert posted[0]["retry"] is True
    dealer.is_live()
    dealer.place((4, "small", 2_500))
    assert len(posted) == 1, "the next one goes by the new socket"
    assert recorded(scene) == ["wagers.placed"] * 2
    assert lying(scene) == {(1, "big"): 2_500, (4, "small"): 2_500}


def test_what_was_taken_as_the_line_was_lost_is_not_said_to_count_only_later(scene, new_page):
    page = new_page()

    def lose_answers(page_end: WebSocketRoute) -> None:
        server_end = page_end.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if not str(message).startswith('{"answer"'):
                page_end.send(message)
                return
            page.context.set_offline(True)
            page_end.close()

        server_end.on_message(pass_on)

    page.route_web_socket(re.compile("/ws/table/"), lose_answers)
    dealer = Tablet(page).begin(scene)
    dealer.tap_each('[data-chip="2500"]', dealer.seat(1), dealer.area("big"))
    expect(box(dealer)).to_contain_text("One act waits: Wagers of seat 1")
    expect(box(dealer)).to_contain_text("and count once they are confirmed.")
    assert lying(scene) == {(1, "big"): 2_500}
    online(dealer)
    dealer.is_taken()
    assert recorded(scene) == ["wagers.placed"]
