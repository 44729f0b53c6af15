"""Filters of the pages of figures."""

from fractions import Fraction

from django import template

from tables.figures import formatting
from tables.words.forms import whole_dollars

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """Format cents as whole dollars: `$1,150`."""
    return formatting.dollars(cents)


@register.filter
def signed_dollars(cents: int) -> str:
    """Format cents as whole dollars with their sign: `+$40`, `−$20`."""
    return formatting.signed_dollars(cents)


register.filter(whole_dollars)  # of an amount that is not exact money, before its format


@register.filter
def percent(share: Fraction | None, digits: int = 1) -> str:
    """Format a share: `6.53 %`."""
    return formatting.percent(share, digits)


@register.filter
def grouped(count: int) -> str:
    """Format a count: `12,345`."""
    return f"{count:,}"
