"""The games as `verify.py` settles them, beside the engine: two programs that share no code."""

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit import verify
from games.catalog.football.engine.field import Spot, chances_of_a_throw, meaning_of, play_on
from games.catalog.football.engine.wagers import PLAYS_MOST, SINGLE_PLAY_CODES
from games.engine import Rules
from games.engine.wagers import Wager, in_order
from games.registry import game_of
from tables.rounds.settlement import settled_data

FACES = range(1, 7)
SIC_BO = ["pa-539", "pa-625a/A", "pa-625a/B", "nj-19-47-9"]


@functools.cache
def rules_of(key, **options):
    return Rules.of(key, **options)


def codes_of(rules):
    return [wager_type.code for wager_type in game_of(rules).wager_types(rules)]


def by_the_engine(rules, wagers, throws):
    """What the engine decides, as the record writes it; whether the round is over, and the dice of the next throw."""
    result = game_of(rules).result(rules, wagers, throws)
    return [settled_data(settled) for settled in in_order(result.settled)], bool(result.ending), result.dice


def by_the_verifier(rules, wagers, throws):
    """The same by `verify.py`, without the sections, which it does not know."""
    outcome = verify.Terms(rules.terms()).outcome({wager.key: wager.cents for wager in wagers}, throws)
    return [item.wager for item in outcome.decided], outcome.is_over, outcome.dice


def verify_alike(rules, wagers, throws):
    lines, *state = by_the_engine(rules, wagers, throws)
    settled, *verified_state = by_the_verifier(rules, wagers, throws)
    assert settled == [verify.settled_wager_of(line) for line in lines], (wagers, throws)
    assert verified_state == state, (wagers, throws)


@pytest.mark.parametrize("key", SIC_BO)
def test_every_wager_of_sic_bo_is_settled_alike_by_each_of_the_216_throws(key):
    rules = rules_of(key)
    wagers = [Wager(seat, code, 252_000) for code in codes_of(rules) for seat in (2, 1)]
    verify_alike(rules, wagers, ())
    for dice in itertools.product(FACES, repeat=3):
        verify_alike(rules, wagers, [dice])


def test_odds_above_the_floor_are_those_of_the_terms():
    rules = Rules.of("pa-539", {"total:8": "9 to 1", "small": "2 to 1"})
    for dice in ((2, 2, 4), (1, 2, 3)):
        verify_alike(rules, [Wager(1, "total:8", 500), Wager(1, "small", 500)], [dice])


def high_roll_wagers(rules, seats):
    """Every wager at some seats, each with its own unit."""
    return [
        Wager(seat, code, 100 if code.startswith("millionaire") else 1_000 * seat)
        for code in codes_of(rules)
        for seat in seats
        if code != "extra-roll"
    ]


def test_every_wager_of_six_dice_is_settled_alike_by_every_throw():
    rules = rules_of("pa-675a.6")
    wagers = high_roll_wagers(rules, (2, 1))
    for dice in itertools.combinations_with_replacement(FACES, 6):
        verify_alike(rules, wagers, [dice[::-1]])


@pytest.mark.parametrize(("limit", "every"), [(None, 1), (5_000, 7), (40_000, 7)])
def test_every_wager_of_ten_dice_is_settled_alike_by_every_throw_with_and_without_an_extra_roll(limit, every):
    rules = Rules.of("pa-675a", payout_limit_cents=limit)
    without = high_roll_wagers(rules, (3, 1, 2))
    wagers = [*without, Wager(1, "extra-roll", 1_000), Wager(2, "extra-roll", 2_000)]
    for dice in [*itertools.combinations_with_replacement(FACES, 10)][::every]:
        verify_alike(rules, without, [dice])
        verify_alike(rules, wagers, [dice])
        loose = by_the_engine(rules, wagers, [dice])[2]
        for face in FACES if loose else ():
            verify_alike(rules, wagers, [dice, (face,) * loose])


@given(data=st.data(), limit=st.none() | st.integers(1, 200_000))
def test_any_wagers_and_dice_of_high_roll_are_settled_alike(data, limit):
    rules = Rules.of(data.draw(st.sampled_from(["pa-675a", "pa-675a.6"])), payout_limit_cents=limit)
    places = st.tuples(st.integers(1, 6), st.sampled_from(codes_of(rules)))
    wagers = [
        Wager(seat, code, 100 if code.startswith("millionaire") else 500 * seat)
        for seat, code in data.draw(st.lists(places, unique=True, max_size=12))
    ]
    throws: list[list[int]] = []
    while dice := by_the_engine(rules, wagers, throws)[2]:
        verify_alike(rules, wagers, throws)
        throws.append(data.draw(st.lists(st.integers(1, 6), min_size=dice, max_size=dice)))
    verify_alike(rules, wagers, throws)


def football_wagers():
    """Every wager on the game, and every wager on each play."""
    rules = rules_of("pa-577")
    full = [code for code in codes_of(rules) if code not in SINGLE_PLAY_CODES]
    return [
        *(Wager(seat, code, 1_000, None) for code in full for seat in (9, 1)),
        *(Wager(3, code, 1_000, play) for play in range(1, PLAYS_MOST + 1) for code in SINGLE_PLAY_CODES),
    ]


def dice_by_meaning():
    """A throw for each meaning, and how many meanings there are."""
    throws = {meaning_of(dice): dice for dice in itertools.product(FACES, repeat=3)}
    assert throws.keys() == chances_of_a_throw().keys()
    return throws


def test_what_three_football_dice_mean_and_pay_is_the_same_for_each_of_the_216_throws():
    rules, wagers = rules_of("pa-577"), football_wagers()
    for dice in itertools.product(FACES, repeat=3):
        verify_alike(rules, wagers, [dice])


def test_every_course_of_football_is_settled_alike_from_every_spot_of_the_field():
    """From each position of marker, down and play that a game can reach, by each meaning of a throw."""
    rules, everything, by_meaning = rules_of("pa-577"), football_wagers(), dice_by_meaning()
    without_point = [wager for wager in everything if wager.code != "extra-point"]
    spots: dict[Spot, list[tuple[int, ...]]] = {Spot(): []}
    waiting = [Spot()]
    while waiting:
        spot = waiting.pop()
        for meaning, dice in by_meaning.items():
            throws = [*spots[spot], dice]
            played, following = play_on(spot, meaning)
            verify_alike(rules, everything, throws)
            verify_alike(rules, without_point, throws)
            if following is not None and following not in spots:
                spots[following] = throws
                waiting.append(following)
            if played.ending in ("touchdown", "trips-td") and spot.play == 1:
                for point in itertools.product(FACES, repeat=3):
                    verify_alike(rules, everything, [*throws, point])
    assert len(spots) > 100


@given(data=st.data())
def test_any_game_of_football_is_settled_alike(data):
    rules, every = rules_of("pa-577"), football_wagers()
    wagers = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=15))
    throws: list[list[int]] = []
    while not by_the_engine(rules, wagers, throws)[1]:
        throws.append(data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3)))
        verify_alike(rules, wagers, throws)
    with pytest.raises(verify.Bad, match="follows the end of the game"):
        by_the_verifier(
            rules, [wager for wager in wagers if wager.code != "extra-point"], [*throws, (1, 2, 2), (1, 2, 2)]
        )


@pytest.mark.parametrize(
    ("key", "code", "dice"),
    [
        ("pa-625a/A", "total:3", (1, 2, 3)),
        ("pa-625a/A", "two-dice:2-1", (1, 2, 3)),
        ("pa-625a/A", "one-of-a-kind:7", (1, 2, 3)),
        ("pa-625a/A", "hard-way:1", (1, 2, 3)),
        ("pa-675a", "like-kind:9", (1,) * 10),
        ("pa-675a.6", "millionaire:9", (1,) * 6),
        ("pa-675a.6", "extra-roll", (1,) * 6),
        ("pa-577", "punt", (1, 1, 1)),
    ],
)
def test_a_wager_that_the_game_does_not_have_is_refused(key, code, dice):
    with pytest.raises(verify.Bad, match="has no wager"):
        by_the_verifier(rules_of(key), [Wager(1, code, 100)], [dice])


def test_terms_of_another_format_or_game_cannot_be_read():
    terms = rules_of("pa-625a/A").terms()
    for change in (
        {"format": 2},
        {"game": "craps"},
        {"payouts": {"big": "even"}},
        {"payout_limit_cents": "9"},
    ):
        with pytest.raises(verify.MISSHAPEN):
            verify.Terms({**terms, **change})
