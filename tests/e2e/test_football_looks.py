"""What the football screens owe the hand and the eye, in every phase at three sizes."""

import pytest
from playwright.sync_api import expect

from audit.devices import enroll
from tests.e2e.field import GAIN_OF_8, LEFT, RIGHT, TWO_ONES, FieldTablet
from tests.e2e.floor import again, dashboard, resize
from tests.e2e.test_looks import SIZES, broken_rules, faults_of, rules_broken_today
from tests.services.examples import is_of_today
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
# Lines of this tablet's half that a dealer would have to scroll for, and words that are cut off.
OUT_OF_SIGHT = r"""() => {
    const list = document.querySelector('.fb-run .scroll').getBoundingClientRect();
    return [...document.querySelectorAll('.fb-row .fb-line, .fb-run .fb-call, .stage, #next .next-l, #next .next-s')]
        .filter((part) => part.checkVisibility())
        .filter((part) => part.scrollWidth > part.clientWidth + 1
            || part.matches('.fb-line') && part.getBoundingClientRect().bottom > list.bottom + 0.5
            || part.closest('#next') && part.getBoundingClientRect().bottom > innerHeight)
        .map((part) => part.textContent.trim().replace(/\s+/g, ' '));
}"""
CUT_NEXT = """() => {
    const wrap = document.getElementById('next-wrap').getBoundingClientRect();
    const isCut = (part) => {
        const { top, bottom, right } = part.getBoundingClientRect();
        return part.scrollWidth > part.clientWidth + 1 || top < wrap.top || bottom > wrap.bottom || right > wrap.right;
    };
    return [...document.querySelectorAll('#next .next-l, #next .next-s, #decline')].filter(isCut)
        .map((part) => part.textContent.trim());
}"""
EIGHT_SEATS = tuple(
    (seat, *wager)
    for seat in range(1, 9)
    for wager in (("over-four", 2_500, 1), ("under-four", 2_500, 1))[: 1 + seat % 2]
)


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


@pytest.mark.parametrize("who_waits_too", [False, again(True)])
def test_the_consoles_of_dealer_and_stick_fit_the_hand_and_the_eye_in_every_phase(
    table, right, stick, spotless, who_waits_too
):
    """Of every phase the screen of who acts in it; with `who_waits_too` also the one of the other."""
    spotless += [right, stick]
    found: dict[str, list[str]] = {}

    def look(name: str, *screens: FieldTablet) -> None:
        for screen in (right, stick) if who_waits_too else screens:
            if is_of_today(name) and (faults := faults_of(screen.page) + broken_rules(screen.page)):
                found[f"{name}, at the {'stick' if screen is stick else 'right'}"] = faults

    def settle_all() -> None:
        while table.round.phase == "lit":
            table.act("settle_seats")

    look("dice offered", right, stick)
    right.place(*RIGHT, *LEFT)
    look("wagers", right)
    stick.tap("#decline")
    stick.tap("#decline")
    stick.step("Seat 5 accepts")
    stick.step("Dice out")
    for screen in (right, stick):
        screen.is_in("ready")
    look("dice awaited", stick)
    stick.tap_dice(*GAIN_OF_8)
    look("dice tapped", stick)
    stick.tap('.dock [data-open="no-roll"]')
    look("no roll", stick)
    stick.tap("#no-roll [data-close]")
    stick.tap(stick.next)
    for screen in (right, stick):
        screen.is_in("lit")
    look("settling a play", right)
    right.tap(right.next)
    right.says("Places 1–8: all settled")
    look("one half settled", right, stick)
    settle_all()
    for screen in (right, stick):
        screen.is_in("open")
    look("the second play", right, stick)
    stick.tap("[data-open=more]")
    look("other acts", stick)
    stick.tap("#more [data-close]")
    stick.throw(6, 6, 6)
    right.is_in("lit")
    look("a Trips TD", right)
    settle_all()
    for screen in (right, stick):
        screen.is_in("point")
    look("extra point", stick)
    stick.throw(*TWO_ONES)
    right.is_in("lit")
    look("finish", right)
    settle_all()
    for screen in (right, stick):
        screen.is_in("paid")
    look("paid", right, stick)
    assert found == {}


CUT_ODDS = """() => [...document.querySelectorAll('.fb-tiers i')]
    .filter((odds) => odds.getBoundingClientRect().right > odds.closest('.fb-area').getBoundingClientRect().right - 1)
    .map((odds) => odds.parentElement.textContent.trim())"""


def test_odds_by_the_number_of_dice_are_whole_while_bets_are_open(right):
    cut = {}
    for width, height in SIZES:
        resize(right.page, (width, height))
        cut[width] = right.page.evaluate(CUT_ODDS)
    assert cut == {width: [] for width, _ in SIZES}


def test_the_stick_passes_on_the_dice_of_a_quarterback_whose_wagers_were_taken_back(table, right, stick):
    table.place((5, "touchdown", 2_500), (6, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.says("Dice out")
    table.place((5, "touchdown", 0))
    expect(stick.page.locator("#decline")).to_have_text("Pass thedice")
    expect(stick.next).to_contain_text("Seat 5 has no wager in this game yet § 577.6(b)")
    cut = {}
    for width, height in SIZES:
        resize(stick.page, (width, height))
        cut[width] = stick.page.evaluate(CUT_NEXT)
    assert cut == {width: [] for width, _ in SIZES}
    resize(stick.page, (1280, 800))
    stick.tap("#decline")
    stick.says("Seat 6 accepts")


def test_eight_seats_of_one_half_are_settled_without_scrolling_at_any_size(table, right, spotless):
    spotless.append(right)
    table.place(*EIGHT_SEATS)
    table.act("offer_dice", {"seat": 1, "accepted": True})
    table.act("throw_dice")
    table.act("call_dice", {"dice": list(GAIN_OF_8)})
    right.is_in("lit")
    hidden: dict[int, list[str]] = {}
    for width, height in SIZES:
        resize(right.page, (width, height))
        hidden[width] = right.page.evaluate(OUT_OF_SIGHT)
    assert hidden == {width: [] for width, _ in SIZES}


def test_the_pits_page_of_a_football_table_fits(table, right, new_page, spotless):
    right.place(*RIGHT)
    pit = dashboard(new_page, table)
    spotless.append(pit)
    assert rules_broken_today(pit.page) == []
    pit.page.goto("/floor/larkfield/T-01/")
    expect(pit.page.locator("live-screen:defined")).to_be_visible()
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []
