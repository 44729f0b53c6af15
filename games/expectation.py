"""The win that the odds predict for a round, and its variance in cents squared: exact."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from games.engine import Refusal, Rules
from games.engine.expectations import RoundExpectation
from games.engine.game import EXACT_STAKE_CENTS
from games.engine.wagers import Wager
from games.registry import game_of

MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)


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


@lru_cache(maxsize=64)
def advantages_with_fee(rules: Rules) -> dict[str, Fraction]:
    """The house advantage of each code at a seat that paid the fee of its game, without a payout limit; empty for
    rules without a fee. That of the fee is 1: it never wins.
    """
    game = game_of(rules)
    codes = game.outcomes(rules).keys()
    if game.fee is None or game.fee.code not in codes:
        return {}
    unlimited, fee = replace(rules, payout_limit_cents=None), game.fee.code
    advantage_by_code: dict[str, Fraction] = {}
    for code in codes:
        wagers = [Wager(1, staked, EXACT_STAKE_CENTS) for staked in sorted({fee, code})]
        expectation = game.round_expectation(unlimited, wagers)
        if expectation is not None:
            advantage_by_code[code] = expectation.by_code[code] / EXACT_STAKE_CENTS
    return advantage_by_code
