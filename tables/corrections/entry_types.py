"""Entries about corrections: before money moves, and by Error Notification Slip after."""

from typing import Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from tables.models.rounds import FlagOrNone
from tables.rounds.entry_types import MadeIn, NewSettlement, SettledWager, ThrowData


class DiceCorrectedMended(TypedDict):
    after: list[int]
    before: list[int]
    reason: str


class DiceCorrected(ThrowData):
    mended: DiceCorrectedMended


DICE_CORRECTED = entry_type(
    "dice.corrected",
    DiceCorrected,
    "The dice of the newest throw were corrected before money moved, with the new settlement.",
)


class SlipFiledBefore(TypedDict):
    paid_cents: int
    returned_cents: int
    taken_cents: int


class CorrectedEntry(TypedDict):
    hash: str
    seq: int


class SeatAmount(TypedDict):
    cents: int
    seat: int


class SlipFiledMendedWager(TypedDict):
    after_cents: int
    before_cents: int
    chips: str
    seat: int
    wager: str
    play: NotRequired[int]


class SlipFiledMendedPayment(TypedDict):
    handed_paid_cents: int
    handed_taken_cents: int
    seat: int
    settled_paid_cents: int
    settled_taken_cents: int


class SlipFiledMended(TypedDict):
    after: NotRequired[list[int]]
    before: NotRequired[list[int]]
    throw: NotRequired[int]
    wagers: NotRequired[list[SlipFiledMendedWager]]
    payments: NotRequired[list[SlipFiledMendedPayment]]


class SlipFiledThrow(TypedDict):
    dice: list[int]
    throw: int


class SlipFiled(TypedDict):
    before: SlipFiledBefore
    corrects: CorrectedEntry
    due: list[SeatAmount]
    ending: str
    kind: Literal["dice", "wager", "payment", "void"]
    mended: SlipFiledMended
    paid_cents: int
    played_on: str
    reason: str
    returned_cents: int
    round: int
    settled: list[SettledWager]
    slip: str
    taken_cents: int
    throws: list[SlipFiledThrow]


SLIP_FILED = entry_type(
    "slip.filed",
    SlipFiled,
    "An Error Notification Slip was filed: a settled round was corrected or voided after money had moved.",
)


class SlipSettled(TypedDict):
    corrects: CorrectedEntry
    due: list[SeatAmount]
    moved: list[SeatAmount]
    reason: str
    round: int
    slip: str


SLIP_SETTLED = entry_type(
    "slip.settled", SlipSettled, "What an Error Notification Slip left due was paid or collected."
)


class WagerMissedMended(TypedDict):
    after_cents: int
    before_cents: int
    flag: FlagOrNone
    made_in: MadeIn
    reason: str
    seat: int
    wager: str
    play: NotRequired[int]


class WagerMissed(NewSettlement):
    round: int
    mended: WagerMissedMended
    wagered_cents: NotRequired[int]


WAGER_MISSED = entry_type(
    "wager.missed",
    WagerMissed,
    "A wager that had lain on the layout was recorded after no more bets, with the new settlement.",
)


class WagerStruckMended(TypedDict):
    after_cents: int
    before_cents: int
    reason: str
    seat: int
    wager: str
    play: NotRequired[int]


class WagerStruck(NewSettlement):
    round: int
    mended: WagerStruckMended
    wagered_cents: NotRequired[int]


WAGER_STRUCK = entry_type(
    "wager.struck",
    WagerStruck,
    "A wager that had been entered by mistake was struck, with the new settlement.",
)
