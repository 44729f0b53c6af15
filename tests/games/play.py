"""Rounds of Sic Bo for the tests: opened, ready, lit, and what the rules refuse."""

from typing import Any

import pytest

from games.engine import Refusal, RoundState, Rules
from games.registry import game_by_code

SIC_BO = game_by_code("sic-bo")
EVERY_WAY = [
    (key, kind)
    for key in ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B")
    for kind in Rules.of(key).edition.shakers
]
CLOSE_FIRST = [way for way in EVERY_WAY if Rules.of(way[0]).shaker(way[1]).procedure == "close-first"]
SHAKE_FIRST = [way for way in EVERY_WAY if way not in CLOSE_FIRST]
A_FEW = [(1, "small", 500, "chips"), (2, "big", 500, "chips"), (3, "total:9", 1000, "plaques")]


def opened(key: str = "pa-539", kind: str = "manual", placings: Any = A_FEW) -> RoundState:
    state = SIC_BO.open_round(Rules.of(key), kind)
    return SIC_BO.place_wagers(state, placings)[0] if placings else state


def ready(key: str = "pa-539", kind: str = "manual", placings: Any = A_FEW) -> RoundState:
    """Bets closed and dice shaken, in the order of the edition."""
    state = opened(key, kind, placings)
    while state.phase != "ready" and (following := SIC_BO.next_act(state)):
        state = getattr(SIC_BO, following.act)(state)[0]
    return state


def lit(dice: tuple[int, ...] = (2, 3, 4), **how: Any) -> RoundState:
    return SIC_BO.call_dice(ready(**how), dice)[0]


def refusal(act: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    """The code and section with which an act is refused; its `verify_x` must refuse the same."""
    with pytest.raises(Refusal) as refused:
        getattr(SIC_BO, act)(*args, **kwargs)
    with pytest.raises(Refusal) as verified:
        getattr(SIC_BO, f"verify_{act}")(*args, **kwargs)
    assert verified.value.args == refused.value.args
    return refused.value.code, refused.value.section
