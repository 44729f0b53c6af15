"""What changed in a text, as a push tells it: few characters of many lines. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

# How many characters stay, how many go, and what comes there; again and again.
Edits: TypeAlias = list[int | str]
Change: TypeAlias = str | Edits  # the whole text, or what changed in the one before
SHORTEST_STAY = 6  # fewer characters than that between two edits are sent with them
_Block: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Text:
    """A text by its lines, each with its end; longer ones may be in several pieces."""

    lines: list[str]

    @cached_property
    def whole(self) -> str:
        return "".join(self.lines)

    @cached_property
    def has_places_of_javascript(self) -> bool:
        """Whether JavaScript counts its characters as Python does."""
        return self.whole.isascii() or len(self.whole.encode("utf-16-le")) == 2 * len(self.whole)


def edits(before: Text, after: Text) -> Change:
    """Return the edits that turn a text into another; the other where it is no longer than they are.

    Equal lines are found first. Of lines that differ the equal beginning and end stay. Places are counted as
    JavaScript does, in which a character beyond the first 65,536 counts as two: a text that has one is sent whole.
    """
    if not (before.has_places_of_javascript and after.has_places_of_javascript):
        return after.whole
    changed: Edits = []
    place = size = 0  # where the edit before ends in the old text, and how many characters all of them bring
    line = begins = 0  # the next line, and where it begins
    for first, end, new_first, new_end in _changed_lines(before.lines, after.lines):
        gone, come = "".join(before.lines[first:end]), "".join(after.lines[new_first:new_end])
        begins += sum(map(len, before.lines[line:first]))
        head = _same_beginning(gone, come)
        tail = _same_end(gone[head:], come[head:])
        start, stop = begins + head, begins + len(gone) - tail
        line, begins = end, begins + len(gone)
        come = come[head : len(come) - tail]
        if changed and start - place < SHORTEST_STAY:
            gone_before, come_before = cast(int, changed[-2]), cast(str, changed[-1])
            changed[-2:] = [gone_before + stop - place, come_before + before.whole[place:start] + come]
        else:
            changed += [start - place, stop - start, come]
        place, size = stop, size + len(come)
    return changed if size < len(after.whole) else after.whole


def _changed_lines(old: list[str], new: list[str]) -> Iterator[_Block]:
    """Yield which lines give way to which: from, to, and in the new text from, to."""
    if len(old) == len(new):
        changed = _different(old, new)
        if 2 * len(changed) <= len(old):  # else they have moved, as in a list of the newest acts
            yield from ((line, line + 1, line, line + 1) for line in changed)
            return
    for first, end, new_first, new_end in _changed_blocks(old, new):
        if end - first == new_end - new_first:
            for line in _different(old[first:end], new[new_first:new_end]):
                yield first + line, first + line + 1, new_first + line, new_first + line + 1
        else:
            yield first, end, new_first, new_end


def _different(old: list[str], new: list[str]) -> list[int]:
    """Return the places at which two lists of the same length have other lines."""
    return [place for place, line in enumerate(old) if line != new[place]]


def _changed_blocks(old: list[str], new: list[str]) -> Iterator[_Block]:
    """Yield the blocks between equal lines: around each line that the old text has once, if it comes in order.

    That is not always the shortest change, and takes a part of the time that it takes to find one.
    """
    most = min(len(old), len(new))
    first = next((line for line in range(most) if old[line] != new[line]), most)
    most -= first
    after = next((line for line in range(most) if old[-1 - line] != new[-1 - line]), most)
    end, new_end = len(old) - after, len(new) - after
    once: dict[str, int] = {}
    for place in range(first, end):
        once[old[place]] = -1 if old[place] in once else place
    at = new_at = line = first
    while line < new_end:
        place = once.get(new[line], -1)
        if place < at:
            line += 1
            continue
        new_place = line
        while place > at and new_place > new_at and old[place - 1] == new[new_place - 1]:
            place, new_place = place - 1, new_place - 1
        if (at, new_at) != (place, new_place):
            yield at, place, new_at, new_place
        at, new_at = once[new[line]] + 1, line + 1
        while at < end and new_at < new_end and old[at] == new[new_at]:
            at, new_at = at + 1, new_at + 1
        line = new_at
    if (at, new_at) != (end, new_end):
        yield at, end, new_at, new_end


def _same_beginning(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one.startswith(other[least:middle], least):
            least = middle
        else:
            most = middle - 1
    return least


def _same_end(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their end."""
    return _same_beginning(one[::-1], other[::-1])
