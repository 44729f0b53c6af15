"""The words of High Roll Dice."""

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
    "dice corrected": "The throw is settled again.",
    "round voided": "What an earlier throw decided stays; every other wager goes back to its seat.",
}

DEVICE_PARTS = {"device": "The Extra Roll sensors"}
DEVICE_ICONS = {"device": "i-sensor"}

# Lines of its inspections and of the approvals of its equipment, as a floorperson confirms them
INSPECTION_LINES = {
    "extra-roll-sensors": "The Extra Roll sensor responds at every place.",
    "limit-sign": "A sign at the table shows the payout limit.",
    "shaker-and-dice": "The shaker and all its dice are at the table.",
    "throw-box": "The throw box is in the table top, clean and empty.",
    "circles-nine-and-ten": "Each place has the circles nine and ten, marked “First Roll Side Bet”.",
    "circles-two-to-eight": "Each place has seven Like Kind circles, two to eight of a kind.",
    "circles-two-to-six": "Each place has Like Kind circles for two to six of a kind and for no match.",
    "dealer-opposite": "The players' places are on one side and the dealer's is opposite.",
    "equal-value-notice": "Each place tells players to keep their wagers equal.",
    "pip-street-dice": "Each place shows six dice, from the two at the player's left to the one at the right.",
    "throw-box-labels": "The boxes read Ace, Six, Five, Four, Three, Two from the dealer's left.",
    "extra-roll-device": "A device at each place acknowledges an Extra Roll.",
    "extra-roll-lock-out": "The lock-out blocks late Extra Rolls.",
}
APPROVAL_SUBJECTS = {
    "extra-roll-system": "Extra Roll system",
}
