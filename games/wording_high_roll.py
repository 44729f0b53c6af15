"""The sentences of High Roll Dice alone, for `games.wording`."""

from django.utils.translation import gettext_lazy as lazy

# code: (two or three words, the sentence)
REFUSALS = {
    "dice-not-moved": (
        lazy("Move the dice"),
        lazy("The matching dice are not in their box yet. Move them there uncovered, then settle."),
    ),
    "nothing-to-move": (
        lazy("Nothing to move"),
        lazy("No matching dice wait for their box now. Follow the line of steps."),
    ),
    "pip-street-first": (
        lazy("Pip Street first"),
        lazy("Seat %(seat)s has no Pip Street wager. Ask for one, or give the other wagers back."),
    ),
    "unequal-wagers": (
        lazy("Not of equal value"),
        lazy("The wagers of seat %(seat)s are not of equal value: %(code)s. Make them all one unit."),
    ),
    "no-like-kind": (
        lazy("No Like Kind"),
        lazy("Seat %(seat)s has no Like Kind wager for an Extra Roll. Ask for one, or give the fee back."),
    ),
    "not-one-dollar": (
        lazy("One dollar only"),
        lazy("A Millionaire Row wager is exactly $1. Make it $1, or give it back."),
    ),
    "extra-rolls-locked-out": (
        lazy("Sensors are locked"),
        lazy("The Extra Roll sensors are locked, so none is entered or struck now. Call the floorperson."),
    ),
}

# What several dice of a face are called
FACES = {
    1: lazy("aces"),
    2: lazy("twos"),
    3: lazy("threes"),
    4: lazy("fours"),
    5: lazy("fives"),
    6: lazy("sixes"),
}

REASONS = {
    "most-alike": lazy("Most dice alike: the %(faces)s"),
    "outranked": lazy("As many, but the %(faces)s rank higher"),
    "held-1": lazy("No match, ace highest"),
    "held-2": lazy("Two of a kind, %(faces)s"),
    "held-3": lazy("Three of a kind, %(faces)s"),
    "held-4": lazy("Four of a kind, %(faces)s"),
    "held-5": lazy("Five of a kind, %(faces)s"),
    "held-6": lazy("Six of a kind, %(faces)s"),
    "held-7": lazy("Seven of a kind, %(faces)s"),
    "held-8": lazy("Eight of a kind, %(faces)s"),
    "held-9": lazy("Nine of a kind, %(faces)s"),
    "held-10": lazy("Ten of a kind, %(faces)s"),
    "with-extra-2": lazy("%(added)s more: two of a kind, %(faces)s"),
    "with-extra-3": lazy("%(added)s more: three of a kind, %(faces)s"),
    "with-extra-4": lazy("%(added)s more: four of a kind, %(faces)s"),
    "with-extra-5": lazy("%(added)s more: five of a kind, %(faces)s"),
    "with-extra-6": lazy("%(added)s more: six of a kind, %(faces)s"),
    "with-extra-7": lazy("%(added)s more: seven of a kind, %(faces)s"),
    "with-extra-8": lazy("%(added)s more: eight of a kind, %(faces)s"),
    "with-extra-9": lazy("%(added)s more: nine of a kind, %(faces)s"),
    "with-extra-10": lazy("%(added)s more: ten of a kind, %(faces)s"),
    "extra-roll-bought": lazy("The price of an Extra Roll"),
}
