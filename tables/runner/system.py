"""What the system does at tables without a person: each table under its own lock, in a transaction of its own."""

import logging
from collections.abc import Callable
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from audit import clock
from audit.logs import OutageLog
from tables.core.context import TableContext
from tables.core.reads import Locked, locked_table
from tables.models import Table

log = logging.getLogger(__name__)
Change = Callable[[TableContext], bool]
_outages: dict[tuple[str, str], OutageLog] = {}
# Tables (ids) whose past a program of this process still deals: an entry of now would leave that past no time.
DEALT_IN_THE_PAST: set[int] = set()


def for_each_table(tables: QuerySet[Table], change: Change) -> list[int]:
    """Run `change` on every table, each under its own lock and in its own transaction.

    A failure at one table is logged, once until it works again, and does not stop the others. `change` returns whether
    it changed anything. Tables that are dealt in the past are left alone. Returns the ids of the tables that changed.
    """
    rows = list(
        tables.filter(stream__closed_at=None).order_by("pk").values_list("pk", "facility__code", "code")
    )
    return [
        pk
        for pk, facility, code in rows
        if pk not in DEALT_IN_THE_PAST and _change_table(facility, code, change)
    ]


def system_context(locked: Locked) -> TableContext:
    """The context of a locked table without a person.

    If the table's record is ahead of the clock, the moment is that of its last entry.
    """
    return TableContext(
        locked.table, None, None, None, clock.displayed_moment(locked.table.stream, locked.now)
    )


def _change_table(facility: str, code: str, change: Change) -> bool:
    outage = _outage(f"{facility}/{code}", change)
    try:
        with transaction.atomic(durable=True):
            is_changed = change(system_context(locked_table(facility, code)))
    except Exception as error:
        outage.failed(error)
        return False
    outage.worked()
    return is_changed


def _outage(place: str, change: Change) -> OutageLog:
    """The log of this change's failures at this table."""
    function = change.func if isinstance(change, partial) else change
    name = str(getattr(function, "__name__", function))
    outage = OutageLog(log, f"{name} at {place}", "It is tried again.", traceback=True)
    return _outages.setdefault((place, name), outage)
