"""Tablets of a football table: two green dice and a red one with one tap each, and a settlement step by step."""

import re

from playwright.sync_api import expect

from tests.e2e.floor import Tablet

RIGHT = (
    (2, "touchdown", 2_500), (5, "touchdown", 2_500), (5, "extra-point", 500), (5, "quick-strike", 500),
    (6, "defense", 2_500), (3, "game-length:3", 500), (8, "game-changer", 500),
    (2, "no-gain", 500), (5, "over-four", 2_500),
)  # fmt: skip
LEFT = ((12, "penalty", 500), (14, "big-play", 500), (14, "touchdown", 2_500))
GAIN_OF_8, GAIN_OF_4, GAIN_OF_9, TWO_ONES = (6, 4, 2), (3, 3, 2), (6, 5, 2), (1, 4, 1)


class FieldTablet(Tablet):
    """A tablet of a football table."""

    def tap_dice(self, first: int, second: int, red: int) -> None:
        """One tap for each die: two green, one red."""
        for die, face in enumerate((first, second, red)):
            self.tap(f'[data-die="{die}"][data-pips="{face}"]')
        expect(self.next).to_have_attribute("aria-disabled", "false")

    def throw(self, *dice: int) -> None:
        """The dice leave the hand, come to rest, are called and entered."""
        self.step("Dice out")
        self.is_in("ready")
        self.tap_dice(*dice)
        self.tap(self.next)
        expect(self.page.locator("#entry")).to_have_count(0)

    def yard(self, words: str) -> None:
        expect(self.page.locator("#field")).to_have_attribute("aria-label", re.compile(words))
