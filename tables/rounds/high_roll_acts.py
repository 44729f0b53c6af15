"""What only High Roll Dice asks of a dealer: the lock-out, the fees, and the loose dice (58 Pa. Code § 675a.4)."""

from typing import Any

from games.engine.high_roll import HighRoll
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE
from tables.models import Round
from tables.rounds.progress import advance, answer_of, verify_live
from tables.runner.table import Recorded, act


@act(roles=AT_THE_TABLE)
def lock_out_extra_rolls(at: AtTable, params: Params) -> Recorded:
    """Locks the sensors once no more bets is announced: no Extra Roll is taken from here on (§ 675a.1(c)(2))."""
    game, round_ = at.game_as(HighRoll), verify_live(at)
    state, _ = game.lock_out_extra_rolls(at.state)
    advance(at, state)
    return Recorded("extra_rolls.locked_out", _fees(at, round_), answer_of(round_), "phase")


@act(roles=AT_THE_TABLE)
def collect_fees(at: AtTable, params: Params) -> Recorded:
    """The Extra Roll fees collected into the table inventory, before the shake (§ 675a.4(a))."""
    game, round_ = at.game_as(HighRoll), verify_live(at)
    state, _ = game.collect_fees(at.state)
    advance(at, state)
    return Recorded("fees.collected", _fees(at, round_), answer_of(round_), "phase")


@act(roles=AT_THE_TABLE)
def move_dice(at: AtTable, params: Params) -> Recorded:
    """The matching dice moved into their box, uncovered and in surveillance's view all the while (§ 675a.4(e))."""
    game, round_ = at.game_as(HighRoll), verify_live(at)
    state, moved = game.move_dice(at.state)
    advance(at, state)
    data = {"round": round_.number, "throw": round_.last_throw, "face": moved.face, "count": moved.count}
    return Recorded("dice.moved", {**data, "exposed": True}, answer_of(round_), "phase")


@act(roles=AT_THE_TABLE)
def gather_loose_dice(at: AtTable, params: Params) -> Recorded:
    """The dice that do not match gathered into the shaker for the Extra Roll (§ 675a.4(g))."""
    game, round_ = at.game_as(HighRoll), verify_live(at)
    state, _ = game.gather_loose_dice(at.state)
    advance(at, state)
    data = {"round": round_.number, "dice": state.standing.dice}
    return Recorded("dice.gathered", data, answer_of(round_), "phase")


def _fees(at: AtTable, round_: Round) -> dict[str, Any]:
    bought = [wager for wager in at.state.wagers if wager.code == "extra-roll"]
    return {
        "round": round_.number,
        "seats": sorted(wager.seat for wager in bought),
        "fees_cents": sum(wager.cents for wager in bought),
    }
