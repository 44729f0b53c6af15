"""Entries about the custody of dice lots."""

from typing import Annotated, Any, TypedDict

from audit.entry_types import entry_type


class DiceDestroyed(TypedDict):
    how: str
    lots: list[str]


DICE_DESTROYED = entry_type(
    "dice.destroyed", DiceDestroyed, "Dice lots were cancelled or destroyed; two departments signed."
)


class DiceReceivedLot(TypedDict):
    attested: bool
    colours: str
    dice: int
    lot: str
    maker: str
    seal_intact: bool
    serial: str
    size_um: int
    training: bool


DiceReceived = TypedDict(
    "DiceReceived",
    {
        "from": Annotated[str, "where it came from"],
        "lots": list[DiceReceivedLot],
        "section": str,
    },
)


DICE_RECEIVED = entry_type(
    "dice.received", DiceReceived, "Dice lots were received from their maker; two departments signed."
)


class DiceInspection(TypedDict):
    finder: str
    found: str
    licence: str
    lot: str
    section: str
    table: str


DICE_LOT_EXAMINED = entry_type(
    "dice_lot.examined",
    DiceInspection,
    "A lot was inspected at the end of the gaming day, without findings.",
)


class DiceLotExpired(TypedDict):
    expires_at: str
    lot: str
    section: str


DICE_LOT_EXPIRED = entry_type(
    "dice_lot.expired", DiceLotExpired, "A lot in a shaker reached its time; the clock wrote this."
)


DiceLotIssued = TypedDict(
    "DiceLotIssued",
    {
        "attested": bool,
        "dice": int,
        "from": Annotated[str, "where it came from"],
        "lot": str,
        "section": str,
        "size_um": int,
    },
)


DICE_LOT_ISSUED = entry_type(
    "dice_lot.issued", DiceLotIssued, "A lot was issued from storage to this table; two departments signed."
)


class DiceLotPlaced(TypedDict):
    attested: bool
    dice: int
    expires_at: str
    lot: str
    removed: str | None
    seal: str
    section: str
    shaker: str


DICE_LOT_PLACED = entry_type("dice_lot.placed", DiceLotPlaced, "A lot was put into the shaker of this table.")


class MeasuredDie(TypedDict):
    balanced: bool
    clean: bool
    die: int
    good: bool
    high_um: int
    low_um: int
    square: bool


class Instruments(TypedDict):
    caliper: str
    micrometer: str
    square: str


class DiceLotRejected(TypedDict):
    bad: list[int]
    compartment: str
    dice: list[MeasuredDie]
    instruments: Instruments
    lot: str
    section: str
    tolerance_um: int


DICE_LOT_REJECTED = entry_type("dice_lot.rejected", DiceLotRejected, "A lot was measured and rejected.")


class DiceLotReturned(TypedDict):
    compartment: str
    lot: str
    section: str


DICE_LOT_RETURNED = entry_type(
    "dice_lot.returned",
    DiceLotReturned,
    "A lot that was not used went back to storage; two departments signed.",
)


class DiceLotStored(TypedDict):
    bad: list[Any]
    compartment: str
    dice: list[MeasuredDie]
    instruments: Instruments
    lot: str
    section: str
    tolerance_um: int


DICE_LOT_STORED = entry_type(
    "dice_lot.stored", DiceLotStored, "A lot was measured die by die, found good and stored."
)


DICE_LOT_TAMPERED = entry_type(
    "dice_lot.tampered", DiceInspection, "Signs of tampering were found at the inspection of a lot."
)


class DiceLotWithdrawn(TypedDict):
    finder: str
    found: str
    licence: str
    lot: str
    round: int | None
    section: str
    shaker: str
    table: str
    why: str


DICE_LOT_WITHDRAWN = entry_type(
    "dice_lot.withdrawn", DiceLotWithdrawn, "A lot was taken out of play before its time."
)


class ShakerUnlocked(TypedDict):
    expires_at: str
    lot: str
    section: str
    shaker: str
    why: str


SHAKER_UNLOCKED = entry_type(
    "shaker.unlocked", ShakerUnlocked, "A sealed shaker was unlocked, which shortens the time of its dice."
)
