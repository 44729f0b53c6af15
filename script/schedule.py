"""What the tablets of a measurement do and when, and the percentiles of what it took: pure functions of a seed."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
SEATS = 8
STAKES_CENTS = (2_500, 5_000, 10_000)
WAGERS = ("total:9", "total:12", "one-of-a-kind:3", "two-of-a-kind:5", "any-three-of-a-kind", "two-dice:2-5")
# A throw that is no triple wins for one of these and loses for the other, so each round pays and takes.
OPPOSITES = ("small", "big")
SHAKES = 3
# The share of a round that is over when its wagers are down, and when each later step is due.
WAGERS_END = 0.60
STEPS = (
    ("shake", 0.65),
    ("no_more_bets", 0.72),
    ("call_dice", 0.78),
    ("take_losers", 0.84),
    ("pay_seats", 0.91),
    ("clear_layout", 0.97),
)


@dataclass(frozen=True)
class DueAct:
    """An act and when the dealer taps it, in seconds from the start."""

    due: float
    name: str
    params: Json


def deal_round(draw: random.Random, wagers: int, start: float = 0.0, seconds: float = 0.0) -> list[DueAct]:
    """One round of Sic Bo with so many wagers, each an act, spread over so many seconds from `start`."""
    gap = WAGERS_END * seconds / max(wagers, 1)
    lines = wager_lines(draw, wagers)
    acts = [
        DueAct(start + (number + draw.uniform(0.1, 0.6)) * gap, "place_wagers", {"wagers": [line]})
        for number, line in enumerate(lines)
    ]
    params: dict[str, Json] = {"shake": {"shakes": SHAKES}, "call_dice": {"dice": draw_dice(draw)}}
    return acts + [DueAct(start + share * seconds, name, params.get(name, {})) for name, share in STEPS]


def wager_lines(draw: random.Random, count: int) -> list[Json]:
    """Wagers on seats and areas of which no two are the same; the first two are opposites."""
    places = [(seat, code) for seat in range(3, SEATS + 1) for code in (*OPPOSITES, *WAGERS)]
    drawn = list(enumerate(OPPOSITES, start=1)) + draw.sample(places, max(count - 2, 0))
    return [{"seat": seat, "wager": code, "cents": draw.choice(STAKES_CENTS)} for seat, code in drawn[:count]]


def draw_dice(draw: random.Random) -> list[int]:
    """Three dice that are not all alike."""
    while True:
        dice = [draw.randint(1, 6) for _ in range(3)]
        if len(set(dice)) > 1:
            return dice


def deal_shift(
    draw: random.Random, *, wagers: int, rounds_an_hour: float, seconds: float, lead: float = 0.0
) -> list[DueAct]:
    """The rounds that begin and end at one table within so many seconds, from a drawn moment on.

    `lead`: seconds before the first act may be due.
    """
    period = 3_600 / rounds_an_hour
    start = lead + draw.uniform(0, period)
    acts: list[DueAct] = []
    while start + period <= lead + seconds:
        acts += deal_round(draw, wagers, start, period)
        start += period
    return acts


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies (nearest rank). They are in ascending order.

    Raises ValueError without a value.
    """
    if not ordered:
        raise ValueError("no value")
    rank = math.ceil(share * len(ordered) - 1e-9)  # 0.95 of 100 is not 95 in binary
    return ordered[max(rank, 1) - 1]


def percentiles(values: Sequence[float], shares: Sequence[float] = (0.5, 0.95, 0.99)) -> Iterator[float]:
    """Some percentiles of values in any order."""
    ordered = sorted(values)
    return (percentile(ordered, share) for share in shares)
