"""Filters and tags of the desk's pages."""

from collections.abc import Mapping
from typing import Any

from django import template

from tables.desk.desk import tab_links

register = template.Library()


@register.filter
def grouped(number: int | str | None) -> str:
    """`483,943`; "" for nothing."""
    return "" if number is None or number == "" else f"{int(number):,}"


@register.simple_tag
def desk_tabs(facility: str) -> list[dict[str, Any]]:
    """The desk's tabs, for pages outside the desk that show them."""
    return tab_links(facility)


@register.filter
def corrected(slips: Mapping[str, Any] | None) -> dict[str, int]:
    """A round's totals after its last slip that changed them, in cents by label; empty where none did."""
    filed = (slips or {}).get("filed") or []
    changes = [slip["figures"] for slip in filed if slip["figures"]]
    return {total["label"]: total["after"] for total in changes[-1]} if changes else {}
