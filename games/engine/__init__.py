"""The rules and nothing else: no Django, no clock, no database, no randomness, no floats."""

from games.engine.analysis import house_advantage
from games.engine.dice import dice_expiry
from games.engine.game import NextAct, Step
from games.engine.odds import Odds
from games.engine.refusals import Refusal, RefusalCode
from games.engine.rules import Rules
from games.engine.settlement import Reason, Settled
from games.engine.state import RoundState
from games.engine.wagers import Placing, Wager, WagerType

__all__ = [
    "NextAct",
    "Odds",
    "Placing",
    "Reason",
    "Refusal",
    "RefusalCode",
    "RoundState",
    "Rules",
    "Settled",
    "Step",
    "Wager",
    "WagerType",
    "dice_expiry",
    "house_advantage",
]
