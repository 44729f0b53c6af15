"""How the desk's pages write figures."""

from django import template

register = template.Library()


@register.filter
def grouped(number: int | str | None) -> str:
    """`483,943`; empty where there is none."""
    return "" if number is None or number == "" else f"{int(number):,}"
