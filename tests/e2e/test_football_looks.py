"""What the football screens owe the hand and the eye, in every phase at three sizes."""

import pytest
from playwright.sync_api import expect

from audit.devices import enroll
from tests.e2e.field import GAIN_OF_8, LEFT, RIGHT, TWO_ONES, FieldTablet
from tests.e2e.floor import dashboard
from tests.e2e.test_looks import broken_rules, faults_of
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser


@pytest.fixture
def table(stage) -> Scene:
    return stage("pa-577")


@pytest.fixture
def right(table, new_page) -> FieldTablet:
    return FieldTablet(new_page()).begin(table)


@pytest.fixture
def stick(table, right, new_page) -> FieldTablet:
    _, token = enroll("Third tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    screen = FieldTablet(new_page())
    screen.let_in(token, "stickperson")
    screen.is_live()
    return screen


def test_the_consoles_of_dealer_and_stick_fit_the_hand_and_the_eye_in_every_phase(
    table, right, stick, spotless
):
    spotless += [right, stick]
    found: dict[str, list[str]] = {}

    def look(name: str, *screens: FieldTablet) -> None:
        for screen in screens or (right, stick):
            if faults := faults_of(screen.page) + broken_rules(screen.page):
                found[f"{name}, at the {'stick' if screen is stick else 'right'}"] = faults

    def settle_all() -> None:
        while table.round.phase == "lit":
            table.act("settle_seats")

    look("dice offered")
    right.place(*RIGHT, *LEFT)
    look("wagers")
    stick.tap("#decline")
    stick.tap("#decline")
    stick.step("Seat 5 accepts")
    stick.step("Dice out")
    for screen in (right, stick):
        screen.is_in("ready")
    look("dice awaited")
    stick.tap_dice(*GAIN_OF_8)
    look("dice tapped", stick)
    stick.tap('.dock [data-open="no-roll"]')
    look("no roll", stick)
    stick.tap("#no-roll [data-close]")
    stick.tap(stick.next)
    for screen in (right, stick):
        screen.is_in("lit")
    look("settling a play")
    right.tap(right.next)
    right.says("Places 1–8: all settled")
    look("one half settled")
    settle_all()
    for screen in (right, stick):
        screen.is_in("open")
    look("the second play")
    stick.tap("[data-open=more]")
    look("other acts", stick)
    stick.tap("#more [data-close]")
    stick.throw(6, 6, 6)
    right.is_in("lit")
    look("a Trips TD")
    settle_all()
    for screen in (right, stick):
        screen.is_in("point")
    look("extra point")
    stick.throw(*TWO_ONES)
    right.is_in("lit")
    look("finish")
    settle_all()
    for screen in (right, stick):
        screen.is_in("paid")
    look("paid")
    assert found == {}


def test_the_pits_page_of_a_football_table_fits(table, right, new_page, spotless):
    right.place(*RIGHT)
    pit = dashboard(new_page, table)
    spotless.append(pit)
    assert broken_rules(pit.page) == []
    pit.page.goto("/floor/larkfield/T-01/")
    expect(pit.page.locator("live-screen:defined")).to_be_visible()
    assert faults_of(pit.page, least=None) + broken_rules(pit.page) == []
