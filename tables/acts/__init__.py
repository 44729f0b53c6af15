"""The acts of the floor, one file for each noun. Importing this package registers them all with the road."""

from . import (
    approvals,
    by_hand,
    device,
    dice,
    dice_room,
    football,
    high_roll,
    mending,
    opening,
    rounds,
    seats,
    shakers,
    staffing,
    training,
    wagers,
)

__all__ = [
    "approvals",
    "by_hand",
    "device",
    "dice",
    "dice_room",
    "football",
    "high_roll",
    "mending",
    "opening",
    "rounds",
    "seats",
    "shakers",
    "staffing",
    "training",
    "wagers",
]
