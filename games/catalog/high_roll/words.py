"""What people read of High Roll Dice alone."""

# code: (two or three words, the sentence)
REFUSALS = {
    "dice-not-moved": (
        "Move the dice",
        "The matching dice are not in their box yet. Move them there uncovered, then settle.",
    ),
    "nothing-to-move": (
        "Nothing to move",
        "No matching dice wait for their box now. Follow the line of steps.",
    ),
    "pip-street-first": (
        "Pip Street first",
        "Seat %(seat)s has no Pip Street wager. Ask for one, or give the other wagers back.",
    ),
    "unequal-wagers": (
        "Not of equal value",
        "The wagers of seat %(seat)s are not of equal value: %(code)s. Make them all one unit.",
    ),
    "no-like-kind": (
        "No Like Kind",
        "Seat %(seat)s has no Like Kind wager for an Extra Roll. Ask for one, or give the fee back.",
    ),
    "not-one-dollar": (
        "One dollar only",
        "A Millionaire Row wager is exactly $1. Make it $1, or give it back.",
    ),
    "extra-rolls-locked-out": (
        "Sensors are locked",
        "The Extra Roll sensors are locked, so none is entered or struck now. Call the floorperson.",
    ),
    "not-locked-out": (
        "Lock out first",
        "An Extra Roll was bought. Lock the sensors before the shake.",
    ),
    "nothing-to-lock-out": (
        "Nothing to lock out",
        "No Extra Roll waits for the lock-out now. Follow the line of steps.",
    ),
    "fees-not-collected": (
        "Collect the fees",
        "Extra Roll fees still lie on the sensors. Put them in the tray before the shake.",
    ),
    "no-fees": ("No fees", "There are no Extra Roll fees to collect now. Go on."),
    "gather-first": (
        "Gather the dice",
        "The loose dice are not in the shaker yet. Gather them first.",
    ),
}

REASONS = {
    "most-alike": "Most dice alike: the %(faces)s",
    "outranked": "As many, but the %(faces)s rank higher",
    "held-1": "No match, ace highest",
    "held-2": "Two of a kind, %(faces)s",
    "held-3": "Three of a kind, %(faces)s",
    "held-4": "Four of a kind, %(faces)s",
    "held-5": "Five of a kind, %(faces)s",
    "held-6": "Six of a kind, %(faces)s",
    "held-7": "Seven of a kind, %(faces)s",
    "held-8": "Eight of a kind, %(faces)s",
    "held-9": "Nine of a kind, %(faces)s",
    "held-10": "Ten of a kind, %(faces)s",
    "with-extra-2": "%(added)s more: two of a kind, %(faces)s",
    "with-extra-3": "%(added)s more: three of a kind, %(faces)s",
    "with-extra-4": "%(added)s more: four of a kind, %(faces)s",
    "with-extra-5": "%(added)s more: five of a kind, %(faces)s",
    "with-extra-6": "%(added)s more: six of a kind, %(faces)s",
    "with-extra-7": "%(added)s more: seven of a kind, %(faces)s",
    "with-extra-8": "%(added)s more: eight of a kind, %(faces)s",
    "with-extra-9": "%(added)s more: nine of a kind, %(faces)s",
    "with-extra-10": "%(added)s more: ten of a kind, %(faces)s",
    "extra-roll-bought": "The price of an Extra Roll",
}

# Labels of the ribbon and of the steps of a settlement
STEP_LABELS = {
    "lock-out": "Lock-out, fees",
    "first-roll": "First roll",
    "extra-roll": "Extra roll",
}
NEXT_LABELS = {
    "lock_out_extra_rolls": "Sensors locked",
    "collect_fees": "Fees in the tray",
    "move_dice": "Dice in their box",
    "gather_loose_dice": "Loose dice gathered",
}
# What to do now, by act and kind of shaker
INSTRUCTIONS = {
    ("lock_out_extra_rolls", ""): "Press the lock-out: no Extra Roll is bought from here on.",
    ("collect_fees", ""): "Put the Extra Roll fees into the tray before the shake.",
    ("move_dice", ""): "Move the matching dice into their box, uncovered and in view.",
    ("gather_loose_dice", ""): "Leave the matching dice in their box; the rest go into the shaker.",
}

# What is said of an act
LABELS = {
    "dice corrected": "The throw is settled anew.",
    "round voided": "What an earlier throw decided stands; every other wager goes back to its seat.",
}

DEVICE_PARTS = {"device": "The Extra Roll sensors"}
