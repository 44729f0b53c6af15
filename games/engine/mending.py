"""Voiding a round before its dice are called, and mending one before its first payment."""

from dataclasses import replace
from typing import Any

from games.engine import records
from games.engine.refusals import Refusal
from games.engine.state import RoundState
from games.engine.turns import Turns, can
from games.engine.wagers import Placing, key_of, laid


class Mending(Turns):
    """The house's own acts, which every game shares."""

    def verify_void_round(self, state: RoundState, reason: str) -> None:
        """Raises `dice-called-already`, or `reason-missing`; a settled round is never undone here."""
        self._turn(state, "void_round")
        if not reason.strip():
            raise Refusal("reason-missing", self._section(state, "void_round"))

    can_void_round = can(verify_void_round)

    def void_round(self, state: RoundState, reason: str) -> tuple[RoundState, records.RoundVoided]:
        """The house ends a round before its dice are entered; every wager goes back (reading A47)."""
        self.verify_void_round(state, reason)
        void = replace(state, phase="void", returned_for="void")
        return void, records.RoundVoided(reason, void.settled, self._section(state, "void_round"))

    def verify_record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, `wager-unchanged`, or what `verify_placing` raises."""
        self._mending(state, "record_missed_wager")
        line = Placing(*placing)
        self.verify_placing(state.rules, line)
        self.verify_stake(state.rules, line.code, line.cents)
        if laid(state.wagers, [line])[1] == (line.cents,):
            raise Refusal("wager-unchanged", self._section(state, "record_missed_wager"), cents=line.cents)

    can_record_missed_wager = can(verify_record_missed_wager)

    def record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> tuple[RoundState, records.MissedWagerRecorded]:
        """The total that lay there at "no more bets" and was not entered; it settles with the rest."""
        self.verify_record_missed_wager(state, placing)
        line = Placing(*placing)
        layout, before = laid(state.wagers, [line])
        mended = replace(state, wagers=layout, phase=self._turn(state, "record_missed_wager"))
        if mended.phase == "taken" and any(one.wager.key == key_of(line) for one in self.losers(mended)):
            mended = replace(mended, phase="lit")  # a loser has come to lie there again
        section = self._section(state, "record_missed_wager")
        return self._onward(mended), records.MissedWagerRecorded(line, before[0], reason, section)

    def verify_strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, or `nothing-to-strike`."""
        self._mending(state, "strike_mistaken_wager")
        if not any(wager.key == (seat, code, play) for wager in state.wagers):
            section = self._section(state, "strike_mistaken_wager")
            raise Refusal("nothing-to-strike", section, seat=seat, code=code)

    can_strike_mistaken_wager = can(verify_strike_mistaken_wager)

    def strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> tuple[RoundState, records.MistakenWagerStruck]:
        """Takes out a wager that was entered and never lay there."""
        self.verify_strike_mistaken_wager(state, seat, code, play)
        struck = next(wager for wager in state.wagers if wager.key == (seat, code, play))
        left = tuple(wager for wager in state.wagers if wager is not struck)
        mended = replace(state, wagers=left, phase=self._turn(state, "strike_mistaken_wager"))
        section = self._section(state, "strike_mistaken_wager")
        return self._onward(mended), records.MistakenWagerStruck(struck, reason, section)
