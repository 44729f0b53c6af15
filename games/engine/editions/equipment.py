"""What an edition requires of the equipment, the opening inspection and the staff of a table, with citations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

# When a line or an approval is required; "" is always.
CONDITIONS = frozenset(
    {
        "",
        "automated",  # the table has an automated or player-activated shaker
        "manual",
        "covered",  # an automated shaker with a cover of its own
        "odds-not-on-layout",
        "payout-limit",  # a payout limit is filed
        "limit-not-on-layout",
    }
)

Cite = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class InspectionLine:
    """One line that the floorperson confirms before a table opens; `when` is one of CONDITIONS."""

    code: str
    section: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """An approval that must be on file and in effect before a table opens.

    `body` approves it, "" if the text requires it to be recorded and names nobody. `lines` are what the recording
    person confirms, each with its full citation. `when` is one of CONDITIONS; rules of one subject never apply
    together.
    """

    subject: str
    section: str
    body: str
    when: str = ""
    lines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Staffing:
    """Who must be at the table.

    `span` is the most tables that one floorperson may supervise while one of them is of this edition, 0 if it names
    none; the games of `never_with` (codes) may not be among them. "" means that the text says nothing.
    """

    span: int
    never_with: frozenset[str]


@dataclass(frozen=True, slots=True)
class Equipment:
    """All fields of an edition that this module reads.

    `dice_size_um` is the side of a die in micrometers, 0 if the text names no size; `cameras` is the least number
    of fixed cameras at a table.
    """

    inspection: tuple[InspectionLine, ...]
    approvals: tuple[ApprovalRule, ...]
    staffing: Staffing
    dice_size_um: int
    cameras: int


def equipment_of(data: Mapping[str, Any], cite: Cite) -> Equipment:
    """Return the equipment of an edition's file; `cite` gives the full citation of a section of its chapter. Raises
    ValueError for an unknown condition.
    """
    return Equipment(
        inspection=tuple(_line(row, cite) for row in data.get("inspection", ())),
        approvals=tuple(_approval(row, cite) for row in data.get("approvals", ())),
        staffing=_staffing(data.get("staffing", {})),
        dice_size_um=data.get("dice_size_um", 0),
        cameras=data.get("cameras", 0),
    )


def _line(row: Mapping[str, str], cite: Cite) -> InspectionLine:
    return InspectionLine(row["code"], cite(row["section"]), _when(row))


def _approval(row: Mapping[str, Any], cite: Cite) -> ApprovalRule:
    lines = {code: cite(section) for code, section in row.get("lines", {}).items()}
    return ApprovalRule(row["subject"], cite(row["section"]), row["body"], _when(row), lines)


def _staffing(row: Mapping[str, Any]) -> Staffing:
    never_with: Iterable[str] = row.get("never_with", ())
    return Staffing(row.get("span", 0), frozenset(never_with))


def _when(row: Mapping[str, Any]) -> str:
    when: str = row.get("when", "")
    if when not in CONDITIONS:
        raise ValueError(f"unknown condition: {when}")
    return when
