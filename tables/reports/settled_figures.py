"""The figures of a day's settled rounds with their slips, by table and hour: those of the pages of figures.

They are read from the entries. The entries of a settled round change only by a slip, and a table settles its rounds in
the order of their numbers, so sums up to one round stay valid, and a later report adds only newer rounds.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tables.core.figure_sums import Sums
from tables.figures.round_figures import RoundWithSlip, add_round, figures_of_round
from tables.reports.day_rounds import DayRounds

MAX_CACHED = 4_096  # cached tables and days
_cache: dict[Any, "CachedSums"] = {}  # by the table's uid and the day


@dataclass(frozen=True)
class CachedSums:
    """The sums of a table's day by hour, the newest settled round that they have, and a digest of what they cover."""

    last_number: int = 0
    digest: str = ""
    by_hour: dict[int, Sums] = field(default_factory=dict)


NOTHING = CachedSums()


def settled_figures(rounds: DayRounds) -> dict[tuple[int, int], Sums]:
    """Return the figures by table (id) and hour of the day in which a round was settled."""
    figures: dict[tuple[int, int], Sums] = {}
    for table, settled in rounds.settled().items():
        key = rounds.day.tables[table].uid, rounds.day.date
        cached = _cache.get(key, NOTHING)
        covered = [round_ for round_ in settled if round_.record.number <= cached.last_number]
        if cached.digest != _digest(covered):
            cached = NOTHING  # a slip was filed, or an earlier round was settled late
        by_hour = _with_newer(rounds, table, cached, settled)
        if len(_cache) >= MAX_CACHED:
            _cache.clear()
        _cache[key] = CachedSums(settled[-1].record.number, _digest(settled), by_hour)
        figures |= {(table, hour): sums for hour, sums in by_hour.items()}
    return figures


def _with_newer(
    rounds: DayRounds, table: int, cached: CachedSums, settled: Sequence[RoundWithSlip]
) -> dict[int, Sums]:
    """Return the sums with those of the rounds after the newest that they have."""
    by_hour: dict[int, Sums] = defaultdict(Sums)
    by_hour |= {hour: sums.copy() for hour, sums in cached.by_hour.items()}
    row = rounds.day.tables[table]
    for round_ in settled:
        if round_.record.number > cached.last_number:
            figures = figures_of_round(row, round_, rounds.rules(round_.record))
            add_round(by_hour[rounds.day.hour_of(figures.settled_at)], figures, row.seats)
    return dict(by_hour)


def _digest(rounds: Sequence[RoundWithSlip]) -> str:
    """What identifies settled rounds: their last entries, and those of their slips."""
    if not rounds:
        return ""
    parts = (f"{round_.record.last_digest}:{round_.slip.seq if round_.slip else ''}" for round_ in rounds)
    return hashlib.sha256("".join(parts).encode()).hexdigest()
