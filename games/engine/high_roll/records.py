"""What the acts of an Extra Roll leave behind; as with every record, each can do its act again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from games.engine.high_roll import HighRoll
    from games.engine.state import RoundState


@dataclass(frozen=True, slots=True)
class DiceMoved:
    """The matching dice moved, uncovered, into the box of their face."""

    face: int
    count: int
    section: str

    def again(self, game: "HighRoll", state: "RoundState") -> "RoundState":
        return game.move_dice(state)[0]


@dataclass(frozen=True, slots=True)
class ExtraRollsLockedOut:
    """The sensors locked; `seats` have bought an Extra Roll."""

    seats: tuple[int, ...]
    section: str

    def again(self, game: "HighRoll", state: "RoundState") -> "RoundState":
        return game.lock_out_extra_rolls(state)[0]


@dataclass(frozen=True, slots=True)
class FeesCollected:
    """The fees of these seats, `cents` in all, put into the table inventory."""

    seats: tuple[int, ...]
    cents: int
    section: str

    def again(self, game: "HighRoll", state: "RoundState") -> "RoundState":
        return game.collect_fees(state)[0]


@dataclass(frozen=True, slots=True)
class LooseDiceGathered:
    """All dice but the held ones, so many, put back into the shaker."""

    dice: int
    section: str

    def again(self, game: "HighRoll", state: "RoundState") -> "RoundState":
        return game.gather_loose_dice(state)[0]
