"""A round of High Roll Dice, act by act, in the order of §§ 675a.4 and 675a.6."""

import pytest

from games.engine import Rules, Wager
from games.wording import NO_ROLLS
from tests.games.play_high_roll import (
    EXTRA,
    FOUR_FIVES,
    HIGH_ROLL,
    NO_MORE_FIVES,
    SIX,
    SIX_DICE,
    TEN,
    WITH,
    WITHOUT,
    lines,
    lit,
    lit_again,
    loose,
    on_to,
    opened,
    refusal,
    short,
)

clause = pytest.mark.clause
BOTH = pytest.mark.parametrize(("key", "placings"), [(TEN, WITHOUT), (SIX, SIX_DICE)])


def codes(settled):
    return [(one.wager.seat, one.wager.code, one.outcome) for one in settled]


def ribbon(state):
    """The steps of the ribbon, the one under way in brackets."""
    return " ".join(
        f"[{step.code}]" if step.status == "now" else step.code for step in HIGH_ROLL.steps(state)
    )


# Closing, locking out, shaking


@clause("PA-675a.4(a)-announce", "PA-675a.2(a)", "PA-675a.6(g)-announce")
@BOTH
def test_wagers_are_closed_before_the_shake(key, placings):
    cited = short("4(a)" if key == TEN else "6(g)")
    assert refusal("shake", opened(placings, key)) == ("bets-still-open", cited)
    closed, record = HIGH_ROLL.no_more_bets(opened(placings, key))
    assert (closed.phase, record.section) == ("closed", cited)
    for state in (closed, HIGH_ROLL.shake(closed)[0]):
        assert refusal("place_wagers", state, lines(3, "pip:1")) == ("bets-closed", cited)
        assert refusal("no_more_bets", state) == ("bets-closed-already", cited)


@clause("PA-675a.4(a)-lockout", "PA-675a.4(a)-collect")
def test_with_an_extra_roll_the_sensors_are_locked_and_the_fees_collected_before_the_shake():
    unlocked, _ = HIGH_ROLL.no_more_bets(opened())
    assert unlocked.phase == "unlocked"
    assert refusal("shake", unlocked) == ("not-locked-out", short("4(a)"))
    assert refusal("collect_fees", unlocked) == ("not-locked-out", short("4(a)"))
    locked, record = HIGH_ROLL.lock_out_extra_rolls(unlocked)
    assert (locked.phase, record.seats, record.section) == ("locked", (2,), short("4(a)"))
    assert refusal("lock_out_extra_rolls", locked) == ("nothing-to-lock-out", short("4(a)"))
    assert refusal("shake", locked) == ("fees-not-collected", short("4(a)"))
    closed, fees = HIGH_ROLL.collect_fees(locked)
    assert (closed.phase, fees.seats, fees.cents, fees.section) == ("closed", (2,), 2500, short("4(a)"))
    assert refusal("collect_fees", closed) == ("no-fees", short("4(a)"))
    for state in (unlocked, locked):
        assert refusal("call_dice", state, FOUR_FIVES)[0] == "not-ready"
        assert refusal("call_no_roll", state, "cocked")[0] == "not-ready"


def test_without_an_extra_roll_there_is_nothing_to_lock_out():
    closed, _ = HIGH_ROLL.no_more_bets(opened(WITHOUT))
    assert closed.phase == "closed"
    assert refusal("lock_out_extra_rolls", closed)[0] == "nothing-to-lock-out"
    assert refusal("collect_fees", closed)[0] == "no-fees"
    assert refusal("lock_out_extra_rolls", opened()) == ("bets-still-open", short("4(a)"))


@clause("PA-675a.4(b)-shake", "PA-675a.6(g)-deal")
@BOTH
def test_the_shaker_is_shaken_three_times_at_least(key, placings):
    closed = on_to(opened(placings, key), "closed")
    cited = short("4(b)" if key == TEN else "6(g)")
    assert refusal("shake", closed, times=2) == ("too-few-shakes", cited)
    assert refusal("call_dice", closed, FOUR_FIVES[: closed.rules.edition.dice]) == ("not-shaken", cited)
    shaken, record = HIGH_ROLL.shake(closed, times=3)
    assert (shaken.phase, record.section) == ("ready", cited)
    assert refusal("shake", shaken)[0] == "shaken-already"


@clause("PA-675a.4(b)-invalid", "PA-675a.4(c)-void", "PA-675a.6(g)-deal")
@BOTH
@pytest.mark.parametrize(
    ("reason", "cited"), [("off-table", "4(b)"), ("on-another", "4(b)"), ("cocked", "4(c)")]
)
def test_an_invalid_roll_is_shaken_and_thrown_again_and_wagers_stand(key, placings, reason, cited):
    ready = on_to(opened(placings, key), "ready")
    again, record = HIGH_ROLL.call_no_roll(ready, reason)
    assert (again.phase, again.wagers, again.void_throws) == ("closed", ready.wagers, 1)
    assert (record.settled, record.section) == ((), short(cited))
    assert refusal("call_no_roll", ready, "a sneeze")[0] == "no-such-reason"
    assert reason in NO_ROLLS
    assert HIGH_ROLL.next_act(again).act == "shake"


@clause("PA-675a.3(a)-number", "PA-675a.6(e)-number")
@BOTH
def test_a_throw_is_called_with_all_its_dice(key, placings):
    ready = on_to(opened(placings, key), "ready")
    dice = ready.rules.edition.dice
    for wrong in ((1,) * (dice - 1), (1,) * (dice + 1), ()):
        assert refusal("call_dice", ready, wrong)[0] == "wrong-number-of-dice"
    for face in (0, 7, True, 1.0, "1"):
        assert refusal("call_dice", ready, (face, *[1] * (dice - 1)))[0] == "no-such-face"


# Settling


@clause("PA-675a.4(f)", "PA-675a.4(f)(2)(ii)-leave")
def test_the_first_roll_is_settled_seat_by_seat_and_the_circles_of_the_extra_roll_stay():
    state = lit()
    assert HIGH_ROLL.unsettled_seats(state) == (1, 2)
    assert refusal("settle_seats", state, [3]) == ("nothing-to-settle", short("4(f)"))
    assert refusal("gather_loose_dice", state)[0] == "not-now"
    assert refusal("clear_layout", state)[0] == "losers-not-taken"
    assert [wager.code for wager in HIGH_ROLL.undecided(state)] == ["like-kind:5"]
    state, second = HIGH_ROLL.settle_seats(state, [2])
    assert codes(second.settled) == [
        (2, "pip:5", "win"),
        (2, "like-kind:4", "win"),
        (2, "like-kind:3", "lose"),
    ]
    assert refusal("settle_seats", state, [2]) == ("seat-settled-already", short("4(f)"))
    assert refusal("correct_dice", state, NO_MORE_FIVES)[0] == "payment-begun"
    state, first = HIGH_ROLL.settle_seats(state)
    assert codes(first.settled) == [
        (1, "pip:2", "lose"),
        (1, "pip:5", "win"),
        (1, "like-kind:3", "lose"),
        (1, "like-kind:5", "lose"),
        (1, "like-kind:4", "win"),
        (1, "millionaire:9", "lose"),
    ]
    assert (state.phase, state.step, HIGH_ROLL.next_act(state).act) == ("loose", 10, "gather_loose_dice")


@clause("PA-675a.4(g)", "PA-675a.4(g)-rules", "PA-675a.4(h)-settle")
def test_the_loose_dice_are_gathered_shaken_and_thrown_and_settle_the_rest():
    state = loose()
    for act, args in (("shake", ()), ("call_dice", (NO_MORE_FIVES,)), ("call_no_roll", ("cocked",))):
        assert refusal(act, state, *args) == ("gather-first", short("4(g)"))
    assert refusal("clear_layout", state) == ("gather-first", short("4(g)"))
    assert refusal("settle_seats", state)[0] == "nothing-to-settle"
    state, record = HIGH_ROLL.gather_loose_dice(state)
    assert (state.phase, record.dice, record.section) == ("closed", 6, short("4(g)"))
    assert refusal("shake", state, times=2)[0] == "too-few-shakes"
    ready, _ = HIGH_ROLL.shake(state)
    assert refusal("call_dice", ready, FOUR_FIVES)[0] == "wrong-number-of-dice"
    void, _ = HIGH_ROLL.call_no_roll(ready, "off-table")
    assert (void.phase, void.throws) == ("closed", (FOUR_FIVES,))
    state, called = HIGH_ROLL.call_dice(HIGH_ROLL.shake(void)[0], (5, 1, 2, 3, 4, 6))
    assert (called.winning, called.section) == (("like-kind:5",), short("4(h)"))
    state, settled = HIGH_ROLL.settle_seats(state)
    assert (codes(settled.settled), settled.section) == ([(2, "like-kind:5", "win")], short("4(h)"))
    assert (state.phase, state.step) == ("paid", 20)
    state, _ = HIGH_ROLL.clear_layout(state)
    assert (state.phase, HIGH_ROLL.next_act(state)) == ("cleared", None)
    assert refusal("place_wagers", state, WITHOUT)[0] == "round-over"


def test_an_extra_roll_that_nothing_waits_for_is_thrown_all_the_same():
    placings = lines(1, "pip:5", "like-kind:3", "extra-roll")
    assert lit_again(placings=placings).phase == "paid"


def test_ten_of_a_kind_leave_no_loose_die():
    state = on_to(lit((5,) * 10), "paid")
    assert len(state.throws) == 1
    assert "extra-roll" not in ribbon(state)
    assert {one.outcome for one in state.settled if one.wager.code == "extra-roll"} == {"fee"}


@BOTH
def test_a_round_without_an_extra_roll_ends_with_its_first_roll(key, placings):
    dice = (5, 5, 5, 6, 6, 4) if key == SIX else FOUR_FIVES
    state, record = HIGH_ROLL.settle_seats(lit(dice, placings, key))
    assert (state.phase, record.section) == ("paid", short("6(i)" if key == SIX else "4(f)"))
    assert refusal("settle_seats", state)[0] == "nothing-to-settle"
    assert lit(dice, [], key).phase == "paid"


# The ribbon


def test_the_ribbon_of_ten_dice_shows_what_an_extra_roll_brings():
    tail: dict[str, list[str]] = {}
    state = opened()
    assert ribbon(state) == (
        "[placement] no-more-bets lock-out shake first-roll settle extra-roll settle clear"
    )
    while not state.ended:
        tail.setdefault(ribbon(state).split("[")[1].split("]")[0], []).append(state.phase)
        act = HIGH_ROLL.next_act(state).act
        dice = (FOUR_FIVES, NO_MORE_FIVES)[len(state.throws)] if act == "call_dice" else None
        state = getattr(HIGH_ROLL, act)(state, *([dice] if dice else []))[0]
    assert tail == {
        "placement": ["open"],
        "lock-out": ["unlocked", "locked"],
        "shake": ["closed"],
        "first-roll": ["ready", "called"],
        "settle": ["lit", "lit"],
        "extra-roll": ["loose", "closed", "ready"],
        "clear": ["paid"],
    }
    assert {step.status for step in HIGH_ROLL.steps(state)} == {"done"}
    assert [step.section for step in HIGH_ROLL.steps(state)][-4:] == [
        short("4(f)"),
        short("4(g)"),
        short("4(h)"),
        short("4"),
    ]


def test_the_ribbon_without_an_extra_roll_and_with_six_dice():
    assert "lock-out" in ribbon(opened(WITHOUT))
    assert ribbon(lit(placings=WITHOUT)) == "placement no-more-bets shake first-roll [settle] clear"
    assert ribbon(opened(SIX_DICE, SIX)) == "[placement] no-more-bets shake call-dice settle clear"
    void, _ = HIGH_ROLL.void_round(opened(), "spill")
    assert {step.status for step in HIGH_ROLL.steps(void)} == {"off"}
    for state in (opened(), opened(SIX_DICE, SIX)):
        assert all(step.section for step in HIGH_ROLL.steps(state))


def test_a_step_of_settlement_is_named_for_people():
    assert [HIGH_ROLL.step_code(lit(), step) for step in (10, 20)] == ["first-roll", "extra-roll"]


# Wagers


@clause("PA-675a.2(b)-chips", "PA-675a.2(b)-verbal", "PA-675a.6(d)-rules")
@BOTH
def test_wagers_are_chips_or_plaques_on_the_layout(key, placings):
    state = opened([], key)
    for made_in in ("chips", "plaques"):
        assert HIGH_ROLL.place_wagers(state, [(1, "pip:1", 500, made_in)])[0].wagers == (
            Wager(1, "pip:1", 500),
        )
    for made_in in ("cash", "call"):
        found = refusal("place_wagers", state, [(1, "pip:1", 500, made_in)])
        assert found == ("cash-wager", short("2(b)" if key == TEN else "6(d)"))


@clause("PA-675a.2(e)(1)", "PA-675a.2(e)(2)", "PA-675a.2(e)(4)")
def test_wagers_come_in_any_order_and_no_more_bets_asks_for_pip_street():
    circles = [f"like-kind:{count}" for count in range(2, 9)]
    for code in (*circles, "millionaire:9", "millionaire:10"):
        without_pip = opened(lines(1, code))
        assert refusal("no_more_bets", without_pip) == ("pip-street-first", short("2(e)(1)"))
        complete, _ = HIGH_ROLL.place_wagers(without_pip, lines(1, "pip:1"))
        HIGH_ROLL.verify_no_more_bets(complete)
    everything = lines(1, "pip:1", *circles, "millionaire:9", "millionaire:10", "extra-roll")
    assert len(opened(everything).wagers) == 11
    taken_off, _ = HIGH_ROLL.place_wagers(opened(WITHOUT), [(1, "pip:5", 0), (1, "pip:2", 0)])
    assert refusal("no_more_bets", taken_off)[0] == "pip-street-first"


@clause("PA-675a.2(e)(2)-equal", "PA-675a.2(e)(3)")
def test_a_seat_plays_one_unit_and_an_extra_roll_only_with_like_kind():
    one_pip = opened(lines(1, "pip:1"))
    assert refusal("place_wagers", one_pip, [(1, "pip:2", 600)]) == ("unequal-wagers", short("1(b)(2)(iv)"))
    assert refusal("place_wagers", one_pip, [(1, "like-kind:4", 400)]) == (
        "unequal-wagers",
        short("2(e)(2)"),
    )
    extra = opened(lines(1, "pip:1", "extra-roll"))
    assert refusal("no_more_bets", extra) == ("no-like-kind", short("2(e)(3)"))
    circle_first = opened(lines(1, "like-kind:4"))
    assert refusal("place_wagers", circle_first, [(1, "like-kind:5", 400)])[0] == "unequal-wagers"
    circle = opened(lines(1, "pip:1", "like-kind:4"))
    assert refusal("place_wagers", circle, [(1, "extra-roll", 400)]) == ("unequal-wagers", short("2(e)(3)"))
    HIGH_ROLL.verify_place_wagers(circle, [(1, "extra-roll", 500)])
    HIGH_ROLL.verify_place_wagers(circle, [(2, "pip:1", 900)])
    changed = [(1, "pip:1", 700), (1, "like-kind:4", 700)]
    HIGH_ROLL.verify_place_wagers(circle, changed)


@clause("PA-675a.6(d)-like-kind", "PA-675a.6(d)-no-extras")
def test_six_dice_take_circles_two_to_six_and_no_match_of_the_same_unit():
    codes = ["like-kind:none", *[f"like-kind:{count}" for count in range(2, 7)]]
    HIGH_ROLL.verify_place_wagers(opened([], SIX), lines(1, "pip:1", *codes))
    found = refusal("place_wagers", opened([], SIX), [(1, "pip:1", 500), (1, "like-kind:none", 600)])
    assert found == ("unequal-wagers", short("6(d)"))
    for code in ("extra-roll", "millionaire:9", "like-kind:7"):
        assert refusal("place_wagers", opened([], SIX), lines(1, "pip:1", code)) == (
            "no-such-wager",
            short("6(d)"),
        )


@clause("PA-675a.2(e)(4)-maximum")
def test_millionaire_row_is_one_dollar_below_any_minimum():
    for cents in (101, 99, 500):
        found = refusal("place_wagers", opened([]), [(1, "pip:1", 500), (1, "millionaire:9", cents)])
        assert found == ("not-one-dollar", short("2(e)(4)"))
    HIGH_ROLL.verify_place_wagers(opened([]), [(1, "pip:1", 500), (1, "millionaire:9", 100)])
    assert not HIGH_ROLL.is_limited("millionaire:9")
    assert HIGH_ROLL.is_limited("pip:1") and HIGH_ROLL.is_limited("extra-roll")


def test_no_unit_is_taken_that_a_circle_could_not_be_paid_for():
    found = refusal("place_wagers", opened([]), lines(1, "pip:1", "like-kind:3", cents=501))
    assert found == ("fraction-of-a-cent", "58 Pa. Code § 521.7(d)")
    six = refusal("place_wagers", opened([], SIX), lines(1, "pip:1", "like-kind:2", cents=501))
    assert six == ("fraction-of-a-cent", "58 Pa. Code § 521.7(d)")


def test_each_wager_has_its_place_and_its_name():
    ten = {one.code: one for one in HIGH_ROLL.wager_types(Rules.of(TEN))}
    six = {one.code: one for one in HIGH_ROLL.wager_types(Rules.of(SIX))}
    assert (len(ten), len(six)) == (16, 12)
    assert (ten["pip:2"].place, ten["pip:1"].place) == (("pip-street", 0), ("pip-street", 5))
    assert (ten["like-kind:8"].place, ten["millionaire:10"].place) == (("like-kind", 6), ("millionaire", 1))
    assert (six["like-kind:none"].place, six["like-kind:6"].place) == (("like-kind", 0), ("like-kind", 5))
    names = ("pip:1", "pip:4", "like-kind:4", "extra-roll", "millionaire:9")
    assert [ten[code].label for code in names] == [
        "Pip Street ace",
        "Pip Street 4",
        "Like Kind 4",
        "Extra Roll",
        "Millionaire Row 9",
    ]
    assert six["like-kind:none"].label == "Like Kind, no match"


# What the screens show


def test_the_view_tells_units_held_dice_and_extra_rolls():
    state = opened(EXTRA)
    assert HIGH_ROLL.view(state) == {
        "dice": 10,
        "unit_cents": {"1": 500, "2": 2500},
        "held": None,
        "loose": 0,
        "extra": {"seats": [2], "cents": 2500, "state": "open"},
        "payout_limit_cents": None,
        "cuts": [],
    }
    shown = HIGH_ROLL.view(loose())
    assert (shown["held"], shown["loose"]) == ({"face": 5, "count": 4}, 6)
    told = [
        HIGH_ROLL.view(on_to(state, phase))["extra"]["state"] for phase in ("unlocked", "locked", "closed")
    ]
    assert told == ["unlocked", "locked", "collected"]
    assert HIGH_ROLL.view(on_to(opened(WITHOUT), "closed"))["extra"]["state"] == "none"
    assert HIGH_ROLL.view(opened(SIX_DICE, SIX))["extra"]["state"] == "none"
    assert HIGH_ROLL.view(HIGH_ROLL.void_round(state, "spill")[0])["extra"]["state"] == "none"


@clause("PA-675a.5(e)-cap")
def test_the_view_tells_what_the_payout_limit_cuts():
    placings = lines(1, "pip:2", "like-kind:8", "millionaire:9", cents=1200)
    state = lit((2,) * 8 + (1, 1), placings, payout_limit_cents=5_006_000)
    assert HIGH_ROLL.view(state)["cuts"] == [{"seat": 1, "before_cents": 6_007_200, "after_cents": 5_006_000}]
    assert HIGH_ROLL.view(state)["payout_limit_cents"] == 5_006_000
    assert {wager.seat for wager in opened(WITH).wagers} == {2}


@clause("PA-675a.4(e)-move", "PA-675a.6(h)-move")
@BOTH
def test_settling_waits_until_the_matching_dice_are_in_their_box(key, placings):
    dice = (5, 5, 5, 6, 6, 4) if key == SIX else FOUR_FIVES
    called, _ = HIGH_ROLL.call_dice(on_to(opened(placings, key), "ready"), dice)
    section = short("6(h)" if key == SIX else "4(e)")
    assert refusal("settle_seats", called) == ("dice-not-moved", section)
    moved, record = HIGH_ROLL.move_dice(called)
    assert (record.face, record.count, record.section) == (5, dice.count(5), section)
    assert refusal("move_dice", moved) == ("nothing-to-move", section)
    again, _ = HIGH_ROLL.correct_dice(moved, (*dice[1:], 1))
    assert again.phase == "called"
