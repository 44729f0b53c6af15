"""The rules and nothing else: no Django, no clock, no database, no randomness, no floats."""

from games.engine.odds import Odds, house_advantage
from games.engine.refusals import Refusal, RefusalCode
from games.engine.rounds import RoundState
from games.engine.rules import Rules, dice_expiry
from games.engine.wagers import Placing, Reason, Wager

__all__ = [
    "Odds",
    "Placing",
    "Reason",
    "Refusal",
    "RefusalCode",
    "RoundState",
    "Rules",
    "Wager",
    "dice_expiry",
    "house_advantage",
]
