"""What the clock does about limits and signs.

Applies due changes of limits between rounds, and records for each table the approved forms of its signs. A check
takes one or two queries; only tables that change are locked.
"""

from audit import clock, record
from games.office.signs.forms import recorded_sign_keys
from tables.core.context import TableContext
from tables.limits.entry_types import SIGNS_TOOK_EFFECT, SignsTookEffect
from tables.limits.rules import apply_when_due
from tables.models import LimitsChange, Table
from tables.runner.system import for_each_table


def apply_due_changes() -> list[int]:
    """Apply due changes at tables without a live round. Return the ids of the tables that changed."""
    due = LimitsChange.objects.filter(
        status=LimitsChange.Status.PENDING, effective_at__lte=clock.now()
    ).exclude(table__rounds__ended_at=None, table__rounds__isnull=False)
    return for_each_table(Table.objects.filter(pk__in=due.values("table")), _apply_due_change)


def record_sign_forms() -> list[int]:
    """Record at each table the forms of signs that are in force there.

    Returns the ids of the tables that changed.
    """
    real = Table.objects.exclude(kind=Table.Kind.SIMULATED)
    rows = list(real.values_list("pk", "facility", "game", "recorded_sign_ids"))
    forms_by_place = recorded_sign_keys((facility, game) for _, facility, game, _ in rows)
    differing = {
        pk for pk, facility, game, recorded_ids in rows if recorded_ids != forms_by_place[facility, game]
    }
    return for_each_table(Table.objects.filter(pk__in=differing), _record_sign_forms) if differing else []


def _apply_due_change(ctx: TableContext) -> bool:
    if ctx.round is not None or not apply_when_due(ctx):
        return False
    ctx.save_changes("nothing", ())
    return True


def _record_sign_forms(ctx: TableContext) -> bool:
    table = ctx.table
    recorded = recorded_sign_keys([(table.facility_id, table.game)])[table.facility_id, table.game]
    if table.recorded_sign_ids == recorded:
        return False
    data: SignsTookEffect = {"was": table.recorded_sign_ids.split(), "forms": recorded.split()}
    record.append(ctx.stream, entry=SIGNS_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day)
    ctx.change_table(recorded_sign_ids=recorded)
    ctx.save_changes("nothing", ())
    return True
