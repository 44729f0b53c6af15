"""Template tags of the console's dialogs and of a replayed round."""

from django import template

from games.catalog.high_roll import screens
from games.catalog.high_roll.screens import FaceKey, FirstRoll
from games.snapshot_types import Snapshot

register = template.Library()
register.filter(screens.to_throw)


@register.filter
def face_keys(s: Snapshot) -> list[FaceKey]:
    """Return one key for each face, in the order of the throw box."""
    return screens.face_keys()


@register.filter
def first_roll(throws: list[list[int]]) -> FirstRoll | None:
    """Return the matching dice of a round's first roll; None for other games."""
    return screens.first_roll(throws)
