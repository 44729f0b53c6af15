"""The lines in which two fragments differ, so that a screen is sent what changed and not the rest.

An act changes a few of the six hundred lines of a console. Comparing line by line takes a fraction of the time that it
takes to send all of them to a screen.
"""

from collections.abc import Sequence
from typing import TypeAlias

Change: TypeAlias = tuple[
    int, int, list[str]
]  # from which line of the old text, how many to replace, and the new ones
LOOK_AHEAD_LINES = 60


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Return what turns the old lines into the new ones, in their order. Not always the least, but always right."""
    changes: list[Change] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        skipped_old, skipped_new = _to_next_equal(old, i, new, j)
        changes.append((i, skipped_old, list(new[j : j + skipped_new])))
        i, j = i + skipped_old, j + skipped_new
    return changes


def apply_changes(old: Sequence[str], changes: Sequence[Change]) -> list[str]:
    """Return the new lines. `static/js/live.js` does the same."""
    lines = list(old)
    for start, count, fresh in reversed(changes):
        lines[start : start + count] = fresh
    return lines


def _to_next_equal(old: Sequence[str], i: int, new: Sequence[str], j: int) -> tuple[int, int]:
    """How many lines to skip in each text to the nearest pair of equal lines; all of them without one nearby."""
    for distance in range(1, LOOK_AHEAD_LINES):
        for ahead in range(distance + 1):
            back = distance - ahead
            if i + ahead < len(old) and j + back < len(new) and old[i + ahead] == new[j + back]:
                return ahead, back
    return len(old) - i, len(new) - j
