"""The acts of the floor, one file for each noun. Importing this package registers them all with the road."""

from . import by_hand, device, dice, football, high_roll, mending, opening, rounds, seats, staffing, wagers

__all__ = [
    "by_hand",
    "device",
    "dice",
    "football",
    "high_roll",
    "mending",
    "opening",
    "rounds",
    "seats",
    "staffing",
    "wagers",
]
