"""What only High Roll Dice shows of a round (docs/architecture.md)."""

from typing import Literal, TypedDict

from games.engine.game_views import GameView

Sensors = Literal["none", "open", "unlocked", "locked", "collected"]


class ExtraRolls(TypedDict):
    """The Extra Rolls that were bought, and the state of their sensors."""

    seats: list[int]
    cents: int
    state: Sensors


class Cut(TypedDict):
    """What the payout limit leaves of a seat's winnings."""

    seat: int
    before_cents: int
    after_cents: int


class HighRollView(GameView):
    """The units, the matching dice, the Extra Rolls, and what the payout limit cuts."""

    dice: int
    unit_cents: dict[str, int]
    loose: int
    extra: ExtraRolls
    cuts: list[Cut]
