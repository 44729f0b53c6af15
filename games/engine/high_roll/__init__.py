"""High Roll Dice, with ten dice and with six: 58 Pa. Code ch. 675a (text of 2016-08-27)."""

from games.engine.high_roll.game import HighRoll

__all__ = ["HighRoll"]
