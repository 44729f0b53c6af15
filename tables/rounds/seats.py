"""The seats of a game that only seated players may wager in (58 Pa. Code § 675a.2(c))."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.rounds.refusals import SEAT_IS_OPEN


def verify_seated(ctx: TableContext, seats: set[int]) -> None:
    """Raises `seat-is-open` if the game requires seated players and one of these seats has none."""
    section = ctx.rules.section("seated")
    for seat in sorted(seats - set(ctx.table.seated)) if section else ():
        raise Refusal(SEAT_IS_OPEN, section, seat=seat)
