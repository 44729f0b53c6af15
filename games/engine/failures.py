"""What may go wrong with the device and with the shaker, which every game shares.

A device that fails before the dice are seen voids the round; afterwards it is settled by hand (reading A14).
"""

from collections.abc import Sequence
from dataclasses import replace

from games.engine import records
from games.engine.refusals import Refusal
from games.engine.state import RoundState
from games.engine.throws import Throws

BY_HAND_PHASES = frozenset({"ready", "lit", "taken", "paid"})


class Failures(Throws):
    """The device, or an automated shaker, fails in mid-round."""

    def verify_report_device_failure(self, state: RoundState, dice: Sequence[int] | None = None) -> None:
        """Raises `dice-are-in-view`, `dice-not-seen`, `round-over`, or what `verify_dice` raises."""
        seen = state.dice or dice
        self._turn(state, "settle_by_hand" if state.dice else "report_device_failure")
        section = self._section(state, "report_device_failure")
        if seen and state.phase not in BY_HAND_PHASES:
            raise Refusal("dice-not-seen", section)
        if not seen and state.phase == "ready" and state.rules.shaker(state.shaker).in_view:
            raise Refusal("dice-are-in-view", section)
        if dice is not None:
            self.verify_dice(state.rules, dice, state.standing.dice or len(state.dice))

    def report_device_failure(
        self, state: RoundState, dice: Sequence[int] | None = None
    ) -> tuple[RoundState, records.DeviceFailed]:
        """With the dice seen (in `dice`, or called before) the round settles by hand before the witness.

        Otherwise it is void and every wager goes back. Dice already called are kept; `correct_dice` mends them.
        """
        self.verify_report_device_failure(state, dice)
        section, seen = self._section(state, "report_device_failure"), state.dice or tuple(dice or ())
        if seen:
            by_hand = replace(
                state, throws=state.throws or (seen,), by_hand=True, phase=self._turn(state, "settle_by_hand")
            )
            witness = state.rules.witness("device-failure")
            return self._onward(by_hand), records.DeviceFailed(seen, witness, (), section)
        void = replace(state, phase="void", returned_for="device-failed")
        return void, records.DeviceFailed(None, None, void.settled, state.rules.section("void"))

    def verify_report_shaker_failure(self, state: RoundState) -> None:
        """Raises `shaker-not-automated`, `shaker-not-started`, or `dice-called-already`."""
        if not state.rules.shaker(state.shaker).automated:
            raise Refusal("shaker-not-automated", self._section(state, "report_shaker_failure"))
        self._turn(state, "report_shaker_failure")

    def report_shaker_failure(self, state: RoundState) -> tuple[RoundState, records.ShakerFailed]:
        """An automated shaker failed when activated: void, and every wager goes back (§§ 539.7(c), 625a.7(c))."""
        self.verify_report_shaker_failure(state)
        void = replace(state, phase="void", returned_for="shaker-failed")
        return void, records.ShakerFailed(void.settled, self._section(state, "report_shaker_failure"))
