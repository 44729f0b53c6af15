"""The course of a round of High Roll Dice: 58 Pa. Code §§ 675a.4, 675a.6(g) to (i), and its line of steps.

With an Extra Roll the sensors are locked and the fees collected before the shake, and the loose dice are thrown
again; without one, and with six dice, the first roll settles everything. What this game refuses, records and shows
beyond every game is declared here; `game.py` has its acts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypedDict

from games.engine.refusals import BETS_STILL_OPEN, NOT_READY, NOTHING_TO_SETTLE, RefusalCode
from games.engine.rounds import DUTY_OF, OUT_OF_TURN, GameView, Moves, OutOfTurn, Phase, Procedure
from games.engine.wagers import STEPS_A_THROW

DICE_NOT_MOVED = RefusalCode(
    "dice-not-moved",
    "The matching dice are not in their box yet. Move them there uncovered, then settle.",
    "Move the dice",
)
NOTHING_TO_MOVE = RefusalCode(
    "nothing-to-move",
    "No matching dice wait for their box now. Follow the line of steps.",
    "Nothing to move",
)
PIP_STREET_FIRST = RefusalCode(
    "pip-street-first",
    "Seat %(seat)s has no Pip Street wager. Ask for one, or give the other wagers back.",
    "Pip Street first",
)
UNEQUAL_WAGERS = RefusalCode(
    "unequal-wagers",
    "The wagers of seat %(seat)s are not of equal value: %(code)s. Make them all one unit.",
    "Not of equal value",
)
NO_LIKE_KIND = RefusalCode(
    "no-like-kind",
    "Seat %(seat)s has no Like Kind wager for an Extra Roll. Ask for one, or give the fee back.",
    "No Like Kind",
)
NOT_ONE_DOLLAR = RefusalCode(
    "not-one-dollar",
    "A Millionaire Row wager is exactly $1. Make it $1, or give it back.",
    "One dollar only",
)
EXTRA_ROLLS_LOCKED_OUT = RefusalCode(
    "extra-rolls-locked-out",
    "The Extra Roll sensors are locked, so none is entered or struck now. Call the floorperson.",
    "Sensors are locked",
)
NOT_LOCKED_OUT = RefusalCode(
    "not-locked-out",
    "An Extra Roll was bought. Lock the sensors before the shake.",
    "Lock out first",
)
NOTHING_TO_LOCK_OUT = RefusalCode(
    "nothing-to-lock-out",
    "No Extra Roll waits for the lock-out now. Follow the line of steps.",
    "Nothing to lock out",
)
FEES_NOT_COLLECTED = RefusalCode(
    "fees-not-collected",
    "Extra Roll fees still lie on the sensors. Put them in the tray before the shake.",
    "Collect the fees",
)
NO_FEES = RefusalCode("no-fees", "There are no Extra Roll fees to collect now. Go on.", "No fees")
GATHER_FIRST = RefusalCode(
    "gather-first",
    "The loose dice are not in the shaker yet. Gather them first.",
    "Gather the dice",
)


# The order of steps


FIRST_ROLL, EXTRA_THROW = STEPS_A_THROW, 2 * STEPS_A_THROW
_EVERY_ROUND: Moves = {
    ("open", "place_wagers"): "open",
    ("open", "no_more_bets"): "closed",
    ("open", "void_round"): "void",
    ("closed", "shake"): "ready",
    ("closed", "correct_dice"): "called",  # never reached: there are no dice, or money has moved
    ("closed", "record_missed_wager"): "closed",
    ("closed", "strike_mistaken_wager"): "closed",
    ("closed", "void_round"): "void",
    ("ready", "call_dice"): "called",
    ("ready", "call_no_roll"): "closed",
    ("ready", "correct_dice"): "called",  # never reached, as above
    ("ready", "record_missed_wager"): "ready",
    ("ready", "strike_mistaken_wager"): "ready",
    ("ready", "void_round"): "void",
    ("called", "move_dice"): "lit",
    ("called", "correct_dice"): "called",
    ("called", "record_missed_wager"): "called",
    ("called", "strike_mistaken_wager"): "called",
    ("lit", "settle_seats"): "lit",  # and automatically to `loose` or `paid` once every seat is settled
    ("lit", "correct_dice"): "called",
    ("lit", "record_missed_wager"): "lit",
    ("lit", "strike_mistaken_wager"): "lit",
    ("paid", "correct_dice"): "called",  # legal only if nobody had a wager
    ("paid", "record_missed_wager"): "lit",
    ("paid", "strike_mistaken_wager"): "lit",
    ("paid", "clear_layout"): "cleared",
}
_WITH_EXTRA_ROLL: Moves = {
    **_EVERY_ROUND,
    ("open", "no_more_bets"): "unlocked",
    ("unlocked", "lock_out_extra_rolls"): "locked",
    ("unlocked", "record_missed_wager"): "unlocked",
    ("unlocked", "strike_mistaken_wager"): "unlocked",
    ("unlocked", "void_round"): "void",
    ("locked", "collect_fees"): "closed",
    ("locked", "record_missed_wager"): "locked",
    ("locked", "strike_mistaken_wager"): "locked",
    ("locked", "void_round"): "void",
    ("loose", "gather_loose_dice"): "closed",
    ("loose", "correct_dice"): "called",  # never reached: money has moved, and the refusal says so
    ("loose", "record_missed_wager"): "loose",  # never reached, as above
    ("loose", "strike_mistaken_wager"): "loose",  # never reached, as above
    ("loose", "void_round"): "void",
}
# The matching dice are in their box already, so the extra throw is settled as soon as it is called.
_THE_EXTRA_THROW: Moves = {
    **_WITH_EXTRA_ROLL,
    ("ready", "call_dice"): "lit",
    ("lit", "correct_dice"): "lit",
    ("paid", "correct_dice"): "lit",  # legal only if the throw settled nothing
}
_NEXT_ACTS: Mapping[Phase, str] = {
    "open": "no_more_bets",
    "unlocked": "lock_out_extra_rolls",
    "locked": "collect_fees",
    "closed": "shake",
    "ready": "call_dice",
    "called": "move_dice",
    "lit": "settle_seats",
    "loose": "gather_loose_dice",
    "paid": "clear_layout",
}
DUTIES = {
    **DUTY_OF,
    "lock_out_extra_rolls": "lock-out",
    "collect_fees": "collect-fees",
    "move_dice": "move-dice",
    "gather_loose_dice": "gather",
}
REFUSALS_OUT_OF_TURN: OutOfTurn = {
    **OUT_OF_TURN,
    ("lock_out_extra_rolls", "open"): (BETS_STILL_OPEN, "no-more-bets"),
    ("lock_out_extra_rolls", ""): (NOTHING_TO_LOCK_OUT, "lock-out"),
    ("collect_fees", "unlocked"): (NOT_LOCKED_OUT, "lock-out"),
    ("collect_fees", ""): (NO_FEES, "collect-fees"),
    ("shake", "unlocked"): (NOT_LOCKED_OUT, "lock-out"),
    ("shake", "locked"): (FEES_NOT_COLLECTED, "collect-fees"),
    ("shake", "loose"): (GATHER_FIRST, "gather"),
    ("call_dice", "unlocked"): (NOT_READY, "shake"),
    ("call_dice", "locked"): (NOT_READY, "shake"),
    ("call_dice", "loose"): (GATHER_FIRST, "gather"),
    ("settle_seats", "loose"): (NOTHING_TO_SETTLE, "settlement"),
    ("move_dice", ""): (NOTHING_TO_MOVE, "move-dice"),
    ("settle_seats", "called"): (DICE_NOT_MOVED, "move-dice"),
    ("call_no_roll", "unlocked"): (NOT_READY, "shake"),
    ("call_no_roll", "locked"): (NOT_READY, "shake"),
    ("call_no_roll", "loose"): (GATHER_FIRST, "gather"),
    ("clear_layout", "loose"): (GATHER_FIRST, "gather"),
}
# The extra throw is called and settled under a paragraph of its own: § 675a.4(h).
_EXTRA_DUTIES = {"call_dice": "call-extra", "correct_dice": "call-extra", "settle_seats": "settle-extra"}


@lru_cache(maxsize=256)
def procedure_of(dice: int, bought: bool, phase: Phase, thrown: int, over: bool) -> Procedure:
    """Return the moves and the ribbon of a round in its present phase.

    `bought` says whether anybody has an Extra Roll, `thrown` how many valid throws were made, and `over` that no
    other throw is to come. While wagers are taken the ribbon shows the steps that an Extra Roll would add.
    """
    extra = dice == 10 and (bought or phase == "open")
    ribbon = _ribbon(dice, extra, extra and not (thrown == 1 and over))
    second = is_extra(phase, thrown, over)
    place = _place(phase, second, ribbon)
    return Procedure(
        moves=_THE_EXTRA_THROW if second else _WITH_EXTRA_ROLL if bought else _EVERY_ROUND,
        ribbon=ribbon,
        steps_done={} if place is None else {phase: place},
        next_act=_NEXT_ACTS,
    )


def is_extra(phase: Phase, thrown: int, over: bool) -> bool:
    """Return whether the round has reached the extra throw: its dice gathered, thrown, or settled."""
    return thrown == 2 or (thrown == 1 and not over and phase in ("loose", "closed", "ready"))


def duty_of(act: str, extra: bool) -> str:
    """Return the duty that an act fulfills, on the first roll or on the extra throw."""
    return _EXTRA_DUTIES.get(act, DUTIES[act]) if extra else DUTIES[act]


def _ribbon(dice: int, lock_out: bool, extra_throw: bool) -> tuple[str, ...]:
    return (
        *("placement", "no-more-bets"),
        *(("lock-out",) if lock_out else ()),
        *("shake", "first-roll" if dice == 10 else "call-dice", "settle"),
        *(("extra-roll", "settle") if extra_throw else ()),
        "clear",
    )


def _place(phase: Phase, extra: bool, ribbon: tuple[str, ...]) -> int | None:
    """Return how many steps of the ribbon are done; None in a round that was cut short."""
    first = ribbon.index("shake")
    places = {
        "open": 0,
        "unlocked": first - 1,
        "locked": first - 1,
        "closed": first,
        "ready": first + 1,
        "called": first + 2
        if "call-dice" in ribbon
        else first + 1,  # a first roll lasts until its dice are in their box
        "lit": first + 2,
        "loose": first + 3,
        "paid": len(ribbon) - 1,
        "cleared": len(ribbon),
    }
    if extra:
        places.update(closed=first + 3, ready=first + 3, lit=first + 4)
    return places.get(phase)


# The record of each act


@dataclass(frozen=True, slots=True)
class DiceMoved:
    """The matching dice moved, uncovered, into the box of their face."""

    face: int
    count: int
    section: str


@dataclass(frozen=True, slots=True)
class ExtraRollsLockedOut:
    """The sensors locked; `seats` have bought an Extra Roll."""

    seats: tuple[int, ...]
    section: str


@dataclass(frozen=True, slots=True)
class FeesCollected:
    """The fees of these seats, `cents` in all, put into the table inventory."""

    seats: tuple[int, ...]
    cents: int
    section: str


@dataclass(frozen=True, slots=True)
class LooseDiceGathered:
    """All dice but the held ones, so many, put back into the shaker."""

    dice: int
    section: str


# What a screen is shown


Sensors = Literal["none", "open", "unlocked", "locked", "collected"]


class ExtraRolls(TypedDict):
    """The Extra Rolls that were bought, and the state of their sensors."""

    seats: list[int]
    cents: int
    state: Sensors


class Cut(TypedDict):
    """What the payout limit leaves of a seat's winnings."""

    seat: int
    before_cents: int
    after_cents: int


class HighRollView(GameView):
    """The units, the matching dice, the Extra Rolls, and what the payout limit cuts."""

    dice: int
    unit_cents: dict[str, int]
    loose: int
    extra: ExtraRolls
    cuts: list[Cut]
