"""The lines in which two fragments differ, so that a screen is sent what changed and not the rest.

An act changes a few of the six hundred lines of a console. Comparing line by line takes a fraction of the time that it
takes to send all of them to a screen.
"""

import itertools
import operator
from collections.abc import Sequence
from typing import TypeAlias

# From which line of the old text, how many to replace, and the new ones.
Change: TypeAlias = tuple[int, int, list[str]]
MOST_LINES_AHEAD = 60
LINES_AHEAD = (4, 15, MOST_LINES_AHEAD)  # most changes end within a few lines


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Return what turns the old lines into the new ones, in their order. Not always the least, but always right."""
    changes: list[Change] = []
    i = j = 0
    while True:
        equal = _equal_lines(old, i, new, j)
        i, j = i + equal, j + equal
        if i == len(old) and j == len(new):
            return changes
        skipped_old, skipped_new = _to_next_equal(old, i, new, j)
        changes.append((i, skipped_old, list(new[j : j + skipped_new])))
        i, j = i + skipped_old, j + skipped_new


def apply_changes(old: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """Return the new lines. `static/js/live.js` does the same."""
    lines = list(old)
    for start, count, fresh in reversed(changes):
        lines[start : start + count] = fresh
    return lines


def _equal_lines(old: Sequence[str], i: int, new: Sequence[str], j: int) -> int:
    """How many lines from here on are the same in both texts."""
    are_different = map(operator.ne, old[i:], new[j:])
    return next(itertools.compress(itertools.count(), are_different), min(len(old) - i, len(new) - j))


def _to_next_equal(old: Sequence[str], i: int, new: Sequence[str], j: int) -> tuple[int, int]:
    """How many lines to skip in each text to the nearest pair of equal lines; all of them without one nearby."""
    for lines in LINES_AHEAD:
        first_in_new: dict[str, int] = {}
        for back, line in enumerate(new[j : j + lines]):
            first_in_new.setdefault(line, back)
        pairs = (
            (ahead + first_in_new[line], ahead)
            for ahead, line in enumerate(old[i : i + lines])
            if line in first_in_new
        )
        distance, ahead = min(pairs, default=(lines, 0))
        if distance < lines:  # no pair outside of these lines is nearer
            return ahead, distance - ahead
    return len(old) - i, len(new) - j
