"""Where a round is, and what its wagers come to. State never changes in place."""

from collections.abc import Iterable
from dataclasses import dataclass

from games.engine.procedures import ENDED, PROCEDURES, Procedure
from games.engine.rules import Rules
from games.engine.settlement import Reason, Settled, give_back
from games.engine.wagers import Wager

# Why wagers go back, and the duty whose section that cites. A void by the house and a device that fails before
# the dice are seen have no paragraph of their own (readings A14, A47), so they cite the whole section on
# irregularities; only a failed automated shaker may cite its own.
RETURNS = {"no-roll": "no-roll", "void": "void", "device-failed": "void", "shaker-failed": "shaker-failure"}


@dataclass(frozen=True, slots=True)
class RoundState:
    """Where a round is: its phase, what lies on the layout, what was thrown, and which seats are paid."""

    rules: Rules
    shaker: str
    phase: str = "open"
    wagers: tuple[Wager, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()
    paid_seats: frozenset[int] = frozenset()
    by_hand: bool = False
    returned_for: str = ""  # why every wager went back, in a round that ended without a result

    @property
    def dice(self) -> tuple[int, ...]:
        """The faces of the newest throw, () before the first."""
        return self.throws[-1] if self.throws else ()

    @property
    def settled(self) -> tuple[Settled, ...]:
        """Every wager as it stands settled, in the order of settlement; () while nothing is decided."""
        if self.phase in ("no-roll", "void"):
            return returned(self.rules, self.wagers, self.returned_for or self.phase)
        return in_order(self.rules, self.rules.game.settled(self))

    @property
    def ended(self) -> bool:
        return self.phase in ENDED

    @property
    def procedure(self) -> Procedure:
        return PROCEDURES[self.rules.shaker(self.shaker).procedure]


def give_all_back(rules: Rules, wagers: Iterable[Wager], why: str) -> tuple[Settled, ...]:
    """Every wager given back for a reason, each citing the irregularity behind it."""
    section = rules.section(RETURNS[why])
    return tuple(give_back(wager, section, Reason(why)) for wager in wagers)


def returned(rules: Rules, wagers: Iterable[Wager], why: str) -> tuple[Settled, ...]:
    """The same in the order of settlement."""
    return in_order(rules, give_all_back(rules, wagers, why))


def in_order(rules: Rules, settled: tuple[Settled, ...]) -> tuple[Settled, ...]:
    """Settlements in the order that the game settles in."""
    return tuple(settled[place] for place in rules.game.order(settled))
