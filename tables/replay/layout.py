"""The layout as it lay and was lit after a step, in the shape in which the floor's drawings read a table."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, cast

from games.engine import RoundState
from games.engine.settlement import LOSE, WIN, Settled
from tables.core.context import TableContext
from tables.replay.replayed_round import Course, Laid
from tables.rounds import settling_view

BETS_OPEN = frozenset({"", "open", "shaken"})


class Dealt:
    """What the floor's drawings ask of a table: the rules, and the game that they are for."""

    def __init__(self, course: Course) -> None:
        self.rules, self.game = course.rules, course.game


def of(course: Course, seats: int) -> dict[str, Any]:
    """The snapshot's `table`, `layout` and `round` (docs/snapshot.md), as far as the layouts read them."""
    state = course.state
    names = {one.code: str(one.label) for one in course.game.wager_types(course.rules)}
    return {
        "table": {"game": course.game.code, "seats": seats},
        "layout": _printed(course),
        "round": _round(course, state, names),
    }


def _printed(course: Course) -> list[dict[str, Any]]:
    game, rules = course.game, course.rules
    return [
        {
            "wager": one.code,
            "label": str(one.label),
            "family": one.family,
            "odds": [rules.state_odds(odds) for odds in game.possible_odds(rules, one.code)],
            "stopped": None,
        }
        for one in game.wager_types(rules)
    ]


def _round(course: Course, state: RoundState, names: dict[str, str]) -> dict[str, Any]:
    outcomes = {one.wager.key: one.outcome for one in course.everything}
    decided = [one for one in course.settled if one.wager.key not in course.gone]
    lit = bool(course.throws) and not course.ended
    at = cast(TableContext, Dealt(course))
    return {
        "phase": state.phase,
        "bets_open": course.begun and state.phase in BETS_OPEN,
        "wagers": [_wager(one, outcomes, names, course) for one in course.laid.values()],
        "wagered_cents": course.wagered_cents,
        "dice": list(course.game.arranged(state.dice)) if lit else None,
        "call": settling_view.call(course.game, state.throws) if course.throws else None,
        "lit": list(course.game.lit_codes(state)) if lit else [],
        "settle": settling_view.steps(at, state, names),
        "game": course.game.view(state),
        "take": {"seats": _by_seat(decided, LOSE)},
        "pay": {"seats": _by_seat(decided, WIN)},
    }


def _wager(one: Laid, outcomes: dict[Any, str], names: dict[str, str], course: Course) -> dict[str, Any]:
    key = one.wager.key
    return {
        "seat": one.wager.seat,
        "wager": one.wager.code,
        "play": one.wager.play,
        "label": names.get(one.wager.code, one.wager.code),
        "cents": one.wager.cents,
        "outcome": outcomes.get(key),
        "struck": one.struck or key in course.gone,
    }


def _by_seat(settled: Iterable[Settled], outcome: str) -> list[dict[str, Any]]:
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for one in settled:
        if one.outcome == outcome:
            seats[one.wager.seat].append({"wager": one.wager.code})
    return [{"seat": seat, "lines": lines} for seat, lines in sorted(seats.items())]
