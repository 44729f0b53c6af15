"""The dice watch in a page of a table."""

from django import template

from tables.dice_watch.page import Watch, watch_of, watched_at
from tables.models import Table

register = template.Library()


@register.simple_tag
def dice_watch_of(table: Table) -> Watch | None:
    """Return the dice watch of the lot at a table; None before the first round was counted."""
    watched = watched_at(table)
    return watch_of(watched) if watched is not None else None
