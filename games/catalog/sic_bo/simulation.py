"""What simulated players bet at Sic Bo."""

from random import Random

from games.simulated_wagers import SeatWager, TableInPlay, TableWager

STAKES_CENTS = (500, 1_000, 2_500, 5_000, 10_000)
CODES = (
    "small",
    "big",
    "total:9",
    "total:12",
    "two-dice:2-5",
    "one-of-a-kind:3",
    "two-of-a-kind:5",
    "any-three-of-a-kind",
)


def wagers_of_seat(codes: list[str], draw: Random) -> list[SeatWager]:
    """Return some wagers of the layout."""
    sample = draw.sample(CODES, draw.randint(1, 4))
    return [{"wager": code, "cents": draw.choice(STAKES_CENTS)} for code in sample]


def wagers_before_act(state: TableInPlay, draw: Random) -> list[TableWager]:
    """Return no wagers: none are added in the middle of a round."""
    return []
