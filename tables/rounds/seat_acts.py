"""Who sits where, at a game that only seated players may wager at (58 Pa. Code § 675a.2(c))."""

from games.engine import Refusal
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE
from tables.runner.table import Recorded, act


@act(roles=AT_THE_TABLE, depends_on="nothing")
def seat_player(at: AtTable, params: Params) -> Recorded:
    """A player sits down at an open seat; from now on the seat may wager."""
    seat = _seat(at, params)
    if seat in at.table.seated:
        raise Refusal("seat-is-taken", at.rules.section("seated"), seat=seat)
    at.change_table(seated=sorted([*at.table.seated, seat]))
    return Recorded("seat.taken", {"seat": seat}, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def free_seat(at: AtTable, params: Params) -> Recorded:
    """The player leaves. Refused while the seat has a wager in the round: the player stays until it ends."""
    seat = _seat(at, params)
    if seat not in at.table.seated:
        raise Refusal("seat-is-open", at.rules.section("seated"), seat=seat)
    if any(wager.seat == seat for wager in at.wagers):
        raise Refusal("seat-has-a-wager", at.rules.section("seated"), seat=seat)
    at.change_table(seated=[one for one in at.table.seated if one != seat])
    return Recorded("seat.freed", {"seat": seat}, changes="nothing")


def _seat(at: AtTable, params: Params) -> int:
    if not at.rules.section("seated"):
        raise Refusal("act-of-another-game", table=at.table.code)
    return params.whole("seat", 1, at.table.seats)
