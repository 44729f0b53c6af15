"""Checks that a full verification makes in addition to those of chains and seals.

Each compares rows of the database with the entries that state them. An app declares its own in a module named
`record_checks.py` or `…_record_checks.py`, which `AppConfig.ready` imports.
"""

from collections.abc import Callable, Iterator

from .verification_words import Finding

Tick = Callable[[], None]
RecordCheck = Callable[[Tick], Iterator[Finding]]
RecordGap = Callable[[], Iterator[str]]
RECORD_CHECKS: list[RecordCheck] = []
RECORD_GAPS: list[RecordGap] = []


def record_check(check: RecordCheck) -> RecordCheck:
    """Make a function one of the checks of a full verification.

    It yields what it finds, and calls its argument at least once a second, so that the job counts as alive.
    """
    RECORD_CHECKS.append(check)
    return check


def record_gap(gap: RecordGap) -> RecordGap:
    """Make a function one that says what no entry states yet, so that nothing can be compared with it."""
    RECORD_GAPS.append(gap)
    return gap


def not_covered() -> list[str]:
    """What a full verification cannot compare, in words."""
    return [sentence for gap in RECORD_GAPS for sentence in gap()]
