"""False alarms of the dice watch over simulated years of a floor with fair dice, and the rounds to find unfair dice.

    python -m script.dice_watch --years 1000 --runs 200

The floor has 40 Sic Bo tables that play 60 rounds an hour around the clock: half of them with automated shakers and a
lot a month, half with manual shakers and a lot a day. Everybody looks once a day, at each lot and each shaker. Unfair
dice are looked at every hour, or every day where they take long to find. The same seed gives the same figures.
"""

import argparse
import random
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from games.dice_watch import ALL_DICE, FACES, FALSE_ALARMS_A_YEAR, DiceTally, is_finding, log_evidence

TABLES, ROUNDS_AN_HOUR, HOURS = 40, 60, 24
ROUNDS_A_DAY = ROUNDS_AN_HOUR * HOURS
DAYS, DAYS_A_MONTH = 365, 30
DICE = 3
PLACE = 500  # the place in the year of the lot or shaker whose unfair dice are looked for
THROWS = list(product(range(1, FACES + 1), repeat=DICE))
MULTISETS = sorted({tuple(sorted(throw)) for throw in THROWS})
SAMPLED = bytes(MULTISETS.index(tuple(sorted(throw))) for throw in THROWS) + bytes(256 - len(THROWS))
BEYOND = bytes(range(len(THROWS), 256))  # random bytes that name no throw


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


@dataclass
class Year:
    """A simulated year: the lots and shakers that gave a false alarm, and how many there were."""

    used: int = 0
    false_alarms: list[int] = field(default_factory=list)


class Watched:
    """A lot or a shaker with its place in the year."""

    def __init__(self, year: Year) -> None:
        year.used += 1
        self.year, self.place, self.tally, self.is_found = year, year.used, DiceTally(), False

    def look(self, day: DiceTally) -> None:
        """Add the throws of a day, and look."""
        self.tally.add(day)
        if not self.is_found and is_finding(log_evidence(self.tally), self.place):
            self.is_found = True
            self.year.false_alarms.append(self.place)


def simulate_year(draw: random.Random) -> Year:
    """Return a year of the floor with fair dice."""
    year = Year()
    shakers = [Watched(year) for _table in range(TABLES)]
    lots: list[Watched] = []
    for day in range(DAYS):
        for table, shaker in enumerate(shakers):
            if day == 0:
                lots.append(Watched(year))
            elif table % 2 or day % DAYS_A_MONTH == 0:
                lots[table] = Watched(year)
            tally = fair_throws(draw, ROUNDS_A_DAY)
            lots[table].look(tally)
            shaker.look(tally)
    return year


@dataclass(frozen=True)
class UnfairDice:
    """Dice of which some show a face more often than 1/6, by so many percentage points; other faces share the rest."""

    words: str
    dice: int
    points: float
    looks_every: int = ROUNDS_AN_HOUR

    @property
    def weights(self) -> Sequence[float]:
        low = (1 - 1 / FACES - self.points / 100) / (FACES - 1)
        return [low] * (FACES - 1) + [1 - (FACES - 1) * low]

    def throws(self, draw: random.Random) -> Iterator[DiceTally]:
        """Yield the tally of the rounds between two looks, without end."""
        even = [1.0] * FACES
        while True:
            dice = [
                draw.choices(
                    range(1, FACES + 1), self.weights if die < self.dice else even, k=self.looks_every
                )
                for die in range(DICE)
            ]
            tally = DiceTally()
            for throw, count in Counter(zip(*dice, strict=True)).items():
                single = DiceTally()
                single.add_throw(throw, DICE)
                tally.add(times(single, count))
            yield tally


def times(tally: DiceTally, count: int) -> DiceTally:
    """Return the tally of as many equal throws."""
    return DiceTally(
        tally.throws * count,
        {key: [number * count for number in row] for key, row in tally.faces.items()},
        {key: [number * count for number in row] for key, row in tally.totals.items()},
    )


def rounds_to_find(unfair: UnfairDice, draw: random.Random, most: int = 10_000_000) -> int:
    """Return the number of rounds at which these dice are a finding."""
    tally = DiceTally()
    for rounds in islice(unfair.throws(draw), most // unfair.looks_every):
        tally.add(rounds)
        if is_finding(log_evidence(tally), PLACE):
            break
    return tally.throws


TWO_PERCENT = 100 / FACES * 2 / 100  # a fiftieth of the chance of a face, in percentage points
UNFAIR = (
    UnfairDice("one die of three, 10 points more on a face", 1, 10),
    UnfairDice("one die of three, 5 points more on a face", 1, 5),
    UnfairDice("one die of three, 2 points more on a face (18.67 %)", 1, 2),
    UnfairDice("all three dice, 2 points more on a face", 3, 2),
    UnfairDice("all three dice, 2 % more of 1/6 on a face (17 %)", 3, TWO_PERCENT, ROUNDS_A_DAY),
    UnfairDice("one die of three, 2 % more of 1/6 on a face (17 %)", 1, TWO_PERCENT, ROUNDS_A_DAY),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--years", type=int, default=1000, help="years of fair dice to simulate")
    parser.add_argument("--runs", type=int, default=200, help="runs for each kind of unfair dice")
    parser.add_argument("--seed", type=int, default=17)
    arguments = parser.parse_args()
    for unfair in UNFAIR if arguments.runs else ():
        draw = random.Random(f"{arguments.seed} {unfair.words}")
        round_counts = sorted(rounds_to_find(unfair, draw) for _run in range(arguments.runs))
        median, late = statistics.median(round_counts), round_counts[-(-9 * len(round_counts) // 10) - 1]
        print(f"{unfair.words}: median {median:,.0f} rounds, 90 % within {late:,}", flush=True)
    alarms, used = [], 0
    for number in range(1, arguments.years + 1):
        year = simulate_year(random.Random(f"{arguments.seed} year {number}"))
        alarms += [(number, place) for place in year.false_alarms]
        used += year.used
        if number % 50 == 0 or number == arguments.years:
            most = float(FALSE_ALARMS_A_YEAR) * number
            print(
                f"{number} years, {used:,} lots and shakers: {len(alarms)} false alarms, at most {most:g} expected",
                flush=True,
            )
    for number, place in alarms:
        print(f"year {number}, lot or shaker {place:,} of the year")


if __name__ == "__main__":
    main()
