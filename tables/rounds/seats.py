"""Seats of a game that only seated players may wager at (58 Pa. Code § 675a.2(c))."""

from games.engine import Refusal
from tables.core.context import AtTable


def verify_seated(at: AtTable, seats: set[int]) -> None:
    """Raises `Refusal` where the game asks for seated players and nobody sits at one of these seats."""
    section = at.rules.section("seated")
    for seat in sorted(seats - set(at.table.seated)) if section else ():
        raise Refusal("seat-is-open", section, seat=seat)
