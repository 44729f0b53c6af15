"""Entries about failed equipment, manual settlement and repair."""

from typing import NotRequired, TypedDict

from audit.entry_types import entry_type
from tables.rounds.entry_types import ThrowData


class DeviceFailed(TypedDict):
    round: int | None
    section: NotRequired[str]
    what: str
    dice: NotRequired[list[int]]


DEVICE_FAILED = entry_type("device.failed", DeviceFailed, "A device, the lit layout or a shaker failed.")


class DeviceIncident(TypedDict):
    action: str
    round: int | None
    seat: int | None
    section: str
    what: str


DEVICE_INCIDENT = entry_type(
    "device.incident", DeviceIncident, "A device that may help to cheat was found in use, and what was done."
)


class RepairRecorded(TypedDict):
    how: str
    what: str


REPAIR_RECORDED = entry_type("repair.recorded", RepairRecorded, "The repair of what had failed was recorded.")


class RoundRecordedByHandMendedBefore(TypedDict):
    seat: int
    wager: str
    cents: int


class RoundRecordedByHandMended(TypedDict):
    before: list[RoundRecordedByHandMendedBefore]
    reason: str


class RoundRecordedByHand(ThrowData):
    mended: RoundRecordedByHandMended
    throws: NotRequired[list[list[int]]]


ROUND_RECORDED_BY_HAND = entry_type(
    "round.recorded_by_hand",
    RoundRecordedByHand,
    "A round that had been settled manually, away from the console, was recorded afterwards.",
)


class ShakerRepaired(TypedDict):
    how: str
    kind: str
    shaker: str


SHAKER_REPAIRED = entry_type(
    "shaker.repaired",
    ShakerRepaired,
    "A shaker that was out of order was repaired, and is free to be used again.",
)


class ShakerReplaced(TypedDict):
    covered_or_signed: bool
    kind: str
    removed_from_table: bool
    replaces: str
    shaker: str
    tosses: int


SHAKER_REPLACED = entry_type("shaker.replaced", ShakerReplaced, "The shaker of this table was replaced.")
