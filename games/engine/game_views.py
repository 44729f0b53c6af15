"""What a game may show of a round in addition to what every game shows (`Game.view`, docs/architecture.md)."""

from typing import TypedDict


class DiceOffer(TypedDict):
    """In a game whose players throw: the seat that is offered the dice next, and the one offered them last."""

    next: int
    last: int | None


class MatchingDice(TypedDict):
    """Dice that stay in their box for the next throw."""

    face: int
    count: int


class GameView(TypedDict, total=False):
    """The keys that screens read for any game; a game's own view adds its keys."""

    offer: DiceOffer
    held: MatchingDice | None
    payout_limit_cents: int | None
