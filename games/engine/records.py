"""The record of each act."""

from dataclasses import dataclass

from games.engine.settlement import Settled
from games.engine.wagers import Placing, Wager


@dataclass(frozen=True, slots=True)
class WagersPlaced:
    """Totals as entered, in order. `before_cents` is the total before each."""

    placings: tuple[Placing, ...]
    before_cents: tuple[int, ...]
    section: str


@dataclass(frozen=True, slots=True)
class BetsClosed:
    section: str


@dataclass(frozen=True, slots=True)
class DiceShaken:
    """`by_seat` is the player who activated a player-activated shaker; None is the dealer."""

    times: int
    by_seat: int | None
    section: str


@dataclass(frozen=True, slots=True)
class DiceCalled:
    """Faces as called and entered, and the codes that the layout lights for them."""

    dice: tuple[int, ...]
    winning: tuple[str, ...]
    section: str


@dataclass(frozen=True, slots=True)
class NoRollCalled:
    reason: str
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class LosersTaken:
    """The losing wagers collected, in the order of settlement."""

    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class SeatsPaid:
    """The winning wagers of these seats paid, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class SeatsSettled:
    """One step of the settlement taken and paid at these seats, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class LayoutCleared:
    section: str


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """Every wager returned; `reason` is in the facility's own words."""

    reason: str
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class DiceCorrected:
    dice: tuple[int, ...]
    before: tuple[int, ...]
    winning: tuple[str, ...]
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class MissedWagerRecorded:
    """A wager that was on the layout at "no more bets" and had not been entered."""

    placing: Placing
    before_cents: int
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class MistakenWagerStruck:
    """A wager that had been entered but never was on the layout."""

    wager: Wager
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """With `dice` the round is settled manually before `witness`; without, it is void and all is `settled`."""

    dice: tuple[int, ...] | None
    witness: str | None
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class ShakerFailed:
    settled: tuple[Settled, ...]
    section: str
