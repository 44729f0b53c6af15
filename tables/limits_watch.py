"""What the clock does about limits and signs: a change whose notice has run takes effect between two rounds, and each
table is told which forms its signs stand under. Each look is a query or two; only tables that change are locked.
"""

import logging
from collections.abc import Callable

from django.db import transaction

from audit import clock, record
from games.office.signs import told_of

from .at_table import AtTable
from .limits import apply_when_due
from .models import LimitsChange, Table
from .reads import locked_table

log = logging.getLogger(__name__)
Do = Callable[[AtTable], bool]


def apply_due() -> list[int]:
    """Lets changes whose notice has run take effect where no round is in play. Returns the tables that changed."""
    due = LimitsChange.objects.filter(
        status=LimitsChange.Status.PENDING, effective_at__lte=clock.now()
    ).exclude(table__rounds__ended_at=None, table__rounds__isnull=False)
    return _at_each(set(due.values_list("table", flat=True)), _apply)


def tell_signs() -> list[int]:
    """Tells each table which forms of signs are in force there, on its own stream. Returns the tables that changed."""
    real = Table.objects.exclude(kind=Table.Kind.SIMULATED)
    rows = list(real.values_list("pk", "facility", "game", "told_signs"))
    told = told_of((facility, game) for _, facility, game, _ in rows)
    differing = {pk for pk, facility, game, heard in rows if heard != told[facility, game]}
    return _at_each(differing, _tell)


def _apply(at: AtTable) -> bool:
    return at.round is None and apply_when_due(at)


def _tell(at: AtTable) -> bool:
    table = at.table
    told = told_of([(table.facility_id, table.game)])[table.facility_id, table.game]
    if table.told_signs == told:
        return False
    data = {"was": table.told_signs.split(), "forms": told.split()}
    record.append(at.stream, type="signs.took_effect", data=data, at=at.now, gaming_day=at.gaming_day)
    at.change_table(told_signs=told)
    return True


def _at_each(tables: set[int], do: Do) -> list[int]:
    """Does it at each of these tables under its lock; one at which it fails hinders no other."""
    if not tables:
        return []
    places = Table.objects.filter(pk__in=tables).order_by("pk").values_list("pk", "facility__code", "code")
    return [pk for pk, facility, code in places if _done(facility, code, do)]


def _done(facility: str, code: str, do: Do) -> bool:
    try:
        with transaction.atomic(durable=True):
            locked = locked_table(facility, code)
            at = AtTable(locked.table, None, None, None, clock.not_before(locked.table.stream, locked.now))
            changed = do(at)
            if changed:
                at.save_changes("nothing", ())
            return changed
    except Exception:
        log.exception("%s/%s was not looked at", facility, code)
        return False
