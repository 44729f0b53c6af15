"""How an act moves the round on: its row, its end, and the data that the response returns."""

from collections.abc import Callable
from typing import Any

from games.engine import Refusal
from games.engine.settlement import RETURN, STEPS_A_THROW, Settled
from games.engine.state import RoundState
from tables.core.context import TableContext
from tables.core.seats import leave_after_round
from tables.models import Round
from tables.money.tray import add_ended_round
from tables.players.ratings import end_with_seats
from tables.rounds.refusals import NO_ROUND
from tables.rules import notice

EndOfRound = Callable[[TableContext], None]
AT_THE_END: list[EndOfRound] = []


def at_the_end(do: EndOfRound) -> EndOfRound:
    """Declare what a topic above this one does whenever a round ends, under the table's lock."""
    AT_THE_END.append(do)
    return do


def require_round(ctx: TableContext) -> Round:
    """The live round. Raises `no-round`, or the refusal of a table that is not open."""
    if ctx.round is None:
        ctx.verify_open()
        raise Refusal(NO_ROUND)
    return ctx.round


def advance(ctx: TableContext, state: RoundState, **values: Any) -> None:
    """Save the round's new state and other changed fields, and end the round if the state has ended."""
    assert ctx.round is not None
    values_by_field = {
        "phase": state.phase,
        "paid_seats": sorted(state.paid_seats),
        "paid_areas": sorted(map(list, state.paid_areas)),
        "step": state.step,
        "quarterback": state.quarterback,
        "offered": state.offered,
        **values,
    }
    ctx.change_round(
        **{name: value for name, value in values_by_field.items() if getattr(ctx.round, name) != value}
    )
    if state.ended:
        end_with_seats(ctx, leave_after_round(ctx, {wager.seat for wager in state.wagers}))
        ctx.change_round(ended_at=ctx.now, ending=state.phase if state.returned_for else state.result.ending)
        if any(wager.outcome == RETURN for wager in state.settled) and state.returned_for:
            ctx.change_round(returned_seats=[])
        add_ended_round(ctx)
        for do in AT_THE_END:
            do(ctx)
        quarterback, offered = ctx.game.next_quarterback(state)
        if (quarterback, offered) != (ctx.table.quarterback, ctx.table.offered):
            ctx.change_table(quarterback=quarterback, offered=offered)
        notice.record_change(ctx)


def newly_settled(state: RoundState) -> tuple[Settled, ...]:
    """The wagers that the newest throw settled. The first throw includes the fees collected before it."""
    first = STEPS_A_THROW * len(state.throws) if len(state.throws) > 1 else 0
    return tuple(wager for wager in state.settled if wager.step >= first)


def round_answer(round_: Round) -> dict[str, Any]:
    """The data of the response to an act on the round."""
    return {"round": round_.number, "phase": round_.phase}
