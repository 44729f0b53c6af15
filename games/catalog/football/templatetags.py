"""Template tags of the console's dialogs."""

from django import template

from games.engine.editions import edition
from games.snapshot_types import Snapshot

register = template.Library()

# Why a throw may be called "no roll", in a stickperson's words.
NO_ROLLS = {
    "off-table": "Off the table",
    "on-another": "One on another",
    "not-simultaneous": "Left the hand apart",
    "short-of-the-end": "Short of the far end",
    "on-the-bank": "On the bank of chips",
    "in-cup-or-rail": "In the cup or on a rail",
    "cheating-device": "Cheating device",
    "improper": "Improper throw",
    "cocked": "Cocked on several sides",
    "disputed": "Face in dispute",
}


@register.simple_tag
def no_rolls(s: Snapshot) -> list[dict[str, str]]:
    """Return the reasons for a call of "no roll", each with its section in the table's edition."""
    key = s["rules"].get("key")
    sections = edition(key).no_rolls if key else dict.fromkeys(NO_ROLLS, "")
    return [
        {"code": code, "words": words, "section": sections[code]}
        for code, words in NO_ROLLS.items()
        if code in sections
    ]
