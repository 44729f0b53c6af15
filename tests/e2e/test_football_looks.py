"""What the football screens owe the hand and the eye, in every phase at three sizes."""

import pytest
from playwright.sync_api import expect

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


def test_the_console_fits_the_hand_and_the_eye_in_every_phase(table, right, spotless):
    spotless.append(right)
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if faults := faults_of(right.page) + broken_rules(right.page):
            found[name] = faults

    look("dice offered")
    right.place(*RIGHT, *LEFT)
    look("wagers")
    right.tap("#decline")
    right.tap("#decline")
    right.step("Seat 5 accepts")
    right.step("Dice out")
    right.is_in("ready")
    look("dice awaited")
    right.tap_dice(*GAIN_OF_8)
    look("dice tapped")
    right.tap('.dock [data-open="no-roll"]')
    look("no roll")
    right.tap("#no-roll [data-close]")
    right.tap(right.next)
    right.is_in("lit")
    for _ in ("left", "the whole table"):
        right.tap("[data-do=half]")
    look("settling a play")
    right.tap("[data-do=half]")
    look("settling a half")
    right.tap(right.next)
    right.says("Places 1–8: all settled")
    look("one half settled")
    right.tap("[data-do=half]")
    right.tap(right.next)
    right.is_in("open")
    right.tap("[data-do=half]")
    look("the second play")
    right.tap("[data-open=more]")
    look("other acts")
    right.tap("#more [data-close]")
    right.throw(6, 6, 6)
    look("a Trips TD")
    right.settle_all()
    right.is_in("point")
    look("extra point")
    right.throw(*TWO_ONES)
    look("finish")
    right.settle_all()
    right.is_in("paid")
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
