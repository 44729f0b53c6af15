"""What the clock does at tables, where nobody acts: each under its own lock, in a transaction of its own."""

import logging
from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet

from audit import clock
from tables.core.context import TableContext
from tables.core.reads import Locked, locked_table
from tables.models import Table

log = logging.getLogger(__name__)
Do = Callable[[TableContext], bool]


def for_each_table(tables: QuerySet[Table], do: Do) -> list[int]:
    """Does it at each of these tables under its lock; one at which it fails hinders no other.

    `do` says whether it changed anything, and writes what it changed. Returns the tables that changed.
    """
    places = list(tables.order_by("pk").values_list("pk", "facility__code", "code"))
    return [pk for pk, facility, code in places if _done(facility, code, do)]


def system_context(locked: Locked) -> TableContext:
    """A locked table with nobody acting; where its record is ahead of the clock, at the moment of its last entry."""
    return TableContext(locked.table, None, None, None, clock.not_before(locked.table.stream, locked.now))


def _done(facility: str, code: str, do: Do) -> bool:
    try:
        with transaction.atomic(durable=True):
            return do(system_context(locked_table(facility, code)))
    except Exception:
        log.exception("%s/%s was not looked at", facility, code)
        return False
