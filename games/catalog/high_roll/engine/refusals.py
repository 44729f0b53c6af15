"""Why High Roll Dice refuses an act: each code with its sentence and the words above it."""

from games.engine.refusals import RefusalCode

DICE_NOT_MOVED = RefusalCode(
    "dice-not-moved",
    "The matching dice are not in their box yet. Move them there uncovered, then settle.",
    "Move the dice",
)
NOTHING_TO_MOVE = RefusalCode(
    "nothing-to-move",
    "No matching dice wait for their box now. Follow the line of steps.",
    "Nothing to move",
)
PIP_STREET_FIRST = RefusalCode(
    "pip-street-first",
    "Seat %(seat)s has no Pip Street wager. Ask for one, or give the other wagers back.",
    "Pip Street first",
)
UNEQUAL_WAGERS = RefusalCode(
    "unequal-wagers",
    "The wagers of seat %(seat)s are not of equal value: %(code)s. Make them all one unit.",
    "Not of equal value",
)
NO_LIKE_KIND = RefusalCode(
    "no-like-kind",
    "Seat %(seat)s has no Like Kind wager for an Extra Roll. Ask for one, or give the fee back.",
    "No Like Kind",
)
NOT_ONE_DOLLAR = RefusalCode(
    "not-one-dollar",
    "A Millionaire Row wager is exactly $1. Make it $1, or give it back.",
    "One dollar only",
)
EXTRA_ROLLS_LOCKED_OUT = RefusalCode(
    "extra-rolls-locked-out",
    "The Extra Roll sensors are locked, so none is entered or struck now. Call the floorperson.",
    "Sensors are locked",
)
NOT_LOCKED_OUT = RefusalCode(
    "not-locked-out",
    "An Extra Roll was bought. Lock the sensors before the shake.",
    "Lock out first",
)
NOTHING_TO_LOCK_OUT = RefusalCode(
    "nothing-to-lock-out",
    "No Extra Roll waits for the lock-out now. Follow the line of steps.",
    "Nothing to lock out",
)
FEES_NOT_COLLECTED = RefusalCode(
    "fees-not-collected",
    "Extra Roll fees still lie on the sensors. Put them in the tray before the shake.",
    "Collect the fees",
)
NO_FEES = RefusalCode("no-fees", "There are no Extra Roll fees to collect now. Go on.", "No fees")
GATHER_FIRST = RefusalCode(
    "gather-first",
    "The loose dice are not in the shaker yet. Gather them first.",
    "Gather the dice",
)
