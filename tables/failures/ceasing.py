"""Gaming at a table ceases when its equipment fails, and resumes after repair and inspection."""

from games.snapshot_types import EquipmentKind
from tables.core.alerts import end_alert, raise_alert
from tables.core.context import TableContext
from tables.failures.alert_rules import failure
from tables.models import Table


def cease_gaming(ctx: TableContext, equipment: EquipmentKind, section: str) -> None:
    """Stop gaming at this table and raise an alert. No round begins until the repair and its inspection.

    Gaming has ceased since the first failure, also where another one follows before it resumes.
    """
    ctx.change_table(
        status=Table.Status.CEASED,
        ceased_what=equipment,
        ceased_section=section,
        ceased_since=ctx.table.ceased_since or ctx.now,
        repaired_at=None,
    )
    alert = failure(ctx)
    assert alert is not None
    raise_alert(ctx, alert)


def mark_repaired(ctx: TableContext) -> None:
    """Mark the failed equipment as repaired. It waits for its inspection."""
    ctx.change_table(repaired_at=ctx.now)


def resume_gaming(ctx: TableContext) -> None:
    """End the failure. An open table continues; one that was closed since stays closed."""
    end_alert(ctx, "failure")
    status = Table.Status.OPEN if ctx.table.status == Table.Status.CEASED else ctx.table.status
    ctx.change_table(status=status, ceased_what="", ceased_section="", ceased_since=None, repaired_at=None)
