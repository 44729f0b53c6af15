"""Voiding a round before its dice are called, and mending one before its first payment."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from games.engine import records
from games.engine.refusals import Refusal
from games.engine.settling import Settling
from games.engine.state import RoundState
from games.engine.wagers import Placing, Wager, key_of, laid


class Mending(Settling):
    """The house's own acts, which every game shares."""

    def verify_void_round(self, state: RoundState, reason: str) -> None:
        """Raises `dice-called-already`, or `reason-missing`; a settled round is never undone here."""
        self._turn(state, "void_round")
        if not reason.strip():
            raise Refusal("reason-missing", self._section(state, "void_round"))

    def void_round(self, state: RoundState, reason: str) -> tuple[RoundState, records.RoundVoided]:
        """The house ends a round before its dice are entered; every wager goes back (reading A47)."""
        self.verify_void_round(state, reason)
        void = replace(state, phase="void", returned_for="void")
        return void, records.RoundVoided(reason, void.settled, self._section(state, "void_round"))

    def verify_record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, `wager-unchanged`, `settled-before`, or what placing it raises."""
        self._mending(state, "record_missed_wager")
        line = Placing(*placing)
        self.verify_placing(state.rules, line)
        self.verify_stake(state.rules, line.code, line.cents)
        layout, before = laid(state.wagers, [line])
        if before == (line.cents,):
            raise Refusal("wager-unchanged", self._section(state, "record_missed_wager"), cents=line.cents)
        self.verify_layout(state.rules, layout)
        self._verify_undecided(state, layout, key_of(line))

    def record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> tuple[RoundState, records.MissedWagerRecorded]:
        """The total that lay there at "no more bets" and was not entered; it settles with the rest."""
        self.verify_record_missed_wager(state, placing)
        line = Placing(*placing)
        layout, before = laid(state.wagers, [line])
        mended = replace(state, wagers=layout, phase=self._turn(state, "record_missed_wager"))
        mended = self._reopened(mended, set(layout) - set(state.wagers))
        section = self._section(state, "record_missed_wager")
        return self._onward(mended), records.MissedWagerRecorded(line, before[0], reason, section)

    def _reopened(self, state: RoundState, added: Collection[Wager]) -> RoundState:
        """The round where a loser has come to lie on the layout again: its losers are taken once more."""
        found = state.phase == "taken" and any(one.wager in added for one in self.losers(state))
        return replace(state, phase="lit") if found else state

    def verify_strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, `nothing-to-strike`, `settled-before`, or `verify_layout`'s."""
        self._mending(state, "strike_mistaken_wager")
        left = tuple(wager for wager in state.wagers if wager.key != (seat, code, play))
        if len(left) == len(state.wagers):
            section = self._section(state, "strike_mistaken_wager")
            raise Refusal("nothing-to-strike", section, seat=seat, code=code)
        self._verify_undecided(state, state.wagers, (seat, code, play))
        self.verify_layout(state.rules, left)

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

    def _verify_undecided(
        self, state: RoundState, wagers: tuple[Wager, ...], key: tuple[int, str, int | None]
    ) -> None:
        """Raises `settled-before` for a wager that an earlier throw than the newest decides."""
        before = self.standing(state.rules, wagers, state.throws[:-1]).settled if state.throws else ()
        if any(one.wager.key == key for one in before):
            raise Refusal("settled-before", self._section(state, "record_missed_wager"), code=key[1])
