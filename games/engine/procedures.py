"""Which act leads from which phase to which: each game has such a table for each of its orders of steps.

Games of one throw share theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Moves = Mapping[tuple[str, str], str]

ENDED = frozenset({"cleared", "no-roll", "void"})


@dataclass(frozen=True, slots=True)
class Procedure:
    """An order of steps: the moves, the ribbon's steps, how many of them each phase has behind it, and the next act."""

    moves: Moves
    ribbon: tuple[str, ...]
    steps_done: Mapping[str, int]
    next_act: Mapping[str, str]

    @property
    def phases(self) -> frozenset[str]:
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

# Why an act is out of turn: the refusal and the duty whose section it cites. Where a phase is missing the
# act's own line under "" holds, and else `not-now`.
OUT_OF_TURN: Mapping[tuple[str, str], tuple[str, str]] = {
    ("place_wagers", ""): ("bets-closed", "no-more-bets"),
    ("no_more_bets", "open"): ("not-shaken", "shake"),
    ("no_more_bets", ""): ("bets-closed-already", "no-more-bets"),
    ("shake", "open"): ("bets-still-open", "no-more-bets"),
    ("shake", ""): ("shaken-already", "shake"),
    ("call_dice", "open"): ("not-ready", "shake"),
    ("call_dice", "closed"): ("not-shaken", "shake"),
    ("call_dice", "shaken"): ("bets-still-open", "no-more-bets"),
    ("call_dice", ""): ("dice-called-already", "call-dice"),
    ("settle_seats", "paid"): ("nothing-to-settle", "settlement"),
    ("settle_seats", ""): ("not-lit", "settlement"),
    ("call_no_roll", "open"): ("not-ready", "shake"),
    ("call_no_roll", "closed"): ("not-shaken", "shake"),
    ("call_no_roll", "shaken"): ("bets-still-open", "no-more-bets"),
    ("call_no_roll", ""): ("dice-called-already", "call-dice"),
    ("take_losers", "taken"): ("losers-taken-already", "take"),
    ("take_losers", "paid"): ("losers-taken-already", "take"),
    ("take_losers", ""): ("not-lit", "settlement"),
    ("pay_seats", "lit"): ("losers-not-taken", "take"),
    ("pay_seats", "paid"): ("nothing-to-pay", "pay"),
    ("pay_seats", ""): ("not-lit", "settlement"),
    ("clear_layout", "lit"): ("losers-not-taken", "take"),
    ("clear_layout", "taken"): ("winners-not-paid", "pay"),
    ("void_round", ""): ("dice-called-already", "call-dice"),
    ("report_shaker_failure", "open"): ("shaker-not-started", "shake"),
    ("report_shaker_failure", ""): ("dice-called-already", "call-dice"),
    ("correct_dice", ""): ("no-dice-yet", "call-dice"),
    ("record_missed_wager", ""): ("bets-still-open", "no-more-bets"),
    ("strike_mistaken_wager", ""): ("bets-still-open", "no-more-bets"),
}


# The course of a game of one throw: all losers are taken, then the winners are paid

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
    ("taken", "pay_seats"): "taken",  # and to `paid` by itself once nobody is owed anything
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
    ("shaken", "report_shaker_failure"): "void",
    ("shaken", "void_round"): "void",
    **FROM_THE_DICE_ON,
}

LAST_ACTS = {"ready": "call_dice", "lit": "take_losers", "taken": "pay_seats", "paid": "clear_layout"}
LAST_DONE = {"ready": 3, "lit": 4, "taken": 5, "paid": 6, "cleared": 7}
LAST_STEPS = ("call-dice", "take", "pay", "clear")

# By the order of the shake and "no more bets", which the kind of shaker decides
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
