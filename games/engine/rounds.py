"""The acts of a round that every game shares, in the order of play.

Each act is a trio: `verify_x` raises a Refusal, `can_x` answers the same as a yes or no, and `x` returns the
new state and a record (`games.engine.records`). Who may act, when and at which table is for the caller; so is
the witness that `rules.witness("device-failure")` names.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from games.engine import records
from games.engine.failures import Failures
from games.engine.refusals import Refusal
from games.engine.state import RoundState
from games.engine.turns import NextAct, Step, can
from games.engine.wagers import Placing, laid

__all__ = ["Game", "NextAct", "RoundState", "Step"]


class Game(Failures):
    """A game: placing wagers, closing the bets, and then losers first, winners next, the lights last."""

    def verify_place_wagers(self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]) -> None:
        """Raises `bets-closed`, `nothing-placed`, or what `verify_placing` raises; one refused refuses all."""
        self._turn(state, "place_wagers")
        lines = [Placing(*line) for line in placings]
        if not lines:
            raise Refusal("nothing-placed", state.rules.section("placement"))
        for line in lines:
            self.verify_placing(state.rules, line)

    can_place_wagers = can(verify_place_wagers)

    def place_wagers(
        self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]
    ) -> tuple[RoundState, records.WagersPlaced]:
        """Totals as they now lie, (seat, code, cents, made_in) each; 0 cents takes a wager off."""
        lines = tuple(Placing(*line) for line in placings)
        self.verify_place_wagers(state, lines)
        layout, before = laid(state.wagers, lines)
        record = records.WagersPlaced(lines, before, self._section(state, "place_wagers"))
        return replace(state, wagers=layout), record

    def verify_no_more_bets(self, state: RoundState) -> None:
        """Raises `bets-closed-already`, or `not-shaken` where the shake comes first."""
        self._turn(state, "no_more_bets")

    can_no_more_bets = can(verify_no_more_bets)

    def no_more_bets(self, state: RoundState) -> tuple[RoundState, records.BetsClosed]:
        phase = self._turn(state, "no_more_bets")
        return replace(state, phase=phase), records.BetsClosed(self._section(state, "no_more_bets"))

    # Settling: losers first, then winners, then the lights

    def verify_take_losers(self, state: RoundState) -> None:
        """Raises `not-lit` or `losers-taken-already`."""
        self._turn(state, "take_losers")

    can_take_losers = can(verify_take_losers)

    def take_losers(self, state: RoundState) -> tuple[RoundState, records.LosersTaken]:
        phase = self._turn(state, "take_losers")
        record = records.LosersTaken(self.losers(state), self._section(state, "take_losers"))
        return self._onward(replace(state, phase=phase)), record

    def verify_pay_seats(self, state: RoundState, seats: Iterable[int] | None = None) -> None:
        """Raises `not-lit`, `losers-not-taken`, `seat-paid-already`, or `nothing-to-pay`."""
        self._turn(state, "pay_seats")
        section, owed = self._section(state, "pay_seats"), self.unpaid_seats(state)
        chosen = owed if seats is None else tuple(seats)
        for seat in chosen:
            if seat in state.paid_seats:
                raise Refusal("seat-paid-already", section, seat=seat)
        if not chosen or not set(chosen) <= set(owed):
            raise Refusal("nothing-to-pay", section)

    can_pay_seats = can(verify_pay_seats)

    def pay_seats(
        self, state: RoundState, seats: Iterable[int] | None = None
    ) -> tuple[RoundState, records.SeatsPaid]:
        """Every winning wager of these seats, or of all that are left; paying the last one ends the paying."""
        paid = self.unpaid_seats(state) if seats is None else tuple(sorted(set(seats)))
        self.verify_pay_seats(state, paid)
        settled = tuple(one for one in self.winners(state) if one.wager.seat in paid)
        record = records.SeatsPaid(paid, settled, self._section(state, "pay_seats"))
        return self._onward(replace(state, paid_seats=state.paid_seats.union(paid))), record

    def verify_clear_layout(self, state: RoundState) -> None:
        """Raises `losers-not-taken`, `winners-not-paid`, or `not-now`."""
        self._turn(state, "clear_layout")

    can_clear_layout = can(verify_clear_layout)

    def clear_layout(self, state: RoundState) -> tuple[RoundState, records.LayoutCleared]:
        phase = self._turn(state, "clear_layout")
        return replace(state, phase=phase), records.LayoutCleared(self._section(state, "clear_layout"))
