"""Any round at all: random acts, most of which the rules refuse."""

from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalog.sic_bo.engine import BETS
from games.engine import Refusal, Rules
from games.engine.rounds import ENDED
from tests.games.play import EVERY_WAY, SIC_BO
from tests.games.replay import replayed
from tests.services.examples import examples


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


@settings(max_examples=examples(150), deadline=None)
@given(rounds())
def test_the_records_of_a_round_give_its_state_again(played):
    opening, records, state = played
    assert replayed(SIC_BO, opening, records) == state


@settings(max_examples=examples(150), deadline=None)
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
