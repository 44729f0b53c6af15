"""The rules of Three Dice Football (text of 2012-07-28)."""

from games.catalog.football.engine.game import Football

GAME = Football()

__all__ = ["GAME", "Football"]
