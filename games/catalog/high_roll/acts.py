"""The acts that High Roll Dice alone has: the lock-out, the fees, and the loose dice (58 Pa. Code § 675a.4)."""

from collections.abc import Mapping
from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from games.catalog.high_roll.engine import HighRoll
from games.engine.odds import in_dollars
from games.game_acts import GameActs, Play, Played, Replay, ThrowNumber

ACTS = GameActs(HighRoll)


class ExtraRollFees(TypedDict):
    fees_cents: Annotated[int, "sum of the fees"]
    round: int
    seats: Annotated[list[int], "numbers of the seats that bought an Extra Roll"]


EXTRA_ROLLS_LOCKED_OUT = entry_type(
    "extra_rolls.locked_out",
    ExtraRollFees,
    "High Roll Dice: the sensors of the Extra Roll were locked.",
)
FEES_COLLECTED = entry_type(
    "fees.collected", ExtraRollFees, "High Roll Dice: the fees of the Extra Roll were put into the tray."
)


class DiceMoved(TypedDict):
    count: Annotated[int, "how many dice match"]
    exposed: bool
    face: Annotated[int, "the face of the matching dice"]
    round: int
    throw: ThrowNumber


DICE_MOVED = entry_type(
    "dice.moved", DiceMoved, "High Roll Dice: the matching dice were moved into their box."
)


@entry_type("dice.gathered")
def DICE_GATHERED(*, dice: Annotated[int, "how many loose dice are thrown again"], round: int) -> None:
    """High Roll Dice: the loose dice were gathered for the extra throw."""


def _buyers(replay: Replay[HighRoll]) -> Mapping[str, object]:
    fees = (wager for wager in replay.after.wagers if replay.game.is_fee(wager.code))
    return {"seats": sorted(wager.seat for wager in fees)}


@ACTS.act(
    EXTRA_ROLLS_LOCKED_OUT,
    line=lambda data: "Extra Roll sensors locked",
    expected=_buyers,
)
def lock_out_extra_rolls(play: Play[HighRoll]) -> Played:
    """Lock the sensors after no more bets: no Extra Roll is bought from now on (§ 675a.1(c)(2))."""
    state, _ = play.game.lock_out_extra_rolls(play.state)
    return Played(state, EXTRA_ROLLS_LOCKED_OUT(_fees(play)))


@ACTS.act(
    FEES_COLLECTED,
    line=lambda data: "Extra Roll fees %s collected" % in_dollars(data["fees_cents"]),
    takes_fees=True,
    expected=_buyers,
)
def collect_fees(play: Play[HighRoll]) -> Played:
    """Record that the Extra Roll fees are in the table inventory, before the shake (§ 675a.4(a))."""
    state, _ = play.game.collect_fees(play.state)
    return Played(state, FEES_COLLECTED(_fees(play)))


@ACTS.act(
    DICE_MOVED,
    line=lambda data: "%(count)s dice into the box of %(face)s" % data,
    expected=lambda replay: {
        "throw": replay.last_throw,
        "exposed": True,
        **(replay.game.view(replay.after).get("held") or {}),
    },
)
def move_dice(play: Play[HighRoll]) -> Played:
    """Record that the matching dice are in their box, uncovered and in surveillance's view throughout (§
    675a.4(e)).
    """
    state, record = play.game.move_dice(play.state)
    data: DiceMoved = {
        "round": play.number,
        "throw": play.last_throw,
        "face": record.face,
        "count": record.count,
        "exposed": True,
    }
    return Played(state, DICE_MOVED(data))


@ACTS.act(
    DICE_GATHERED,
    line=lambda data: "%(dice)s loose dice gathered" % data,
    expected=lambda replay: {"dice": replay.after.result.dice},
)
def gather_loose_dice(play: Play[HighRoll]) -> Played:
    """Record that the dice that do not match are in the shaker for the Extra Roll (§ 675a.4(g))."""
    state, _ = play.game.gather_loose_dice(play.state)
    return Played(state, DICE_GATHERED(round=play.number, dice=state.result.dice))


def _fees(play: Play[HighRoll]) -> ExtraRollFees:
    bought = [wager for wager in play.state.wagers if play.game.is_fee(wager.code)]
    return {
        "round": play.number,
        "seats": sorted(wager.seat for wager in bought),
        "fees_cents": sum(wager.cents for wager in bought),
    }
