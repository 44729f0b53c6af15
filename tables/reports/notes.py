"""Sentences of the report, the same on the page and in the PDF."""

import datetime as dt
from collections.abc import Iterator

from games.models import Facility
from games.registry import game_by_code
from tables.reports.figures import Report

UNREADABLE_MAX = 5  # entries that the note names


def long_day(date: dt.date) -> str:
    """`Saturday 21 November 2026`."""
    return f"{date:%A} {date.day} {date:%B %Y}"


def hour_label(begins: dt.datetime, facility: Facility) -> str:
    """`13:00`, local time."""
    return f"{facility.local(begins):%H:%M}"


def expected_notes(report: Report) -> Iterator[str]:
    """How the expected win is computed, and what it leaves out; first, entries that were changed."""
    if report.unreadable:
        entries = ", ".join(f"{table} entry {seq:,}" for table, seq in report.unreadable[:UNREADABLE_MAX])
        yield (
            f"This report cannot be relied on: {len(report.unreadable)} of its entries were changed or cannot be "
            f"read ({entries}). Have the record verified."
        )
    yield (
        "By the exact odds of each wager under the rules of its round. The dot is the actual win, the line the "
        "expected win, the band two standard deviations to each side. Extra Rolls and payout limits are included."
    )
    for game in (game_by_code(row.game) for row in report.games):
        if game.has_plays:
            yield (
                f"{game.name}: a wager on the game is computed from before its first throw, one on a play from the "
                "position of the marker when it was placed."
            )
    if not report.total.sums.is_known:
        count = report.total.sums.unknown_rounds
        yield (
            f"The odds of {count:,} round{'' if count == 1 else 's'} are not known, because an entry was changed or "
            "the terms cannot be read. So nothing is expected of the tables that dealt them."
        )
