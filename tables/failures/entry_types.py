"""Entries about failed equipment, manual settlement and repair."""

from typing import Annotated, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.snapshot_types import EquipmentKind, ShakerKind
from tables.rounds.settlement import ThrowData


class DeviceFailed(TypedDict):
    """`section` is there without a round in play; `dice` with one, whose dice were called before the failure."""

    round: Annotated[int | None, "number of the round in play; null between rounds"]
    section: NotRequired[str]
    what: Annotated[EquipmentKind, "what failed"]
    dice: NotRequired[Annotated[list[int], "faces of the throw that is settled manually"]]


DEVICE_FAILED = entry_type("device.failed", DeviceFailed, "A device, the lit layout or a shaker failed.")


class DeviceIncident(TypedDict):
    action: Annotated[str, "what was done about it, in a person's words"]
    round: Annotated[int | None, "number of the round in play; null between rounds"]
    seat: Annotated[int | None, "number of the seat; null where nobody used the device from a seat"]
    section: str
    what: Annotated[str, "the device, in a person's words"]


DEVICE_INCIDENT = entry_type(
    "device.incident", DeviceIncident, "A device that may help to cheat was found in use, and what was done."
)


class RepairRecorded(TypedDict):
    how: Annotated[str, "how it was repaired, in a person's words"]
    what: Annotated[EquipmentKind, "what had failed"]


REPAIR_RECORDED = entry_type("repair.recorded", RepairRecorded, "The repair of what had failed was recorded.")


class EarlierWager(TypedDict):
    """A wager of the live round that the dead tablet had begun."""

    seat: int
    wager: str
    cents: Annotated[int, "the stake"]


class ManualRecord(TypedDict):
    before: Annotated[
        list[EarlierWager], "the wagers that had been entered before; the recorded ones replace them"
    ]
    reason: Annotated[str, "why, in a person's words"]


class RoundRecordedByHand(ThrowData):
    """The last throw of the round; in a game of several throws, `settled` and the sums are those of all throws."""

    mended: Annotated[ManualRecord, "what this entry replaces: the wagers entered before, and the reason"]
    throws: NotRequired[Annotated[list[list[int]], "the faces of every throw, in a round of several throws"]]


ROUND_RECORDED_BY_HAND = entry_type(
    "round.recorded_by_hand",
    RoundRecordedByHand,
    "A round that had been settled manually, away from the console, was recorded afterward.",
)


class ShakerRepaired(TypedDict):
    how: Annotated[str, "how it was repaired, in a person's words"]
    kind: Annotated[ShakerKind, "kind of shaker"]
    shaker: str


SHAKER_REPAIRED = entry_type(
    "shaker.repaired",
    ShakerRepaired,
    "A shaker that was out of order was repaired, and is free to be used again.",
)


class ShakerReplaced(TypedDict):
    covered_or_signed: Annotated[
        bool, "whether the automated shaker before is covered or signed out of order"
    ]
    kind: Annotated[ShakerKind, "kind of the new shaker"]
    removed_from_table: Annotated[bool, "whether the shaker before left the table"]
    replaces: Annotated[str | None, "code of the shaker before; null where the table had none"]
    shaker: Annotated[str, "code of the new shaker"]
    tosses: Annotated[
        int, "test runs of the new shaker; an automated one has at least three at an open table"
    ]


SHAKER_REPLACED = entry_type("shaker.replaced", ShakerReplaced, "The shaker of this table was replaced.")
