"""What each act leaves behind. A record can do its act again, so a round's records give the round back."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from games.engine.settlement import Settled
from games.engine.wagers import Placing, Wager

if TYPE_CHECKING:
    from games.engine.rounds import Game
    from games.engine.state import RoundState


class Record(Protocol):
    """Every record names its section and repeats its act on a state."""

    @property
    def section(self) -> str: ...

    def again(self, game: "Game", state: "RoundState") -> "RoundState": ...


@dataclass(frozen=True, slots=True)
class WagersPlaced:
    """Totals as entered, in order, and in `before_cents` what lay there before each."""

    placings: tuple[Placing, ...]
    before_cents: tuple[int, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.place_wagers(state, self.placings)[0]


@dataclass(frozen=True, slots=True)
class BetsClosed:
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.no_more_bets(state)[0]


@dataclass(frozen=True, slots=True)
class DiceShaken:
    """`by_seat` is the player who worked a player-activated shaker; None is the dealer."""

    times: int
    by_seat: int | None
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.shake(state, self.times, self.by_seat)[0]


@dataclass(frozen=True, slots=True)
class DiceCalled:
    """Faces as called and entered, and the codes that the layout lights for them."""

    dice: tuple[int, ...]
    winning: tuple[str, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.call_dice(state, self.dice)[0]


@dataclass(frozen=True, slots=True)
class NoRollCalled:
    reason: str
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.call_no_roll(state, self.reason)[0]


@dataclass(frozen=True, slots=True)
class LosersTaken:
    """The losing wagers collected, in the order of settlement."""

    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.take_losers(state)[0]


@dataclass(frozen=True, slots=True)
class SeatsPaid:
    """The winning wagers of these seats paid, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.pay_seats(state, self.seats)[0]


@dataclass(frozen=True, slots=True)
class SeatsSettled:
    """One step of the settlement taken and paid at these seats, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.settle_seats(state, self.seats)[0]


@dataclass(frozen=True, slots=True)
class LayoutCleared:
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.clear_layout(state)[0]


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """Every wager returned; `reason` is the house's own words."""

    reason: str
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.void_round(state, self.reason)[0]


@dataclass(frozen=True, slots=True)
class DiceCorrected:
    dice: tuple[int, ...]
    before: tuple[int, ...]
    winning: tuple[str, ...]
    reason: str
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.correct_dice(state, self.dice, self.reason)[0]


@dataclass(frozen=True, slots=True)
class MissedWagerRecorded:
    """A wager that lay on the layout at "no more bets" and had not been entered."""

    placing: Placing
    before_cents: int
    reason: str
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.record_missed_wager(state, self.placing, self.reason)[0]


@dataclass(frozen=True, slots=True)
class MistakenWagerStruck:
    """A wager that had been entered and never lay on the layout."""

    wager: Wager
    reason: str
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        seat, code, play = self.wager.key
        return game.strike_mistaken_wager(state, seat, code, play, self.reason)[0]


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """With `dice` the round is settled by hand before `witness`; without, it is void and all is `settled`."""

    dice: tuple[int, ...] | None
    witness: str | None
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.report_device_failure(state, self.dice)[0]


@dataclass(frozen=True, slots=True)
class ShakerFailed:
    settled: tuple[Settled, ...]
    section: str

    def again(self, game: "Game", state: "RoundState") -> "RoundState":
        return game.report_shaker_failure(state)[0]
