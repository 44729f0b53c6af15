"""Entries about the chips and the cash of a table."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type

ChipCount = Annotated[dict[str, int], "number of chips by their value in cents, without zeros"]
InventoryNumber = Annotated[int, "number of the inventory at this table, from an opener to its closer"]
ExactCents = Annotated[int, "exact value of the tray by the record at this moment"]
DifferenceCents = Annotated[
    int, "what was counted less what the record says; negative where chips are missing"
]
TransferKind = Literal["fill", "credit"]


class LastCloser(TypedDict):
    inventory: InventoryNumber
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]


class OpenerCounted(TypedDict):
    inventory: InventoryNumber
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]
    closer: Annotated[LastCloser | None, "the slip of the last closer; null at the first opener"]
    difference_cents: DifferenceCents


OPENER_COUNTED = entry_type(
    "inventory.opener_counted",
    OpenerCounted,
    "The opener of a table was counted against the slip of its last closer, and signed by the dealer and the floor.",
)


class TrayCounted(TypedDict):
    inventory: InventoryNumber
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]
    exact_cents: ExactCents
    difference_cents: DifferenceCents


TRAY_COUNTED = entry_type(
    "inventory.counted",
    TrayCounted,
    "The tray of a table was counted by denomination, and signed by two people.",
)


class CloserCounted(TrayCounted):
    opener_cents: Annotated[int, "value of the opener"]
    fills_cents: Annotated[int, "fills received since the opener"]
    credits_cents: Annotated[int, "credits handed over since the opener"]
    sold_cents: Annotated[int, "chips sold for cash since the opener"]
    taken_cents: Annotated[int, "lost wagers and fees of the rounds since the opener"]
    paid_cents: Annotated[int, "winnings of the rounds since the opener"]
    corrected_cents: Annotated[int, "what Error Notification Slips changed in the tray since the opener"]
    last_round: Annotated[int, "number of the last round at this table"]


CLOSER_COUNTED = entry_type(
    "inventory.closer_counted",
    CloserCounted,
    "The closer of a table was counted and signed by the dealer and the floor. Its inventory is over.",
)


class Discrepancy(TypedDict):
    discrepancy: Annotated[int, "number of the discrepancy at this table"]
    inventory: InventoryNumber
    cause: Annotated[
        Literal["opener", "count", "transfer", "drop", "closer"], "the count that differs from the record"
    ]
    expected_chips: Annotated[
        dict[str, int], "what the slip says, by value in cents; empty where only the sum is known"
    ]
    expected_cents: Annotated[int, "what the record says"]
    counted_chips: Annotated[dict[str, int], "what was counted, by value in cents; empty for cash"]
    counted_cents: Annotated[int, "what was counted"]
    difference_cents: DifferenceCents
    slip: Annotated[str | None, "number of the fill or credit slip; null for another count"]
    drop_box: Annotated[int | None, "number of the drop box at this table; null for another count"]
    note: Annotated[str, "what a person added; may be empty"]


DISCREPANCY_REPORTED = entry_type(
    "inventory.discrepancy",
    Discrepancy,
    "A count differs from the record. The floor and surveillance are alerted; nothing is adjusted.",
)


class Transfer(TypedDict):
    """A fill or credit as it is at the moment of the entry."""

    transfer: Annotated[int, "number of the fill or credit at this table"]
    kind: Annotated[TransferKind, "fill: cage to table; credit: table to cage"]
    slip: Annotated[str | None, "number of its slip, such as F-0131; null before the cage has given it"]
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]


class TransferHandedOver(Transfer):
    carrier: Annotated[str, "code of the security officer who carries the chips"]


class TransferCarrierSigned(Transfer):
    carrier: Annotated[str, "code of the security officer who signed to carry the chips"]


class TransferCountRefused(Transfer):
    counted_chips: Annotated[dict[str, int], "what was counted, by value in cents"]
    counted_cents: Annotated[int, "value of what was counted"]
    agrees: Annotated[bool, "true for a count that was reported as differing and is that of the slip"]
    refused_counts: Annotated[int, "how many counts of this slip were refused, with this one"]


class TransferEnded(Transfer):
    reason: Annotated[str, "why, in a person's words"]
    was: Annotated[Literal["requested", "preparing", "on-the-way"], "how far it was"]


TRANSFER_REQUESTED = entry_type("transfer.requested", Transfer, "The floor requested a fill or a credit.")
TRANSFER_PREPARED = entry_type(
    "transfer.prepared", Transfer, "The cage prepares a fill or a credit, and gave it the next slip number."
)
TRANSFER_CARRIER_SIGNED = entry_type(
    "transfer.carrier_signed",
    TransferCarrierSigned,
    "The security officer who carries a credit signed for it, before its chips left the tray.",
)
TRANSFER_COUNT_REFUSED = entry_type(
    "transfer.count_refused",
    TransferCountRefused,
    "A count of the chips of a fill or credit was refused, because it is not that of the slip. Nothing moved.",
)
TRANSFER_HANDED_OVER = entry_type(
    "transfer.handed_over",
    TransferHandedOver,
    "The chips of a fill left the cage, or those of a credit left the tray, with security.",
)
TRANSFER_RECEIVED = entry_type(
    "transfer.received",
    Transfer,
    "The chips of a fill were counted into the tray, or those of a credit into the cage, and signed for by two people.",
)
TRANSFER_VOIDED = entry_type(
    "transfer.voided", TransferEnded, "A slip was voided. Its number stays, and is never given again."
)
TRANSFER_CANCELED = entry_type(
    "transfer.canceled", TransferEnded, "A request was canceled before the cage prepared it. It has no slip."
)


class ChipsSold(TypedDict):
    inventory: InventoryNumber
    cents: Annotated[int, "the cash, and the value of the chips"]
    chips: Annotated[dict[str, int], "number of chips by their value in cents; empty where nobody entered it"]
    drop_box: Annotated[int, "number of the drop box that the cash went into"]
    seat: NotRequired[Annotated[int, "number of the seat that bought in"]]


CHIPS_SOLD = entry_type("chips.sold", ChipsSold, "A player bought chips. The cash went into the drop box.")


class DropBoxData(TypedDict):
    drop_box: Annotated[int, "number of the drop box at this table, from 1"]
    box: Annotated[str, "what is written on the box"]
    inventory: InventoryNumber


class DropBoxTakenOff(DropBoxData):
    sold_cents: Annotated[int, "the cash that went into the box by the record"]


class DropBoxCounted(DropBoxTakenOff):
    cents: Annotated[int, "the cash that the count room counted"]
    difference_cents: DifferenceCents


DROP_BOX_PUT_ON = entry_type(
    "drop_box.put_on", DropBoxData, "An empty drop box was put on a table by security and the floor."
)
DROP_BOX_TAKEN_OFF = entry_type(
    "drop_box.taken_off", DropBoxTakenOff, "A drop box was taken off a table by security and the floor."
)
DROP_BOX_COUNTED = entry_type(
    "drop_box.counted", DropBoxCounted, "The count room counted the cash of a drop box."
)


class ParSet(TypedDict):
    chips: ChipCount
    cents: Annotated[int, "value of the par"]


PAR_SET = entry_type("par.set", ParSet, "The par of a table was set: what its tray should hold.")


class KeepingChanged(TypedDict):
    keeps: Annotated[bool, "whether tables open and close by counts of their chips from now on"]


KEEPING_CHANGED = entry_type(
    "inventory.keeping_changed",
    KeepingChanged,
    "The casino began or stopped keeping the inventory of its tables.",
)


class ChipsDeclared(TypedDict):
    chips_cents: Annotated[list[int], "values of the chips that the casino has from now on, largest first"]
    before_cents: Annotated[list[int], "those that it had before, largest first"]


CHIPS_DECLARED = entry_type(
    "chips.declared",
    ChipsDeclared,
    "The casino declared which chips it has, with half dollars or without. Stakes that they cannot pay are refused.",
)
