"""How the desk's pages write figures, and what a page outside the desk shows of it."""

from collections.abc import Mapping
from typing import Any

from django import template

from tables.desk.page import tab_links

register = template.Library()


@register.filter
def grouped(number: int | str | None) -> str:
    """`483,943`; empty where there is none."""
    return "" if number is None or number == "" else f"{int(number):,}"


@register.simple_tag
def desk_tabs(facility: str) -> list[dict[str, Any]]:
    """The desk's tabs, for a page that the desk shows but that is not one of its own."""
    return tab_links(facility)


@register.filter
def corrected(slips: Mapping[str, Any] | None) -> dict[str, int]:
    """What a round's totals came to by its last slip that moved them, in cents by label; empty where none did."""
    filed = (slips or {}).get("filed") or []
    moved = [slip["figures"] for slip in filed if slip["figures"]]
    return {one["label"]: one["after"] for one in moved[-1]} if moved else {}
