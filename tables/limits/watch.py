"""What the clock does about limits and signs: a change whose notice has run takes effect between two rounds, and each
table is told which forms its signs stand under. Each look is a query or two; only tables that change are locked.
"""

from audit import clock, record
from games.office.signs import told_of
from tables.core.context import AtTable
from tables.limits.rules import apply_when_due
from tables.models import LimitsChange, Table
from tables.runner.system import at_each


def apply_due() -> list[int]:
    """Lets changes whose notice has run take effect where no round is in play. Returns the tables that changed."""
    due = LimitsChange.objects.filter(
        status=LimitsChange.Status.PENDING, effective_at__lte=clock.now()
    ).exclude(table__rounds__ended_at=None, table__rounds__isnull=False)
    return at_each(Table.objects.filter(pk__in=due.values("table")), _apply)


def tell_signs() -> list[int]:
    """Tells each table which forms of signs are in force there, on its own stream. Returns the tables that changed."""
    real = Table.objects.exclude(kind=Table.Kind.SIMULATED)
    rows = list(real.values_list("pk", "facility", "game", "told_signs"))
    told = told_of((facility, game) for _, facility, game, _ in rows)
    differing = {pk for pk, facility, game, heard in rows if heard != told[facility, game]}
    return at_each(Table.objects.filter(pk__in=differing), _tell) if differing else []


def _apply(at: AtTable) -> bool:
    if at.round is not None or not apply_when_due(at):
        return False
    at.save_changes("nothing", ())
    return True


def _tell(at: AtTable) -> bool:
    table = at.table
    told = told_of([(table.facility_id, table.game)])[table.facility_id, table.game]
    if table.told_signs == told:
        return False
    data = {"was": table.told_signs.split(), "forms": told.split()}
    record.append(at.stream, type="signs.took_effect", data=data, at=at.now, gaming_day=at.gaming_day)
    at.change_table(told_signs=told)
    at.save_changes("nothing", ())
    return True
