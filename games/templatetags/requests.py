"""Template filters of the pages of requests."""

from django import template

register = template.Library()


@register.filter
def plain_dollars(cents: int | str | None) -> str:
    """Return `1,250.50` or `5,000` for a form field; "" for None."""
    if not isinstance(cents, int):
        return ""
    return f"{cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")
