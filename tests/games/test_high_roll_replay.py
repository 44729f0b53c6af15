"""Any round of High Roll Dice at all: random acts, most of which the rules refuse."""

from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalog.high_roll.engine.wagers import BETS
from games.engine import Refusal, Rules, Wager
from games.engine.rounds import ENDED
from tests.games.play_high_roll import HIGH_ROLL, SIX, TEN
from tests.games.replay import replayed
from tests.services.examples import examples

CODES = sorted({*BETS[10], *BETS[6]})
PLACINGS = st.tuples(
    st.integers(1, 3), st.sampled_from(CODES), st.sampled_from([0, 100, 500, 500, 500]), st.just("chips")
)
TAILS = st.lists(st.integers(1, 6), min_size=10, max_size=10)
ACTS = st.one_of(
    st.tuples(st.just("place_wagers"), st.tuples(st.lists(PLACINGS, min_size=1, max_size=3))),
    st.tuples(st.sampled_from(["call_dice", "correct_dice"]), st.tuples(TAILS)),
    st.tuples(st.just("settle_seats"), st.tuples(st.lists(st.integers(1, 3), max_size=2))),
    st.tuples(st.just("record_missed_wager"), st.tuples(PLACINGS)),
    st.tuples(st.just("strike_mistaken_wager"), st.tuples(st.integers(1, 3), st.sampled_from(CODES))),
    st.tuples(st.just("call_no_roll"), st.tuples(st.sampled_from(["off-table", "cocked", "a sneeze"]))),
    st.tuples(st.sampled_from(["gather_loose_dice", "collect_fees", "lock_out_extra_rolls"]), st.just(())),
)


@st.composite
def rounds(draw):
    """A round played by random acts, most of which the rules refuse: its opening, its records, its end."""
    key = draw(st.sampled_from([TEN, TEN, SIX]))
    limit = draw(st.sampled_from([None, 2000]))
    opening = state = HIGH_ROLL.open_round(Rules.of(key, payout_limit_cents=limit))
    records = []
    for seat in draw(st.sets(st.integers(1, 3))):
        wagers = [(seat, "pip:1", 500), (seat, "like-kind:4", 500), (seat, "extra-roll", 500)]
        state, record = HIGH_ROLL.place_wagers(state, wagers[: 3 if key == TEN else 2])
        records.append(record)
    for _ in range(draw(st.integers(0, 30))):
        act, args = draw(ACTS) if draw(st.integers(0, 3)) == 0 else ("next_act", ())
        if act == "next_act":
            following = HIGH_ROLL.next_act(state)
            act = following.act if following else "clear_layout"
            args = (draw(TAILS),) if act == "call_dice" else ()
        if act in ("call_dice", "correct_dice"):
            args = (args[0][: state.result.dice if act == "call_dice" else len(state.dice)],)
        try:
            state, record = getattr(HIGH_ROLL, act)(state, *args)
        except Refusal:
            continue
        records.append(record)
    return opening, records, state


@settings(max_examples=examples(200), deadline=None)
@given(rounds())
def test_the_records_of_a_round_give_its_state_again(played):
    opening, records, state = played
    assert replayed(HIGH_ROLL, opening, records) == state


@settings(max_examples=examples(200), deadline=None)
@given(rounds())
def test_a_round_is_always_in_a_known_phase_with_a_way_on_and_every_wager_settles_once(played):
    _, _, state = played
    assert state.phase in state.procedure.phases
    assert state.phase in ENDED or HIGH_ROLL.next_act(state) is not None
    assert state.phase != "lit" or HIGH_ROLL.unsettled_seats(state)
    assert state.phase not in ("unlocked", "locked", "loose") or HIGH_ROLL.view(state)["extra"]["seats"]
    assert len(HIGH_ROLL.steps(state)) in (6, 7, 9)
    HIGH_ROLL.verify_amounts(state.rules, state.wagers)
    if state.phase not in ("open", "void"):
        HIGH_ROLL.verify_layout(state.rules, state.wagers)
    keys = [one.wager.key for one in state.settled]
    assert len(keys) == len(set(keys))
    if state.phase in ("paid", "cleared", "void"):
        assert sorted(keys) == sorted(wager.key for wager in state.wagers)
    for one in state.settled:
        assert one.returned_cents == (one.wager.cents if one.outcome in ("win", "return") else 0)
        assert (one.paid_cents > 0 or one.cut_cents > 0) == (one.outcome == "win")
    won: dict[int, int] = {}
    for one in state.settled:
        if not one.wager.code.startswith("millionaire"):
            won[one.wager.seat] = won.get(one.wager.seat, 0) + one.paid_cents
    limit = state.rules.payout_limit_cents
    assert limit is None or all(cents <= limit for cents in won.values())


@settings(max_examples=examples(200), deadline=None)
@given(rounds())
def test_more_throws_only_add_to_what_is_decided(played):
    _, _, state = played
    if len(state.throws) < 2:
        return
    first = HIGH_ROLL.result(state.rules, state.wagers, state.throws[:1]).settled
    assert set(map(repr, first)) <= set(map(repr, state.result.settled))


@settings(max_examples=examples(100), deadline=None)
@given(rounds())
def test_a_finished_round_settles_the_same_on_paper(played):
    _, _, state = played
    if state.phase not in ("paid", "cleared"):
        return
    ending, settled = HIGH_ROLL.adjudicate(
        state.rules, state.throws, [Wager(*one.key[:2], one.cents) for one in state.wagers]
    )
    assert (ending, set(map(repr, settled))) == ("settled", set(map(repr, state.settled)))
