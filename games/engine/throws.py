"""The shake and the throw: the dice called as they lie, a no roll, and dice that were entered wrong."""

from collections.abc import Sequence
from dataclasses import replace

from games.engine import records
from games.engine.mending import Mending
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.state import RoundState
from games.engine.turns import can


class Throws(Mending):
    """What every game does with its shaker and its dice."""

    def verify_shake(self, state: RoundState, times: int = 3, by_seat: int | None = None) -> None:
        """Raises `bets-still-open`, `shaken-already`, `too-few-shakes`, `not-player-activated`, `no-live-wager`."""
        self._turn(state, "shake")
        kind, section = state.rules.shaker(state.shaker), self._section(state, "shake")
        if times < kind.shakes_least:
            raise Refusal("too-few-shakes", section, times=times, least=kind.shakes_least)
        if by_seat is not None and not kind.by_player:
            raise Refusal("not-player-activated", section, seat=by_seat)
        if by_seat is not None and by_seat not in {one.seat for one in state.wagers}:
            raise Refusal("no-live-wager", section, seat=by_seat)

    can_shake = can(verify_shake)

    def shake(
        self, state: RoundState, times: int = 3, by_seat: int | None = None
    ) -> tuple[RoundState, records.DiceShaken]:
        """A manual shaker three times at least; a seat where a player worked a player-activated one."""
        self.verify_shake(state, times, by_seat)
        record = records.DiceShaken(times, by_seat, self._section(state, "shake"))
        return replace(state, phase=self._turn(state, "shake")), record

    # The dice

    def verify_dice(self, rules: Rules, dice: Sequence[int]) -> tuple[int, ...]:
        """The faces as a tuple; raises `wrong-number-of-dice` or `no-such-face`."""
        section, faces = rules.section("call-dice"), tuple(dice)
        if len(faces) != rules.edition.dice:
            raise Refusal("wrong-number-of-dice", section, given=len(faces), needed=rules.edition.dice)
        for face in faces:
            if type(face) is not int or not 1 <= face <= self.faces:
                raise Refusal("no-such-face", section, face=str(face)[:40], faces=self.faces)
        return faces

    def verify_call_dice(self, state: RoundState, dice: Sequence[int]) -> None:
        """Raises `bets-still-open`, `not-shaken`, `dice-called-already`, or what `verify_dice` raises."""
        self._turn(state, "call_dice")
        self.verify_dice(state.rules, dice)

    can_call_dice = can(verify_call_dice)

    def call_dice(self, state: RoundState, dice: Sequence[int]) -> tuple[RoundState, records.DiceCalled]:
        """Uncovered, announced and entered; the layout lights, and the round settles by these faces."""
        self.verify_call_dice(state, dice)
        lit = replace(state, throws=(*state.throws, tuple(dice)), phase=self._turn(state, "call_dice"))
        winning = self.winning_codes(state.rules, dice)
        return self._onward(lit), records.DiceCalled(tuple(dice), winning, self._section(state, "call_dice"))

    def verify_call_no_roll(self, state: RoundState, reason: str = "") -> None:
        """Raises `bets-still-open`, `not-shaken`, or `dice-called-already`."""
        self._turn(state, "call_no_roll")

    can_call_no_roll = can(verify_call_no_roll)

    def call_no_roll(self, state: RoundState, reason: str = "") -> tuple[RoundState, records.NoRollCalled]:
        """A die does not lie flat: the round is over and every wager goes back (A12).

        A game in which the dice are thrown again instead (A33) says so itself.
        """
        over = replace(state, phase=self._turn(state, "call_no_roll"), returned_for="no-roll")
        return over, records.NoRollCalled(reason, over.settled, self._section(state, "call_no_roll"))

    def verify_correct_dice(self, state: RoundState, dice: Sequence[int], reason: str = "") -> None:
        """Raises `no-dice-yet`, `payment-begun`, `dice-unchanged`, or what `verify_dice` raises."""
        self._mending(state, "correct_dice")
        if sorted(self.verify_dice(state.rules, dice)) == sorted(state.dice):
            raise Refusal("dice-unchanged", self._section(state, "correct_dice"))

    can_correct_dice = can(verify_correct_dice)

    def correct_dice(
        self, state: RoundState, dice: Sequence[int], reason: str = ""
    ) -> tuple[RoundState, records.DiceCorrected]:
        """The faces were entered wrong: the layout lights anew and the losers are taken anew."""
        self.verify_correct_dice(state, dice)
        section, winning = self._section(state, "correct_dice"), self.winning_codes(state.rules, dice)
        throws = (*state.throws[:-1], tuple(dice))
        lit = replace(state, throws=throws, phase=self._turn(state, "correct_dice"))
        return self._onward(lit), records.DiceCorrected(tuple(dice), state.dice, winning, reason, section)
