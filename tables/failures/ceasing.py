"""Gaming at a table ceases when its equipment fails, and resumes after repair and inspection."""

from tables.core.alerts import Level, end_alert, failure_kind, raise_alert
from tables.core.context import TableContext
from tables.models import Table


def cease_gaming(ctx: TableContext, what: str, section: str) -> None:
    """Gaming at this table ceases: no new round until what failed is repaired and inspected. The pit is called."""
    raise_alert(ctx, failure_kind(what), "failure", Level.STOP, section, what=what)
    ctx.change_table(
        status=Table.Status.CEASED,
        ceased_what=what,
        ceased_section=section,
        ceased_since=ctx.now,
        repaired_at=None,
    )


def mark_repaired(ctx: TableContext) -> None:
    """What failed is repaired and waits for its inspection."""
    ctx.change_table(repaired_at=ctx.now)


def resume_gaming(ctx: TableContext) -> None:
    """What failed works again: a table that stood open goes on, and one that was closed since stays closed."""
    end_alert(ctx, "failure")
    status = Table.Status.OPEN if ctx.table.status == Table.Status.CEASED else ctx.table.status
    ctx.change_table(status=status, ceased_what="", ceased_section="", ceased_since=None, repaired_at=None)
