"""The dice watch over simulated play: after how many rounds it finds unfair dice, and that fair dice are no finding."""

import random
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from games.dice_watch import ALL_DICE, FACES, DiceTally, deviations, is_finding, log_evidence
from tests.services.examples import examples

DICE, ROUNDS_AN_HOUR = 3, 60
PLACE = 500  # the place in the year of the lot or shaker whose unfair dice are looked for
THROWS = list(product(range(1, FACES + 1), repeat=DICE))
MULTISETS = sorted({tuple(sorted(throw)) for throw in THROWS})
SAMPLED = bytes(MULTISETS.index(tuple(sorted(throw))) for throw in THROWS) + bytes(256 - len(THROWS))
BEYOND = bytes(range(len(THROWS), 256))  # random bytes that name no throw


@dataclass(frozen=True)
class UnfairDice:
    """Dice of which some show a face more often than 1/6, by so many percentage points; other faces share the rest."""

    dice: int
    points: float

    def throws(self, draw: random.Random) -> Iterator[list[tuple[int, ...]]]:
        """Yield the throws of the rounds between two looks, an hour of play, without end."""
        low = (1 - 1 / FACES - self.points / 100) / (FACES - 1)
        weights = [low] * (FACES - 1) + [1 - (FACES - 1) * low]
        while True:
            dice = [
                draw.choices(
                    range(1, FACES + 1), weights if die < self.dice else [1.0] * FACES, k=ROUNDS_AN_HOUR
                )
                for die in range(DICE)
            ]
            yield list(zip(*dice, strict=True))

    def rounds_to_find(self, draw: random.Random) -> int:
        """Return the number of rounds at which these dice are a finding."""
        tally = DiceTally()
        for throws in self.throws(draw):
            for throw in throws:
                tally.add_throw(throw, DICE)
            if is_finding(log_evidence(tally), PLACE):
                break
        return tally.throws


@pytest.mark.parametrize(
    ("unfair", "median"),
    [
        (UnfairDice(dice=1, points=10), 1_620),
        (UnfairDice(dice=1, points=5), 5_820),
        (UnfairDice(dice=1, points=2), 37_170),
        (UnfairDice(dice=3, points=2), 4_350),
    ],
)
def test_unfair_dice_are_found_in_the_rounds_that_the_docs_state(unfair, median):
    """The medians of docs/pit.md are those of 200 runs."""
    draw = random.Random(17)
    found = statistics.median(unfair.rounds_to_find(draw) for _run in range(examples(27)))
    assert 0.6 * median < found < 1.6 * median


def fair_throws(draw: random.Random, rounds: int) -> DiceTally:
    """Return the tally of so many throws of three fair dice: each byte below 216 is a throw."""
    throws = b""
    while len(throws) < rounds:
        missing = rounds - len(throws)
        throws += draw.randbytes(missing * 6 // 5 + 16).translate(SAMPLED, BEYOND)
    tally = DiceTally(rounds, {ALL_DICE: [0] * FACES}, {str(DICE): [0] * (DICE * (FACES - 1) + 1)})
    faces, totals = tally.faces[ALL_DICE], tally.totals[str(DICE)]
    for index, count in Counter(throws[:rounds]).items():
        dice = MULTISETS[index]
        for face in dice:
            faces[face - 1] += count
        totals[sum(dice) - DICE] += count
    return tally


def test_forty_tables_with_fair_dice_give_no_false_alarm_for_weeks():
    """Around the clock, each lot and each shaker is looked at once a day; every other table has a new lot each day."""
    draw, used = random.Random(17), 0
    watched: dict[tuple[str, int], tuple[int, DiceTally]] = {}
    for day in range(examples(60)):
        for table in range(40):
            throws = fair_throws(draw, 24 * ROUNDS_AN_HOUR)
            assert sum(throws.counts) == sum(throws.totals["3"]) * DICE == 24 * ROUNDS_AN_HOUR * DICE
            if table % 2:
                watched.pop(("lot", table), None)
            for kind in ("shaker", "lot"):
                if (kind, table) not in watched:
                    used += 1
                    watched[kind, table] = (used, DiceTally())
                place, tally = watched[kind, table]
                tally.add(throws)
                assert not is_finding(log_evidence(tally), place), (day, table, kind)
    assert used == 40 + 20 + 20 * (day + 1)
    assert all(abs(sigma) < 5 for _, tally in watched.values() for sigma in deviations(tally.counts))
