"""Three Dice Football on the tablets of two dealers and the stick: a game to its extra point roll, the pit watching."""

import re

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from audit import clock
from audit.devices import enroll
from tables.models import Round, Settlement
from tests.e2e.field import GAIN_OF_4, GAIN_OF_8, GAIN_OF_9, LEFT, RIGHT, TWO_ONES, FieldTablet
from tests.e2e.floor import Dashboard, dashboard, resize
from tests.e2e.test_looks import CUT_OFF, SIZES, broken_rules, faults_of, rules_broken_today
from tests.e2e.test_main_job import status_of_the_checker
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
clause = pytest.mark.clause


@pytest.fixture
def table(stage) -> Scene:
    return stage("pa-577")


@pytest.fixture
def right(table, new_page) -> FieldTablet:
    return FieldTablet(new_page()).begin(table)


@pytest.fixture
def left(table, right, new_page) -> FieldTablet:
    """The second dealer at a tablet of his own: places 9 to 16 are his."""
    _, token = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    screen = FieldTablet(new_page(1024, 768))
    screen.let_in(token, "relief")
    screen.is_live()
    return screen


@pytest.fixture
def stick(table, right, new_page) -> FieldTablet:
    """The stickperson's tablet: the dice and the call are hers."""
    _, token = enroll("Third tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    screen = FieldTablet(new_page(1024, 768))
    screen.let_in(token, "stickperson")
    screen.is_live()
    return screen


def test_two_dealers_and_the_stick_play_a_game_to_its_extra_point_while_the_pit_watches(
    table, right, left, stick, new_page, spotless, tmp_path
):
    pit = dashboard(new_page, table)
    spotless += [right, left, stick, pit]
    since = clock.now()
    choose_a_quarterback(table, right, left, stick, pit)
    play_to_the_touchdown(table, right, left, stick, pit)
    settle_the_score(table, right, left, stick, pit)
    pit.was_never_loaded_again()
    the_game_is_as_it_was_played()
    the_export_holds(since, tmp_path)


def choose_a_quarterback(
    table: Scene, right: FieldTablet, left: FieldTablet, stick: FieldTablet, pit: Dashboard
) -> None:
    """Wagers first, on both tablets at once; then the dice go clockwise to who has one."""
    right.place(*RIGHT)
    left.place(*LEFT)
    pit.shows("Quarterback", wagered="$160", version=table.version)
    stick.says("Seat 2 accepts")
    stick.tap("#decline")
    stick.says("Seat 3 accepts")
    stick.tap("#decline")
    for screen in (right, left):
        screen.says("Seat 5 accepts")
        expect(screen.page.locator("#decline")).to_be_hidden()
        expect(screen.next).to_have_attribute("aria-disabled", "true")
        expect(screen.next.locator(".next-s")).to_have_text("By the stickperson, Stickperson")
    stick.step("Seat 5 accepts")
    left.says("Dice out")
    expect(left.page.locator(".place--qb")).to_contain_text("5")
    pit.shows("Wagers, play 1", version=table.version)


def play_to_the_touchdown(
    table: Scene, right: FieldTablet, left: FieldTablet, stick: FieldTablet, pit: Dashboard
) -> None:
    stick.throw(*GAIN_OF_8)
    right.is_in("lit")
    right.yard("Yard 12, 2nd Down, 12 yards")
    assert left.lit() == {"big-play", "over-four"}
    expect(left.page.locator(".fb-row--right >> visible=true")).to_have_count(0)
    expect(left.page.locator(".fb-half--right")).to_contain_text("$25")
    pit.shows("Settle play 1", version=table.version)
    expect(stick.next).to_have_attribute("aria-disabled", "true")
    expect(stick.next.locator(".next-s")).to_contain_text("By the dealer on the right, Dealer")
    right.step("Places 1–8: took $5, paid $25")
    right.says("Places 1–8: all settled")
    left.step("Places 9–16: took $5, paid $20")
    for screen in (right, left, stick):
        screen.is_in("open")
        screen.says("Dice out")
    expect(right.area("touchdown")).to_have_class(re.compile("area--locked"))
    assert right.area("touchdown").evaluate("area => area.tagName") == "DIV"

    left.place((14, "over-four", 2_500))
    stick.throw(*GAIN_OF_4)
    right.is_in("lit")
    left.step("Places 9–16: took $25")  # a gain of exactly 4 is neither over nor under
    right.is_in("open")
    right.yard("Yard 8, 1st & Goal, 8 yards")

    right.place((6, "under-four", 2_500), (3, "over-four", 500))
    stick.throw(*GAIN_OF_9)
    right.is_in("lit")
    right.yard("Touchdown")
    pit.shows("Settle the score", version=table.version)


def settle_the_score(
    table: Scene, right: FieldTablet, left: FieldTablet, stick: FieldTablet, pit: Dashboard
) -> None:
    """First Defense is collected, then the play and the game are settled; Touchdown waits for the roll."""
    right.step("Places 1–8: took $25")
    right.step("Places 1–8: took $25, paid $5")
    right.step("Places 1–8: took $5, paid $21")
    right.is_in("point")
    stick.step("Dice out")
    stick.is_in("ready")
    stick.tap_dice(*TWO_ONES)
    expect(stick.next.locator(".next-s")).to_have_text("Two 1s: Extra Point 10 to 1")
    expect(stick.page.locator(".fb-beside [data-entered]")).to_have_text("10 to 1, as entered")
    stick.tap(stick.next)
    right.is_in("lit")
    pit.shows("Pay Touchdown", version=table.version)
    right.step("Places 1–8: paid $50")
    right.says("Places 1–8: all settled")
    left.step("Places 9–16: paid $25")
    right.step("Places 1–8: paid $50")
    right.is_in("paid")
    right.tap(right.next)
    right.is_in("open")
    left.says("Dice out")  # the Quarterback keeps the dice
    expect(left.page.locator(".place--qb")).to_contain_text("5")
    pit.shows("Wagers, play 1", version=table.version, no="R 2", handle="$215")


def the_game_is_as_it_was_played() -> None:
    game = Round.objects.get(number=1)
    assert [tuple(throw.dice) for throw in game.throws.order_by("number")] == [
        GAIN_OF_8, GAIN_OF_4, GAIN_OF_9, TWO_ONES,
    ]  # fmt: skip
    assert (game.ending, game.wagered_cents, game.paid_cents) == ("touchdown", 21_500, 19_600)


def the_export_holds(since, tmp_path) -> None:
    export = tmp_path / "game.jsonl"
    with export.open("w") as out:
        call_command("audit_export", "--stream", "larkfield/T-01", "--from", since.isoformat(), stdout=out)
    written = export.read_bytes()
    assert written.count(b'"dice.thrown"') == 4 and b'"layout.cleared"' in written
    assert status_of_the_checker(export) == 0
    at = written.index(b'"dice.thrown"') + 3
    export.write_bytes(written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :])
    assert status_of_the_checker(export) == 1


def test_a_missed_and_a_mistaken_wager_are_those_of_the_newest_play(table, right, stick, spotless):
    spotless += [right, stick]
    right.place((5, "over-four", 2_500), (5, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.throw(*GAIN_OF_8)
    right.step("Places 1–8: paid $25")
    right.is_in("open")
    right.place((5, "over-four", 500), (8, "under-four", 2_500))
    stick.throw(*GAIN_OF_4)
    right.is_in("lit")
    right.tap('.dock [data-ask="strike_mistaken_wager"]')
    lying = right.page.locator("#ask [name=lying] option").all_inner_texts()
    assert lying == ["Choose", "Seat 5: Touchdown, $25", "Seat 5: Over Four, $5", "Seat 8: Under Four, $25"]
    right.page.locator("#ask [name=lying]").select_option("2")
    right.tap("#ask [data-reason] >> nth=0")
    right.sign("floorperson")
    right.says("Places 1–8: took $5")
    right.tap('.dock [data-ask="record_missed_wager"]')
    right.page.locator("#ask [name=seat]").select_option("8")
    right.page.locator("#ask [name=wager]").select_option("over-four")
    right.page.locator("#ask [name=dollars]").fill("25")
    right.tap("#ask [data-reason] >> nth=0")
    expect(right.page.locator("#ask .would")).to_be_visible()  # nobody signs what is not shown
    right.sign("floorperson")
    right.says("Places 1–8: took $30")
    wagers = {(w["seat"], w["wager"], w["play"]): w["cents"] for w in right.state()["round"]["wagers"]}
    assert wagers == {
        (5, "over-four", 1): 2_500, (5, "over-four", 2): 500, (8, "over-four", 2): 2_500, (5, "touchdown", None): 2_500,
    }  # fmt: skip


@clause("PA-577.5(b)")
def test_a_no_roll_leaves_the_wagers_and_the_down_as_they_were(table, right, stick, spotless):
    spotless += [right, stick]
    right.place((5, "over-four", 2_500), (5, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.step("Dice out")
    right.is_in("ready")
    stick.tap('#entry [data-die="1"][data-pips="6"]')
    stick.tap('.dock [data-open="no-roll"]')
    stick.tap('#no-roll [data-params*="off-table"]')
    right.is_in("open")
    assert table.entry["data"]["faces_read"] == [6]
    right.yard("Yard 20, 1st Down")
    assert right.lying() == {(5, "over-four"): 2_500, (5, "touchdown"): 2_500}
    assert right.area("touchdown").evaluate("area => area.tagName") == "DIV"  # locked by a void throw too


@clause("PA-577.4(b)-first")
def test_before_any_wager_the_dice_are_offered_to_the_first_player_at_the_stickpersons_left(
    table, right, stick, spotless
):
    spotless += [right, stick]
    for seat in (7, 4):
        right.choose(right.seat(seat))
        right.tap("[data-open=more]")
        right.tap("#more [data-do=seat-player]")
        expect(right.page.locator(f".place--{seat}.place--taken")).to_be_visible()
    stick.says("Seat 4 accepts")
    stick.tap("#decline")
    stick.says("Seat 7 accepts")
    right.tap("[data-open=more]")
    right.tap("#more [data-do=free-seat]")
    expect(right.page.locator(".place--taken")).to_have_count(1)
    stick.step("Seat 7 accepts")
    stick.says("Dice out")


@clause("PA-577.4(b)-next")
def test_a_quarterback_gives_up_the_dice_and_they_go_on_clockwise(table, right, stick, spotless):
    spotless += [right, stick]
    right.place((5, "over-four", 2_500), (9, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.tap("[data-open=more]")
    stick.tap("#more [data-quarterback] button")
    stick.says("Seat 9 accepts")
    expect(right.page.locator(".place--offered")).to_contain_text("9")


def test_a_game_settled_by_hand_is_written_down_throw_by_throw(table, new_page, spotless):
    table.act("report_device_failure", {"what": "device"}, by="floorperson", device=table.podium)
    screen = FieldTablet(new_page()).begin(table, "floorperson")
    spotless.append(screen)
    screen.other("record_hand_settled_round")
    for dice in (GAIN_OF_8, GAIN_OF_4, GAIN_OF_9):
        for face in dice:
            screen.tap(f'#ask [data-ask-face="{face}"]')
        screen.tap("#ask [data-add-throw]")
    for seat, wager, play, dollars in ((5, "touchdown", 1, "25"), (6, "over-four", 2, "5")):
        screen.page.locator("#ask [name=seat]").select_option(str(seat))
        screen.page.locator("#ask [name=wager]").select_option(wager)
        screen.page.locator("#ask [name=play]").select_option(str(play))
        screen.page.locator("#ask [name=dollars]").fill(dollars)
        screen.tap("#ask [data-add-wager]")
    screen.tap("#ask [data-reason] >> nth=0")
    assert faults_of(screen.page) + rules_broken_today(screen.page) == []
    screen.sign("dealer")
    expect(screen.page.locator("#ask")).to_be_hidden()
    game = Round.objects.get(number=1)
    assert (game.by_hand, game.wagered_cents, game.paid_cents) == (True, 3_000, 2_500)
    assert [(one.wager.code, one.wager.play) for one in settlements(game)] == [
        ("over-four", 2),
        ("touchdown", 0),
    ]


def settlements(game: Round) -> list[Settlement]:
    """What the throws of a game settled, in their order."""
    found = Settlement.objects.filter(throw__round=game).select_related("wager")
    return list(found.order_by("throw__number", "place"))


@clause("PA-577.4(d)-lost")
def test_a_die_is_lost_and_the_game_goes_on_with_a_new_set(table, right, stick, spotless):
    spotless += [right, stick]
    right.place((5, "over-four", 2_500))
    stick.step("Seat 5 accepts")
    stick.step("Dice out")
    right.is_in("ready")
    stick.tap('.dock [data-open="no-roll"]')
    stick.tap('#no-roll [data-params*="off-table"]')
    right.is_in("open")
    right.tap("[data-open=more]")
    right.tap('#more [data-ask="withdraw_dice"]')
    right.tap('#ask [data-fill="fault"][data-value="lost"]')
    right.page.locator("#ask [name=found]").fill("A red die under the rail")
    right.tap("#ask [data-go]")
    expect(right.page.locator("#fix")).to_be_visible()
    assert faults_of(right.page) + rules_broken_today(right.page) == []
    right.tap("#fix")
    right.tap("#ask [data-fill=lot] >> nth=0")
    right.sign("floorperson")
    expect(right.page.locator("#fix")).to_have_count(0)
    stick.throw(*GAIN_OF_8)
    right.is_in("lit")


def test_dice_half_entered_outlive_what_somebody_else_does(table, right, stick):
    right.place((5, "over-four", 2_500))
    stick.step("Seat 5 accepts")
    stick.step("Dice out")
    stick.is_in("ready")
    stick.page.evaluate("document.documentElement.dataset.live = 'dead'")  # offline, a tap waits
    stick.tap('[data-die="0"][data-pips="6"]')
    table.act("take_supervision", by="casino-supervisor")
    expect(stick.page.locator("#screen")).to_have_attribute("data-version", str(table.version))
    expect(stick.page.locator('[data-die="0"][data-pips="6"]')).to_have_attribute("aria-pressed", "true")
    expect(stick.next.locator(".next-s")).to_have_text("Two dice to go")


def test_repeating_in_a_later_play_lays_the_play_before_again(table, right, stick):
    right.place((5, "over-four", 2_500), (5, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.throw(*GAIN_OF_8)
    right.step("Places 1–8: paid $25")
    right.is_in("open")
    right.tap("[data-do=repeat-seat]")
    right.is_taken()
    wagers = [(w["wager"], w["play"], w["cents"]) for w in right.state()["round"]["wagers"]]
    assert ("over-four", 2, 2_500) in wagers
    right.clear_seat()
    right.is_taken()
    left_there = {(w["wager"], w["play"]) for w in right.state()["round"]["wagers"] if not w["outcome"]}
    assert left_there == {("touchdown", None)}


def test_the_dice_of_a_play_are_corrected_before_it_is_settled(table, right, stick, spotless):
    spotless += [right, stick]
    right.place((5, "over-four", 2_500), (5, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.throw(*GAIN_OF_8)
    right.tap('.dock [data-ask="correct_dice"]')
    right.replace_dice(1, 2, 5)
    right.sign("floorperson")
    right.yard("Yard 21, 2nd Down, 21 yards")
    right.says("Places 1–8: took $25")


def test_offline_the_dice_that_are_out_are_entered_and_go_out_behind_the_throw(table, right, new_page, line):
    _, token = enroll("Third tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    stick = FieldTablet(new_page())
    cut = line(stick.page)
    stick.let_in(token, "stickperson")
    stick.is_live()
    right.place((5, "over-four", 2_500), (5, "touchdown", 2_500))
    stick.step("Seat 5 accepts")
    stick.says("Dice out")
    stick.is_live()
    cut.cut = True
    stick.page.context.set_offline(True)
    expect(stick.page.locator("#live")).to_contain_text("OFFLINE")
    stick.step("Dice out")
    paper = stick.page.locator("#side-paper")
    expect(paper).to_contain_text("Take nothing, pay nothing yet.")
    expect(stick.page.locator("#stale-say")).to_contain_text("Bets stay closed.")
    for size in SIZES:
        resize(stick.page, size)
        assert stick.page.evaluate(CUT_OFF) == []
    assert broken_rules(stick.page) == []
    stick.tap_dice(*GAIN_OF_8)
    expect(stick.next.locator(".next-s")).to_have_text("Gain of 8")
    stick.tap(stick.next)
    stick.says("Wait for the line")
    expect(paper).to_contain_text("waits, not recorded")
    expect(stick.page.locator('[data-die="0"][data-pips="6"]')).to_be_disabled()
    assert table.round.phase == "open"
    stick.page.context.set_offline(False)
    cut.cut = False
    stick.is_in("lit")
    assert table.entry["data"]["dice"] == list(GAIN_OF_8)


def test_the_dealers_tablet_acts_for_the_lost_one_of_the_stick_with_its_pin_and_a_reason(
    table, right, spotless
):
    spotless.append(right)
    right.place((5, "over-four", 2_500))
    for label in ("For: Left, 9–\u206016", "For: Stick"):
        right.tap("[data-do=post]")
        expect(right.page.locator("#station-say")).to_have_text(label)
    right.step("Seat 5 accepts")
    expect(right.page.locator("#ask-title")).to_have_text("For the stickperson")
    right.tap("#ask [data-reason] >> nth=0")
    assert faults_of(right.page) + rules_broken_today(right.page) == []
    right.sign("stickperson")
    right.says("Dice out")
    said = table.entry
    assert (said["actor"], said["witness"]) == ("dealer", "stickperson")
    assert said["data"]["acted_for"]["reason"] == "Battery empty"
    right.tap("[data-do=post]")
    expect(right.page.locator("#station-say")).to_have_text("Right, 1–\u20608")
    expect(right.next).to_have_attribute("aria-disabled", "true")


def test_a_game_is_not_voided_between_two_acts_of_every_hour(table, right, stick):
    """A void is the last of the other acts, apart from them."""
    table.place((1, "over-four", 2_500, 1))
    table.act("offer_dice", {"seat": 1, "accepted": True})
    table.act("throw_dice")
    stick.is_in("ready")
    expect(stick.page.locator('.dock [data-open="no-roll"]')).to_be_visible()
    right.is_in("ready")
    for screen in (right, stick):
        expect(screen.page.locator('.dock [data-ask="void_round"]')).to_have_count(0)
    right.tap("[data-open=more]")
    acts = right.page.locator("#more .choices > li:not([hidden])")
    expect(acts.last.locator("button")).to_have_attribute("data-ask", "void_round")
    before, void = acts.nth(-2).bounding_box(), acts.last.locator("button").bounding_box()
    assert before and void and void["y"] - (before["y"] + before["height"]) > 20


def test_dealers_are_told_that_the_sticks_tablet_is_silent_and_that_its_closed_bets_stay_open_here(
    table, right, left, stick
):
    """*Dice out* waits on the stick's tablet; what a dealer taps meanwhile is taken, so the dealers must know."""
    table.act("offer_dice", {"seat": 5, "accepted": True})
    box = right.page.locator("#stale-say")
    right.page.wait_for_timeout(6_000)
    expect(box).to_be_hidden()
    stick.page.context.set_offline(True)
    for screen in (right, left):
        told = screen.page.locator("#stale-say")
        expect(told).to_contain_text("The tablet of the stickperson is offline.", timeout=30_000)
        expect(told).to_be_visible()
        expect(told).to_contain_text("once that is called, place nothing. It would be taken and count.")
        expect(screen.page.locator("html")).to_have_attribute("data-live", "live")
    expect(stick.page.locator("#stale-say")).to_contain_text("Offline for")
    stick.page.context.set_offline(False)
    expect(box).to_be_hidden(timeout=15_000)


def test_the_stick_is_told_that_a_dealers_tablet_is_silent_and_its_chips_may_not_show(
    table, right, left, stick
):
    left.page.context.set_offline(True)
    box = stick.page.locator("#stale-say")
    expect(box).to_contain_text("The tablet of the dealer on the left is offline.", timeout=30_000)
    expect(box).to_contain_text("what waits there is refused afterward")
