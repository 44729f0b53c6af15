"""The two ways in which the texts settle: all losers and then the winners, or step by step and seat by seat.

Which of them a game follows is told by the moves of its procedure.
"""

from collections.abc import Iterable
from dataclasses import replace

from games.engine import records
from games.engine.refusals import Refusal
from games.engine.settlement import Settled
from games.engine.state import RoundState
from games.engine.turns import Turns


class Settling(Turns):
    """Taking and paying what the newest throw decides."""

    # Every losing wager is collected before a winning one is paid

    def unpaid_seats(self, state: RoundState) -> tuple[int, ...]:
        """Seats still owed a payment, lowest first."""
        return tuple(sorted({one.wager.seat for one in self.winners(state)} - state.paid_seats))

    def verify_take_losers(self, state: RoundState) -> None:
        """Raises `not-lit` or `losers-taken-already`."""
        self._turn(state, "take_losers")

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

    def pay_seats(
        self, state: RoundState, seats: Iterable[int] | None = None
    ) -> tuple[RoundState, records.SeatsPaid]:
        """Every winning wager of these seats, or of all that are left; paying the last one ends the paying."""
        paid = self.unpaid_seats(state) if seats is None else tuple(sorted(set(seats)))
        self.verify_pay_seats(state, paid)
        settled = tuple(one for one in self.winners(state) if one.wager.seat in paid)
        record = records.SeatsPaid(paid, settled, self._section(state, "pay_seats"))
        return self._onward(replace(state, paid_seats=state.paid_seats.union(paid))), record

    # Losers and winners together, in steps that follow one another; in each step seat by seat

    def current_step(self, state: RoundState) -> tuple[Settled, ...]:
        """What the step under way settles, in its order; () when nothing decided is left to settle."""
        due = [one for one in state.of_newest_throw if one.step > state.step]
        first = min((one.step for one in due), default=0)
        return tuple(one for one in due if one.step == first)

    def unsettled_seats(self, state: RoundState) -> tuple[int, ...]:
        """Seats that the step under way has still to settle, lowest first."""
        return tuple(sorted({one.wager.seat for one in self.current_step(state)} - state.paid_seats))

    def verify_settle_seats(self, state: RoundState, seats: Iterable[int] | None = None) -> None:
        """Raises `not-lit`, `seat-settled-already`, or `nothing-to-settle`."""
        self._turn(state, "settle_seats")
        section, left = self._section(state, "settle_seats"), self.unsettled_seats(state)
        chosen = left if seats is None else tuple(seats)
        for seat in chosen:
            if seat in state.paid_seats:
                raise Refusal("seat-settled-already", section, seat=seat)
        if not chosen or not set(chosen) <= set(left):
            raise Refusal("nothing-to-settle", section)

    def settle_seats(
        self, state: RoundState, seats: Iterable[int] | None = None
    ) -> tuple[RoundState, records.SeatsSettled]:
        """Takes and pays the step under way at these seats, or at all that are left; the last seat ends the step."""
        chosen = self.unsettled_seats(state) if seats is None else tuple(sorted(set(seats)))
        self.verify_settle_seats(state, chosen)
        step = self.current_step(state)
        settled = tuple(one for one in step if one.wager.seat in chosen)
        done = state.paid_seats.union(chosen)
        if {one.wager.seat for one in step} <= done:
            after = replace(state, step=step[0].step, paid_seats=frozenset())
        else:
            after = replace(state, paid_seats=done)
        record = records.SeatsSettled(chosen, settled, self._section(state, "settle_seats"))
        return self._onward(after), record

    def _onward(self, state: RoundState) -> RoundState:
        """A phase in which nothing is left to do is skipped.

        No losers skips `lit` to `taken`, nobody left to pay skips `taken` to `paid`; in steps, nothing left to
        settle leads to what follows this throw.
        """
        if ("lit", "settle_seats") in state.procedure.moves:
            settled = state.phase == "lit" and not self.current_step(state)
            return replace(state, phase=self.after_settling(state)) if settled else state
        if state.phase == "lit" and not self.losers(state):
            state = replace(state, phase="taken")
        if state.phase == "taken" and not self.unpaid_seats(state):
            state = replace(state, phase="paid")
        return state

    def after_settling(self, state: RoundState) -> str:
        """In a game that settles in steps, the phase that follows once the newest throw is settled."""
        return "paid"
