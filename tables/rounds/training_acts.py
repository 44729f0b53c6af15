"""Training: the machine throws the dice, and the trainee reads them (docs/shift.md). Nowhere else is a die drawn."""

from games.engine import Refusal
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE
from tables.models import Table
from tables.rounds.draws import draws
from tables.rounds.progress import answer_of, verify_live
from tables.runner.table import Recorded, act


@act(roles=AT_THE_TABLE)
def draw_dice(at: AtTable, params: Params) -> Recorded:
    """Throws the dice of the next call at a training table: they lie there until they are called, or called void."""
    if at.table.kind != Table.Kind.TRAINING:
        raise Refusal("draws-only-in-training", table=at.table.code)
    round_ = verify_live(at)
    dice = draws.dice(at.state.standing.dice, at.game.faces)
    at.game.verify_call_dice(at.state, dice)
    if round_.drawn:
        raise Refusal("dice-drawn-already", round=round_.number)
    at.change_round(drawn=list(dice))
    data = {"round": round_.number, "dice": list(dice), "by": "machine"}
    return Recorded("dice.drawn", data, answer_of(round_), "phase")
