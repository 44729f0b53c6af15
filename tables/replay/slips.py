"""Error Notification Slips settled again: the whole round with what a slip put right."""

from collections.abc import Iterator

from .course import Course
from .difference import Difference
from .entries import Told

FILED, SETTLED = "slip.filed", "slip.settled"


def is_of_slips(told: Told) -> bool:
    """Whether an entry files a slip, or says how its money moved."""
    return told.type in (FILED, SETTLED)


def differences(told: Told, course: Course) -> Iterator[Difference]:
    """How the new settlement that a slip tells differs from what the rules make of the round as it puts it right."""
    yield from ()
