"""Template tags of the tray and the cage."""

from typing import Any

from django import template

from games.chips import CHIPS_CENTS
from tables.money.tubes import stacked_chips

register = template.Library()


@register.inclusion_tag("tables/money/stacks.html")
def stacks() -> dict[str, Any]:
    """Draw the stacks of every denomination once, for the tubes of the page."""
    return {"stacks": [cents // 100 for cents in CHIPS_CENTS], "chips": stacked_chips()}
