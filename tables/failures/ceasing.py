"""Gaming at a table ceases when its equipment fails, and resumes after repair and inspection."""

from tables.core.alerts import Level, end_alert, failure_kind, raise_alert
from tables.core.context import AtTable
from tables.models import Table


def cease(at: AtTable, what: str, section: str) -> None:
    """Gaming at this table ceases: no new round until what failed is repaired and inspected. The pit is called."""
    raise_alert(at, failure_kind(what), "failure", Level.STOP, section, what=what)
    at.change_table(
        status=Table.Status.CEASED,
        ceased_what=what,
        ceased_section=section,
        ceased_since=at.now,
        repaired_at=None,
    )


def mark_repaired(at: AtTable) -> None:
    """What failed is repaired and waits for its inspection."""
    at.change_table(repaired_at=at.now)


def resume(at: AtTable) -> None:
    """What failed works again: a table that stood open goes on, and one that was closed since stays closed."""
    end_alert(at, "failure")
    status = Table.Status.OPEN if at.table.status == Table.Status.CEASED else at.table.status
    at.change_table(status=status, ceased_what="", ceased_section="", ceased_since=None, repaired_at=None)
