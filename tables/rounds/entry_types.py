"""Entries about the round in play: wagers, throws, settlement."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.settlement import WagerOutcome
from games.engine.wagers import MadeIn
from games.game_acts import ActOfPost, ActThatWaits, LotOrNone, ThrowNumber
from games.snapshot_types import EquipmentKind, SeatMark
from tables.core.entry_types import Raised
from tables.models.rounds import FlagOrNone

Faces = Annotated[list[int], "the faces of the dice"]
ShakerOrNone = Annotated[str | None, "code of the shaker; null where the table has none"]
SectionOrEmpty = Annotated[str, "the section behind it; empty where the edition names none"]


FacesOrNone = Annotated[list[int], "the faces of the dice; empty where wagers go back without dice"]
ReturnReason = Annotated[
    str, "why wagers go back, as a code; in old records in a person's words; otherwise empty"
]
Announced = Annotated[bool, "whether dice were called"]
LitCodes = Annotated[list[str], "codes of the wagers whose areas are lit"]
Taken = Annotated[int, "lost stakes and fees that the house keeps"]
Paid = Annotated[int, "what winning wagers are paid, without their stakes"]
Returned = Annotated[int, "stakes that go back, those of winning wagers included"]


RaisedOrAbsent = Annotated[
    Raised, "what the throw pays beside its first settlement; present only where that changed"
]
HeldCents = Annotated[int, "how much of what is paid was held back for a review; absent where nothing was"]


class Totals(TypedDict):
    """What settled wagers move."""

    taken_cents: Taken
    paid_cents: Paid
    returned_cents: Returned


class SettledWager(TypedDict):
    """One wager as a throw settles it, as `manage.py adjudicate` writes it."""

    seat: int
    wager: str
    cents: Annotated[int, "the stake"]
    outcome: Annotated[WagerOutcome, "how the wager ended"]
    pays: Annotated[str | None, "the odds that it is paid; null unless it wins"]
    paid_cents: Annotated[int, "what the wager is paid, without its stake"]
    returned_cents: Annotated[int, "how much of the stake goes back"]
    cite: str
    play: NotRequired[int]
    cut_cents: NotRequired[int]


class Called(TypedDict):
    """What a throw comes to, by code, with the figures of its sentence."""

    code: Annotated[str, "code of the result"]
    total: NotRequired[Annotated[int, "sum of the faces"]]
    added: NotRequired[Annotated[int, "dice that the extra throw added to the matching dice"]]
    count: NotRequired[Annotated[int, "how many dice match"]]
    face: NotRequired[Annotated[int, "the face of the matching dice"]]
    yards: NotRequired[int]


class ThrowData(Totals):
    """A throw with what it settled; where wagers go back without dice, `called` is null and `lit` empty."""

    round: int
    throw: ThrowNumber
    revision: int
    dice: FacesOrNone
    reason: ReturnReason
    lot: LotOrNone
    shaker: ShakerOrNone
    uncovered: bool
    announced: Announced
    called: Called | None
    lit: LitCodes
    by_hand: bool
    settled: list[SettledWager]
    raised: NotRequired[RaisedOrAbsent]


class NewSettlement(TypedDict):
    """A round that is settled again.

    Once dice lie on the layout it has the fields of `ThrowData`; before them, `wagered_cents` alone.
    """

    round: int
    wagered_cents: NotRequired[Annotated[int, "what is wagered in the round, before its first throw"]]
    throw: NotRequired[ThrowNumber]
    revision: NotRequired[int]
    dice: NotRequired[FacesOrNone]
    reason: NotRequired[ReturnReason]
    lot: NotRequired[LotOrNone]
    shaker: NotRequired[ShakerOrNone]
    uncovered: NotRequired[bool]
    announced: NotRequired[Announced]
    called: NotRequired[Called | None]
    lit: NotRequired[LitCodes]
    by_hand: NotRequired[bool]
    settled: NotRequired[list[SettledWager]]
    taken_cents: NotRequired[Taken]
    paid_cents: NotRequired[Paid]
    returned_cents: NotRequired[Returned]
    raised: NotRequired[RaisedOrAbsent]


class BetsClosed(ActThatWaits):
    round: int
    wagered_cents: int


BETS_CLOSED = entry_type("bets.closed", BetsClosed, "No more bets was announced.")


class DiceDrawn(ActOfPost):
    by: Annotated[Literal["machine"], "what drew the dice"]
    dice: Faces
    round: int


DICE_DRAWN = entry_type("dice.drawn", DiceDrawn, "At a training table the machine drew the dice.")


class DiceShaken(ActThatWaits):
    activated_by_seat: Annotated[int, "the seat that activated a player-activated shaker; 0 where none did"]
    lot: str
    round: int
    shaker: str
    shakes: Annotated[
        int, "how often the shaker was shaken; 0 where no number was entered, as for an automated one"
    ]


DICE_SHAKEN = entry_type(
    "dice.shaken", DiceShaken, "The dice were shaken, or an automated shaker was activated."
)


class LayoutCleared(TypedDict):
    paid_cents: Annotated[int, "what all winning wagers of the round were paid, without their stakes"]
    round: int
    taken_cents: Annotated[int, "lost stakes and fees of the whole round"]


LAYOUT_CLEARED = entry_type("layout.cleared", LayoutCleared, "The layout was cleared, which ended the round.")


class LosersTaken(ActThatWaits):
    round: int
    taken_cents: Taken


LOSERS_TAKEN = entry_type("losers.taken", LosersTaken, "All losing wagers were taken.")


class FaceRulings(TypedDict):
    """How unclear faces were ruled on."""

    leaning: NotRequired[int]
    disputed: NotRequired[Annotated[bool, "true where a face was disputed and decided; otherwise absent"]]


class FacesRead(TypedDict):
    """What the dealer or the stickperson states about the dice of a throw that does not count."""

    faces_read: NotRequired[
        Annotated[
            list[int],
            "faces that could be read, as the dealer or the stickperson states them; empty: none; absent: nothing was "
            "stated",
        ]
    ]


class Noted(TypedDict):
    """What somebody notes beside a declared reason. It decides nothing."""

    note: NotRequired[Annotated[str, "what a person notes beside the reason; absent where nothing was"]]


class RoundNoRoll(ThrowData, FacesRead, Noted):
    pass


class ThrowSettled(ThrowData, FaceRulings, ActOfPost, ActThatWaits):
    pass


class ManualSettlement(ThrowData):
    failed: Annotated[EquipmentKind, "what failed"]


class RoundVoided(ThrowData, Noted):
    failed: NotRequired[Annotated[EquipmentKind, "what failed; absent where the floor voided the round"]]
    in_view: NotRequired[
        Annotated[Literal[True], "the dice had been tossed and were in view; a pit or shift manager signed"]
    ]
    tossed: NotRequired[
        Annotated[
            Literal[True],
            "in old records: an automated shaker had tossed the dice, still covered; a pit or shift manager signed",
        ]
    ]


ROUND_NO_ROLL = entry_type(
    "round.no_roll", RoundNoRoll, "A no roll ended the round, and its wagers were returned."
)


ROUND_SETTLED = entry_type(
    "round.settled", ThrowSettled, "The throw that ended the round, with every wager that it settled."
)


ROUND_SETTLED_BY_HAND = entry_type(
    "round.settled_by_hand",
    ManualSettlement,
    "The round was settled manually after a device failed, before the witness on the entry.",
)


ROUND_VOIDED = entry_type(
    "round.voided", RoundVoided, "The round was voided, and its open wagers were returned."
)


class SeatChange(TypedDict):
    seat: int


SEAT_FREED = entry_type("seat.freed", SeatChange, "A player left a seat.")


class SeatMarked(TypedDict):
    seat: int
    mark: Annotated[
        SeatMark,
        "`away`: the player keeps the seat; `left`: the seat is free once the round has ended; `here`: the player is back",
    ]


SEAT_MARKED = entry_type("seat.marked", SeatMarked, "A player of a taken seat went away, left or came back.")


SEAT_TAKEN = entry_type("seat.taken", SeatChange, "A player took a seat.")


class SeatsSettled(ActOfPost):
    paid_cents: Annotated[int, "what these seats were paid in this step, without their stakes"]
    round: int
    seats: list[int]
    taken_cents: Annotated[int, "lost stakes that were taken from these seats in this step"]
    throw: ThrowNumber
    held_cents: NotRequired[HeldCents]


SEATS_SETTLED = entry_type(
    "seats.settled", SeatsSettled, "One step of a settlement was taken and paid at these seats."
)


class ThrowNoRoll(ActOfPost, FacesRead, Noted):
    lot: LotOrNone
    reason: Annotated[str, "why, as a code of the edition"]
    round: int
    section: SectionOrEmpty
    shaker: ShakerOrNone
    throw: ThrowNumber


THROW_NO_ROLL = entry_type(
    "throw.no_roll", ThrowNoRoll, "A throw was called no roll: wagers stay and the dice are thrown again."
)


THROW_SETTLED = entry_type(
    "throw.settled", ThrowSettled, "A throw after which another one follows, with what it decided."
)


class PlacedWager(TypedDict):
    cents: Annotated[int, "the total that the seat now has on the area; 0: taken off"]
    flag: FlagOrNone
    made_in: MadeIn
    seat: int
    wager: str
    play: NotRequired[int]


class WagersPlaced(ActThatWaits):
    placed: Annotated[list[PlacedWager], "each wager that was placed, changed or taken off"]
    round: int
    wagered_cents: int


WAGERS_PLACED = entry_type(
    "wagers.placed",
    WagersPlaced,
    "Wagers were placed, changed or taken off: the totals that seats have on areas.",
)


class WagersReturned(TypedDict):
    returned_cents: Annotated[
        int, "the stakes that went back to these seats, with fees that were paid before"
    ]
    round: Annotated[int, "the round that ended without a result"]
    seats: list[int]


WAGERS_RETURNED = entry_type(
    "wagers.returned",
    WagersReturned,
    "The chips of a round without a result were handed back at these seats.",
)


class WinnersPaid(ActThatWaits):
    paid_cents: Annotated[int, "what these seats were paid, without their stakes"]
    round: int
    seats: list[int]
    wager: NotRequired[
        Annotated[str, "code of the area that was paid; absent where all winning wagers of the seats were"]
    ]
    held_cents: NotRequired[HeldCents]


WINNERS_PAID = entry_type("winners.paid", WinnersPaid, "Winning seats were paid.")
