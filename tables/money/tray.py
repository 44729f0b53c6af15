"""The arithmetic of a tray: its exact value, the win from money, and counts by denomination.

Pure: numbers and the engine's state only. Money is integer cents, counts are {chip cents as text: number}.

tray = opener + fills − credits − sold + taken − paid + corrected

`corrected` is what Error Notification Slips changed: what they handed over, and chips that by a slip were never where
the settlement says. The win from money, closer + credits + drop − opener − fills, equals taken − paid + corrected to
the cent where the closer and the drop agree with the record.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from games.chips import KNOWN_CHIPS_CENTS
from games.engine.game import Game
from games.engine.settlement import LOSE, WIN, Settled
from games.engine.state import RoundState

ChipCounts = Mapping[str, int]  # number of chips by their value in cents as text
FEES_NOT_COLLECTED = frozenset({"open", "unlocked", "locked"})
LOSERS_TAKEN = frozenset({"taken", "paid"})


@dataclass(frozen=True, slots=True)
class Tray:
    """The sums of an inventory since its opener, in cents."""

    opener_cents: int
    fills_cents: int = 0
    credits_cents: int = 0
    sold_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    corrected_cents: int = 0

    @property
    def cents(self) -> int:
        """The exact value of the chips in the tray."""
        transferred = self.fills_cents - self.credits_cents - self.sold_cents
        return self.opener_cents + transferred + self.win_from_play_cents

    @property
    def win_from_play_cents(self) -> int:
        """What the table won by its rounds and slips."""
        return self.taken_cents - self.paid_cents + self.corrected_cents

    def win_from_money_cents(self, closer_cents: int, drop_cents: int) -> int:
        """What the table won by its counts: closer + credits + drop − opener − fills."""
        return closer_cents + self.credits_cents + drop_cents - self.opener_cents - self.fills_cents


@dataclass(frozen=True, slots=True)
class MovedChips:
    """What a round has moved so far: stakes and fees taken, winnings paid, in cents."""

    taken_cents: int = 0
    paid_cents: int = 0

    @property
    def cents(self) -> int:
        """What the round has added to the tray; negative where it paid more than it took."""
        return self.taken_cents - self.paid_cents


def moved_in_round(game: Game, state: RoundState) -> MovedChips:
    """Return what a round in play has moved: fees and losers once they are taken, winners once they are paid."""
    done = settled_so_far(game, state)
    taken = 0
    if state.phase not in FEES_NOT_COLLECTED:
        taken = sum(wager.cents for wager in state.wagers if game.is_fee(wager.code))
    taken += sum(line.wager.cents for line in done if line.outcome == LOSE)
    return MovedChips(taken, sum(line.paid_cents for line in done if line.outcome == WIN))


def settled_so_far(game: Game, state: RoundState) -> list[Settled]:
    """Return the wagers of a round in play whose chips have been taken or paid."""
    if not any(act == "settle_seats" for _phase, act in state.procedure.moves):
        unpaid = game.unpaid_winners(state)
        return [line for line in state.settled if state.phase in LOSERS_TAKEN and line not in unpaid]
    current = game.current_step(state)
    return [
        line
        for line in state.settled
        if line.step <= state.step or (line in current and line.wager.seat in state.paid_seats)
    ]


def value_cents(chips: ChipCounts) -> int:
    """The value of a count."""
    return sum(int(chip) * number for chip, number in chips.items())


def differences(expected: ChipCounts, counted: ChipCounts) -> dict[str, int]:
    """What was counted less what was expected, by denomination, without those that agree."""
    both = ((str(chip), counted.get(str(chip), 0) - expected.get(str(chip), 0)) for chip in KNOWN_CHIPS_CENTS)
    return {chip: number for chip, number in both if number}
