"""How a wager of Sic Bo is drawn in a list: as its dice, or as a word or figure."""

from django import template

register = template.Library()


@register.filter
def faces(wager: str) -> list[str]:
    """Return the dice that represent a wager in a list; none for totals, small, big and any three of a kind."""
    family, _, value = wager.partition(":")
    repeat = {"one-of-a-kind": 1, "two-of-a-kind": 2, "three-of-a-kind": 3}
    if family in repeat:
        return [value] * repeat[family]
    return value.split("-") if family == "two-dice" else []


@register.filter
def sign(wager: str) -> str:
    """Return the word or figure that represents a wager without dice."""
    family, _, value = wager.partition(":")
    return value or {"any-three-of-a-kind": "ANY 3"}.get(family, family.upper())
