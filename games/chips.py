"""The chips of a table: their values, the style class of each, and an amount as chips.

This is the only list of values. The console gets it with the snapshot (`chips`). The color of each value is the CSS
variable `--chip-<dollars>` in `static/css/tokens.css`, and its class is `c<dollars>`.
"""

CHIPS_CENTS = (100_000, 50_000, 10_000, 2_500, 500, 100)  # largest first


def breakdown(cents: int) -> list[list[int]]:
    """Return `[[chip cents, count], …]`. A remainder below the smallest chip is a last line of coin, `[cents, 1]`."""
    pieces = []
    for chip in CHIPS_CENTS:
        count, cents = divmod(cents, chip)
        if count:
            pieces.append([chip, count])
    return [*pieces, [cents, 1]] if cents else pieces


def chip_class(cents: int) -> str:
    """Return the style class of the largest chip in an amount; of the smallest chip for less."""
    largest = next((chip for chip in CHIPS_CENTS if cents >= chip), CHIPS_CENTS[-1])
    return f"c{largest // 100}"
