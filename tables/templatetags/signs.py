"""Template tags of the signs, and of the limits' coming change."""

from typing import Any

from django import template

from tables.equipment import table_signs
from tables.words.forms import span

from .floor import moment

register = template.Library()


@register.simple_tag
def board(s: dict[str, Any]) -> list[dict[str, Any]]:
    """Every sign that may stand at a table and has something to tell."""
    return table_signs.board(s)


@register.filter
def until(change: dict[str, Any], as_of: str) -> str:
    """What is left until new limits hold; under a minute in seconds."""
    seconds = max(0, int((moment(change["effective_at"]) - moment(as_of)).total_seconds()))
    return span(seconds) if seconds >= 60 else f"{seconds} s"
