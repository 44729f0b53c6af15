"""Rounds of High Roll Dice for the tests: opened, lit, loose, on paper, and what the rules refuse."""

import json
from typing import Any

import pytest

from games.adjudication import AdjudicatedRound, adjudicate
from games.engine import Refusal, RoundState, Rules
from games.registry import game_by_code

HIGH_ROLL = game_by_code("high-roll")
TEN, SIX = "pa-675a", "pa-675a.6"
FOUR_FIVES = (5, 5, 5, 5, 6, 6, 6, 1, 1, 4)  # the example of § 675a.4(e), (f)
NO_MORE_FIVES = (6, 6, 6, 1, 1, 4)


def lines(seat: int, *codes: str, cents: int = 500) -> list[tuple[int, str, int]]:
    """Wagers of one unit at a seat; Millionaire Row is always a dollar."""
    return [(seat, code, 100 if code.startswith("millionaire") else cents) for code in codes]


WITHOUT = lines(1, "pip:5", "pip:2", "like-kind:3", "like-kind:4", "like-kind:5", "millionaire:9")
WITH = lines(2, "pip:5", "like-kind:3", "like-kind:4", "like-kind:5", "extra-roll", cents=2500)
EXTRA = [*WITHOUT, *WITH]
SIX_DICE = lines(1, "pip:5", "pip:6", "like-kind:3", "like-kind:none")


def opened(placings: Any = EXTRA, key: str = TEN, **how: Any) -> RoundState:
    """A round with wagers, ten dice unless `key` says six; `how` may be a payout limit."""
    state = HIGH_ROLL.open_round(Rules.of(key, **how))
    return HIGH_ROLL.place_wagers(state, placings)[0] if placings else state


def on_to(state: RoundState, phase: str) -> RoundState:
    """Act by act, each the next one, until the round is in a phase."""
    while state.phase != phase:
        act = HIGH_ROLL.next_act(state).act
        state = getattr(HIGH_ROLL, act)(state)[0]
    return state


def lit(dice: Any = FOUR_FIVES, placings: Any = EXTRA, key: str = TEN, **how: Any) -> RoundState:
    """The first roll called, and its matching dice in their box."""
    called = HIGH_ROLL.call_dice(on_to(opened(placings, key, **how), "ready"), dice)[0]
    return HIGH_ROLL.move_dice(called)[0]


def loose(dice: Any = FOUR_FIVES, placings: Any = EXTRA) -> RoundState:
    """The first roll settled, and an extra throw to come."""
    state = on_to(lit(dice, placings), "loose")
    assert state.phase == "loose"
    return state


def lit_again(extra: Any = NO_MORE_FIVES, dice: Any = FOUR_FIVES, placings: Any = EXTRA) -> RoundState:
    return HIGH_ROLL.call_dice(on_to(loose(dice, placings), "ready"), extra)[0]


def refusal(act: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    """The code and section with which an act is refused; its `verify_x` must refuse the same."""
    with pytest.raises(Refusal) as refused:
        getattr(HIGH_ROLL, act)(*args, **kwargs)
    with pytest.raises(Refusal) as verified:
        getattr(HIGH_ROLL, f"verify_{act}")(*args, **kwargs)
    assert verified.value.args == refused.value.args
    return refused.value.code, refused.value.section


def on_paper(throws: Any, wagers: Any, key: str = TEN, **more: Any) -> AdjudicatedRound:
    """A round as `adjudicate` answers it; wagers are (seat, code, cents)."""
    given = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in wagers]
    line = {"id": "x", "rules": key, "throws": [list(dice) for dice in throws], "wagers": given, **more}
    return adjudicate(json.dumps(line).encode())


def ends(throws: Any, wagers: Any, key: str = TEN, **more: Any) -> dict[str, tuple[str, int]]:
    """What each wager came to, by code: its outcome and the cents paid."""
    found = on_paper(throws, wagers, key, **more)["wagers"]
    return {one["wager"]: (one["outcome"], one["paid_cents"]) for one in found}


def short(section: str) -> str:
    return f"58 Pa. Code § 675a.{section}"
