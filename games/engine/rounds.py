"""A game as the rest of Pitside sees it: the acts that every game shares, in the order of play.

Each act is a pair: `verify_x` raises a Refusal, and `x` returns the new state and a record
(`games.engine.records`). Who may act, when and at which table is for the caller; so is
the witness that `rules.witness("device-failure")` names.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from games.engine import records
from games.engine.failures import Failures
from games.engine.paper import OnPaper
from games.engine.refusals import Refusal
from games.engine.state import RoundState
from games.engine.turns import NextAct, Step
from games.engine.wagers import Placing, laid

__all__ = ["Game", "NextAct", "RoundState", "Step"]


class Game(Failures, OnPaper):
    """What every game does: placing wagers, closing the bets, and clearing the layout at the end."""

    def verify_place_wagers(self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]) -> None:
        """Raises `bets-closed`, `nothing-placed`, what `verify_placing`, `verify_increment` and `verify_layout` raise;
        one refuses all.
        """
        self._turn(state, "place_wagers")
        lines = [Placing(*line) for line in placings]
        if not lines:
            raise Refusal("nothing-placed", state.rules.section("placement"))
        for line in lines:
            self.verify_placing(state.rules, line)
            self.verify_increment(state.rules, line.code, line.cents)
            self.verify_open_to(state, line)
        self.verify_layout(state.rules, laid(state.wagers, lines)[0])

    def verify_open_to(self, state: RoundState, placing: Placing) -> None:
        """Raises where this wager may not be made or changed now though others may; most games ask nothing."""

    def place_wagers(
        self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]
    ) -> tuple[RoundState, records.WagersPlaced]:
        """Totals as they now lie, (seat, code, cents, made_in, play) each; 0 cents takes a wager off."""
        lines = tuple(Placing(*line) for line in placings)
        self.verify_place_wagers(state, lines)
        layout, before = laid(state.wagers, lines)
        record = records.WagersPlaced(lines, before, self._section(state, "place_wagers"))
        return replace(state, wagers=layout), record

    def verify_no_more_bets(self, state: RoundState) -> None:
        """Raises `bets-closed-already`, or `not-shaken` where the shake comes first."""
        self._turn(state, "no_more_bets")

    def no_more_bets(self, state: RoundState) -> tuple[RoundState, records.BetsClosed]:
        phase = self._turn(state, "no_more_bets")
        record = records.BetsClosed(self._section(state, "no_more_bets"))
        return self._onward(replace(state, phase=phase)), record

    def verify_clear_layout(self, state: RoundState) -> None:
        """Raises `losers-not-taken`, `winners-not-paid`, or `not-now`."""
        self._turn(state, "clear_layout")

    def clear_layout(self, state: RoundState) -> tuple[RoundState, records.LayoutCleared]:
        phase = self._turn(state, "clear_layout")
        return replace(state, phase=phase), records.LayoutCleared(self._section(state, "clear_layout"))
