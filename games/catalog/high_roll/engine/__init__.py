"""The rules of High Roll Dice (text of 2016-08-27)."""

from games.catalog.high_roll.engine.game import HighRoll

GAME = HighRoll()

__all__ = ["GAME", "HighRoll"]
