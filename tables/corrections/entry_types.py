"""Entries about corrections: before money moves, and by Error Notification Slip after."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.wagers import MadeIn
from games.game_acts import ThrowNumber
from tables.models.rounds import FlagOrNone
from tables.rounds.settlement import NewSettlement, SettledWager, ThrowData, Totals

BeforeCents = Annotated[int, "the stake that was recorded; 0 for none"]
AfterCents = Annotated[int, "the stake that was on the layout; 0 for none"]
Chips = Literal["recorded", "player", "house"]  # who has a wager's chips
SlipKind = Literal["dice", "wager", "payment", "void"]
Reason = Annotated[str, "why, in a person's words"]


class CorrectedDice(TypedDict):
    after: Annotated[list[int], "the faces that were there"]
    before: Annotated[list[int], "the faces that were recorded"]
    reason: Reason


class DiceCorrected(ThrowData):
    mended: Annotated[CorrectedDice, "what was corrected: the faces before and after, and the reason"]


DICE_CORRECTED = entry_type(
    "dice.corrected",
    DiceCorrected,
    "The dice of the newest throw were corrected before money moved, with the new settlement.",
)


class CorrectedEntry(TypedDict):
    hash: Annotated[str, "hash of the entry, in hex"]
    seq: Annotated[int, "number of the entry"]


class SeatAmount(TypedDict):
    cents: Annotated[int, "to the seat; negative: from the seat"]
    seat: int


class SlipWager(TypedDict):
    after_cents: AfterCents
    before_cents: BeforeCents
    chips: Annotated[Chips, "where its chips are: as recorded, with the player, or with the house"]
    seat: int
    wager: str
    play: NotRequired[int]


class SlipPayment(TypedDict):
    handed_paid_cents: Annotated[int, "what the seat was in fact paid"]
    handed_taken_cents: Annotated[int, "what was in fact taken from the seat"]
    seat: int
    settled_paid_cents: Annotated[int, "what the seat should have been paid"]
    settled_taken_cents: Annotated[int, "what should have been taken from the seat"]


class SlipMistake(TypedDict):
    """By kind: of dice `throw`, `before` and `after`; of wagers `wagers`; of payments `payments`; of a void nothing."""

    after: NotRequired[Annotated[list[int], "the faces that were there"]]
    before: NotRequired[Annotated[list[int], "the faces that were recorded"]]
    throw: NotRequired[ThrowNumber]
    wagers: NotRequired[Annotated[list[SlipWager], "each wager that was wrong"]]
    payments: NotRequired[Annotated[list[SlipPayment], "each payment that was wrong"]]


class SlipThrow(TypedDict):
    dice: Annotated[list[int], "the faces of the dice"]
    throw: ThrowNumber


class SlipReviewDue(TypedDict):
    due_at: Annotated[str, "by when somebody outside the table reviews the slip"]
    before_money: Annotated[bool, "whether no money may move before that"]
    sum_cents: NotRequired[
        Annotated[int, "the sum that decided it: this slip, and others that count with it"]
    ]


class HeldBack(CorrectedEntry):
    actor: Annotated[str, "code of the person who did what raised the payout"]
    witness: Annotated[str, "code of the second person who signed that"]


class SlipFiled(Totals):
    """The whole settlement of the round as corrected: `settled` and the sums are those of all throws."""

    before: Annotated[Totals, "the sums before this slip"]
    corrects: CorrectedEntry
    due: Annotated[list[SeatAmount], "what each seat is owed; empty where no money is due"]
    ending: Annotated[str, "how the round ended, as a code: settled, touchdown, void, …"]
    kind: Annotated[SlipKind, "what the slip corrects"]
    mended: Annotated[SlipMistake, "the mistake; empty for a void"]
    played_on: Annotated[str, "gaming day of the round"]
    reason: Reason
    round: int
    settled: Annotated[list[SettledWager], "every wager of the round in the order of settlement"]
    slip: str
    throws: Annotated[list[SlipThrow], "the valid throws"]
    review: NotRequired[Annotated[SlipReviewDue, "present only if the slip needs a review"]]
    elsewhere_cents: NotRequired[
        Annotated[
            int,
            "how much more the tray holds than the record says until this slip, negative for less; with "
            "`review.before_money`, less only from the review that agrees on. Absent if 0, and in older entries, which "
            "change the tray at once",
        ]
    ]
    held: NotRequired[
        Annotated[
            HeldBack,
            "present only if the slip followed from the end of its round, for what was held back of it",
        ]
    ]


SLIP_FILED = entry_type(
    "slip.filed",
    SlipFiled,
    "An Error Notification Slip was filed: a settled round was corrected or voided after money had moved.",
)


class SlipSettled(TypedDict):
    corrects: CorrectedEntry
    due: Annotated[list[SeatAmount], "what each seat was owed"]
    moved: Annotated[list[SeatAmount], "what in fact moved, for the same seats"]
    reason: Annotated[str, "why less than was due, in a person's words; may be empty"]
    round: int
    slip: str


SLIP_SETTLED = entry_type(
    "slip.settled", SlipSettled, "What an Error Notification Slip left due was paid or collected."
)


class SlipReviewed(TypedDict):
    department: Annotated[str, "department of the person who reviewed the slip"]
    due_at: Annotated[str, "by when the review was due"]
    filed: Annotated[CorrectedEntry, "the entry that filed the slip: its number and hash"]
    reason: Annotated[str, "why the person differs, or a note, in their words; may be empty if they agree"]
    round: int
    slip: str
    verdict: Annotated[Literal["agrees", "differs"], "what the person found"]


SLIP_REVIEWED = entry_type(
    "slip.reviewed",
    SlipReviewed,
    "Somebody outside the table reviewed an Error Notification Slip: they agree, or differ and say why.",
)


class StruckWager(TypedDict):
    after_cents: AfterCents
    before_cents: BeforeCents
    reason: Reason
    seat: int
    wager: str
    play: NotRequired[int]
    uncalled: NotRequired[
        Annotated[bool, "true where dice might be known already, and none that were called decided the wager"]
    ]


class MissedWager(StruckWager):
    flag: FlagOrNone
    made_in: MadeIn


class WagerMissed(NewSettlement):
    mended: Annotated[MissedWager, "the wager, and the reason"]


WAGER_MISSED = entry_type(
    "wager.missed",
    WagerMissed,
    "A wager that had lain on the layout was recorded after no more bets, with the new settlement.",
)


class WagerStruck(NewSettlement):
    mended: Annotated[StruckWager, "the wager, and the reason"]


WAGER_STRUCK = entry_type(
    "wager.struck",
    WagerStruck,
    "A wager that had been entered by mistake was struck, with the new settlement.",
)


class ReviewSumSet(TypedDict):
    cents: Annotated[int, "slips from this sum on are reviewed before any money moves"]
    before_cents: Annotated[int, "the sum until then; 0 for none"]


REVIEW_SUM_SET = entry_type(
    "review_sum.set",
    ReviewSumSet,
    "The facility set the sum from which a slip is reviewed before any money moves.",
)
