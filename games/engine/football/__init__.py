"""Three Dice Football: 58 Pa. Code ch. 577 (text of 2012-07-28)."""

from games.engine.football.game import Football

__all__ = ["Football"]
