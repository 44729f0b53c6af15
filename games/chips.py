"""The chips of a casino: their values, the style class of each, an amount as chips, and which stakes they can pay.

This is the only list of values. A facility declares which of them it has (`Facility.chip_values`); the console gets
those with the snapshot (`chips`). The color of each value is the CSS variable `--chip-<dollars>` in
`static/css/tokens.css`, and its class is `c<dollars>`; the half dollar has `--chip-half` and `chalf`.
"""

import math
from collections.abc import Iterable, Sequence

from games.engine.odds import Odds, Pays

# Those that a facility may have, largest first. Each is a multiple of the next, so that chips make every multiple of
# the smallest of them.
KNOWN_CHIPS_CENTS = (100_000, 50_000, 10_000, 2_500, 500, 100, 50)
DEFAULT_CHIPS_CENTS = KNOWN_CHIPS_CENTS[:-1]  # of a facility that has declared none


def breakdown(cents: int) -> list[list[int]]:
    """Return `[[chip cents, count], …]`. Less than a dollar is a last line `[cents, 1]`: a half dollar, or coin."""
    pieces = []
    for chip in DEFAULT_CHIPS_CENTS:
        count, cents = divmod(cents, chip)
        if count:
            pieces.append([chip, count])
    return [*pieces, [cents, 1]] if cents else pieces


def chip_class(cents: int) -> str:
    """Return the style class of the largest chip in an amount, as `chipClass` of static/js/stacks.js does.

    Less than the smallest chip is coin.
    """
    largest = next((chip for chip in KNOWN_CHIPS_CENTS if cents >= chip), None)
    return "coin" if largest is None else f"c{style_of(largest)}"


def style_of(chip: int) -> str:
    """Return the last part of the style classes of a chip: `25`, or `half`."""
    return "half" if chip == 50 else str(chip // 100)


def are_made(chips: Sequence[int], cents: int) -> bool:
    """Whether these chips can make an amount exactly."""
    return cents % min(chips) == 0


def payable_step(chips: Sequence[int], odds: Iterable[Pays]) -> int:
    """Return the cents of which a stake is a multiple where these chips make it and whatever it may be paid."""
    smallest = step = min(chips)
    for pays in odds:
        if isinstance(pays, Odds):
            step = math.lcm(step, smallest * pays.per // math.gcd(pays.to, smallest * pays.per))
    return step
