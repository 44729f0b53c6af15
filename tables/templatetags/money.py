"""Template tags of the tray and the cage."""

from typing import Any

from django import template

from games.chips import KNOWN_CHIPS_CENTS, style_of
from tables.money.tray_page import stacked_chips

register = template.Library()


@register.inclusion_tag("tables/money/stacks.html")
def stacks() -> dict[str, Any]:
    """Draw the stacks of every denomination once, for the tubes of the page."""
    return {"stacks": [style_of(cents) for cents in KNOWN_CHIPS_CENTS], "chips": stacked_chips()}
