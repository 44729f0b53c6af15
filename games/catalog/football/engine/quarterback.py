"""The player who throws: the offer of the dice around the table, and the throw by the Quarterback.

Source: 58 Pa. Code §§ 577.4(b), (c), 577.5(a), 577.7 (text of 2012-07-28). Seats are numbered clockwise from the
stickperson's left. Nobody of the house ever throws: while all decline, the offers go on (reading A41).
"""

from dataclasses import dataclass, replace
from typing import cast

from games.catalog.football.engine.field import SCORES
from games.catalog.football.engine.refusals import NO_QUARTERBACK, OFFER_IN_TURN, QUARTERBACK_CHOSEN
from games.engine.game import Game
from games.engine.refusals import BAD_SEAT, Refusal
from games.engine.state import RoundState

SEATS = 16  # § 577.2(a)


@dataclass(frozen=True, slots=True)
class DiceOffered:
    """The dice offered to a seat. Accepting makes it the Quarterback; a Quarterback may decline them later."""

    seat: int
    accepted: bool
    section: str


@dataclass(frozen=True, slots=True)
class DiceThrown:
    """The dice have left the Quarterback's hand."""

    quarterback: int
    section: str


class Quarterbacks(Game):
    """A game whose players throw the dice."""

    def next_quarterback(self, state: RoundState) -> tuple[int | None, int | None]:
        """Return who has the dice in the next game (None: they are offered), and the seat left of which the offers
        begin.

        The Quarterback keeps them after a touchdown or Trips TD, and in a round that the facility voided. After a
        win of the defense they go to the seat on the Quarterback's left: § 577.7(a).
        """
        if state.phase == "void" or state.result.ending in (*SCORES, ""):
            return state.quarterback, state.offered
        return None, state.quarterback or state.offered

    # Offering

    def next_offer(self, state: RoundState) -> int:
        """Return the seat that is offered the dice next: clockwise the first at which somebody plays, with a wager or
        without, and is not away, or else the next seat.
        """
        players = self._players(state)
        around = _clockwise_from(state.offered)
        return next((seat for seat in around if seat in players), around[0])

    def verify_offer_dice(self, state: RoundState, seat: int, accepted: bool) -> None:
        """Raise `not-now`, `quarterback-chosen`, `bad-seat`, or `offer-in-turn` if a player would be passed over.

        A seat that is not taken may be offered the dice and may be left out. A Quarterback may give up the dice
        between throws: this is recorded as a decline (reading A41).
        """
        self._phase_after(state, "offer_dice")
        section = state.rules.section("offer-dice" if state.offered is None else "pass-dice")
        if type(seat) is not int or not 1 <= seat <= SEATS:
            raise Refusal(BAD_SEAT, state.rules.section("places"), seat=str(seat)[:40])
        if state.quarterback is not None:
            if accepted or seat != state.quarterback:
                raise Refusal(QUARTERBACK_CHOSEN, section, seat=state.quarterback)
            return
        players = self._players(state)
        around = _clockwise_from(state.offered)
        for before in around[: around.index(seat)]:
            if before in players:
                raise Refusal(OFFER_IN_TURN, section, seat=seat, next=before)

    def offer_dice(self, state: RoundState, seat: int, accepted: bool) -> tuple[RoundState, DiceOffered]:
        """Record an offer: clockwise from seat 1 at the start of play, else from the last. Who accepts takes two
        green and one red.
        """
        self.verify_offer_dice(state, seat, accepted)
        duty = "accept-dice" if accepted else "offer-dice" if state.offered is None else "pass-dice"
        record = DiceOffered(seat, accepted, state.rules.section(duty))
        return replace(state, offered=seat, quarterback=seat if accepted else None), record

    def _players(self, state: RoundState) -> frozenset[int]:
        """Return the seats that are taken, and those with a live wager, without those whose player is absent (A49)."""
        decided = {settled.wager.key for settled in state.settled}
        live = (wager.seat for wager in state.wagers if wager.key not in decided)
        return state.seated.union(live) - state.absent

    # The throw

    def verify_throw_dice(self, state: RoundState) -> None:
        """Raise `thrown-already`, `settle-first`, `round-over`, or `no-quarterback`."""
        self._phase_after(state, "throw_dice")
        if state.quarterback is None:
            raise Refusal(NO_QUARTERBACK, state.rules.section("accept-dice"))

    def throw_dice(self, state: RoundState) -> tuple[RoundState, DiceThrown]:
        """Close the wagers on this play: the dice leave the Quarterback's hand: § 577.3(c), (e)."""
        self.verify_throw_dice(state)
        record = DiceThrown(cast(int, state.quarterback), self._section(state, "throw_dice"))
        return replace(state, phase=self._phase_after(state, "throw_dice")), record


def _clockwise_from(offered: int | None) -> tuple[int, ...]:
    """Return every seat once, clockwise, beginning left of the seat that was offered the dice last."""
    first = (offered or 0) % SEATS
    return tuple((first + step) % SEATS + 1 for step in range(SEATS))
