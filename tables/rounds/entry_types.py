"""Entries about the round in play: wagers, throws, settlement."""

from typing import Literal, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.settlement import WagerOutcome
from tables.models.rounds import FlagOrNone

MadeIn = Literal["chips", "plaques", "cash"]


class SettledWager(TypedDict):
    """One wager as a throw settles it, as `manage.py adjudicate` writes it."""

    seat: int
    wager: str
    cents: int
    outcome: WagerOutcome
    pays: str | None
    paid_cents: int
    returned_cents: int
    cite: str
    play: NotRequired[int]
    cut_cents: NotRequired[int]


class Called(TypedDict):
    """What a throw comes to, by code, with the figures of its sentence."""

    code: str
    total: NotRequired[int]
    added: NotRequired[int]
    count: NotRequired[int]
    face: NotRequired[int]
    yards: NotRequired[int]


class ThrowData(TypedDict):
    """A throw with what it settled; where wagers go back without dice, `called` is null and `lit` empty."""

    round: int
    throw: int
    revision: int
    dice: list[int]
    reason: str
    lot: str | None
    shaker: str | None
    uncovered: bool
    announced: bool
    called: Called | None
    lit: list[str]
    by_hand: bool
    settled: list[SettledWager]
    taken_cents: int
    paid_cents: int
    returned_cents: int


class NewSettlement(TypedDict, total=False):
    """The fields of `ThrowData`, in an entry that settles again only once dice lie on the layout."""

    throw: int
    revision: int
    dice: list[int]
    reason: str
    lot: str | None
    shaker: str | None
    uncovered: bool
    announced: bool
    called: Called | None
    lit: list[str]
    by_hand: bool
    settled: list[SettledWager]
    taken_cents: int
    paid_cents: int
    returned_cents: int


class BetsClosed(TypedDict):
    round: int
    wagered_cents: int


BETS_CLOSED = entry_type("bets.closed", BetsClosed, "No more bets was announced.")


class DiceDrawn(TypedDict):
    by: str
    dice: list[int]
    round: int


DICE_DRAWN = entry_type("dice.drawn", DiceDrawn, "At a training table the machine drew the dice.")


class DiceGathered(TypedDict):
    dice: int
    round: int


DICE_GATHERED = entry_type(
    "dice.gathered", DiceGathered, "High Roll Dice: the loose dice were gathered for the extra throw."
)


class DiceMoved(TypedDict):
    count: int
    exposed: bool
    face: int
    round: int
    throw: int


DICE_MOVED = entry_type(
    "dice.moved", DiceMoved, "High Roll Dice: the matching dice were moved into their box."
)


class DiceOfferedChosen(TypedDict):
    green: int
    red: int


class DiceOffered(TypedDict):
    accepted: bool
    lot: str
    round: int
    seat: int
    chosen: NotRequired[DiceOfferedChosen]


DICE_OFFERED = entry_type(
    "dice.offered",
    DiceOffered,
    "Three Dice Football: the dice were offered to a seat, which accepted them or not.",
)


class DiceShaken(TypedDict):
    activated_by_seat: int
    lot: str
    round: int
    shaker: str
    shakes: int


DICE_SHAKEN = entry_type(
    "dice.shaken", DiceShaken, "The dice were shaken, or an automated shaker was activated."
)


class DiceThrown(TypedDict):
    lot: str
    quarterback: int | None
    round: int
    throw: int
    wagered_cents: int


DICE_THROWN = entry_type(
    "dice.thrown",
    DiceThrown,
    "Three Dice Football: the dice left the Quarterback's hand, which closes the wagers on the play.",
)


class ExtraRollFees(TypedDict):
    fees_cents: int
    round: int
    seats: list[int]


EXTRA_ROLLS_LOCKED_OUT = entry_type(
    "extra_rolls.locked_out",
    ExtraRollFees,
    "High Roll Dice: the sensors of the Extra Roll were locked.",
)


FEES_COLLECTED = entry_type(
    "fees.collected", ExtraRollFees, "High Roll Dice: the fees of the Extra Roll were put into the tray."
)


class LayoutCleared(TypedDict):
    paid_cents: int
    round: int
    taken_cents: int


LAYOUT_CLEARED = entry_type("layout.cleared", LayoutCleared, "The layout was cleared, which ended the round.")


class LosersTaken(TypedDict):
    round: int
    taken_cents: int


LOSERS_TAKEN = entry_type("losers.taken", LosersTaken, "All losing wagers were taken.")


class ThrowSettled(ThrowData):
    """`leaning`: dice read by the face opposite to the one that leaned; `disputed`: a face was disputed and decided."""

    leaning: NotRequired[int]
    disputed: NotRequired[bool]


class ThrowOrFailure(ThrowData):
    failed: NotRequired[str]


ROUND_NO_ROLL = entry_type(
    "round.no_roll", ThrowData, "A no roll ended the round, and its wagers were returned."
)


ROUND_SETTLED = entry_type(
    "round.settled", ThrowSettled, "The throw that ended the round, with every wager that it settled."
)


ROUND_SETTLED_BY_HAND = entry_type(
    "round.settled_by_hand",
    ThrowOrFailure,
    "The round was settled manually after a device failed, before the witness on the entry.",
)


ROUND_VOIDED = entry_type(
    "round.voided", ThrowOrFailure, "The round was voided, and its open wagers were returned."
)


class SeatChange(TypedDict):
    seat: int


SEAT_FREED = entry_type("seat.freed", SeatChange, "A player left a seat.")


SEAT_TAKEN = entry_type("seat.taken", SeatChange, "A player took a seat.")


class SeatsSettled(TypedDict):
    paid_cents: int
    round: int
    seats: list[int]
    taken_cents: int
    throw: int


SEATS_SETTLED = entry_type(
    "seats.settled", SeatsSettled, "One step of a settlement was taken and paid at these seats."
)


class ThrowNoRoll(TypedDict):
    lot: str
    reason: str
    round: int
    section: str
    shaker: str
    throw: int


THROW_NO_ROLL = entry_type(
    "throw.no_roll", ThrowNoRoll, "A throw was called no roll: wagers stay and the dice are thrown again."
)


THROW_SETTLED = entry_type(
    "throw.settled", ThrowSettled, "A throw after which another one follows, with what it decided."
)


class PlacedWager(TypedDict):
    cents: int
    flag: FlagOrNone
    made_in: MadeIn
    seat: int
    wager: str
    play: NotRequired[int]


class WagersPlaced(TypedDict):
    placed: list[PlacedWager]
    round: int
    wagered_cents: int


WAGERS_PLACED = entry_type(
    "wagers.placed",
    WagersPlaced,
    "Wagers were placed, changed or taken off: the totals that seats have on areas.",
)


class WinnersPaid(TypedDict):
    paid_cents: int
    round: int
    seats: list[int]


WINNERS_PAID = entry_type("winners.paid", WinnersPaid, "Winning seats were paid.")
