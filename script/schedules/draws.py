"""What a seed draws: when people act, and which faults happen.

Each fault that happens has a number, by which a schedule is repeated without it. Each kind of draw has a sequence of
its own, so that the others stay where one fault is left out.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Collection


class Draws:
    """The draws of one schedule. Faults whose numbers are in `without` do not happen, nor any once it is `quiet`."""

    def __init__(self, seed: int, without: Collection[int] = ()) -> None:
        self.seed, self.without = seed, frozenset(without)
        self.is_quiet = False
        self.faults: list[str] = []  # what was drawn, by its number
        self.counts: Counter[str] = Counter()  # what happened
        self._sequences: defaultdict[str, random.Random] = defaultdict(random.Random)

    def of(self, what: str) -> random.Random:
        """The sequence of one kind of draw."""
        if what not in self._sequences:
            self._sequences[what].seed(f"{self.seed} {what}")
        return self._sequences[what]

    def happens(self, kind: str, chance: float, who: str = "") -> bool:
        """Whether a fault happens now."""
        if self.of(f"{kind} {who}").random() >= chance or self.is_quiet:
            return False
        self.faults.append(kind)
        if len(self.faults) - 1 in self.without:
            return False
        self.counts[kind] += 1
        return True
