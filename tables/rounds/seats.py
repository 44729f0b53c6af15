"""Seats of a game that only seated players may wager at (58 Pa. Code § 675a.2(c))."""

from games.engine import Refusal
from tables.core.context import TableContext


def verify_seated(ctx: TableContext, seats: set[int]) -> None:
    """Raises `Refusal` where the game asks for seated players and nobody sits at one of these seats."""
    section = ctx.rules.section("seated")
    for seat in sorted(seats - set(ctx.table.seated)) if section else ():
        raise Refusal("seat-is-open", section, seat=seat)
