"""Which act leads from which phase to which. A game has such a table for each of its orders of steps.

Games of one throw share theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeGuard

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
