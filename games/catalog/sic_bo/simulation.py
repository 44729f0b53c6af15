"""What simulated players bet at Sic Bo."""

from collections.abc import Mapping
from random import Random
from typing import Any

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


def wagers_of_seat(codes: list[str], draw: Random) -> list[dict[str, Any]]:
    """Return some wagers of the layout."""
    sample = draw.sample(CODES, draw.randint(1, 4))
    return [{"wager": code, "cents": draw.choice(STAKES_CENTS)} for code in sample]


def wagers_before_act(state: Mapping[str, Any], draw: Random) -> list[dict[str, Any]]:
    """Return no wagers: none are added in the middle of a round."""
    return []
