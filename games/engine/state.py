"""Where a round is, and what its wagers come to. State never changes in place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from games.engine.procedures import ENDED, Procedure
from games.engine.rules import Rules
from games.engine.settlement import FEE, STEPS_A_THROW, Reason, Settled, give_back, in_order
from games.engine.wagers import Wager

# Why wagers go back, and the duty whose section that cites. A void by the house and a device that fails before
# the dice are seen have no paragraph of their own (readings A14, A47), so they cite the whole section on
# irregularities; only a failed automated shaker may cite its own.
RETURNS = {"no-roll": "no-roll", "void": "void", "device-failed": "void", "shaker-failed": "shaker-failure"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What the throws of a round have come to: the wagers that they decide, in the order of the wagers.

    `ending` is how the round ended, "" while another throw is to come; `dice` is how many dice that throw has.
    """

    settled: tuple[Settled, ...] = ()
    ending: str = ""
    dice: int = 0


class RoundGame(Protocol):
    """What a round asks of its game."""

    def standing(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Standing:
        """What the valid throws so far decide, and whether another throw follows."""

    def procedure(self, state: "RoundState") -> Procedure:
        """The order of steps that this round follows."""


@dataclass(frozen=True, slots=True)
class RoundState:
    """Where a round is: its phase, what lies on the layout, what was thrown, and how far it is settled."""

    game: RoundGame
    rules: Rules
    shaker: str
    phase: str = "open"
    wagers: tuple[Wager, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()  # the valid ones
    paid_seats: frozenset[int] = frozenset()  # in the step under way
    by_hand: bool = False
    returned_for: str = ""  # why every wager went back, in a round that ended without a result
    step: int = 0  # the last step of settlement that is done, where a game settles in steps
    void_throws: int = 0  # throws that were called no roll and thrown again
    quarterback: int | None = None  # the seat that throws, where a player does
    offered: int | None = None  # the seat that was offered the dice last

    @property
    def dice(self) -> tuple[int, ...]:
        """The faces of the newest throw, () before the first."""
        return self.throws[-1] if self.throws else ()

    @property
    def standing(self) -> Standing:
        """What the throws so far decide, and what comes next."""
        return self.game.standing(self.rules, self.wagers, self.throws)

    @property
    def settled(self) -> tuple[Settled, ...]:
        """Every wager that is decided, in the order of settlement; in a void round the rest goes back."""
        decided = self.standing.settled
        if self.phase in ("no-roll", "void"):
            decided = tuple(one for one in decided if one.outcome != FEE)  # given back too (reading A47)
            keys = {one.wager.key for one in decided}
            rest = (wager for wager in self.wagers if wager.key not in keys)
            decided += give_all_back(self.rules, rest, self.returned_for or self.phase)
        return in_order(decided)

    @property
    def of_newest_throw(self) -> tuple[Settled, ...]:
        """What the newest throw decided, in the order of settlement."""
        first = STEPS_A_THROW * len(self.throws)
        return tuple(one for one in self.settled if one.step >= first)

    @property
    def money_moved(self) -> bool:
        """Whether settling what the newest throw decided has begun: from then on its round is not mended."""
        return bool(self.paid_seats) or (bool(self.throws) and self.step >= STEPS_A_THROW * len(self.throws))

    @property
    def ended(self) -> bool:
        return self.phase in ENDED

    @property
    def procedure(self) -> Procedure:
        return self.game.procedure(self)


def give_all_back(rules: Rules, wagers: Iterable[Wager], why: str) -> tuple[Settled, ...]:
    """Every wager given back for a reason, each citing the irregularity behind it."""
    section = rules.section(RETURNS[why])
    return tuple(give_back(wager, section, Reason(why)) for wager in wagers)
