"""A round trained at a tablet: the machine throws, the trainee reads and keys in; nobody takes the table for real."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tables.rounds import play
from tests.e2e.floor import Tablet, again, dashboard, resize, tablet
from tests.e2e.test_looks import SIZES, faults_of, rules_broken_today
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
# Seats 2, 3 and 5 with the dice 2, 5 and 5.
WAGERS = ((2, "big", 2_500), (2, "total:12", 500), (3, "small", 10_000), (5, "two-dice:2-5", 500))
LIT = {"big", "total:12", "two-of-a-kind:5", "two-dice:2-5", "one-of-a-kind:2", "one-of-a-kind:5"}
TEN_DICE = (1, 2, 5, 3, 1, 6, 6, 1, 4, 2)


@pytest.fixture
def training(stage) -> Scene:
    """A training table under § 625a, Paytable A: open, a dealer at it, no round yet."""
    return stage(kind="training")


def faces(page: Page) -> list[int]:
    """The dice that lie on the felt, from the left, as they are drawn."""
    found = page.locator("#thrown .die use").evaluate_all("all => all.map((use) => use.getAttribute('href'))")
    return [int(one.removeprefix("#d")) for one in found]


def is_apart(one: Locator, other: Locator) -> bool:
    """Whether neither of the two covers any of the other."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a and b
    beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    return beside or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


def test_a_round_is_trained(training, new_page, spotless):
    dealer, pit = tablet(new_page, training), dashboard(new_page, training)
    spotless.extend([dealer, pit])
    dealer.place(*WAGERS)
    dealer.step("Shaken")
    dealer.step("No more bets")
    dealer.is_in("ready")
    expect(dealer.page.locator("#dock-entry")).to_have_count(0)
    expect(dealer.next).to_have_attribute("aria-disabled", "true")

    with play.showing((5, 2, 5)):
        dealer.tap("#throw")
        expect(dealer.page.locator("#thrown")).to_be_visible()
    assert faces(dealer.page) == [5, 2, 5]
    dealer.enter(5, 2, 4)
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("These are not the dice on the table. Read them again.")
    assert is_apart(dealer.refused(), dealer.page.locator("#thrown"))
    assert is_apart(dealer.refused(), dealer.page.locator("#slots"))
    assert faces(dealer.page) == [5, 2, 5]

    dealer.tap('#dock-entry [data-do="face-back"]')
    dealer.enter(5)
    dealer.tap(dealer.next)
    dealer.is_in("lit")
    assert dealer.lit() == LIT
    expect(dealer.page.locator("#thrown")).to_have_count(0)
    dealer.step("Losing wagers taken")
    dealer.is_in("taken")
    dealer.pay_all()
    dealer.is_in("paid")
    dealer.step("Layout cleared")
    dealer.is_in("open")
    assert training.last_round.ending == "settled"

    tile = pit.tile()
    expect(tile.locator(".practice-mark")).to_have_text("TRAINING")
    expect(tile.locator(".win, .handle")).to_have_count(0)
    expect(pit.page.locator("[data-sum=win]").first).to_have_text("$0")
    expect(pit.page.locator("[data-pit-open]")).to_have_text("0 of 0 open")


def to_the_throw(scene: Scene, *wager: object) -> None:
    scene.place(wager)
    scene.to_the_dice()


def enter_ten(dealer: Tablet) -> None:
    for face in TEN_DICE:
        dealer.tap(f'#dock-entry [data-face="{face}"]')


def enter_football(dealer: Tablet) -> None:
    for die, face in enumerate((2, 5, 2)):
        dealer.tap(f'[data-die="{die}"][data-pips="{face}"]')


GAMES: dict[str, tuple[tuple, tuple[int, ...], Callable[[Tablet], None]]] = {
    "pa-625a/A": ((1, "small", 2_500), (5, 2, 5), lambda dealer: dealer.enter(5, 2, 4)),
    "pa-675a": ((1, "pip:1", 1_000), (*TEN_DICE[1:], 6), enter_ten),
    "pa-577": ((1, "touchdown", 1_000), (5, 2, 1), enter_football),
}


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-675a"), again("pa-577")])
def test_the_throw_and_what_lies_there_fit_in_every_game(rules, stage, new_page, spotless):
    wager, dice, enter_others = GAMES[rules]
    scene = stage(rules, kind="training")
    to_the_throw(scene, *wager)
    dealer = tablet(new_page, scene, scene.at_the_post_of("call_dice", {}))
    spotless.append(dealer)
    found = {"to be thrown": faults_of(dealer.page) + rules_broken_today(dealer.page)}
    with play.showing(dice):
        dealer.tap("#throw")
        expect(dealer.page.locator("#thrown .die")).to_have_count(len(dice))
    assert faces(dealer.page) == list(dice)
    found["thrown"] = faults_of(dealer.page) + rules_broken_today(dealer.page)
    for width, height in SIZES:
        resize(dealer.page, (width, height))
        keys = dealer.page.locator("#screen :is(.facepad, .counts, .die-rows)")
        assert keys.count() > 0
        assert all(is_apart(dealer.page.locator("#thrown"), one) for one in keys.all()), (width, height)
    enter_others(dealer)
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("Read them again")
    for width, height in SIZES:
        resize(dealer.page, (width, height))
        assert is_apart(dealer.refused(), dealer.page.locator("#thrown")), (width, height)
    found["refused"] = faults_of(dealer.page) + rules_broken_today(dealer.page)
    assert found == {name: [] for name in found}


def tint(page: Page) -> tuple[int, int]:
    """The green and the blue of the page's ground, as it is painted."""
    ground = "document.body.matches('.console') ? document.body : document.documentElement"
    colour = page.evaluate(f"getComputedStyle({ground}).backgroundColor")
    _red, green, blue = (int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(","))
    return green, blue


def is_marked(page: Page) -> None:
    """Slate where a real table is green, and the strip with its word at the very top, wherever the page is scrolled."""
    green, blue = tint(page)
    assert blue > green
    for down in (0, 10_000):
        page.mouse.wheel(0, down)
        strip = page.locator(".practice-strip")
        expect(strip).to_be_in_viewport()
        box = strip.bounding_box()
        assert box and box["y"] == 0 and box["width"] == page.viewport_size["width"]
    words = page.locator(".practice-words b").filter(visible=True)
    assert words.count() > 3
    assert set(words.all_inner_texts()) == {"TRAINING"}


def test_no_screen_of_it_can_be_taken_for_a_real_table(training, new_page, spotless):
    to_the_throw(training, 1, "small", 2_500)
    screen = Tablet(new_page())
    spotless.append(screen)
    screen.enrol(training.tokens["tablet"])
    is_marked(screen.page)
    assert faults_of(screen.page) + rules_broken_today(screen.page) == []
    screen.arrive("dealer")
    is_marked(screen.page)
    expect(screen.page.locator(".side-head .practice")).to_have_text("practice money")

    pit = dashboard(new_page, training)
    spotless.append(pit)
    green, blue = tint(pit.page)
    assert green > blue
    assert rules_broken_today(pit.page) == []
    pit.page.goto("/floor/larkfield/T-01/")
    is_marked(pit.page)
    expect(pit.page.locator("#money")).to_have_text("Practice money today")
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []


def test_a_real_table_has_none_of_it(scene, new_page):
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    dealer = tablet(new_page, scene)
    expect(dealer.page.locator("#dock-entry")).to_be_visible()
    expect(dealer.page.locator(".practice-strip, .practice, #throw, #thrown")).to_have_count(0)
    green, blue = tint(dealer.page)
    assert green > blue
