"""How the pages of requests write an amount into a field."""

from django import template

register = template.Library()


@register.filter
def plain_dollars(cents: int | str | None) -> str:
    """`1,250.50`, `5,000`; "" of nothing."""
    if not isinstance(cents, int):
        return ""
    return f"{cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
