"""High Roll Dice on a tablet: a seat's unit, dice by count, the lock-out, an extra throw, and the pit following."""

import subprocess
import sys

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from audit import clock, verify
from audit.devices import enroll
from audit.models import Entry
from tests.e2e.floor import Dashboard, Tablet, again, dashboard, lying, resize, tablet
from tests.e2e.test_looks import CUT_OFF, SIZES, broken_rules, faults_of, rules_broken_today
from tests.services.examples import is_of_today
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
clause = pytest.mark.clause

ALIKE = ("unlocked", "closed", "gathered")
FOUR_FIVES = [1, 1, 6, 6, 6, 5, 5, 5, 5, 4]
ONE_MORE = [1, 2, 3, 5, 6, 6]
# Seat 2 buys an Extra Roll; with four fives its five-of-a-kind stays, and one more five wins it.
WAGERS = (
    (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500), (2, "like-kind:4", 2_500),
    (2, "like-kind:5", 2_500), (2, "extra-roll", 2_500), (2, "millionaire:9", 2_500),
    (5, "pip:2", 10_000), (5, "like-kind:6", 10_000),
)  # fmt: skip


@pytest.fixture
def ten(stage) -> Scene:
    return stage("pa-675a", payout_limit_cents=7_500_000)


@pytest.fixture
def dealer(ten, new_page) -> Tablet:
    return tablet(new_page, ten)


@clause("PA-675a.4(a)-lockout", "PA-675a.4(a)-collect", "PA-675a.4(g)", "PA-675a.4(h)-settle")
def test_a_round_with_an_extra_roll_is_played_followed_and_proven(ten, dealer, new_page, tmp_path):
    _, token = enroll("Second tablet of T-01", "larkfield", "dealer", "larkfield/T-01")
    other = Tablet(new_page())
    other.let_in(token, "floorperson")
    other.is_live()
    pit = dashboard(new_page, ten)
    since = clock.now()
    play_the_first_roll(ten, dealer, other, pit)
    play_the_extra_throw(ten, dealer, other, pit)
    pit.was_never_loaded_again()
    assert dealer.complaints == other.complaints == pit.complaints == []

    written = tmp_path / "round.jsonl"
    with written.open("w") as out:
        call_command("audit_export", "--stream", "larkfield/T-01", "--from", since.isoformat(), stdout=out)
    assert '"fees.collected"' in written.read_text() and '"dice.gathered"' in written.read_text()
    checker = [sys.executable, "-I", str(verify.__file__), str(written)]
    assert subprocess.run(checker, capture_output=True, timeout=20).returncode == 0


def play_the_first_roll(scene: Scene, dealer: Tablet, other: Tablet, pit: Dashboard) -> None:
    dealer.place(*WAGERS)
    assert lying(scene)[2, "millionaire:9"] == 100
    pit.shows("Bets open", wagered="$351", version=scene.version)
    expect(other.page.locator("[data-seat='2'] [data-mini].on")).to_have_count(7)
    dealer.step("No more bets")
    dealer.is_in("unlocked")
    dealer.step("Sensors locked")
    dealer.is_in("locked")
    expect(dealer.page.locator("#hr-fees")).to_contain_text("$25")
    dealer.step("Fees in the tray")
    dealer.step("Shaken")
    dealer.is_in("ready")
    dealer.call(*FOUR_FIVES)
    dealer.is_in("called")
    expect(dealer.page.locator("#hr-box .waits")).to_contain_text("4 go here")
    dealer.step("Dice in their box")
    dealer.is_in("lit")
    for screen in (dealer, other):
        expect(screen.page.locator("#hr-call")).to_have_text("Four of a kind, fives")
        expect(screen.page.locator("#hr-box .held")).to_contain_text("4 match")
    pit.shows("Settle", version=scene.version)
    expect(dealer.page.locator(".row >> nth=0")).to_contain_text("Stays $25")
    dealer.tap(".done >> nth=0")
    expect(dealer.page.locator(".row--done")).to_contain_text("took $51, paid $125, $25 stays")
    expect(other.page.locator(".row--done")).to_contain_text("Seat 2 settled")
    dealer.step("Settled: took $200")
    dealer.is_in("loose")


def play_the_extra_throw(scene: Scene, dealer: Tablet, other: Tablet, pit: Dashboard) -> None:
    expect(dealer.page.locator("#side-staying")).to_contain_text("pays 2 to 1")
    dealer.step("Loose dice gathered")
    dealer.step("Shaken")
    dealer.is_in("ready")
    expect(dealer.page.locator("#slots .slot")).to_have_count(6)
    dealer.call(*ONE_MORE)
    expect(other.page.locator("#hr-box .held")).to_contain_text("5 match")
    dealer.step("Settled: paid $50")
    dealer.is_in("paid")
    dealer.step("Layout cleared")
    dealer.is_in("open")
    pit.shows("Bets open", version=scene.version, no="R 2", handle="$326")  # without the fee of $25
    assert (scene.last_round.taken_cents, scene.last_round.paid_cents) == (27_600, 17_500)


def test_another_unit_changes_every_wager_of_the_seat_in_one_act(ten, dealer):
    dealer.place((1, "pip:5", 2_500), (1, "like-kind:4", 2_500), (1, "millionaire:9", 2_500))
    before = Entry.objects.filter(stream=ten.fresh.stream).count()
    dealer.tap(dealer.chip(10_000))
    expect(dealer.area("pip:5").locator(".chip--sending")).to_have_text("100")
    dealer.is_taken()
    assert Entry.objects.filter(stream=ten.fresh.stream).count() == before + 1
    assert lying(ten) == {(1, "pip:5"): 10_000, (1, "like-kind:4"): 10_000, (1, "millionaire:9"): 100}
    dealer.tap("[data-do=undo]")
    dealer.is_taken()
    assert lying(ten)[1, "like-kind:4"] == 2_500


def test_the_chip_of_a_unit_adds_itself_once_more(ten, dealer):
    dealer.place((1, "pip:5", 2_500))
    dealer.tap(dealer.chip(2_500))
    dealer.is_taken()
    assert lying(ten) == {(1, "pip:5"): 5_000}
    expect(dealer.seat(1).locator(".unit")).to_have_text("$50")


def test_a_second_tap_takes_the_wager_away(ten, dealer):
    dealer.place((3, "pip:5", 500), (3, "pip:6", 500))
    dealer.page.evaluate("document.documentElement.dataset.live = 'dead'")  # offline, a tap waits
    dealer.tap(dealer.area("pip:6"))
    dealer.is_taken()
    assert lying(ten) == {(3, "pip:5"): 500}
    expect(dealer.area("pip:6")).to_have_attribute("aria-pressed", "false")


def without_line(page, cut):
    cut.cut = True
    page.context.set_offline(True)
    expect(page.locator("#live")).to_contain_text("OFFLINE")


def test_offline_the_shake_and_ten_dice_follow_no_more_bets_and_go_out_behind_it(ten, new_page, line):
    ten.place((2, "pip:5", 2_500), (2, "like-kind:4", 2_500))
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(ten)
    without_line(page, cut)
    dealer.step("No more bets")
    paper = page.locator("#side-paper")
    expect(paper).to_contain_text("Take nothing, pay nothing yet.")
    dealer.tap(dealer.area("pip:6"))
    expect(dealer.refused()).to_contain_text("Bets are closed")
    dealer.step("Shaken")
    expect(page.locator(".ribbon .step--waits")).to_have_text(["No more bets, waits", "Shaken, waits"])
    expect(page.locator("#hr-seats")).to_be_visible()
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(CUT_OFF) == []
    assert broken_rules(page) == []
    resize(page, (1280, 800))
    dealer.enter(*FOUR_FIVES)
    dealer.tap(dealer.next)
    dealer.says("Wait for the line")
    expect(paper).to_contain_text("waits, not recorded")
    expect(page.locator('#dock-entry [data-face="1"]')).to_be_disabled()
    dealer.tap("[data-do=change-dice]")
    dealer.tap("#dock-entry [data-less='4']")
    dealer.enter(1)
    dealer.tap(dealer.next)
    assert ten.round is None or ten.round.phase == "open"
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_in("called")
    assert ten.entry["data"]["dice"] == [*FOUR_FIVES[:-1], 1]


def test_offline_nothing_follows_where_an_extra_roll_is_to_be_collected_or_may_be(ten, new_page, line):
    ten.place((2, "pip:5", 2_500), (2, "like-kind:4", 2_500))
    page = new_page()
    cut = line(page)
    dealer = Tablet(page).begin(ten)
    dealer.tap_each(dealer.seat(2))
    without_line(page, cut)
    dealer.tap(dealer.area("extra-roll"))
    expect(page.locator("#stale-say")).to_contain_text("Wagers of seat 2")
    dealer.step("No more bets")
    dealer.says("Wait for the line")
    expect(page.locator("#dock-entry")).to_have_count(0)
    page.context.set_offline(False)
    cut.cut = False
    dealer.is_in("unlocked")


@clause("PA-675a.2(e)(2)")
def test_wagers_come_in_any_order_and_pip_street_is_asked_for_at_no_more_bets(ten, dealer):
    dealer.tap(dealer.area("like-kind:4"))
    dealer.is_taken()
    expect(dealer.seat(1).locator(".seat-mark--lacks")).to_have_text("No Pip Street")
    expect(dealer.next).to_contain_text("Seat 1 has no Pip Street wager yet")
    dealer.step("No more bets")
    expect(dealer.refused()).to_contain_text("Seat 1 has no Pip Street wager")
    dealer.is_in("open")
    dealer.tap(dealer.area("pip:5"))
    dealer.is_taken()
    expect(dealer.refused()).to_be_hidden()
    dealer.step("No more bets")
    dealer.is_in("closed")


def test_repeating_for_the_table_leaves_a_seat_as_it_is_and_repeating_the_seat_replaces_what_it_has(
    ten, new_page
):
    ten.place((1, "pip:5", 2_500), (1, "like-kind:4", 2_500), (4, "pip:2", 1_000))
    ten.until("call_dice")
    ten.act("call_dice", {"dice": FOUR_FIVES})
    ten.finish()
    dealer = tablet(new_page, ten)
    dealer.place((1, "pip:6", 10_000))
    dealer.tap("[data-do=repeat-all]")
    dealer.is_taken()
    assert lying(ten) == {(1, "pip:6"): 10_000, (4, "pip:2"): 1_000}
    expect(dealer.refused()).to_contain_text("Seat 1 already had wagers and kept them")
    dealer.tap("[data-do=repeat-seat]")
    dealer.is_taken()
    assert lying(ten) == {(1, "pip:5"): 2_500, (1, "like-kind:4"): 2_500, (4, "pip:2"): 1_000}


@pytest.fixture
def awaited(ten) -> Scene:
    """The dice of the first roll are in the air."""
    ten.place(*((seat, code, 100 if "mill" in code else cents) for seat, code, cents in WAGERS))
    ten.until("call_dice")
    return ten


def test_dice_are_counted_and_corrected_before_the_call(awaited, new_page):
    dealer = tablet(new_page, awaited)
    dealer.enter(*FOUR_FIVES)
    expect(dealer.page.locator("#dock-entry [data-count='6']")).to_have_text("3")
    dealer.tap("[data-less='6']")
    dealer.enter(5)
    expect(dealer.next).to_contain_text("2 aces, 2 sixes, 5 fives, 1 four")
    dealer.tap(dealer.next)
    dealer.is_in("called")
    expect(dealer.page.locator("#hr-call")).to_have_text("Five of a kind, fives")


@clause("PA-675a.4(c)-cocked")
def test_a_leaning_die_is_read_by_its_opposite_side_and_the_record_says_so(awaited, new_page):
    dealer = tablet(new_page, awaited)
    dealer.enter(*FOUR_FIVES)
    dealer.tap("[data-do=lean]")
    dealer.tap(dealer.next)
    dealer.is_in("called")
    assert awaited.entry["data"]["leaning"] == 1


@clause("PA-675a.4(b)-invalid", "PA-675a.4(c)-void")
def test_an_invalid_roll_keeps_the_wagers_and_is_shaken_again(awaited, new_page):
    dealer = tablet(new_page, awaited)
    before = lying(awaited)
    dealer.enter(1, 1)
    dealer.tap("[data-invalid=on-another]")
    expect(dealer.next).to_contain_text("A die rests on another")
    dealer.tap(dealer.next)
    dealer.is_in("closed")
    expect(dealer.page.locator("#hr-box")).to_contain_text("Invalid roll")
    assert lying(awaited) == before
    dealer.step("Shaken")
    dealer.call(*FOUR_FIVES)


def test_a_correction_begins_with_the_dice_that_were_entered(awaited, new_page):
    awaited.act("call_dice", {"dice": FOUR_FIVES})
    dealer = tablet(new_page, awaited)
    dealer.tap('.dock [data-ask="correct_dice"]')
    expect(dealer.page.locator("#ask .slot .die")).to_have_count(10)
    dealer.tap("#ask [data-ask-less='5']")
    dealer.tap("#ask [data-ask-face='6']")
    dealer.sign("floorperson")
    expect(dealer.page.locator("#hr-call")).to_have_text("Four of a kind, sixes Dice corrected")


def test_all_seats_are_settled_at_once_only_after_every_line_was_on_screen(ten, new_page):
    ten.place(
        *(
            (seat, code, 2_500)
            for seat in range(1, 7)
            for code in ("pip:5", "pip:1", "like-kind:3", "like-kind:4")
        )
    )
    ten.until("call_dice")
    ten.act("call_dice", {"dice": FOUR_FIVES})
    ten.act("move_dice")
    dealer = tablet(new_page, ten, size=(820, 1180))
    expect(dealer.next).to_contain_text("Scroll: ")
    expect(dealer.next).to_have_attribute("aria-disabled", "true")
    dealer.page.locator(".row >> nth=-1").scroll_into_view_if_needed()
    expect(dealer.next).to_contain_text("Seats 1, 2, 3, 4, 5 and 6")
    dealer.step("Settled: took $300, paid $750")
    dealer.is_in("paid")


@clause("PA-675a.5(e)-cap")
def test_the_payout_limit_is_told_with_the_sum_before_and_after(ten, new_page):
    ten.place((1, "pip:2", 10_000), (1, "like-kind:8", 10_000))
    ten.until("call_dice")
    ten.act("call_dice", {"dice": [2, 2, 2, 2, 2, 2, 2, 2, 1, 3]})
    ten.act("move_dice")
    dealer = tablet(new_page, ten)
    expect(dealer.page.locator(".limit")).to_contain_text("cuts $500,600 to $75,000")
    expect(dealer.page.locator(".fact--payout")).to_contain_text("$75,000")


@pytest.mark.parametrize(("rules", "limit"), [("pa-675a.6", None), ("pa-675a", 7_500_000)])
def test_new_limits_that_wait_and_an_alert_leave_the_facts_room(stage, new_page, rules, limit):
    table = stage(rules, payout_limit_cents=limit)
    table.place((1, "pip:5", 2_500))
    table.act("report_dispute", {"seat": 1, "about": "a late chip"})
    limits = {"min_cents": 1_000, "max_cents": 70_000}
    table.act("change_limits", limits, by="floorperson", device=table.podium)
    dealer = tablet(new_page, table)
    expect(dealer.page.locator("#announce")).to_be_visible()
    assert dealer.page.evaluate(CUT_OFF) == []


def test_six_dice_have_no_sensor_and_no_millionaire(stage, new_page):
    six = stage("pa-675a.6")
    dealer = tablet(new_page, six)
    assert dealer.codes("[data-wager]") == {
        *(f"pip:{face}" for face in range(1, 7)),
        *(f"like-kind:{count}" for count in (2, 3, 4, 5, 6, "none")),
    }
    dealer.place((1, "pip:1", 2_500), (1, "like-kind:none", 2_500))
    dealer.step("No more bets")
    dealer.step("Shaken")
    dealer.call(1, 2, 3, 4, 5, 6)
    dealer.step("Dice in their box")
    expect(dealer.page.locator("#hr-box .held")).to_contain_text("Ace")
    dealer.step("Settled: paid $1,550")
    dealer.is_in("paid")


@clause("PA-675a.1(b)(5)-box", "PA-675a.1(b)(2)(v)", "PA-675a.3(d)")
def test_the_table_is_inspected_line_by_line_and_opened_by_the_floorperson(stage, new_page):
    closed = stage("pa-675a", payout_limit_cents=7_500_000, opened=False)
    closed.staff()
    dealer = tablet(new_page, closed, "floorperson")
    assert faults_of(dealer.page) + rules_broken_today(dealer.page) == []
    expect(dealer.page.locator("#inspect [data-line]")).to_have_count(4)
    expect(dealer.page.locator("#inspect-progress")).to_have_text("0 of 4 confirmed")
    dealer.inspect()
    dealer.open_table()
    dealer.is_in("open")


@pytest.mark.parametrize("alike", [False, again(True)])
def test_the_console_fits_the_hand_and_the_eye_in_every_phase(ten, new_page, alike):
    """With `alike` also the phases that differ from the one before by a word of the next step."""
    dealer = tablet(new_page, ten)
    found = {}

    def look(name: str) -> None:
        if name in ALIKE and not alike:
            return
        if is_of_today(name) and (faults := faults_of(dealer.page) + broken_rules(dealer.page)):
            found[name] = faults

    look("empty")
    dealer.place(*WAGERS)
    look("betting")
    for name, label in (
        ("unlocked", "No more bets"),
        ("locked", "Sensors locked"),
        ("closed", "Fees in the tray"),
    ):
        dealer.step(label)
        dealer.is_in(name)
        look(name)
    dealer.step("Shaken")
    dealer.enter(*FOUR_FIVES)
    look("entered")
    dealer.tap(dealer.next)
    dealer.is_in("called")
    look("called")
    dealer.step("Dice in their box")
    dealer.is_in("lit")
    look("lit")
    dealer.tap('.dock [data-ask="correct_dice"]')
    look("correcting")
    dealer.tap("#ask [data-close]")
    dealer.tap(".done >> nth=0")
    expect(dealer.page.locator(".row--done")).to_be_visible()
    look("one seat settled")
    dealer.tap(dealer.next)
    dealer.is_in("loose")
    look("loose")
    dealer.step("Loose dice gathered")
    look("gathered")
    dealer.step("Shaken")
    look("extra throw awaited")
    dealer.call(*ONE_MORE)
    look("extra throw")
    dealer.tap(dealer.next)
    dealer.is_in("paid")
    look("paid")
    assert not found, chr(10).join(f"{k}: {v}" for k, v in found.items())


# What another browser does to the header: each line two in a hundred longer (an average letter is half an em wide)
WIDER_LETTERS = "() => document.getElementById('top').style.setProperty('letter-spacing', '.01em')"


def test_the_header_has_room_for_a_browser_that_sets_letters_wider(ten, new_page):
    """Chromium's new headless mode is some pixels wider than its headless shell."""
    dealer = tablet(new_page, ten)
    faults_by_name: dict[str, list[str]] = {}

    def look(name: str) -> None:
        for size in SIZES:
            resize(dealer.page, size)
            dealer.page.evaluate(WIDER_LETTERS)
            if faults := dealer.page.evaluate(CUT_OFF):
                faults_by_name[f"{name} {size}"] = faults
        resize(dealer.page, SIZES[0])

    look("empty")
    dealer.place(*WAGERS)
    look("betting")
    dealer.step("No more bets")
    dealer.step("Sensors locked")
    dealer.is_in("locked")
    look("locked")
    dealer.step("Fees in the tray")
    dealer.step("Shaken")
    dealer.call(*FOUR_FIVES)
    dealer.is_in("called")
    look("called")
    dealer.step("Dice in their box")
    dealer.is_in("lit")
    look("lit")
    assert faults_by_name == {}


def test_the_pit_sees_the_layout_of_a_round(awaited, new_page):
    awaited.act("call_dice", {"dice": FOUR_FIVES})
    awaited.act("move_dice")
    pit = dashboard(new_page, awaited)
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []
    pit.page.goto("/floor/larkfield/T-01/")
    expect(pit.page.locator(".called")).to_contain_text("Four of a kind, fives")
    expect(pit.page.locator(".spot.lit")).to_have_count(2)
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []


@clause("PA-675a.2(c)-seated", "PA-675a.2(c)-remain")
def test_a_player_sits_down_with_a_tap_and_leaves_only_without_a_wager(ten, new_page):
    ten.act("free_seat", {"seat": 3})
    dealer = tablet(new_page, ten)
    leave = dealer.page.locator("#seat-leave")
    expect(dealer.seat(3)).to_contain_text("Open seat")
    dealer.tap(dealer.seat(3))
    expect(dealer.seat(3)).not_to_contain_text("Open seat")
    expect(leave).to_be_visible()
    dealer.tap_each("[data-open=more]", "#more [data-do=seat-away]")
    expect(dealer.seat(3)).to_contain_text("Player away")
    dealer.tap_each("[data-open=more]", "#more [data-do=seat-back]")
    expect(dealer.seat(3)).not_to_contain_text("Player away")
    dealer.place((3, "pip:5", 2_500))
    expect(leave).to_be_hidden()
    assert 3 in ten.fresh.seated
    dealer.clear_seat()
    dealer.tap(leave)
    expect(dealer.seat(3)).to_contain_text("Open seat")
    assert 3 not in ten.fresh.seated


def test_a_round_settled_by_hand_is_written_down_with_its_extra_throw(ten, new_page):
    ten.act("report_device_failure", {"what": "device"}, by="floorperson", device=ten.podium)
    floor = tablet(new_page, ten, "floorperson")
    floor.other("record_hand_settled_round")
    for wager in ("pip:5", "like-kind:5", "extra-roll"):
        floor.page.locator("#ask [name=seat]").select_option("2")
        floor.page.locator("#ask [name=wager]").select_option(wager)
        floor.page.locator("#ask [name=dollars]").fill("25")
        floor.tap("#ask [data-add-wager]")
    for face in FOUR_FIVES:
        floor.tap(f"#ask [data-ask-face='{face}']")
    floor.tap("#ask [data-ask-extra]")
    expect(floor.page.locator("#ask .slot")).to_have_count(6)
    for face in ONE_MORE:
        floor.tap(f"#ask [data-ask-face='{face}']")
    floor.tap("#ask [data-reason] >> nth=0")
    floor.sign("dealer")
    expect(floor.page.locator("#ask")).to_be_hidden()
    assert (ten.last_round.phase, ten.last_round.paid_cents) == ("cleared", 10_000 + 5_000)
