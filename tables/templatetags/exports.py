"""Filters of the exports page."""

from django import template

register = template.Library()


@register.filter
def grouped_count(count: int | None) -> str:
    """`12,345`; 0 for nothing."""
    return f"{count or 0:,}"
