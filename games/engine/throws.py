"""The shake and the throw: the dice called as they lie, a no roll, and dice that were entered wrong."""

from collections.abc import Sequence
from dataclasses import replace

from games.engine import records
from games.engine.corrections import Mending
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.state import RoundState


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

    def shake(
        self, state: RoundState, times: int = 3, by_seat: int | None = None
    ) -> tuple[RoundState, records.DiceShaken]:
        """A manual shaker three times at least; a seat where a player worked a player-activated one."""
        self.verify_shake(state, times, by_seat)
        record = records.DiceShaken(times, by_seat, self._section(state, "shake"))
        return replace(state, phase=self._turn(state, "shake")), record

    # The dice

    def verify_dice(self, rules: Rules, dice: Sequence[int], needed: int | None = None) -> tuple[int, ...]:
        """The faces as a tuple; raises `wrong-number-of-dice` or `no-such-face`."""
        section, faces = rules.section("call-dice"), tuple(dice)
        needed = rules.edition.dice if needed is None else needed
        if len(faces) != needed:
            raise Refusal("wrong-number-of-dice", section, given=len(faces), needed=needed)
        for face in faces:
            if type(face) is not int or not 1 <= face <= self.faces:
                raise Refusal("no-such-face", section, face=str(face)[:40], faces=self.faces)
        return faces

    def arranged(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Dice as they are shown and compared: low to high, where no die has a place of its own."""
        return tuple(sorted(dice))

    def lit(self, state: RoundState) -> tuple[str, ...]:
        """The codes that the layout shows as winners of the newest throw."""
        if not state.throws:
            return ()
        return self.winning_codes(state.rules, state.throws, state.standing.ending)

    def verify_call_dice(self, state: RoundState, dice: Sequence[int]) -> None:
        """Raises `bets-still-open`, `not-shaken`, `dice-called-already`, or what `verify_dice` raises."""
        self._turn(state, "call_dice")
        self.verify_dice(state.rules, dice, state.standing.dice)

    def call_dice(self, state: RoundState, dice: Sequence[int]) -> tuple[RoundState, records.DiceCalled]:
        """Uncovered, announced and entered; the layout lights, and the round settles by these faces."""
        self.verify_call_dice(state, dice)
        lit = replace(state, throws=(*state.throws, tuple(dice)), phase=self._turn(state, "call_dice"))
        record = records.DiceCalled(tuple(dice), self.lit(lit), self._section(state, "call_dice"))
        return self._onward(lit), record

    def verify_call_no_roll(self, state: RoundState, reason: str = "") -> None:
        """Raises `bets-still-open`, `not-shaken`, `dice-called-already`, or `no-such-reason` for one not listed."""
        self._turn(state, "call_no_roll")
        listed = state.rules.edition.no_rolls
        if listed and reason not in listed:
            raise Refusal("no-such-reason", self._section(state, "call_no_roll"), reason=reason[:40])

    def call_no_roll(self, state: RoundState, reason: str = "") -> tuple[RoundState, records.NoRollCalled]:
        """The throw is void. In Sic Bo the round ends with it and every wager goes back (A12).

        Elsewhere wagers stand and the dice are thrown again (A33); there the edition lists the reasons.
        """
        self.verify_call_no_roll(state, reason)
        phase = self._turn(state, "call_no_roll")
        after = replace(state, phase=phase, void_throws=state.void_throws + 1)
        section = state.rules.edition.no_rolls.get(reason) or self._section(state, "call_no_roll")
        if self.no_roll_ends:
            over = replace(after, returned_for="no-roll")
            return over, records.NoRollCalled(reason, over.settled, section)
        return self._onward(after), records.NoRollCalled(reason, (), section)

    def verify_correct_dice(self, state: RoundState, dice: Sequence[int], reason: str = "") -> None:
        """Raises `no-dice-yet`, `payment-begun`, `dice-unchanged`, or what `verify_dice` raises."""
        self._mending(state, "correct_dice")
        if not state.throws:
            raise Refusal("no-dice-yet", self._section(state, "correct_dice"))
        faces = self.verify_dice(state.rules, dice, len(state.dice))
        if self.arranged(faces) == self.arranged(state.dice):
            raise Refusal("dice-unchanged", self._section(state, "correct_dice"))

    def correct_dice(
        self, state: RoundState, dice: Sequence[int], reason: str = ""
    ) -> tuple[RoundState, records.DiceCorrected]:
        """The faces were entered wrong: the layout lights anew and the losers are taken anew."""
        self.verify_correct_dice(state, dice)
        section, throws = self._section(state, "correct_dice"), (*state.throws[:-1], tuple(dice))
        lit = replace(state, throws=throws, phase=self._turn(state, "correct_dice"))
        record = records.DiceCorrected(tuple(dice), state.dice, self.lit(lit), reason, section)
        return self._onward(lit), record
