"""Chips by denomination as the pages of the tray and the cage show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from games.chips import CHIPS_CENTS, KNOWN_CHIPS_CENTS
from games.models import Facility

# Smallest first, as in a tray
DENOMINATIONS = tuple(reversed(CHIPS_CENTS))
KNOWN_DENOMINATIONS = tuple(reversed(KNOWN_CHIPS_CENTS))


@dataclass(frozen=True)
class ChipLine:
    """So many chips of one denomination."""

    chip_cents: int
    count: int

    @property
    def style(self) -> str:
        """The last part of its style classes: `25`, or `half`."""
        return style_of(self.chip_cents)

    @property
    def face(self) -> str:
        """What is printed on it: dollars, or `½`."""
        return "½" if self.style == "half" else self.style

    @property
    def is_wide(self) -> bool:
        """Whether its number takes three digits or more."""
        return self.chip_cents > 9_999

    @property
    def cents(self) -> int:
        return self.chip_cents * self.count


@dataclass(frozen=True)
class Chips:
    """Chips of several denominations, with their number and their value."""

    lines: tuple[ChipLine, ...]

    @property
    def count(self) -> int:
        return sum(line.count for line in self.lines)

    @property
    def cents(self) -> int:
        return sum(line.cents for line in self.lines)


def style_of(chip_cents: int) -> str:
    """Return the last part of a chip's style classes."""
    return "half" if chip_cents < 100 else str(chip_cents // 100)


def denominations_of(facility: Facility, *counts: Mapping[str, int]) -> tuple[int, ...]:
    """Return the values of a facility's chips and of those in these counts, smallest first."""
    return tuple(sorted({*facility.chip_values, *(int(chip) for count in counts for chip in count)}))


def count_of(chips: Mapping[str, int], chip_cents: int) -> int:
    """Return how many chips of a denomination a stored count has."""
    return int(chips.get(str(chip_cents), 0))


def chips_of(chips: Mapping[str, int]) -> Chips:
    """Return a stored count, {chip cents as text: number}, smallest denomination first and without empty ones."""
    lines = (ChipLine(chip_cents, count_of(chips, chip_cents)) for chip_cents in KNOWN_DENOMINATIONS)
    return Chips(tuple(line for line in lines if line.count))
