"""Schedules of one seed after the other: what they did, how fast, and the shortest one that fails of each that does.

Any number of processes takes the seeds of a run, each with a floor and pages of its own. A run that is told to stop
(SIGTERM or SIGINT) ends the schedules that it has begun, and sums up.
"""

import gc
import multiprocessing
import os
import queue
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from script.faults.report import write_counts
from script.figures import commit_of_the_tree
from script.schedules.house import Image, make_image
from script.schedules.pages import Engine, engine, find_node
from script.schedules.prepared import prepare
from script.schedules.schedule import Course, Schedule
from script.schedules.shortest import shortest
from script.tablet import Fate

Run = Callable[[int, int, Collection[int]], Course]
MEMORY = Path("/dev/shm")  # where the sealer's files are on the disk at once
MOST_PROBLEMS = 5
REPORTED_EACH = 50  # schedules
CRASHES = (
    "crash at a statement",
    "crash before the answer",
    "ticker crashed",
    "sealer crashed",
    "machine lost",
)
LOST_ANSWER = "answer lost"
STOPPING = (signal.SIGTERM, signal.SIGINT)
COLLECTED_EACH = 20  # schedules; the collector takes a seventh of their time otherwise
RENEWED_EACH = 300  # schedules; Node keeps the realm of each page, and ends at some 1,900 for want of memory
FORK = multiprocessing.get_context("fork")
PATIENCE_SECONDS = 1.0  # for a result, until somebody looks whether the processes still run


@contextmanager
def made_image(*, check: bool = False) -> Iterator[Image]:
    """The floor with which each schedule begins, in memory where the system has such a folder.

    From here on this process keeps its queries (`prepared.py`, with `check`), and collects garbage when it is told to.
    """
    prepare(check=check)
    gc.disable()
    place = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="pitside-schedules-", dir=place) as folder:
        sealers = Path(folder) / "sealer"
        sealers.mkdir()
        image = make_image(sealers)
        gc.collect()
        gc.freeze()
        yield image


@dataclass(frozen=True)
class Kind:
    """What the schedules of a run have in common. `print_all`: also those that hold; `shorten`: those that fail.

    `check`: each statement that was kept is compared with that of its query.
    """

    taps: int
    without: Collection[int] = ()
    print_all: bool = False
    shorten: bool = True
    check: bool = False


@dataclass(frozen=True)
class Outcome:
    """What is summed up of a schedule. `text`: what is printed of it. `cpu_seconds`: of its process, by now."""

    seed: int
    requests: int
    restored: int
    fates: Counter[Fate]
    faults: Counter[str]
    holds: bool
    text: str
    process: int
    cpu_seconds: float


class Seeds:
    """The seeds of a run, which its processes take from the first one on: so many, or for so long."""

    def __init__(self, first: int, most: int | None, minutes: float | None) -> None:
        self.end = None if most is None else first + most
        self.until = time.monotonic() + 60 * minutes if minutes else None
        self._next = FORK.Value("q", first)
        self._is_stopped = FORK.RawValue("b", False)  # without a lock, which a signal would find taken

    def stop(self, *_: Any) -> None:
        """Let nobody take another one."""
        self._is_stopped.value = True

    def __iter__(self) -> Iterator[int]:
        while True:
            with self._next.get_lock():
                seed = self._next.value
                if (
                    self._is_stopped.value
                    or seed == self.end
                    or (self.until and time.monotonic() >= self.until)
                ):
                    return
                self._next.value += 1
            yield seed


class Runs:
    """The schedules of a run, and their sums."""

    def __init__(self, seed: int, kind: Kind) -> None:
        self.seed, self.kind, self.commit = seed, kind, commit_of_the_tree()
        self.schedules = self.requests = self.restored = 0
        self.failed: list[int] = []
        self.faults, self.fates = Counter[str](), Counter[Fate]()
        self.seconds = 0.0
        self._cpu_seconds: dict[int, float] = {}  # by process

    def run(self, most: int | None, minutes: float | None, workers: int = 1) -> None:
        """Run so many, or for so long, in so many processes. Prints each that fails. Raises NoEngine."""
        find_node()
        began, seeds = time.monotonic(), Seeds(self.seed, most, minutes)
        with _stopped_by_signals(seeds):
            print(
                f"Seed {self.seed}, {self.kind.taps} taps in each schedule, commit {self.commit}.", flush=True
            )
            outcomes = (
                run_schedules(seeds, self.kind) if workers == 1 else _in_processes(seeds, self.kind, workers)
            )
            for outcome in outcomes:
                self.seconds = time.monotonic() - began
                self._add(outcome)

    def _add(self, outcome: Outcome) -> None:
        self.schedules += 1
        self.requests += outcome.requests
        self.restored += outcome.restored
        self.faults += outcome.faults
        self.fates += outcome.fates
        self._cpu_seconds[outcome.process] = outcome.cpu_seconds
        if not outcome.holds:
            self.failed.append(outcome.seed)
        if outcome.text:
            print(outcome.text, flush=True)
        if self.schedules % REPORTED_EACH == 0:
            print(self.sums, flush=True)

    @property
    def sums(self) -> str:
        """The run so far in one line."""
        minutes = max(sum(self._cpu_seconds.values()), 0.001) / 60
        crashes = sum(self.faults[name] for name in CRASHES)
        return (
            f"{self.schedules} schedules from seed {self.seed}, {self.fates.total()} acts, {crashes} crashes, "
            f"{self.faults[LOST_ANSWER]} lost answers, {self.restored} restored backups, "
            f"{len(self.failed)} with violations, commit {self.commit}; {self.seconds:.0f} s, "
            f"{self.schedules / minutes:.0f} schedules and {self.requests / minutes:.0f} requests of acts a minute "
            f"of processor time."
        )

    @property
    def summary(self) -> str:
        seeds = f"\nSeeds with violations: {', '.join(map(str, sorted(self.failed)))}." if self.failed else ""
        return f"{self.sums}\nActs: {_counted(self.fates)}.\nFaults: {_counted(self.faults)}.{seeds}"

    def write_results(self, path: Path) -> None:
        """Write the counts as pytest does."""
        write_counts(path, self.schedules, len(self.failed))


def run_schedules(seeds: Seeds, kind: Kind) -> Iterator[Outcome]:
    """Run the schedules of the seeds that this process takes."""
    left = iter(seeds)
    with made_image(check=kind.check) as image:
        cpu = time.process_time()
        while first := list(islice(left, 1)):
            with engine() as pages:
                for number, seed in enumerate(chain(first, islice(left, RENEWED_EACH - 1)), start=1):
                    yield _run_schedule(pages, image, seed, kind, cpu)
                    if number % COLLECTED_EACH == 0:
                        gc.collect()


def _run_schedule(pages: Engine, image: Image, seed: int, kind: Kind, cpu: float) -> Outcome:
    """Run the schedule of a seed, and the shorter ones of it if it fails. `cpu`: the process's seconds at its start."""

    def run(seed: int, taps: int, without: Collection[int]) -> Course:
        return Schedule(pages, image, seed, taps, without).run()

    course = run(seed, kind.taps, kind.without)
    text = _text_of(course, kind, run)
    return Outcome(
        seed,
        course.acts,
        course.restored,
        Counter(course.fates),
        course.draws.counts,
        not course.problems,
        text,
        os.getpid(),
        time.process_time() - cpu,
    )


def _text_of(course: Course, kind: Kind, run: Run) -> str:
    if course.problems:
        title = "\n    ".join([f"\nSeed {course.seed} fails:", *course.problems[:MOST_PROBLEMS]])
        return f"{title}\n{as_text(shortest(course, run) if kind.shorten else course)}"
    return "\n".join(course.lines) if kind.print_all else ""


def _in_processes(seeds: Seeds, kind: Kind, workers: int) -> Iterator[Outcome]:
    """Run the schedules in several processes. Raises RuntimeError once all have ended, if one of them ended early."""
    outcomes: multiprocessing.Queue[Outcome] = FORK.Queue()

    def work() -> None:
        for outcome in run_schedules(seeds, kind):
            outcomes.put(outcome)

    processes = [FORK.Process(target=work) for _ in range(workers)]
    for process in processes:
        process.start()
    is_over = False
    while not is_over:
        is_over = not any(process.is_alive() for process in processes)  # then what they put is there
        while True:
            try:
                yield outcomes.get(timeout=0 if is_over else PATIENCE_SECONDS)
            except queue.Empty:
                break
    if broken := [process.exitcode for process in processes if process.exitcode]:
        raise RuntimeError(f"{len(broken)} of {workers} processes ended early: {broken}")


@contextmanager
def _stopped_by_signals(seeds: Seeds) -> Iterator[None]:
    before = {number: signal.signal(number, seeds.stop) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def as_text(course: Course) -> str:
    """A schedule line by line, and the command that repeats it."""
    without = ",".join(map(str, sorted(course.draws.without)))
    left_out = f" --without {without}" if without else ""
    command = f"python -m script.schedules --as-it-is --seed {course.seed} --taps {course.taps}{left_out}"
    return "\n".join([*course.lines, command])


def _counted(counts: Counter[str] | Counter[Fate]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
