"""What a player may bet on, and the wagers of a seat."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

MadeIn = Literal["chips", "plaques"]
MADE_IN: tuple[MadeIn, ...] = get_args(MadeIn)


class Place(NamedTuple):
    """The position of a wager: the name of an area of the layout, and the position in it, from 0."""

    area: str
    position: int


@dataclass(frozen=True, slots=True)
class WagerType:
    """One wager of an edition: its code, its name, the family that shares its odds, the section that defines it.

    `family_name` is what people call the family if no wager of it has that name alone.
    """

    code: str
    label: str
    family: str
    section: str
    place: Place
    family_name: str = ""


@dataclass(frozen=True, slots=True)
class Fee:
    """A price that a seat pays before the throw, and that never wins.

    `affects` begins the codes whose chances it changes, and `pays_by` the paytable rows by which they are then paid.
    `note` explains its figure on an odds sheet.
    """

    code: str
    affects: str
    pays_by: str
    note: str


@dataclass(frozen=True, slots=True)
class Wager:
    """The total, in cents, that a seat has on one code (and, in a game with plays, on one play)."""

    seat: int
    code: str
    cents: int
    play: int | None = None

    @property
    def key(self) -> tuple[int, str, int | None]:
        return self.seat, self.code, self.play


class Placing(NamedTuple):
    """What a dealer enters: the new total (0 removes the wager), and what it was made in."""

    seat: int
    code: str
    cents: int
    made_in: str = "chips"
    play: int | None = None

    @property
    def key(self) -> tuple[int, str, int | None]:
        """Return the seat, code and play of the line, as `Wager.key`."""
        return self.seat, self.code, self.play


def apply_placings(
    wagers: tuple[Wager, ...], placings: Iterable[Placing]
) -> tuple[tuple[Wager, ...], tuple[int, ...]]:
    """Return the wagers after these lines in turn, and the total before each line."""
    by_key = {wager.key: wager for wager in wagers}
    before = []
    for line in placings:
        wager = by_key.get(line.key)
        before.append(wager.cents if wager else 0)
        if line.cents:
            by_key[line.key] = Wager(line.seat, line.code, line.cents, line.play)
        else:
            by_key.pop(line.key, None)
    return tuple(by_key.values()), tuple(before)
