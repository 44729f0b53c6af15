"""A round of Sic Bo, act by act, in the order of each edition."""

from functools import reduce

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import Refusal, Rules, Wager, game
from games.engine.procedures import ENDED
from games.engine.sicbo import BETS

clause = pytest.mark.clause
SIC_BO = game("sic-bo")
EVERY_WAY = [
    (key, kind)
    for key in ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B")
    for kind in Rules.of(key).edition.shakers
]
CLOSE_FIRST = [way for way in EVERY_WAY if Rules.of(way[0]).shaker(way[1]).procedure == "close-first"]
SHAKE_FIRST = [way for way in EVERY_WAY if way not in CLOSE_FIRST]
A_FEW = [(1, "small", 500, "chips"), (2, "big", 500, "chips"), (3, "total:9", 1000, "plaques")]


def opened(key="pa-539", kind="manual", placings=A_FEW):
    state = SIC_BO.open_round(Rules.of(key), kind)
    return SIC_BO.place_wagers(state, placings)[0] if placings else state


def ready(key="pa-539", kind="manual", placings=A_FEW):
    """Bets closed and dice shaken, in the order of the edition."""
    state = opened(key, kind, placings)
    while state.phase != "ready" and (following := SIC_BO.next_act(state)):
        state = getattr(SIC_BO, following.act)(state)[0]
    return state


def lit(dice=(2, 3, 4), **how):
    return SIC_BO.call_dice(ready(**how), dice)[0]


def refusal(act, *args, **kwargs):
    with pytest.raises(Refusal) as refused:
        getattr(SIC_BO, act)(*args, **kwargs)
    assert not getattr(SIC_BO, f"can_{act}")(*args, **kwargs)
    return refused.value.code, refused.value.section


# The order of steps


@clause("PA-539.5(b)")
def test_539_shakes_only_after_no_more_bets():
    assert refusal("shake", opened()) == ("bets-still-open", "58 Pa. Code § 539.5(b)")
    closed, record = SIC_BO.no_more_bets(opened())
    assert (closed.phase, record.section) == ("closed", "58 Pa. Code § 539.5(b)")
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 539.5(b)")


@clause("NJ-19:47-9.5(b)")
def test_new_jersey_shakes_only_after_no_more_bets():
    assert refusal("shake", opened("nj-19-47-9")) == ("bets-still-open", "N.J.A.C. 19:47-9.5(b)")
    closed, _ = SIC_BO.no_more_bets(opened("nj-19-47-9"))
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "N.J.A.C. 19:47-9.5(b)")


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.5(c)(1)", marks=clause("PA-539.5(c)(1)")),
        pytest.param("nj-19-47-9", "N.J.A.C. 19:47-9.5(c)", marks=clause("NJ-19:47-9.5(c)")),
    ],
)
def test_a_manual_shaker_is_shaken_three_times_at_least_after_the_call(key, section):
    closed, _ = SIC_BO.no_more_bets(opened(key))
    assert refusal("shake", closed, times=2) == ("too-few-shakes", section)
    shaken, record = SIC_BO.shake(closed, times=3)
    assert (shaken.phase, record.times, record.section) == ("ready", 3, section)


@clause("PA-625a.5(b)(1)")
def test_625a_shakes_a_manual_shaker_first_with_bets_still_open():
    assert refusal("no_more_bets", opened("pa-625a/A")) == ("not-shaken", "58 Pa. Code § 625a.5(b)(1)")
    assert refusal("shake", opened("pa-625a/A"), times=2) == ("too-few-shakes", "58 Pa. Code § 625a.5(b)(1)")
    shaken, _ = SIC_BO.shake(opened("pa-625a/A"))
    assert shaken.phase == "shaken"
    assert SIC_BO.place_wagers(shaken, [(4, "big", 100, "chips")])[0].wagers[-1] == Wager(4, "big", 100)


@clause("PA-625a.5(b)(2)")
def test_625a_activates_a_covered_automated_shaker_first():
    shaken, record = SIC_BO.shake(opened("pa-625a/B", "automated-covered"), times=1)
    assert (shaken.phase, record.section) == ("shaken", "58 Pa. Code § 625a.5(b)(2)")
    assert SIC_BO.can_place_wagers(shaken, A_FEW)


@clause("PA-625a.5(c)")
@pytest.mark.parametrize("kind", ["manual", "automated-covered"])
def test_625a_reveals_no_dice_before_no_more_bets(kind):
    shaken, _ = SIC_BO.shake(opened("pa-625a/A", kind))
    assert refusal("call_dice", shaken, (1, 2, 3)) == ("bets-still-open", "58 Pa. Code § 625a.5(c)")
    closed, _ = SIC_BO.no_more_bets(shaken)
    assert closed.phase == "ready"
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 625a.5(c)")


@clause("PA-625a.5(g)-wagers", "PA-625a.5(g)-activate")
@pytest.mark.parametrize("kind", ["automated-uncovered", "player-activated"])
def test_625a_closes_bets_before_dice_in_plain_view_are_activated(kind):
    assert refusal("shake", opened("pa-625a/A", kind)) == ("bets-still-open", "58 Pa. Code § 625a.5(g)")
    closed, _ = SIC_BO.no_more_bets(opened("pa-625a/A", kind))
    assert refusal("place_wagers", closed, A_FEW) == ("bets-closed", "58 Pa. Code § 625a.5(g)")
    assert SIC_BO.shake(closed)[0].phase == "ready"


@clause("PA-625a.5(g)-activate")
def test_a_player_with_a_wager_may_work_a_player_activated_shaker_and_no_other():
    closed, _ = SIC_BO.no_more_bets(opened("pa-625a/A", "player-activated"))
    assert SIC_BO.shake(closed, by_seat=2)[1].by_seat == 2
    assert refusal("shake", closed, by_seat=8) == ("no-live-wager", "58 Pa. Code § 625a.5(g)")
    uncovered, _ = SIC_BO.no_more_bets(opened("pa-625a/A", "automated-uncovered"))
    assert refusal("shake", uncovered, by_seat=2) == ("not-player-activated", "58 Pa. Code § 625a.5(g)")


@clause("PA-539.5(c)(2)")
def test_539_activates_an_automated_shaker_after_the_call():
    closed, _ = SIC_BO.no_more_bets(opened("pa-539", "automated-uncovered"))
    assert SIC_BO.shake(closed, times=1)[1].section == "58 Pa. Code § 539.5(c)(2)"


@clause("PA-539.5(d)-enter", "PA-625a.5(d)-enter", "NJ-19:47-9.5(d)-enter", "PA-625a.5(g)-complete")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_a_round_does_not_settle_without_three_entered_faces(key, kind):
    state = ready(key, kind)
    section = state.rules.section("call-dice")
    assert refusal("take_losers", state) == ("not-lit", state.rules.section("settlement"))
    assert refusal("call_dice", state, (1, 2)) == ("wrong-number-of-dice", section)
    for dice in ((1, 2, 7), (0, 1, 2), (True, 1, 2), (1.0, 1, 2), ("1", 1, 2)):
        assert refusal("call_dice", state, dice) == ("no-such-face", section)
    assert SIC_BO.call_dice(state, (1, 2, 3))[0].phase == "lit"


@clause("PA-539.5(e)-order", "PA-625a.5(e)-order", "NJ-19:47-9.5(e)-order")
@clause("PA-539.5(e)-manual-uncovered", "PA-625a.5(e)-uncovered", "NJ-19:47-9.5(e)-uncovered")
@clause("PA-539.5(f)", "PA-625a.5(f)", "NJ-19:47-9.5(f)")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_losers_are_taken_then_winners_paid_then_the_layout_cleared_and_nothing_else(key, kind):
    state = lit(key=key, kind=kind)
    assert refusal("pay_seats", state, [1]) == ("losers-not-taken", state.rules.section("take"))
    assert refusal("clear_layout", state) == ("losers-not-taken", state.rules.section("take"))
    state, taken = SIC_BO.take_losers(state)
    assert [one.wager.seat for one in taken.settled] == [2]
    assert refusal("take_losers", state)[0] == "losers-taken-already"
    assert refusal("clear_layout", state) == ("winners-not-paid", state.rules.section("pay"))
    state, paid = SIC_BO.pay_seats(state, [3])
    assert (state.phase, [one.paid_cents for one in paid.settled]) == (
        "taken",
        [7000 if key[-1] == "B" else 6000],
    )
    assert refusal("pay_seats", state, [3])[0] == "seat-paid-already"
    assert refusal("pay_seats", state, [2])[0] == "nothing-to-pay"
    assert refusal("shake", state)[0] == "shaken-already"
    state, _ = SIC_BO.pay_seats(state)
    assert (state.phase, state.paid_seats) == ("paid", frozenset({1, 3}))
    state, _ = SIC_BO.clear_layout(state)
    assert (state.phase, SIC_BO.next_act(state)) == ("cleared", None)
    assert refusal("place_wagers", state, A_FEW)[0] == "round-over"


def test_without_losers_or_winners_those_steps_are_skipped():
    assert lit(placings=[(1, "small", 100, "chips")]).phase == "taken"
    assert lit(placings=[]).phase == "paid"
    assert SIC_BO.take_losers(lit(placings=[(1, "big", 100, "chips")]))[0].phase == "paid"


@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_the_ribbon_tells_where_the_round_is(key, kind):
    state, first = opened(key, kind), "no-more-bets" if (key, kind) in CLOSE_FIRST else "shake"
    assert [step.code for step in SIC_BO.steps(state)][:2] == ["placement", first]
    assert [step.status for step in SIC_BO.steps(state)] == ["now"] + ["next"] * 6
    assert [step.status for step in SIC_BO.steps(lit(key=key, kind=kind))] == ["done"] * 4 + [
        "now",
        "next",
        "next",
    ]
    assert {step.status for step in SIC_BO.steps(SIC_BO.void_round(state, "spill")[0])} == {"off"}
    assert all(step.section for step in SIC_BO.steps(state))


# Wagers


@clause("PA-539.4(a)-chips", "PA-539.4(a)-verbal")
def test_539_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("pa-539", "58 Pa. Code § 539.4(a)")


@clause("PA-625a.4(a)-chips", "PA-625a.4(a)-verbal")
def test_625a_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("pa-625a/A", "58 Pa. Code § 625a.4(a)")


@clause("NJ-19:47-9.3(a)-chips", "NJ-19:47-9.3(a)-verbal")
def test_new_jersey_takes_chips_and_plaques_on_the_layout_and_no_cash():
    assert_only_chips("nj-19-47-9", "N.J.A.C. 19:47-9.3(a)")


def assert_only_chips(key, section):
    state = opened(key, placings=[])
    for made_in in ("chips", "plaques"):
        assert SIC_BO.place_wagers(state, [(1, "big", 100, made_in)])[0].wagers == (Wager(1, "big", 100),)
    for made_in in ("cash", "call", "", None):
        assert refusal("place_wagers", state, [(1, "big", 100, made_in)]) == ("cash-wager", section)
    assert refusal("place_wagers", state, [(1, "the corner", 100, "chips")])[0] == "no-such-wager"


@clause("PA-539.4(b)-position", "PA-625a.4(b)-position", "NJ-19:47-9.3(b)-position")
@pytest.mark.parametrize(("key", "kind"), EVERY_WAY)
def test_a_wager_cannot_be_moved_once_bets_are_closed(key, kind):
    for state in (ready(key, kind), lit(key=key, kind=kind)):
        assert (
            refusal("place_wagers", state, [(1, "small", 0, "chips"), (1, "big", 500, "chips")])[0]
            == "bets-closed"
        )


def test_a_wager_is_the_total_as_it_now_lies_and_nothing_takes_it_off():
    state, record = SIC_BO.place_wagers(opened(), [(1, "small", 700, "chips"), (2, "big", 0, "chips")])
    assert state.wagers == (Wager(1, "small", 700), Wager(3, "total:9", 1000))
    assert record.before_cents == (500, 500)


@pytest.mark.parametrize(
    ("placing", "code"),
    [
        ((1, "big", -1, "chips"), "bad-amount"),
        ((1, "big", 1.5, "chips"), "bad-amount"),
        ((1, "big", True, "chips"), "bad-amount"),
        ((1, "big", False, "chips"), "bad-amount"),
        ((0, "big", 100, "chips"), "bad-seat"),
        ((True, "big", 100, "chips"), "bad-seat"),
        ((1, "total:3", 0, "chips"), "no-such-wager"),
    ],
)
def test_one_refused_wager_refuses_them_all(placing, code):
    assert refusal("place_wagers", opened(), [(5, "big", 100, "chips"), placing])[0] == code


def test_an_empty_entry_is_refused():
    assert refusal("place_wagers", opened(), [])[0] == "nothing-placed"


# No roll, void, failures


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param(
            "pa-539", "58 Pa. Code § 539.7(a)", marks=clause("PA-539.7(a)-call", "PA-539.7(a)-return")
        ),
        pytest.param(
            "pa-625a/A", "58 Pa. Code § 625a.7(a)", marks=clause("PA-625a.7(a)-call", "PA-625a.7(a)-return")
        ),
        pytest.param("nj-19-47-9", "N.J.A.C. 19:47-9.6(a)", marks=clause("NJ-19:47-9.6(a)")),
    ],
)
def test_a_no_roll_returns_every_wager(key, section):
    assert refusal("call_no_roll", opened(key))[0] == "not-ready"
    assert refusal("call_no_roll", lit(key=key))[0] == "dice-called-already"
    state, record = SIC_BO.call_no_roll(ready(key), "one die leans")
    assert state.phase == "no-roll"
    assert_all_returned(record.settled, section)
    assert state.settled == record.settled


def assert_all_returned(settled, section):
    assert [(one.outcome, one.paid_cents, one.returned_cents, one.cite) for one in settled] == [
        ("return", 0, 500, section),
        ("return", 0, 500, section),
        ("return", 0, 1000, section),
    ]


def test_the_house_may_void_a_round_until_its_dice_are_called():
    for state in (opened(), SIC_BO.no_more_bets(opened())[0], ready(), SIC_BO.shake(opened("pa-625a/A"))[0]):
        void, record = SIC_BO.void_round(state, "a spilled drink")
        assert void.phase == "void"
        assert_all_returned(record.settled, state.rules.section("void"))
    assert refusal("void_round", lit(), "too late")[0] == "dice-called-already"
    assert refusal("void_round", opened(), "  ")[0] == "reason-missing"


@pytest.mark.parametrize(
    ("key", "section", "witness"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.7(b)", "floorperson", marks=clause("PA-539.7(b)-settle")),
        pytest.param(
            "pa-625a/A", "58 Pa. Code § 625a.7(b)", "floorperson", marks=clause("PA-625a.7(b)-settle")
        ),
        pytest.param(
            "nj-19-47-9", "N.J.A.C. 19:47-9.6(b)", "casino-supervisor", marks=clause("NJ-19:47-9.6(b)-settle")
        ),
    ],
)
def test_a_device_that_fails_with_the_dice_seen_is_settled_by_hand(key, section, witness):
    state, record = SIC_BO.report_device_failure(ready(key), (2, 3, 4))
    assert (state.phase, state.by_hand, state.dice) == ("lit", True, (2, 3, 4))
    assert (record.section, record.witness, record.settled) == (section, witness, ())
    assert state.settled == lit(key=key).settled
    after, _ = SIC_BO.report_device_failure(lit(key=key))
    assert (after.phase, after.by_hand) == ("lit", True)


@pytest.mark.parametrize("key", ["pa-539", "nj-19-47-9", "pa-625a/A"])
def test_a_device_that_fails_before_the_dice_are_seen_voids_the_round(key):
    for state in (opened(key), ready(key)):
        void, record = SIC_BO.report_device_failure(state)
        assert (void.phase, record.witness) == ("void", None)
        assert_all_returned(record.settled, state.rules.section("void"))
    assert refusal("report_device_failure", opened(key), (1, 2, 3))[0] == "dice-not-seen"


def test_dice_in_plain_view_must_be_settled_by_hand():
    state = ready("pa-625a/A", "automated-uncovered")
    assert refusal("report_device_failure", state) == ("dice-are-in-view", "58 Pa. Code § 625a.7(b)")


@pytest.mark.parametrize(
    ("key", "section"),
    [
        pytest.param("pa-539", "58 Pa. Code § 539.7(c)", marks=clause("PA-539.7(c)")),
        pytest.param("pa-625a/A", "58 Pa. Code § 625a.7(c)", marks=clause("PA-625a.7(c)")),
    ],
)
def test_an_automated_shaker_that_fails_voids_the_round(key, section):
    closed, _ = SIC_BO.no_more_bets(opened(key, "automated-uncovered"))
    void, record = SIC_BO.report_shaker_failure(closed)
    assert void.phase == "void"
    assert_all_returned(record.settled, section)
    assert refusal("report_shaker_failure", opened(key, "automated-uncovered"))[0] == "shaker-not-started"
    assert refusal("report_shaker_failure", ready(key, "manual"))[0] == "shaker-not-automated"


# Mending


def test_dice_entered_wrong_are_corrected_until_the_first_payment():
    wrong = SIC_BO.take_losers(lit())[0]
    state, record = SIC_BO.correct_dice(wrong, (6, 5, 4), "misread")
    assert (state.phase, record.before, record.dice) == ("lit", (2, 3, 4), (6, 5, 4))
    assert [one.wager.seat for one in SIC_BO.winners(state)] == [2]
    assert refusal("correct_dice", wrong, (4, 3, 2))[0] == "dice-unchanged"
    assert refusal("correct_dice", SIC_BO.pay_seats(wrong, [1])[0], (6, 5, 4))[0] == "payment-begun"
    assert refusal("correct_dice", ready(), (6, 5, 4))[0] == "no-dice-yet"


def test_dice_entered_wrong_can_be_corrected_when_they_left_nobody_to_pay():
    paid = SIC_BO.take_losers(lit((6, 6, 6), placings=[(1, "small", 100, "chips")]))[0]
    assert paid.phase == "paid"
    assert SIC_BO.correct_dice(paid, (1, 2, 3))[0].phase == "taken"


def test_a_missed_loser_is_taken_and_a_missed_winner_is_paid():
    taken = SIC_BO.take_losers(lit())[0]
    assert SIC_BO.record_missed_wager(taken, (4, "big", 100, "chips"))[0].phase == "lit"
    assert SIC_BO.record_missed_wager(taken, (4, "small", 100, "chips"))[0].phase == "taken"
    nobody = SIC_BO.take_losers(lit(placings=[(1, "big", 100, "chips")]))[0]
    assert SIC_BO.record_missed_wager(nobody, (4, "small", 100, "chips"))[0].phase == "taken"
    assert refusal("record_missed_wager", opened(), (4, "big", 100, "chips"))[0] == "bets-still-open"
    assert refusal("record_missed_wager", taken, (1, "small", 500, "chips"))[0] == "wager-unchanged"
    assert refusal("record_missed_wager", taken, (4, "small", 0, "chips"))[0] == "bad-amount"
    assert refusal("record_missed_wager", taken, (4, "small", 100, "cash"))[0] == "cash-wager"


def test_a_mistaken_wager_is_struck_until_the_first_payment():
    state, record = SIC_BO.strike_mistaken_wager(lit(), 2, "big", reason="lay on the rail")
    assert (state.phase, record.wager) == ("taken", Wager(2, "big", 500))
    assert refusal("strike_mistaken_wager", state, 2, "big")[0] == "nothing-to-strike"
    assert (
        refusal("strike_mistaken_wager", SIC_BO.pay_seats(state, [1])[0], 3, "total:9")[0] == "payment-begun"
    )


def test_a_round_is_restored_from_what_is_kept_of_it():
    state = SIC_BO.pay_seats(SIC_BO.take_losers(lit())[0], [1])[0]
    kept = SIC_BO.restore(state.rules, state.shaker, state.phase, list(state.wagers), [2, 3, 4], [1], False)
    assert kept == state


# Any round at all


@st.composite
def rounds(draw):
    """A round played by random acts, most of which the rules refuse: its opening, its records, its end."""
    key, kind = draw(st.sampled_from(EVERY_WAY))
    opening = state = SIC_BO.open_round(Rules.of(key), kind)
    records = []
    for _ in range(draw(st.integers(0, 25))):
        act, args = draw(ACTS)
        try:
            state, record = getattr(SIC_BO, act)(state, *args)
        except Refusal:
            continue
        records.append(record)
    return opening, records, state


PLACINGS = st.tuples(
    st.integers(1, 4), st.sampled_from(sorted(BETS)), st.sampled_from([0, 100, 500, 2500]), st.just("chips")
)
DICE = st.tuples(*[st.integers(1, 6)] * 3)
ACTS = st.one_of(
    st.tuples(st.just("place_wagers"), st.tuples(st.lists(PLACINGS, min_size=1, max_size=4))),
    st.tuples(
        st.sampled_from(["no_more_bets", "shake", "take_losers", "clear_layout", "pay_seats"]), st.just(())
    ),
    st.tuples(
        st.sampled_from(["no_more_bets", "shake", "take_losers", "clear_layout", "pay_seats"]), st.just(())
    ),
    st.tuples(
        st.sampled_from(["call_dice", "call_dice", "correct_dice", "report_device_failure"]), st.tuples(DICE)
    ),
    st.tuples(st.just("pay_seats"), st.tuples(st.lists(st.integers(1, 4), max_size=2))),
    st.tuples(st.just("record_missed_wager"), st.tuples(PLACINGS)),
    st.tuples(st.just("strike_mistaken_wager"), st.tuples(st.integers(1, 4), st.sampled_from(sorted(BETS)))),
    st.tuples(
        st.sampled_from(["call_no_roll", "report_device_failure", "report_shaker_failure"]), st.just(())
    ),
)


@settings(max_examples=150, deadline=None)
@given(rounds())
def test_the_records_of_a_round_give_its_state_again(played):
    opening, records, state = played
    assert reduce(lambda so_far, record: record.again(SIC_BO, so_far), records, opening) == state


@settings(max_examples=150, deadline=None)
@given(rounds())
def test_a_round_is_always_in_a_known_phase_with_a_way_on_and_its_money_adds_up(played):
    _, _, state = played
    assert state.phase in state.procedure.phases
    assert state.phase in ENDED or SIC_BO.next_act(state) is not None
    assert state.phase != "lit" or SIC_BO.losers(state)
    assert state.phase != "taken" or SIC_BO.unpaid_seats(state)
    assert state.phase not in ("paid", "cleared") or not SIC_BO.unpaid_seats(state)
    for one in state.settled:
        assert one.returned_cents == (0 if one.outcome == "lose" else one.wager.cents)
        assert (one.paid_cents > 0) == (one.outcome == "win")
    assert sorted(one.wager.key for one in state.settled) in ([], sorted(wager.key for wager in state.wagers))
