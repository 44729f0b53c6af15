"""Say how far a long step of the benchmark is: a line every ten seconds, with the time that it will still take."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

SECONDS_BETWEEN = 10.0


@dataclass
class Progress:
    """Counts what a step has finished of `total`. `noun` is what it counts, such as "tables made".

    `write` prints a line; it is called at most every ten seconds, so a short step prints nothing.
    """

    noun: str
    total: int
    write: Callable[[str], object] = lambda line: print(line, flush=True)
    clock: Callable[[], float] = time.monotonic
    count: int = 0
    began: float = field(init=False)
    written: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.written = self.clock()

    def add(self, number: int = 1) -> None:
        """Count so many more."""
        self.count += number
        now = self.clock()
        if now - self.written >= SECONDS_BETWEEN and self.count:
            self.written = now
            remaining = (now - self.began) * (self.total - self.count) / self.count
            self.write(f"  … {self.count:,} of {self.total:,} {self.noun}, about {remaining:.0f} s more")
