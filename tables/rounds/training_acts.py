"""The act of training: the machine throws the dice, and the trainee calls them (docs/shift.md). No other act draws
dice.
"""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.models import Table
from tables.rounds.draws import draws
from tables.rounds.entry_types import DICE_DRAWN, DiceDrawn
from tables.rounds.progress import require_round, round_answer
from tables.rounds.refusals import DICE_DRAWN_ALREADY, DRAWS_ONLY_IN_TRAINING
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def draw_dice(ctx: TableContext) -> ActOutcome:
    """Throw the dice of the next call at a training table. They stay until they are called, or called no roll."""
    if ctx.table.kind != Table.Kind.TRAINING:
        raise Refusal(DRAWS_ONLY_IN_TRAINING, table=ctx.table.code)
    round_ = require_round(ctx)
    dice = draws.dice(ctx.state.result.dice, ctx.game.faces)
    ctx.game.verify_call_dice(ctx.state, dice)
    if round_.drawn:
        raise Refusal(DICE_DRAWN_ALREADY, round=round_.number)
    ctx.change_round(drawn=list(dice))
    data: DiceDrawn = {"round": round_.number, "dice": list(dice), "by": "machine"}
    return ActOutcome(DICE_DRAWN(data), round_answer(round_), "phase")
