"""Registers the acts that a single game has (`games.game_acts`) as acts at the tables that deal it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from games.game_acts import GameAct, Play, game_acts
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.seats import take_seats
from tables.rounds.begin import ensure_round
from tables.rounds.progress import advance, require_round, round_answer
from tables.runner.table import ActOutcome, act
from tables.words.registry import line, register


def _at_a_table(declared: GameAct[Any]) -> Callable[..., ActOutcome]:
    """The act at a table, with the name, the docstring and the parameters of the declared one.

    Raises what the act of the game does, `act-of-another-game`, and what beginning a round does, or `no-round`.
    """

    @wraps(declared.do)
    def do(ctx: TableContext, **values: Any) -> ActOutcome:
        game = ctx.game_as(declared.game)
        round_ = ensure_round(ctx) if declared.begins_round else require_round(ctx)
        lot = ctx.verify_dice_in_time()[0] if declared.throws_dice else ctx.lot
        play = Play(
            game, ctx.state, round_.number, round_.last_throw, round_.wagered_cents, lot.code if lot else None
        )
        played = declared.do(play, **values)
        advance(ctx, played.state)
        if played.takes:
            take_seats(ctx, set(played.takes))
        return ActOutcome(played.entry, round_answer(round_), "phase")

    return do


for _declared in game_acts():
    act(roles=AT_THE_TABLE, witness=_declared.may_be_signed, is_all_in_context=True)(_at_a_table(_declared))
register(act_lines=[line(_declared.entry, _declared.line) for _declared in game_acts()])
