"""Games of Three Dice Football for the tests: wagers laid, dice thrown, and what the rules refuse."""

import json
from typing import Any

import pytest

from games.adjudication import AdjudicatedRound, adjudicate
from games.engine import Refusal, RoundState, Rules
from games.engine.wagers import Settled
from games.registry import game_by_code

FOOTBALL = game_by_code("football")
RULES = Rules.of("pa-577")
CITE = "58 Pa. Code § 577."

GAIN_8, GAIN_4, GAIN_3, GAIN_1 = (6, 4, 2), (3, 3, 2), (3, 2, 2), (2, 1, 2)
NO_GAIN, PENALTY, TURNOVER, TRIPS_TD = (2, 3, 5), (2, 2, 5), (1, 2, 6), (3, 3, 3)
TOUCHDOWN_GAME = [GAIN_8, GAIN_4, GAIN_8]  # 20 to 12 to 8 to the end zone
DOWNS_GAME = [NO_GAIN, NO_GAIN, NO_GAIN]
NO_POINT = (2, 3, 4)


def lay(
    seat: int, code: str, cents: int = 500, play: int | None = None
) -> tuple[int, str, int, str, int | None]:
    return seat, code, cents, "chips", play


def opened(*placings: tuple[Any, ...], quarterback: int | None = 5) -> RoundState:
    """A new game whose dice somebody holds, with these wagers."""
    state = FOOTBALL.open_round(RULES, None, quarterback, quarterback)
    return FOOTBALL.place_wagers(state, placings)[0] if placings else state


def called(state: RoundState, dice: tuple[int, ...]) -> RoundState:
    """Thrown and called; lit, or onward where nobody had a wager to settle."""
    return FOOTBALL.call_dice(FOOTBALL.throw_dice(state)[0], dice)[0]


def settled_out(state: RoundState) -> tuple[RoundState, list[Settled]]:
    """Every step of the newest throw settled, and what was settled in what order."""
    done: list[Settled] = []
    while state.phase == "lit":
        state, record = FOOTBALL.settle_seats(state)
        done.extend(record.settled)
    return state, done


def played(state: RoundState, *throws: tuple[int, ...]) -> tuple[RoundState, list[Settled]]:
    """These throws, each settled out before the next."""
    done: list[Settled] = []
    for dice in throws:
        state, now = settled_out(called(state, dice))
        done.extend(now)
    return state, done


def refusal(act: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    """The code and the section, without its chapter, that refuse an act. Its `verify_x` must refuse the same."""
    with pytest.raises(Refusal) as refused:
        getattr(FOOTBALL, act)(*args, **kwargs)
    with pytest.raises(Refusal) as verified:
        getattr(FOOTBALL, f"verify_{act}")(*args, **kwargs)
    assert verified.value.args == refused.value.args
    return refused.value.code, refused.value.section.removeprefix(CITE)


def on_paper(throws: list[Any], *wagers: tuple[Any, ...], **rest: Any) -> AdjudicatedRound:
    """A game as a line of JSON; wagers are (seat, code, cents) or (seat, code, cents, play)."""
    keys = ("seat", "wager", "cents", "play")
    lines = [dict(zip(keys, wager, strict=False)) for wager in wagers]
    line = {"id": "x1", "rules": "pa-577", "throws": throws, "wagers": lines, **rest}
    return adjudicate(json.dumps(line).encode())


def verdict_of(
    throws: list[Any], code: str, cents: int = 500, play: int | None = None
) -> tuple[str, Any, int, str]:
    """How one wager ends: outcome, what it pays, cents paid, and the paragraph."""
    wager = (1, code, cents) if play is None else (1, code, cents, play)
    (one,) = on_paper(throws, wager)["wagers"]
    return one["outcome"], one["pays"], one["paid_cents"], one["cite"].removeprefix(CITE)
