"""The shortest schedule that still fails: with fewer taps, and with fewer faults."""

import time
from collections.abc import Callable, Sequence

from script.schedules.schedule import Course

Run = Callable[[int, int, Sequence[int]], Course]
MOST_SECONDS = 120.0


def shortest(failed: Course, run: Run, seconds: float = MOST_SECONDS) -> Course:
    """Run shorter schedules of the same seed, and return the shortest one that fails, within so many seconds.

    Without a fault a schedule takes another course from there on: whatever fails then counts. First it has fewer taps,
    then fewer faults, in ever smaller groups, and then fewer taps again.
    """
    until = time.monotonic() + seconds
    best = failed

    def try_it(taps: int, without: Sequence[int]) -> bool:
        nonlocal best
        if time.monotonic() > until:
            return False
        course = run(failed.seed, taps, without)
        if course.problems:
            best = course
        return bool(course.problems)

    _with_fewer_taps(lambda: best, try_it)
    size = len(_faults(best))
    while size:
        for start in reversed(range(0, len(best.draws.faults), size)):
            group = set(range(start, start + size)) & set(_faults(best))
            if group:
                try_it(best.taps, sorted(best.draws.without | group))
        size //= 2
    _with_fewer_taps(lambda: best, try_it)
    return best


def _faults(course: Course) -> list[int]:
    """The numbers of the faults that happened."""
    return [number for number in range(len(course.draws.faults)) if number not in course.draws.without]


def _with_fewer_taps(best: Callable[[], Course], try_it: Callable[[int, Sequence[int]], bool]) -> None:
    step = best().taps // 2
    while step:
        taps = best().taps - step
        if taps < 1 or not try_it(taps, sorted(best().draws.without)):
            step //= 2
