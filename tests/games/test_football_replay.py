"""Any game at all: random acts with void throws in between, most of which the rules refuse."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games.catalog.football.engine.wagers import BETS
from games.engine import Refusal
from games.engine.rounds import ENDED, SeatsSettled
from games.engine.wagers import settlement_order
from tests.games.football_play import FOOTBALL, RULES
from tests.games.replay import Record, replayed
from tests.services.examples import examples

DICE = st.tuples(*[st.integers(1, 6)] * 3)
FULL = sorted(code for code, bet in BETS.items() if not bet.single)
SINGLE = sorted(code for code, bet in BETS.items() if bet.single)
CENTS = st.sampled_from([0, 500, 1000, 2500])
PLACINGS = st.one_of(
    st.tuples(st.integers(1, 4), st.sampled_from(FULL), CENTS, st.just("chips"), st.none()),
    st.tuples(st.integers(1, 4), st.sampled_from(SINGLE), CENTS, st.just("chips"), st.integers(1, 6)),
)
REASONS = st.sampled_from(["", *RULES.edition.no_rolls])
ACTS = st.one_of(
    st.tuples(st.just("place_wagers"), st.tuples(st.lists(PLACINGS, min_size=1, max_size=4))),
    st.tuples(st.sampled_from(["throw_dice", "throw_dice", "settle_seats", "clear_layout"]), st.just(())),
    st.tuples(st.sampled_from(["call_dice", "call_dice", "correct_dice"]), st.tuples(DICE)),
    st.tuples(st.just("settle_seats"), st.tuples(st.lists(st.integers(1, 4), max_size=2))),
    st.tuples(st.just("offer_dice"), st.tuples(st.integers(1, 6), st.booleans())),
    st.tuples(st.just("call_no_roll"), st.tuples(REASONS)),
    st.tuples(st.just("record_missed_wager"), st.tuples(PLACINGS)),
    st.tuples(
        st.just("strike_mistaken_wager"),
        st.tuples(st.integers(1, 4), st.sampled_from(FULL + SINGLE), st.sampled_from([None, 1, 2, 3])),
    ),
)


@st.composite
def any_rounds(draw):
    """A game played by random acts: its opening, its records, and where it stands."""
    opening = state = FOOTBALL.open_round(RULES, None, *draw(st.sampled_from([(None, None), (5, 5)])))
    records: list[Record] = []
    for act, args in draw(st.lists(ACTS, max_size=40)):
        try:
            state, record = getattr(FOOTBALL, act)(state, *args)
        except Refusal:
            continue
        records.append(record)
    return opening, records, state


@st.composite
def complete_games(draw):
    """A game played to its end by the book, with void throws in between and wagers on every play."""
    opening = FOOTBALL.open_round(RULES, None, 2, 2)
    records: list[Record] = []
    throws: list[Any] = []

    def act(name, *args):
        nonlocal state
        state, record = getattr(FOOTBALL, name)(state, *args)
        records.append(record)

    state = opening
    for seat, code in draw(st.sets(st.tuples(st.integers(1, 4), st.sampled_from(FULL)), max_size=8)):
        act("place_wagers", [(seat, code, 500, "chips")])
    while state.phase != "paid":
        if state.phase == "open":
            play = FOOTBALL.view(state)["play"]
            for seat, code in draw(
                st.sets(st.tuples(st.integers(1, 4), st.sampled_from(SINGLE)), max_size=3)
            ):
                act("place_wagers", [(seat, code, 500, "chips", play)])
        for _ in range(draw(st.integers(0, 2))):
            act("throw_dice")
            act("call_no_roll", "off-table")
            throws.append({"void": "off-table"})
        act("throw_dice")
        act("call_dice", draw(DICE))
        throws.append(list(state.dice))
        while state.phase == "lit":
            left = FOOTBALL.unsettled_seats(state)
            act("settle_seats", draw(st.sampled_from([left, left[:1]])))
    act("clear_layout")
    return opening, records, state, throws


@settings(max_examples=examples(200), deadline=None)
@given(any_rounds())
def test_the_records_of_a_game_give_its_state_again(played):
    opening, records, state = played
    assert replayed(FOOTBALL, opening, records) == state


@settings(max_examples=examples(200), deadline=None)
@given(any_rounds())
def test_a_game_is_always_in_a_known_phase_with_a_way_on(played):
    _, _, state = played
    assert state.phase in state.procedure.phases | {"point"}
    assert state.phase in ENDED or FOOTBALL.next_act(state) is not None
    assert (state.phase == "lit") == bool(state.phase == "lit" and FOOTBALL.unsettled_seats(state))
    assert FOOTBALL.view(state)["yard"] in range(24)
    assert {step.status for step in FOOTBALL.steps(state)} <= {"done", "now", "next", "off"}


@settings(max_examples=examples(200), deadline=None)
@given(complete_games())
def test_every_wager_of_a_complete_game_settles_exactly_once_and_its_money_adds_up(played):
    opening, records, state, _ = played
    assert replayed(FOOTBALL, opening, records) == state
    done = [one for record in records if isinstance(record, SeatsSettled) for one in record.settled]
    assert Counter(one.wager.key for one in done) == Counter(wager.key for wager in state.wagers)
    for one in done:
        assert one.returned_cents == (500 if one.outcome == "win" else 0)
        assert (one.paid_cents > 0) == (one.outcome == "win")


@settings(max_examples=examples(200), deadline=None)
@given(complete_games())
def test_the_floor_and_the_paper_settle_a_game_alike(played):
    _, records, state, throws = played
    ending, on_paper = FOOTBALL.adjudicate(RULES, throws, state.wagers)
    assert ending == state.result.ending
    assert tuple(on_paper[at] for at in settlement_order(on_paper)) == state.settled
    steps = [record.settled[0].step for record in records if isinstance(record, SeatsSettled)]
    assert steps == sorted(steps)
