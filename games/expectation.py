"""The win that the odds predict for settled rounds, and its variance in cents squared: exact, in integers.

The expected win of a stake is its house advantage under the rules that its round pinned. An Extra Roll, and the Like
Kind circles of a seat that bought one, have odds that depend on each other: their stakes are marked as excluded.

The wagers of one round depend on each other, because one throw decides them all; rounds do not. In a game with plays
wagers on the game depend on each other, wagers on one play too, and the former on the latter
(`Game.covariances_across`).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import NamedTuple, Protocol

from games.engine import Refusal, Rules
from games.engine.covariances import Pair
from games.engine.expectations import RoundExpectation
from games.engine.wagers import Wager
from games.registry import game_of, registered_fees

MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class Stake(NamedTuple):
    """One wager of a round that was not struck. `is_excluded`: its odds depend on an Extra Roll."""

    seat: int
    code: str
    play: int
    cents: int
    is_excluded: bool


class SettledRound(Protocol):
    """A round that ended settled: the SHA-256 of the terms that it pinned, and its valid throws in order."""

    @property
    def terms(self) -> str: ...

    def valid_dice(self) -> list[list[int]]: ...


StakedRounds = Sequence[tuple[SettledRound, Sequence[Stake]]]  # settled rounds with their wagers


def stakes_of(wagers: Collection[tuple[int, str, int, int]]) -> Iterator[Stake]:
    """Return the stakes of a round from its wagers (seat, code, play or 0, cents), without those that were struck."""
    fees = registered_fees()
    fee_codes = {fee.code for fee in fees}
    bought = {(seat, code) for seat, code, _play, _cents in wagers if code in fee_codes}
    for seat, code, play, cents in wagers:
        is_excluded = bool(bought) and (
            code in fee_codes
            or any(code.startswith(fee.affects) and (seat, fee.code) in bought for fee in fees)
        )
        yield Stake(seat, code, play, cents, is_excluded)


def round_expectation(
    rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
) -> RoundExpectation | None:
    """Return what the wagers of a round are expected to win, with Extra Rolls and payout limits: exact.

    `throws` are its valid throws: the positions of single plays follow from them. None where the wagers or throws are
    not of this game.
    """
    try:
        return game_of(rules).round_expectation(rules, wagers, throws)
    except (Refusal, *MISSHAPEN):
        return None


@lru_cache(maxsize=64)
def advantages(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code."""
    return {
        code: game_of(rules).advantage(rules, code, outcomes)
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


def win_of(stakes: Iterable[tuple[Rules, str, int]]) -> Fraction | None:
    """Return the expected win of stakes (rules, code, cents) in cents; None if a code has no odds."""
    win = Fraction(0)
    for rules, code, cents in stakes:
        advantage = advantages(rules).get(code)
        if advantage is None:
            return None
        win += cents * advantage
    return win


def variance_of(settled: StakedRounds, rules_by_terms: Mapping[str, Rules | None]) -> Fraction | None:
    """Return the variance of these rounds; None where it is not known. The rules are by the SHA-256 of their terms."""
    variance: Fraction | None = Fraction(0)
    known = {terms: rules for terms, rules in rules_by_terms.items() if rules is not None}
    covariances_by_terms = {terms: covariances(rules) for terms, rules in known.items()}
    if len(known) < len(rules_by_terms) or None in covariances_by_terms.values():
        return None
    for terms, first, second, product in _stake_products(settled):
        factor = 1 if first == second else 2
        variance = _add_product(variance, product * factor, covariances_by_terms[terms], (first, second))
    for (terms, position), products in _products_across_plays(settled, known).items():
        rules = known[terms]
        play_covariances = game_of(rules).covariances_across(rules, position) if position else None
        for pair, product in products.items():
            variance = _add_product(variance, 2 * product, play_covariances, pair)
    return variance


def _add_product(
    variance: Fraction | None, product: int, covariances_: Mapping[Pair, Fraction] | None, pair: Pair
) -> Fraction | None:
    if variance is None or covariances_ is None or pair not in covariances_:
        return None
    return variance + product * covariances_[pair]


@lru_cache(maxsize=16)
def covariances(rules: Rules) -> Mapping[Pair, Fraction] | None:
    """The covariance of each two codes decided together, per unit staked on each; the codes of a pair are in order.

    None for a game that has no such arithmetic.
    """
    return game_of(rules).covariances(rules)


def _stake_products(settled: StakedRounds) -> Iterator[tuple[str, str, str, int]]:
    """For each two codes, the sum over rounds and plays of the product of their stakes, by the terms of the rounds."""
    products: Counter[tuple[str, str, str]] = Counter()
    for record, stakes in settled:
        cents_by_play: dict[int, Counter[str]] = defaultdict(Counter)
        for stake in stakes:
            if not stake.is_excluded:
                cents_by_play[stake.play][stake.code] += stake.cents
        for cents_by_code in cents_by_play.values():
            ordered = sorted(cents_by_code.items())
            for (first, first_cents), (second, second_cents) in combinations_with_replacement(ordered, 2):
                products[record.terms, first, second] += first_cents * second_cents
    for (terms, first, second), product in products.items():
        yield terms, first, second, product


def _products_across_plays(
    settled: StakedRounds, rules_by_terms: Mapping[str, Rules]
) -> dict[tuple[str, Hashable], Counter[Pair]]:
    """The sums of products between wagers on the game and wagers on a play.

    By terms and the play's position, for each code on the game and each on the play. The position is None where the
    throws do not tell it.
    """
    products: dict[tuple[str, Hashable], Counter[Pair]] = defaultdict(Counter)
    for record, stakes in settled:
        rules = rules_by_terms[record.terms]
        if not game_of(rules).has_plays:
            continue
        on_game = [stake for stake in stakes if not stake.play]
        on_plays = [stake for stake in stakes if stake.play]
        positions = _positions(record, rules) if on_game and on_plays else {}
        for stake in on_plays:
            for game_stake in on_game:
                play_products = products[record.terms, positions.get(stake.play)]
                play_products[game_stake.code, stake.code] += stake.cents * game_stake.cents
    return products


def _positions(record: SettledRound, rules: Rules) -> dict[int, Hashable]:
    """The position of each play; empty where the recorded throws make no game."""
    try:
        return dict(enumerate(game_of(rules).positions(record.valid_dice()), start=1))
    except (*MISSHAPEN, Refusal):
        return {}
