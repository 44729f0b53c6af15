"""Amounts as chips: the fewest pieces, largest first."""

CHIPS_CENTS = (100_000, 50_000, 10_000, 2_500, 500, 100)


def breakdown(cents: int) -> list[list[int]]:
    """Return `[[chip cents, count], …]`. A remainder below the smallest chip is a last line of coin, `[cents, 1]`."""
    pieces = []
    for chip in CHIPS_CENTS:
        count, cents = divmod(cents, chip)
        if count:
            pieces.append([chip, count])
    return [*pieces, [cents, 1]] if cents else pieces
