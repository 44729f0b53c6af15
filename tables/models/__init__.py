"""Database tables of the floor, one file a noun, with their queries."""

from .alerts import Alert
from .cases import (
    CameraReference,
    Case,
    CaseDocument,
    CaseLetter,
    CaseNote,
    CaseSignature,
    ReportAcceptance,
)
from .clock import TickerStatus
from .dice import DiceCount, DiceLot, DiceMeasurement, Instrument, LotStep, Shaker
from .dice_watch import DiceCursor, HourOfDice, WatchedDice
from .equipment import Approval
from .figure_reports import FiguresReport, FiguresSchedule
from .figures import DayFigures, HourFigures, MonthFigures, RollupProgress
from .floor import Pit, Table
from .handovers import Handover, ItemAcceptance
from .inspections import Inspection
from .limits import LimitsChange
from .money import (
    ChipDiscrepancy,
    ChipSale,
    ChipTransfer,
    DropBox,
    SlipNumbers,
    TableInventory,
    TrayPar,
)
from .players import Player, PlayerDetails, Rating
from .rotation import PlannedMove
from .rounds import Round, Settlement, Throw, Wager
from .slips import Slip
from .staffing import Assignment, Qualification

__all__ = [
    "Alert",
    "Approval",
    "Assignment",
    "CameraReference",
    "Case",
    "CaseDocument",
    "CaseLetter",
    "CaseNote",
    "CaseSignature",
    "ChipDiscrepancy",
    "ChipSale",
    "ChipTransfer",
    "DayFigures",
    "DiceCount",
    "DiceCursor",
    "DiceLot",
    "DiceMeasurement",
    "DropBox",
    "FiguresReport",
    "FiguresSchedule",
    "Handover",
    "HourFigures",
    "HourOfDice",
    "Inspection",
    "Instrument",
    "ItemAcceptance",
    "LimitsChange",
    "LotStep",
    "MonthFigures",
    "Pit",
    "PlannedMove",
    "Player",
    "PlayerDetails",
    "Qualification",
    "Rating",
    "ReportAcceptance",
    "RollupProgress",
    "Round",
    "Settlement",
    "Shaker",
    "Slip",
    "SlipNumbers",
    "Table",
    "TableInventory",
    "Throw",
    "TickerStatus",
    "TrayPar",
    "Wager",
    "WatchedDice",
]
