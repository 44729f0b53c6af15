"""Minimum and maximum wagers. An accepted wager outside them is flagged and settled in full, § 521.7(c)."""

from .models import Table


def flag_of(table: Table, cents: int) -> str:
    """`under-min`, `over-max` or nothing, of a wager in cents; a wager taken off has no flag."""
    if 0 < cents < table.min_cents:
        return "under-min"
    return "over-max" if cents > table.max_cents else ""
