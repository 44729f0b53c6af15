"""A round: the order of its steps, its state, the record of each act, and what a game may show of it.

A game has a table for each of its orders of steps, in which an act leads from one phase to the next; games of one
throw share theirs. The state never changes in place: an act (`games/engine/game.py`) returns the new state and one of
the records. What the throws decide is asked of the game for each state, so that a corrected throw settles as it would
have.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, TypedDict, TypeGuard

from games.engine.refusals import (
    BETS_CLOSED,
    BETS_CLOSED_ALREADY,
    BETS_STILL_OPEN,
    DICE_CALLED_ALREADY,
    LOSERS_NOT_TAKEN,
    LOSERS_TAKEN_ALREADY,
    NO_DICE_YET,
    NOT_LIT,
    NOT_READY,
    NOT_SHAKEN,
    NOTHING_TO_PAY,
    NOTHING_TO_SETTLE,
    SHAKEN_ALREADY,
    SHAKER_NOT_STARTED,
    WINNERS_NOT_PAID,
    RefusalCode,
)
from games.engine.rules import Rules
from games.engine.wagers import FEE, STEPS_A_THROW, Placing, Reason, Settled, Wager, give_back, in_order

# Where a round is. The phases between "open" and the end are those that some game has.
Phase = Literal[
    "open",
    "shaken",
    "unlocked",
    "locked",
    "closed",
    "ready",
    "called",
    "lit",
    "taken",
    "loose",
    "point",
    "paid",
    "cleared",
    "no-roll",
    "void",
]
EndedPhase = Literal["cleared", "no-roll", "void"]
ENDED: frozenset[EndedPhase] = frozenset({"cleared", "no-roll", "void"})
Moves = Mapping[tuple[Phase, str], Phase]


def has_ended(phase: Phase) -> TypeGuard[EndedPhase]:
    """Return whether a round in this phase is over."""
    return phase in ENDED


@dataclass(frozen=True, slots=True)
class Procedure:
    """An order of steps: the moves, the steps of the ribbon, how many of them each phase has behind it, the next
    act.
    """

    moves: Moves
    ribbon: tuple[str, ...]
    steps_done: Mapping[Phase, int]
    next_act: Mapping[Phase, str]

    @property
    def phases(self) -> frozenset[Phase]:
        return frozenset(phase for phase, _ in self.moves) | ENDED


DUTY_OF = {
    "place_wagers": "placement",
    "no_more_bets": "no-more-bets",
    "shake": "shake",
    "call_dice": "call-dice",
    "call_no_roll": "no-roll",
    "take_losers": "take",
    "pay_seats": "pay",
    "clear_layout": "clear",
    "settle_seats": "settlement",
    "void_round": "void",
    "report_device_failure": "device-failure",
    "report_shaker_failure": "shaker-failure",
    "settle_manually": "device-failure",
    "correct_dice": "call-dice",
    "record_missed_wager": "position",
    "strike_mistaken_wager": "position",
}

OutOfTurn = Mapping[tuple[str, Phase | Literal[""]], tuple[RefusalCode, str]]

# Why an act is out of turn: the refusal and the duty whose section it cites. Where a phase is missing the
# act's own line under "" holds, and else `not-now`.
OUT_OF_TURN: OutOfTurn = {
    ("place_wagers", ""): (BETS_CLOSED, "no-more-bets"),
    ("no_more_bets", "open"): (NOT_SHAKEN, "shake"),
    ("no_more_bets", ""): (BETS_CLOSED_ALREADY, "no-more-bets"),
    ("shake", "open"): (BETS_STILL_OPEN, "no-more-bets"),
    ("shake", ""): (SHAKEN_ALREADY, "shake"),
    ("call_dice", "open"): (NOT_READY, "shake"),
    ("call_dice", "closed"): (NOT_SHAKEN, "shake"),
    ("call_dice", "shaken"): (BETS_STILL_OPEN, "no-more-bets"),
    ("call_dice", ""): (DICE_CALLED_ALREADY, "call-dice"),
    ("settle_seats", "paid"): (NOTHING_TO_SETTLE, "settlement"),
    ("settle_seats", ""): (NOT_LIT, "settlement"),
    ("call_no_roll", "open"): (NOT_READY, "shake"),
    ("call_no_roll", "closed"): (NOT_SHAKEN, "shake"),
    ("call_no_roll", "shaken"): (BETS_STILL_OPEN, "no-more-bets"),
    ("call_no_roll", ""): (DICE_CALLED_ALREADY, "call-dice"),
    ("take_losers", "taken"): (LOSERS_TAKEN_ALREADY, "take"),
    ("take_losers", "paid"): (LOSERS_TAKEN_ALREADY, "take"),
    ("take_losers", ""): (NOT_LIT, "settlement"),
    ("pay_seats", "lit"): (LOSERS_NOT_TAKEN, "take"),
    ("pay_seats", "paid"): (NOTHING_TO_PAY, "pay"),
    ("pay_seats", ""): (NOT_LIT, "settlement"),
    ("clear_layout", "lit"): (LOSERS_NOT_TAKEN, "take"),
    ("clear_layout", "taken"): (WINNERS_NOT_PAID, "pay"),
    ("void_round", ""): (DICE_CALLED_ALREADY, "call-dice"),
    ("report_shaker_failure", "open"): (SHAKER_NOT_STARTED, "shake"),
    ("report_shaker_failure", ""): (DICE_CALLED_ALREADY, "call-dice"),
    ("correct_dice", ""): (NO_DICE_YET, "call-dice"),
    ("record_missed_wager", ""): (BETS_STILL_OPEN, "no-more-bets"),
    ("strike_mistaken_wager", ""): (BETS_STILL_OPEN, "no-more-bets"),
}


# A game of one throw: all losers are taken, then the winners are paid

FROM_THE_DICE_ON: Moves = {
    ("ready", "call_dice"): "lit",
    ("ready", "call_no_roll"): "no-roll",
    ("ready", "settle_manually"): "lit",
    ("ready", "report_device_failure"): "void",
    ("ready", "report_shaker_failure"): "void",
    ("ready", "void_round"): "void",
    ("ready", "record_missed_wager"): "ready",
    ("ready", "strike_mistaken_wager"): "ready",
    ("lit", "correct_dice"): "lit",
    ("lit", "record_missed_wager"): "lit",
    ("lit", "strike_mistaken_wager"): "lit",
    ("lit", "settle_manually"): "lit",
    ("lit", "take_losers"): "taken",
    ("taken", "correct_dice"): "lit",
    ("taken", "record_missed_wager"): "taken",
    ("taken", "strike_mistaken_wager"): "taken",
    ("taken", "settle_manually"): "taken",
    ("taken", "pay_seats"): "taken",  # and automatically to `paid` once nobody is owed anything
    ("paid", "correct_dice"): "lit",  # legal only while nobody has been paid: a round without winners
    ("paid", "record_missed_wager"): "taken",
    ("paid", "strike_mistaken_wager"): "taken",
    ("paid", "settle_manually"): "paid",
    ("paid", "clear_layout"): "cleared",
}

CLOSE_FIRST: Moves = {
    ("open", "place_wagers"): "open",
    ("open", "no_more_bets"): "closed",
    ("open", "report_device_failure"): "void",
    ("open", "void_round"): "void",
    ("closed", "shake"): "ready",
    ("closed", "record_missed_wager"): "closed",
    ("closed", "strike_mistaken_wager"): "closed",
    ("closed", "report_device_failure"): "void",
    ("closed", "report_shaker_failure"): "void",
    ("closed", "void_round"): "void",
    **FROM_THE_DICE_ON,
}

SHAKE_FIRST: Moves = {
    ("open", "place_wagers"): "open",
    ("open", "shake"): "shaken",
    ("open", "report_device_failure"): "void",
    ("open", "report_shaker_failure"): "void",
    ("open", "void_round"): "void",
    ("shaken", "place_wagers"): "shaken",
    ("shaken", "no_more_bets"): "ready",
    ("shaken", "report_device_failure"): "void",
    ("shaken", "settle_manually"): "lit",  # an automated shaker, which has tossed the dice
    ("shaken", "report_shaker_failure"): "void",
    ("shaken", "void_round"): "void",
    **FROM_THE_DICE_ON,
}

LAST_ACTS: Mapping[Phase, str] = {
    "ready": "call_dice",
    "lit": "take_losers",
    "taken": "pay_seats",
    "paid": "clear_layout",
}
LAST_DONE: Mapping[Phase, int] = {"ready": 3, "lit": 4, "taken": 5, "paid": 6, "cleared": 7}
LAST_STEPS = ("call-dice", "take", "pay", "clear")

# Keyed by the order of the shake and "no more bets", which depends on the kind of shaker
SINGLE_THROW = {
    "close-first": Procedure(
        moves=CLOSE_FIRST,
        ribbon=("placement", "no-more-bets", "shake", *LAST_STEPS),
        steps_done={"open": 0, "closed": 2, **LAST_DONE},
        next_act={"open": "no_more_bets", "closed": "shake", **LAST_ACTS},
    ),
    "shake-first": Procedure(
        moves=SHAKE_FIRST,
        ribbon=("placement", "shake", "no-more-bets", *LAST_STEPS),
        steps_done={"open": 0, "shaken": 2, **LAST_DONE},
        next_act={"open": "shake", "shaken": "no_more_bets", **LAST_ACTS},
    ),
}


# The state of a round, and the result of its wagers. State never changes in place


# Why wagers go back, and the duty whose section that cites. A void by the facility and a device that fails before
# the dice are seen have no paragraph of their own (readings A14, A47), so they cite the whole section on
# irregularities; only a failed automated shaker may cite its own.
RETURNS = {"no-roll": "no-roll", "void": "void", "device-failed": "void", "shaker-failed": "shaker-failure"}


@dataclass(frozen=True, slots=True)
class Result:
    """What the throws of a round decide: the decided wagers, in the order of the wagers.

    `ending` is how the round ended, "" while another throw follows; `dice` is how many dice that throw has.
    """

    settled: tuple[Settled, ...] = ()
    ending: str = ""
    dice: int = 0


class RoundGame(Protocol):
    """What a round needs of its game."""

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """Return what the valid throws so far decide, and whether another throw follows."""

    def procedure(self, state: "RoundState") -> Procedure:
        """Return the order of steps that this round follows."""


@dataclass(frozen=True)
class RoundState:
    """The state of a round: its phase, the wagers on the layout, its throws, and how far it is settled.

    It never changes, so what its throws decide is computed once.
    """

    game: RoundGame
    rules: Rules
    shaker: str
    phase: Phase = "open"
    wagers: tuple[Wager, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()  # the valid ones
    paid_seats: frozenset[int] = frozenset()  # in the current step
    paid_areas: frozenset[tuple[int, str]] = (
        frozenset()
    )  # (seat, code) paid, at seats that are not paid in full
    manual_settlement: bool = False  # the device failed after the dice were seen
    returned_for: str = ""  # why every wager was returned, in a round that ended without a result
    step: int = 0  # the last complete step, in a game that settles in steps
    void_throws: int = 0  # throws that were called no roll and thrown again
    quarterback: int | None = None  # the seat that throws, in a game whose players throw
    offered: int | None = None  # the seat that was offered the dice last
    seated: frozenset[int] = frozenset()  # the seats that are taken, with a wager or without
    absent: frozenset[int] = frozenset()  # those of them whose player is away or has left

    @property
    def dice(self) -> tuple[int, ...]:
        """Return the faces of the newest throw, () before the first."""
        return self.throws[-1] if self.throws else ()

    @property
    def result(self) -> Result:
        """Return what the throws so far decide, and what comes next."""
        return self.game.result(self.rules, self.wagers, self.throws)

    @cached_property
    def settled(self) -> tuple[Settled, ...]:
        """Return every decided wager, in the order of settlement. In a void round the others go back."""
        if self.phase in ("no-roll", "void"):
            reason = self.returned_for or self.phase
            return in_order(settled_of_void(self.game, self.rules, self.wagers, self.throws, reason))
        return in_order(self.result.settled)

    @cached_property
    def of_newest_throw(self) -> tuple[Settled, ...]:
        """Return what the newest throw decided, in the order of settlement."""
        first_step = STEPS_A_THROW * len(self.throws)
        return tuple(settled for settled in self.settled if settled.step >= first_step)

    @property
    def money_moved(self) -> bool:
        """Return whether settling the newest throw has begun: from then on nothing is corrected."""
        return bool(self.paid_seats or self.paid_areas) or (
            bool(self.throws) and self.step >= STEPS_A_THROW * len(self.throws)
        )

    @property
    def may_dice_be_known(self) -> bool:
        """Return whether somebody may know dice of this round: from the moment when they may be called."""
        return bool(self.throws) or (self.phase, "call_dice") in self.procedure.moves

    def may_be_known_uncalled(self, key: tuple[int, str, int | None]) -> bool:
        """Return whether dice may be known, and none that were called decide the wager of this key."""
        return self.may_dice_be_known and all(settled.wager.key != key for settled in self.settled)

    @property
    def ended(self) -> bool:
        """Return whether the round is over."""
        return has_ended(self.phase)

    @property
    def procedure(self) -> Procedure:
        """Return the order of steps that this round follows."""
        return self.game.procedure(self)


def settled_of_void(
    game: RoundGame,
    rules: Rules,
    wagers: Sequence[Wager],
    throws: Sequence[Sequence[int]],
    reason: str,
) -> tuple[Settled, ...]:
    """Return what these throws decided before the round ended without a result, then the wagers that go back.

    A fee goes back too (A47). `reason` is one of `RETURNS`.
    """
    decided = game.result(rules, wagers, throws).settled
    decided = tuple(settled for settled in decided if settled.outcome != FEE)
    keys = {settled.wager.key for settled in decided}
    undecided = (wager for wager in wagers if wager.key not in keys)
    return decided + return_all(rules, undecided, reason)


def return_all(rules: Rules, wagers: Iterable[Wager], reason: str) -> tuple[Settled, ...]:
    """Return every wager for a reason of `RETURNS`, each citing the irregularity behind it."""
    section = rules.section(RETURNS[reason])
    return tuple(give_back(wager, section, Reason(reason)) for wager in wagers)


# The record of each act


@dataclass(frozen=True, slots=True)
class WagersPlaced:
    """Totals as entered, in order. `before_cents` is the total before each."""

    placings: tuple[Placing, ...]
    before_cents: tuple[int, ...]
    section: str


@dataclass(frozen=True, slots=True)
class BetsClosed:
    section: str


@dataclass(frozen=True, slots=True)
class DiceShaken:
    """`by_seat` is the player who activated a player-activated shaker; None is the dealer."""

    times: int
    by_seat: int | None
    section: str


@dataclass(frozen=True, slots=True)
class DiceCalled:
    """Faces as called and entered, and the codes that the layout lights for them."""

    dice: tuple[int, ...]
    winning: tuple[str, ...]
    section: str


@dataclass(frozen=True, slots=True)
class NoRollCalled:
    reason: str
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class LosersTaken:
    """The losing wagers collected, in the order of settlement."""

    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class SeatsPaid:
    """The winning wagers of these seats paid, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class SeatsSettled:
    """One step of the settlement taken and paid at these seats, in the order of settlement."""

    seats: tuple[int, ...]
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class LayoutCleared:
    section: str


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """Every wager returned; `reason` is in the facility's own words."""

    reason: str
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class DiceCorrected:
    dice: tuple[int, ...]
    before: tuple[int, ...]
    winning: tuple[str, ...]
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class MissedWagerRecorded:
    """A wager that was on the layout at "no more bets" and had not been entered."""

    placing: Placing
    before_cents: int
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class MistakenWagerStruck:
    """A wager that had been entered but never was on the layout."""

    wager: Wager
    reason: str
    section: str


@dataclass(frozen=True, slots=True)
class DeviceFailed:
    """With `dice` the round is settled manually before `witness`; without, it is void and all is `settled`."""

    dice: tuple[int, ...] | None
    witness: str | None
    settled: tuple[Settled, ...]
    section: str


@dataclass(frozen=True, slots=True)
class ShakerFailed:
    settled: tuple[Settled, ...]
    section: str


# What a game may show of a round in addition to what every game shows (`Game.view`)


class DiceOffer(TypedDict):
    """In a game whose players throw: the seat that is offered the dice next, and the one offered them last."""

    next: int
    last: int | None


class MatchingDice(TypedDict):
    """Dice that stay in their box for the next throw."""

    face: int
    count: int


class GameView(TypedDict, total=False):
    """The keys that screens read for any game; a game's own view adds its keys."""

    offer: DiceOffer
    held: MatchingDice | None
    payout_limit_cents: int | None
