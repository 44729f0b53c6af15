"""Chips by denomination as the pages of the tray and the cage show them."""

from collections.abc import Mapping
from dataclasses import dataclass

from games.chips import CHIPS_CENTS, chip_class

DENOMINATIONS = tuple(reversed(CHIPS_CENTS))  # smallest first, as in a tray


@dataclass(frozen=True)
class ChipLine:
    """So many chips of one denomination."""

    chip_cents: int
    count: int

    @property
    def dollars(self) -> int:
        return self.chip_cents // 100

    @property
    def chip_class(self) -> str:
        return chip_class(self.chip_cents)

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


def count_of(chips: Mapping[str, int], chip_cents: int) -> int:
    """Return how many chips of a denomination a stored count has."""
    return int(chips.get(str(chip_cents), 0))


def chips_of(chips: Mapping[str, int]) -> Chips:
    """Return a stored count, {chip cents as text: number}, smallest denomination first and without empty ones."""
    lines = (ChipLine(chip_cents, count_of(chips, chip_cents)) for chip_cents in DENOMINATIONS)
    return Chips(tuple(line for line in lines if line.count))
