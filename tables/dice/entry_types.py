"""Entries about the custody of dice lots."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type

Section = Annotated[str, "the section behind it; empty where the jurisdiction has none"]
Dice = Annotated[int, "how many dice the lot has"]
Size = Annotated[int, "nominal side of a die"]
Expiry = Annotated[str, "when the time of the dice ends"]
Finder = Annotated[str, "name of the person who inspected the lot or took it out"]
Destruction = Literal["cancelled", "destroyed"]
DiceColors = Literal["alike", "green-red"]
WithdrawalReason = Literal["lost", "marked", "chipped", "scratched", "tampered", "unsuitable"]


class DiceDestroyed(TypedDict):
    how: Annotated[Destruction, "what was done with the dice"]
    lots: Annotated[list[str], "codes of the dice lots"]


DICE_DESTROYED = entry_type(
    "dice.destroyed", DiceDestroyed, "Dice lots were canceled or destroyed; two departments signed."
)


class LotData(TypedDict):
    """A lot as the record names it."""

    attested: bool
    dice: Dice
    lot: str
    size_um: Size


class DiceReceivedLot(LotData):
    colours: Annotated[DiceColors, "the colors of its dice: all alike, or four green and two red"]
    maker: Annotated[str, "maker of the dice; may be empty"]
    seal_intact: Annotated[bool, "whether the seal of the box was intact"]
    serial: Annotated[str, "serial number of the box; may be empty"]
    training: Annotated[bool, "whether the dice are for training tables only"]


DiceReceived = TypedDict(
    "DiceReceived",
    {
        "from": Annotated[str, "who delivered the dice, in a person's words"],
        "lots": list[DiceReceivedLot],
        "section": Section,
    },
)


DICE_RECEIVED = entry_type(
    "dice.received", DiceReceived, "Dice lots were received from their maker; two departments signed."
)


class FinderData(TypedDict):
    """Who found the dice as they are, and where."""

    finder: Finder
    licence: Annotated[str, "license number of that person; may be empty"]
    table: str


class DiceInspection(FinderData):
    found: Annotated[str, "what was found, in a person's words; empty without a finding"]
    lot: str
    section: Section


DICE_LOT_EXAMINED = entry_type(
    "dice_lot.examined",
    DiceInspection,
    "A lot was inspected at the end of the gaming day, without findings.",
)


class DiceLotExpired(TypedDict):
    expires_at: Expiry
    lot: str
    section: Annotated[str, "the section on the time of the dice"]


DICE_LOT_EXPIRED = entry_type(
    "dice_lot.expired", DiceLotExpired, "A lot in a shaker reached its time; the clock wrote this."
)


DiceLotIssued = TypedDict(
    "DiceLotIssued",
    {
        "attested": bool,
        "dice": Dice,
        "from": Annotated[str, "the compartment of the dice storage that it came from"],
        "lot": str,
        "section": Section,
        "size_um": Size,
    },
)


DICE_LOT_ISSUED = entry_type(
    "dice_lot.issued", DiceLotIssued, "A lot was issued from storage to this table; two departments signed."
)


class DiceLotPlaced(TypedDict):
    attested: bool
    dice: Dice
    expires_at: Expiry
    lot: str
    removed: Annotated[str | None, "code of the lot that was in the shaker before; null without one"]
    seal: Annotated[str, "the seal or lock that was put on the shaker; empty where none is required"]
    section: Annotated[str, "the section on the time of the dice"]
    shaker: str


DICE_LOT_PLACED = entry_type("dice_lot.placed", DiceLotPlaced, "A lot was put into the shaker of this table.")


class MeasuredDie(TypedDict):
    balanced: bool
    clean: Annotated[bool, "whether its spots, edges and surfaces have no marks"]
    die: Annotated[int, "number of the die in its lot, from 1"]
    good: Annotated[bool, "whether it passed every test"]
    high_um: Annotated[int, "the largest of its sides"]
    low_um: Annotated[int, "the smallest of its sides"]
    square: Annotated[bool, "whether the square test passed"]


class Instruments(TypedDict):
    """The instruments of a measurement, as a person names them."""

    caliper: Annotated[str, "the balancing caliper"]
    micrometer: Annotated[str, "the micrometer"]
    square: Annotated[str, "the steel set square"]


class DiceLotMeasured(TypedDict):
    bad: Annotated[list[int], "numbers of the dice that failed a test; empty for a stored lot"]
    compartment: Annotated[str, "the compartment where the lot is"]
    dice: Annotated[list[MeasuredDie], "each die with its measures"]
    instruments: Annotated[Instruments, "the instruments that measured them, as a person names them"]
    lot: str
    section: Section
    tolerance_um: Annotated[int, "how far a side may be from the nominal side"]


DICE_LOT_REJECTED = entry_type("dice_lot.rejected", DiceLotMeasured, "A lot was measured and rejected.")


InstrumentKind = Literal["micrometer", "caliper", "square"]
InstrumentCode = Annotated[str, "code of the instrument"]


class InstrumentCalibrated(TypedDict):
    calibrated_on: Annotated[str, "the day of its calibration"]
    certificate: Annotated[str, "reference of the certificate; may be empty"]
    ends_on: Annotated[str, "the last day on which it may measure"]
    instrument: InstrumentCode


INSTRUMENT_CALIBRATED = entry_type(
    "instrument.calibrated", InstrumentCalibrated, "A measuring instrument of the dice room was calibrated."
)


class InstrumentRegistered(InstrumentCalibrated):
    kind: Annotated[InstrumentKind, "what it is"]
    serial: Annotated[str, "its serial number; may be empty"]


INSTRUMENT_REGISTERED = entry_type(
    "instrument.registered",
    InstrumentRegistered,
    "A measuring instrument was added to the register of the dice room.",
)


class InstrumentRetired(TypedDict):
    instrument: InstrumentCode
    why: Annotated[str, "why, in a person's words"]


INSTRUMENT_RETIRED = entry_type(
    "instrument.retired", InstrumentRetired, "A measuring instrument was taken out of service."
)


class CountedLots(TypedDict):
    """Lots that are at no table, by status."""

    received: int
    rejected: int
    removed: int
    stored: int


class DiceCounted(TypedDict):
    counted: Annotated[CountedLots, "the lots that people counted"]
    expected: Annotated[CountedLots, "the lots that were there by the record"]
    note: Annotated[str, "what was found where they differ, in a person's words"]
    section: Section


DICE_COUNTED = entry_type(
    "dice.counted", DiceCounted, "The dice that are at no table were counted; two departments signed."
)


class DiceLotReturned(TypedDict):
    compartment: str
    lot: str
    section: Section


DICE_LOT_RETURNED = entry_type(
    "dice_lot.returned",
    DiceLotReturned,
    "A lot that was not used went back to storage; two departments signed.",
)


DICE_LOT_STORED = entry_type(
    "dice_lot.stored", DiceLotMeasured, "A lot was measured die by die, found good and stored."
)


DICE_LOT_TAMPERED = entry_type(
    "dice_lot.tampered", DiceInspection, "Signs of tampering were found at the inspection of a lot."
)


class DiceLotWithdrawn(FinderData):
    found: Annotated[str, "what was found, in a person's words; may be empty"]
    lot: str
    round: Annotated[int | None, "number of the round in play; null between rounds"]
    section: Annotated[str, "the section behind it"]
    shaker: str
    why: Annotated[WithdrawalReason, "why, as a code"]


DICE_LOT_WITHDRAWN = entry_type(
    "dice_lot.withdrawn", DiceLotWithdrawn, "A lot was taken out of play before its time."
)


class ShakerUnlocked(TypedDict):
    expires_at: Annotated[str, "when the time of the dice ends from now on"]
    lot: str
    section: Annotated[str, "the section on the time of the dice"]
    shaker: str
    why: Annotated[str, "why, in a person's words"]


SHAKER_UNLOCKED = entry_type(
    "shaker.unlocked",
    ShakerUnlocked,
    "The lock of an automated shaker was opened, which shortens the time of its dice.",
)
