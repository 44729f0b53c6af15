"""What case rules read: recent entries of a facility's record, and who acted in a round."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from audit.models import Entry
from games.models import Facility
from tables.core.entries import of_round
from tables.corrections.entry_types import SLIP_REVIEWED
from tables.models import Case, Table
from tables.words.entries import data_of

LOOKBACK = dt.timedelta(
    days=7
)  # what arose earlier, before there were cases or while no ticker ran, gets none


def recent_entries(
    facility: Facility, now: dt.datetime, *types: str
) -> Iterator[tuple[Entry, dict[str, Any]]]:
    """The entries of these types of the last days, of real play, with their data. They are in the order of time."""
    rows = Entry.objects.filter(type__in=types, at__gt=now - LOOKBACK, stream__real_play=True)
    rows = rows.filter(stream__name__startswith=f"{facility.code}/").select_related("stream")
    for entry in rows.order_by("at", "pk"):
        yield entry, data_of(entry)


def tables_by_stream(facility: Facility) -> dict[int, Table]:
    """The tables of real play of this facility, by the id of their stream."""
    tables = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).select_related("stream")
    return {table.stream_id: table for table in tables}


def actors_of_round(case: Case) -> set[str]:
    """The codes of those who acted, or signed, in the round of a case, and of those who corrected it.

    Who reviewed a slip about it did not act in it.
    """
    if case.table is None or case.round is None:
        return set()
    entries = of_round(case.table.stream, case.round)
    acts = [entry for entry in entries if entry.type != SLIP_REVIEWED.name]
    return {code for entry in acts for code in (entry.actor, entry.witness) if code}
