"""The acts that Three Dice Football alone has: offer the dice, and throw them (58 Pa. Code ch. 577)."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.act_forms import Seat
from games.catalog.football.engine import Football
from games.catalog.football.engine.game import QUARTERBACK_SITS_OUT
from games.engine import Refusal, RoundState
from games.game_acts import ActOfPost, ActThatWaits, GameActs, LotOrNone, Play, Played, Replay, ThrowNumber

ACTS = GameActs(Football)


class ChosenDice(TypedDict):
    green: Annotated[int, "how many green dice"]
    red: Annotated[int, "how many red dice"]


class DiceOffered(ActOfPost):
    accepted: Annotated[bool, "whether the seat accepted the dice, and is the Quarterback"]
    lot: LotOrNone
    round: int
    seat: int
    chosen: NotRequired[Annotated[ChosenDice, "the dice that the Quarterback keeps, by color"]]


DICE_OFFERED = entry_type(
    "dice.offered",
    DiceOffered,
    "Three Dice Football: the dice were offered to a seat, which accepted them or not.",
)


class DiceThrown(ActOfPost, ActThatWaits):
    lot: str
    quarterback: Annotated[int | None, "the seat of the Quarterback; null without one"]
    round: int
    throw: ThrowNumber
    wagered_cents: int


DICE_THROWN = entry_type(
    "dice.thrown",
    DiceThrown,
    "Three Dice Football: the dice left the Quarterback's hand, which closes the wagers on the play.",
)


@ACTS.act(
    DICE_OFFERED,
    line=lambda data: (
        ("Seat %s takes the dice" if data["accepted"] else "Seat %s declines the dice") % data["seat"]
    ),
    begins_round=True,
    may_be_signed=True,
    moves=False,
    changes=lambda data: {
        "offered": _seat(data["seat"]),
        "quarterback": data["seat"] if data["accepted"] else None,
    },
    next_params=lambda view: {"seat": view["offer"]["next"], "accepted": True},
)
def offer_dice(play: Play[Football], *, seat: Seat, accepted: bool = False) -> Played:
    """Offer the dice to a seat, clockwise among those that are taken. A player who accepts is the Quarterback.

    The Quarterback keeps two green dice and one red (§§ 577.4(b), (c), 577.7). The rest of the set returns to the
    cup.
    """
    state, _ = play.game.offer_dice(play.state, seat, accepted)
    data: DiceOffered = {"round": play.number, "seat": seat, "accepted": accepted, "lot": play.lot}
    if accepted:
        data["chosen"] = {"green": 2, "red": 1}  # § 577.4(c); the rest of the set is in the cup
    return Played(state, DICE_OFFERED(data), frozenset({seat} if accepted else ()))


def verify_quarterback_plays(state: RoundState) -> None:
    """Raises `quarterback-sits-out` at the first throw of a game without a wager of the Quarterback.

    A seat without a wager sits the game out (A38), and a player who sits out does not throw (§ 577.6(b)).
    """
    seat, first = state.quarterback, not (state.throws or state.void_throws)
    if first and all(wager.seat != seat for wager in state.wagers):
        raise Refusal(QUARTERBACK_SITS_OUT, state.rules.section("first-wagers"), seat=seat)


def _thrown(replay: Replay[Football]) -> Mapping[str, object]:
    """What the entry must state. Without a Quarterback in the state, it is still the one of the previous game."""
    quarterback = replay.before.quarterback
    named = {"quarterback": quarterback} if quarterback is not None else {}
    return {"throw": replay.last_throw + 1, **named}


@ACTS.act(
    DICE_THROWN,
    line=lambda data: "Dice out, throw %(throw)s" % data,
    begins_round=True,
    throws_dice=True,
    may_be_signed=True,
    changes=lambda data: {"quarterback": _seat(data["quarterback"])},
    expected=_thrown,
    verify=verify_quarterback_plays,
)
def throw_dice(play: Play[Football]) -> Played:
    """Record that the dice left the Quarterback's hand: the wagers on this play are closed (§§ 577.3(c), (e),
    577.5(a)).
    """
    assert play.lot is not None
    state, _ = play.game.throw_dice(play.state)
    verify_quarterback_plays(play.state)
    data: DiceThrown = {
        "round": play.number,
        "throw": play.last_throw + 1,
        "quarterback": state.quarterback,
        "lot": play.lot,
        "wagered_cents": play.wagered_cents,
    }
    return Played(state, DICE_THROWN(data))


def _seat(value: Any) -> int:
    """The seat of an entry. Raises TypeError for what is no number."""
    if type(value) is not int:
        raise TypeError("a seat is a number")
    return value
