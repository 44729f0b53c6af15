"""The sheets of a readable export: their columns, and what a cell holds.

A cell is text, a number, an amount in cents, a gaming day, a moment (in the facility's time zone, with its name), or
None. The files write amounts in dollars.
"""

import datetime as dt
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias
from zoneinfo import ZoneInfo

Cell: TypeAlias = str | int | dt.date | dt.datetime | None
Row: TypeAlias = tuple[Cell, ...]


class Kind(Enum):
    """What the cells of a column hold."""

    TEXT = "text"
    NUMBER = "number"
    MONEY = "money"
    DAY = "day"
    MOMENT = "moment"


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column: its heading, what it holds, and its width in characters."""

    heading: str
    kind: Kind = Kind.TEXT
    width: int = 14


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: the name of its tab, of its CSV file, and its columns."""

    name: str
    file: str
    columns: tuple[SheetColumn, ...]


def moment_text(moment: dt.datetime, zone: ZoneInfo) -> str:
    """`2026-11-20 21:17:31 EST`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def dollars_text(cents: int) -> str:
    """`12.50`, `-30.00`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _text(heading: str, width: int = 14) -> SheetColumn:
    return SheetColumn(heading, Kind.TEXT, width)


def _number(heading: str, width: int = 9) -> SheetColumn:
    return SheetColumn(heading, Kind.NUMBER, width)


def _money(heading: str) -> SheetColumn:
    return SheetColumn(f"{heading}, $", Kind.MONEY, 13)


def _day(heading: str) -> SheetColumn:
    return SheetColumn(heading, Kind.DAY, 12)


def _moment(heading: str) -> SheetColumn:
    return SheetColumn(heading, Kind.MOMENT, 25)


ROUNDS = Sheet(
    "Rounds",
    "rounds.csv",
    (
        _day("Gaming day"), _text("Table", 9), _text("Game", 18), _number("Round"), _text("Rules", 40),
        _moment("Opened"), _moment("Ended"), _text("How it ended", 26), _text("Dice", 22), _text("Dice lots", 14),
        _text("People", 28), _number("Wagers"), _money("Staked"), _money("Taken"), _money("Paid"),
        _money("Returned"), _money("Win"), _number("Corrections before money moved", 14), _text("Disputed by seats"),
        _text("Slips", 18), _text("Settled again by the rules", 22), _number("First entry"), _number("Last entry"),
        _text("Hash of the last entry", 66),
    ),
)  # fmt: skip
WAGERS = Sheet(
    "Wagers",
    "wagers.csv",
    (
        _day("Gaming day"), _text("Table", 9), _text("Game", 18), _number("Round"), _number("Seat"),
        _text("Wager", 22), _number("Play"), _money("Stake"), _text("Outcome", 10), _text("Why", 34),
        _text("Section", 28), _text("What the section says", 60), _text("Pays", 10), _money("Paid"),
        _money("Returned"), _money("Won or lost by the player"), _text("Remarks", 34), _text("Slips", 14),
        _number("Entry"),
    ),
)  # fmt: skip
SLIPS = Sheet(
    "Slips",
    "slips.csv",
    (
        _text("Slip", 10), _text("Table", 9), _number("Round"), _day("Round's gaming day"),
        _day("Gaming day of filing"),
        _text("What was wrong", 34), _text("Reason", 40), _moment("Filed"), _text("Filed by", 20),
        _text("Signed with", 20), _money("Taken before"), _money("Paid before"), _money("Returned before"),
        _money("Taken after"), _money("Paid after"), _money("Returned after"), _money("Effect on the win"),
        _money("Due to players"), _text("Due by seat", 28), _text("Status", 10), _money("Handed to players"),
        _text("Handed over by seat", 28), _moment("Settled"), _text("Settled by", 20), _text("Settled with", 20),
        _number("Corrects entry"), _number("Entry"),
    ),
)  # fmt: skip
SIGN_INS = Sheet(
    "Sign-ins",
    "sign-ins.csv",
    (
        _day("Gaming day"), _moment("Time"), _text("Person", 22), _text("Code", 14), _text("Role today", 20),
        _text("What", 40), _text("Device", 20), _text("Relieves", 16), _number("Entry"),
        _text("Entry type", 20),
    ),
)  # fmt: skip
LOTS = Sheet(
    "Dice lots",
    "dice-lots.csv",
    (
        _text("Lot", 10), _text("Status now", 16), _number("Dice"), _text("Side, mm", 10), _text("Colors", 20),
        _text("Maker", 18), _text("Serial", 16), _text("Seal intact on receipt", 12), _text("For training"),
        _text("Issued to", 10), _text("Shaker", 10), _moment("Placed"), _moment("Expires"),
        _text("Section of the time limit", 26), _moment("Removed"), _text("Why removed", 18), _moment("Examined"),
        _text("Tampered with"), _number("Rounds in this export", 12), _number("Entries about it", 12),
    ),
)  # fmt: skip
SHEETS = (ROUNDS, WAGERS, SLIPS, SIGN_INS, LOTS)
