"""Schedules of one seed after the other: what they did, how fast, and the shortest one that fails of each that does."""

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from script.faults.report import write_counts
from script.schedules.house import Image, make_image
from script.schedules.pages import engine
from script.schedules.schedule import Course, Schedule
from script.schedules.shortest import shortest

Run = Callable[[int, int, Collection[int]], Course]
MEMORY = Path("/dev/shm")  # where the sealer's files are on the disk at once
MOST_PROBLEMS = 5
REPORTED_EACH = 100  # schedules


@contextmanager
def made_image() -> Iterator[Image]:
    """The floor with which each schedule begins, in memory where the system has such a folder."""
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pitside-schedules-", dir=place) as folder:
        sealers = Path(folder) / "sealer"
        sealers.mkdir()
        yield make_image(sealers)


class Runs:
    """Schedules from a seed on, and their sums."""

    def __init__(
        self,
        seed: int,
        taps: int,
        without: Collection[int] = (),
        *,
        print_all: bool = False,
        shorten: bool = True,
    ) -> None:
        self.seed, self.taps, self.without = seed, taps, without
        self.print_all, self.shorten = print_all, shorten
        self.schedules = self.failed = self.acts = 0
        self.faults, self.fates = Counter[str](), Counter[str]()
        self.seconds = self.cpu_seconds = 0.0

    def run(self, most: int | None, minutes: float | None) -> None:
        """Run so many, or for so long. Prints each that fails. Raises NoEngine."""
        print(f"Seed {self.seed}, {self.taps} taps in each schedule.", flush=True)
        with engine() as pages, made_image() as image:

            def run(seed: int, taps: int, without: Collection[int]) -> Course:
                return Schedule(pages, image, seed, taps, without).run()

            began, cpu = time.monotonic(), time.process_time()
            while (most is None or self.schedules < most) and (not minutes or self.seconds < 60 * minutes):
                course = run(self.seed + self.schedules, self.taps, self.without)
                self._add(course, run)
                self.seconds, self.cpu_seconds = time.monotonic() - began, time.process_time() - cpu
                if self.schedules % REPORTED_EACH == 0:
                    print(self.summary.partition("\n")[0], flush=True)

    def _add(self, course: Course, run: Run) -> None:
        self.schedules, self.acts = self.schedules + 1, self.acts + course.acts
        self.faults += course.draws.counts
        self.fates += Counter(course.fates)
        if course.problems:
            self.failed += 1
            print(f"\nSeed {course.seed} fails:", *course.problems[:MOST_PROBLEMS], sep="\n    ", flush=True)
            print(as_text(shortest(course, run) if self.shorten else course), flush=True)
        elif self.print_all:
            print("\n".join(course.lines))

    @property
    def summary(self) -> str:
        minutes = max(self.cpu_seconds, 0.001) / 60
        return (
            f"{self.schedules} schedules from seed {self.seed}, {self.failed} with violations, {self.seconds:.0f} s; "
            f"{self.schedules / minutes:.0f} schedules and {self.acts / minutes:.0f} requests of acts a minute of "
            f"processor time.\nActs: {_counted(self.fates)}.\nFaults: {_counted(self.faults)}."
        )

    def write_results(self, path: Path) -> None:
        """Write the counts as pytest does."""
        write_counts(path, self.schedules, self.failed)


def as_text(course: Course) -> str:
    """A schedule line by line, and the command that repeats it."""
    without = ",".join(map(str, sorted(course.draws.without)))
    left_out = f" --without {without}" if without else ""
    command = f"python -m script.schedules --as-it-is --seed {course.seed} --taps {course.taps}{left_out}"
    return "\n".join([*course.lines, command])


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
