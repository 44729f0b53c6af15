"""How the page of exports writes counts."""

from django import template

register = template.Library()


@register.filter
def whole(count: int | None) -> str:
    """`12,345`; nothing is 0."""
    return f"{count or 0:,}"
