"""The rules office and the floor together: a paytable, the limits, the guide, a provider, on the screens they reach."""

import datetime as dt
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from audit import clock
from tables.models import LimitsChange
from tables.ticker import tick
from tests.e2e.floor import Screen, Tablet, letter, resize, touch
from tests.e2e.test_looks import CUT_OFF, SIZES
from tests.e2e.test_office_submissions import Desk
from tests.games.office.chapter_528 import ANY_TRIPLE, dealt
from tests.services.server import LiveServer
from tests.tables.cast import Scene
from tests.tables.conftest import Hands

pytestmark = pytest.mark.browser
clause = pytest.mark.clause
PHONE = (390, 844)
HALF_AN_HOUR = dt.timedelta(minutes=30)
SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def hands() -> Iterator[Hands]:
    """The server's clock: ten in the morning, until the story goes on."""
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands


def decide(scene: Scene, desk: Desk, name: str, reference: str) -> None:
    """Approved by the letter that lies beside it, and by a second person."""
    box = desk.slip(name)
    desk.tap(box.locator(".pick", has_text="Approved"))
    expect(box.locator("[name=body]")).to_have_value("Bureau of Gaming Operations")
    box.locator("[name=reference]").fill(reference)
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")  # with the code that it became
    desk.go(box)
    scene.approve_changes()
    desk.page.reload()


@pytest.fixture
def wait(hands: Hands, scene: Scene, session_server: LiveServer) -> Callable[[dt.timedelta], None]:
    """Time passes; the ticker looks, and the table's screens are told."""

    def wait(passed: dt.timedelta) -> None:
        hands.now += passed
        tick()
        session_server.push(scene.table.pk)

    return wait


def change_limits(floor: Screen, low: str, high: str, how: str) -> None:
    floor.tap("[data-limits-open=limits-change]")
    box = floor.page.locator("#limits-change")
    box.locator("[name=min]").fill(low)
    box.locator("[name=max]").fill(high)
    floor.tap(box.locator("label", has_text=how))
    for seat in box.get_by_label(re.compile(r"Seat \d+ left")).all() if how == "Nobody is playing" else ():
        floor.tap(seat)
    floor.tap(box.locator("[type=submit]"))
    expect(box).not_to_be_visible()


@clause("PA-521.8(b)", "PA-521.8(c)(1)", "PA-521.8(c)(2)(i)", "PA-521.9(f)", "PA-528.7")
def test_a_day_in_the_office(hands, wait, scene, new_page, spotless):
    dealer = Tablet(new_page()).begin(scene)
    desk = Desk(new_page()).sit_down(scene)
    spotless += [dealer, desk]
    odds = dealer.area("total:4").locator(".odds")
    expect(odds).to_have_text("50 to 1")
    dealer.place((1, "total:4", 500), (1, "small", 2_500))

    # Sic Bo under Paytable B: drafted, its odds sheet seen, filed, approved; the round in play keeps Paytable A
    desk.go_to("RS-0009")
    box = desk.slip("draft-next")
    desk.tap(box.locator(".pick", has_text="Paytable B"))
    box.locator("[name=why]").fill("Paytable B")
    desk.go(box)
    desk.page.goto("/office/larkfield/submissions/RS-0009/2/")
    row = desk.page.locator(".odds-sheet tr", has_text="Total 4").first
    expect(row).to_contain_text("62 to 1")
    expect(row).to_contain_text("12.50 %")
    desk.go(desk.slip("file-submission"))
    decide(scene, desk, "record-decision", "ED-114")
    wait(SECOND)
    assert scene.round is not None and scene.round.submission.version == 1
    expect(odds).to_have_text("50 to 1")
    for step in ("Shaken", "No more bets"):
        dealer.step(step)
    dealer.call(1, 1, 2)
    dealer.pay_all()
    dealer.step("Layout cleared")
    dealer.is_in("open")
    assert scene.last_round.paid_cents == 500 * 50 + 2_500
    wait(SECOND)
    expect(odds).to_have_text("62 to 1")
    expect(dealer.page.locator("main")).to_contain_text("The floor acknowledges what it changes")
    for size in SIZES:
        resize(dealer.page, size)
        assert dealer.page.evaluate(CUT_OFF) == [], size
    scene.acknowledge_rules()
    wait(SECOND)
    dealer.place((1, "total:4", 500))
    assert scene.round is not None and scene.round.submission.version == 2

    # Limits: with a player seated by notice, 30 minutes after the later of sign and announcement; then at once
    floor = Screen(new_page())
    spotless.append(floor)
    floor.let_in(scene.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.is_live()
    change_limits(floor, "25", "2,000", "Players are here")
    dealer.tap("#announce")
    dealer.tap(".announced")
    floor.tap("[data-limits=post_limits_sign]")
    expect(floor.page.locator("[data-limits=post_limits_sign]")).to_have_count(0)
    effective = LimitsChange.objects.get().effective_at
    assert effective == hands.now + HALF_AN_HOUR
    for step in ("Shaken", "No more bets"):
        dealer.step(step)
    dealer.call(1, 1, 2)
    dealer.pay_all()
    dealer.step("Layout cleared")
    dealer.is_in("open")
    assert scene.last_round.paid_cents == 500 * 62
    wait(HALF_AN_HOUR - SECOND)
    assert scene.fresh.min_cents == 1_000
    wait(SECOND)
    assert (scene.fresh.min_cents, scene.fresh.max_cents) == (2_500, 200_000)
    dealer.page.wait_for_url("**/sign-in*")  # half an hour is long: both have locked
    dealer.sign_in("dealer")
    touch(floor.page.locator(".bar").get_by_role("link", name="Sign in"))  # the podium still shows the floor
    floor.sign_in("floorperson")
    floor.page.wait_for_url("**/floor/larkfield/")
    floor.page.goto("/floor/larkfield/T-01/")
    floor.is_live()
    dealer.is_live()
    change_limits(floor, "5", "500", "Nobody is playing")
    assert (scene.fresh.min_cents, scene.fresh.max_cents) == (500, 50_000)
    expect(dealer.page.locator(".fact--limits dd")).to_have_text("$5–$500")

    # The guide: generated of the rules in force, approved, published, and read on a phone in Spanish
    desk.reload()
    desk.sign_in("games-administrator")
    desk.page.wait_for_url("**/office/larkfield/**")
    desk.page.goto("/office/larkfield/guide/")
    for step in ("generate", "file-sample"):
        desk.go(desk.slip(step))
    decide(scene, desk, "decide-guide", "BGO-77")
    desk.go(desk.slip("publish"))
    visitor = new_page(*PHONE)
    visitor.goto("/guide/larkfield/?lang=es")
    visitor.get_by_role("link", name="Sic Bo").click()
    expect(visitor.locator(".bets li", has_text="Tres iguales").locator(".pays").first).to_have_text(
        "180 a 1"
    )
    assert visitor.context.cookies() == []

    # A provider's certification lasts four years; on the day after its last one the wager stops, and no other
    dealt(scene, hands.now)
    area = dealer.area(ANY_TRIPLE)
    wait(SECOND)
    expect(area.locator(".not-dealt")).to_have_count(0)
    wait(dt.datetime(2030, 11, 21, 15, tzinfo=dt.UTC) - hands.now)
    dealer.reload()
    dealer.arrive("dealer")
    expect(area.locator(".not-dealt")).to_have_text("not dealt")
    dealer.tap(dealer.chip(500))
    dealer.tap(area)
    expect(dealer.refused()).to_contain_text("Tumbling Dice Ideas")
    dealer.place((1, "small", 500))
