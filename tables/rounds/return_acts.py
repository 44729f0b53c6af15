"""The act that confirms the return of wagers after a round without a result."""

from typing import Annotated

from games.act_forms import Seats, whole
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.rounds import returning
from tables.rounds.entry_types import WAGERS_RETURNED
from tables.rounds.refusals import NOTHING_TO_RETURN
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, depends_on="nothing")
def return_wagers(
    ctx: TableContext, *, round_: Annotated[int, whole(1, 2**31 - 1)], seats: Seats = ()
) -> ActOutcome:
    """Record that the wagers of the newest round, which has no result, were handed back.

    `seats` are those that have their chips; without any, all that are left. The table may have ceased gaming meanwhile.
    Raises `nothing-to-return` for a seat without chips to return, and once the next round has begun.
    """
    is_newest = ctx.round is None and round_ == ctx.table.last_round
    wagers = returning.read_returned_wagers(ctx.table, round_) if is_newest else ()
    returned = set(wagers[0].returned_seats or ()) if wagers else set()
    waiting = {wager.seat for wager in wagers} - returned
    handed_back = set(seats) or waiting
    if not handed_back or not handed_back <= waiting:
        raise Refusal(NOTHING_TO_RETURN, round=round_)
    returning.write_returned_seats(wagers[0].round_id, sorted(returned | handed_back))
    cents = sum(wager.cents for wager in wagers if wager.seat in handed_back)
    entry = WAGERS_RETURNED({"round": round_, "seats": sorted(handed_back), "returned_cents": cents})
    return ActOutcome(entry, {"round": round_}, changes="table")
