"""The state of a round, and the result of its wagers. State never changes in place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from games.engine.procedures import Phase, Procedure, has_ended
from games.engine.rules import Rules
from games.engine.settlement import FEE, STEPS_A_THROW, Reason, Settled, give_back, in_order
from games.engine.wagers import Wager

# Why wagers go back, and the duty whose section that cites. A void by the facility and a device that fails before
# the dice are seen have no paragraph of their own (readings A14, A47), so they cite the whole section on
# irregularities; only a failed automated shaker may cite its own.
RETURNS = {"no-roll": "no-roll", "void": "void", "device-failed": "void", "shaker-failed": "shaker-failure"}


@dataclass(frozen=True, slots=True)
class Result:
    """What the throws of a round decide: the decided wagers, in the order of the wagers.

    `ending` is how the round ended, "" while another throw follows; `dice` is how many dice that throw has.
    """

    settled: tuple[Settled, ...] = ()
    ending: str = ""
    dice: int = 0


class RoundGame(Protocol):
    """What a round needs of its game."""

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """Return what the valid throws so far decide, and whether another throw follows."""

    def procedure(self, state: "RoundState") -> Procedure:
        """Return the order of steps that this round follows."""


@dataclass(frozen=True, slots=True)
class RoundState:
    """The state of a round: its phase, the wagers on the layout, its throws, and how far it is settled."""

    game: RoundGame
    rules: Rules
    shaker: str
    phase: Phase = "open"
    wagers: tuple[Wager, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()  # the valid ones
    paid_seats: frozenset[int] = frozenset()  # in the current step
    paid_areas: frozenset[tuple[int, str]] = (
        frozenset()
    )  # (seat, code) paid, at seats that are not paid in full
    manual_settlement: bool = False  # the device failed after the dice were seen
    returned_for: str = ""  # why every wager was returned, in a round that ended without a result
    step: int = 0  # the last complete step, in a game that settles in steps
    void_throws: int = 0  # throws that were called no roll and thrown again
    quarterback: int | None = None  # the seat that throws, in a game whose players throw
    offered: int | None = None  # the seat that was offered the dice last
    seated: frozenset[int] = frozenset()  # the seats that are taken, with a wager or without
    absent: frozenset[int] = frozenset()  # those of them whose player is away or has left

    @property
    def dice(self) -> tuple[int, ...]:
        """Return the faces of the newest throw, () before the first."""
        return self.throws[-1] if self.throws else ()

    @property
    def result(self) -> Result:
        """Return what the throws so far decide, and what comes next."""
        return self.game.result(self.rules, self.wagers, self.throws)

    @property
    def settled(self) -> tuple[Settled, ...]:
        """Return every decided wager, in the order of settlement. In a void round the others go back."""
        if self.phase in ("no-roll", "void"):
            reason = self.returned_for or self.phase
            return in_order(settled_of_void(self.game, self.rules, self.wagers, self.throws, reason))
        return in_order(self.result.settled)

    @property
    def of_newest_throw(self) -> tuple[Settled, ...]:
        """Return what the newest throw decided, in the order of settlement."""
        first_step = STEPS_A_THROW * len(self.throws)
        return tuple(settled for settled in self.settled if settled.step >= first_step)

    @property
    def money_moved(self) -> bool:
        """Return whether settling the newest throw has begun: from then on nothing is corrected."""
        return bool(self.paid_seats or self.paid_areas) or (
            bool(self.throws) and self.step >= STEPS_A_THROW * len(self.throws)
        )

    @property
    def may_dice_be_known(self) -> bool:
        """Return whether somebody may know dice of this round: from the moment when they may be called."""
        return bool(self.throws) or (self.phase, "call_dice") in self.procedure.moves

    def may_be_known_uncalled(self, key: tuple[int, str, int | None]) -> bool:
        """Return whether dice may be known, and none that were called decide the wager of this key."""
        return self.may_dice_be_known and all(settled.wager.key != key for settled in self.settled)

    @property
    def ended(self) -> bool:
        """Return whether the round is over."""
        return has_ended(self.phase)

    @property
    def procedure(self) -> Procedure:
        """Return the order of steps that this round follows."""
        return self.game.procedure(self)


def settled_of_void(
    game: RoundGame,
    rules: Rules,
    wagers: Sequence[Wager],
    throws: Sequence[Sequence[int]],
    reason: str,
) -> tuple[Settled, ...]:
    """Return what these throws decided before the round ended without a result, then the wagers that go back.

    A fee goes back too (A47). `reason` is one of `RETURNS`.
    """
    decided = game.result(rules, wagers, throws).settled
    decided = tuple(settled for settled in decided if settled.outcome != FEE)
    keys = {settled.wager.key for settled in decided}
    undecided = (wager for wager in wagers if wager.key not in keys)
    return decided + return_all(rules, undecided, reason)


def return_all(rules: Rules, wagers: Iterable[Wager], reason: str) -> tuple[Settled, ...]:
    """Return every wager for a reason of `RETURNS`, each citing the irregularity behind it."""
    section = rules.section(RETURNS[reason])
    return tuple(give_back(wager, section, Reason(reason)) for wager in wagers)
