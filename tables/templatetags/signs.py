"""Template tags of signs and of a pending change of the limits."""

from django import template

from games.snapshot_types import PendingLimits, Snapshot
from tables.equipment import table_signs
from tables.equipment.table_signs import SignFace
from tables.words.forms import span

from .floor import moment

register = template.Library()


@register.simple_tag
def board(s: Snapshot) -> list[SignFace]:
    """Return every sign of a table that has content now."""
    return table_signs.board(s)


@register.filter
def notice_minutes(s: Snapshot) -> int:
    """Return the minutes of notice of a change of the limits."""
    return table_signs.notice_minutes(s)


@register.filter
def until(change: PendingLimits, as_of: str) -> str:
    """Return the time left until new limits take effect; under a minute in seconds."""
    assert change["effective_at"] is not None
    seconds = max(0, int((moment(change["effective_at"]) - moment(as_of)).total_seconds()))
    return span(seconds) if seconds >= 60 else f"{seconds} s"
