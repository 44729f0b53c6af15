"""The records of the acts of an Extra Roll."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DiceMoved:
    """The matching dice moved, uncovered, into the box of their face."""

    face: int
    count: int
    section: str


@dataclass(frozen=True, slots=True)
class ExtraRollsLockedOut:
    """The sensors locked; `seats` have bought an Extra Roll."""

    seats: tuple[int, ...]
    section: str


@dataclass(frozen=True, slots=True)
class FeesCollected:
    """The fees of these seats, `cents` in all, put into the table inventory."""

    seats: tuple[int, ...]
    cents: int
    section: str


@dataclass(frozen=True, slots=True)
class LooseDiceGathered:
    """All dice but the held ones, so many, put back into the shaker."""

    dice: int
    section: str
