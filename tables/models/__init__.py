"""What happens on the floor, one file for each noun."""

from .dice import DiceLot, Shaker
from .floor import Pit, Table
from .inspections import Inspection
from .rounds import Round, Settlement, Throw, Wager
from .staffing import Assignment

__all__ = [
    "Assignment",
    "DiceLot",
    "Inspection",
    "Pit",
    "Round",
    "Settlement",
    "Shaker",
    "Table",
    "Throw",
    "Wager",
]
