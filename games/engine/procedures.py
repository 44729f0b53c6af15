"""Which act leads from which phase to which: each game has such a table for each of its orders of steps."""

from collections.abc import Mapping
from dataclasses import dataclass

Moves = Mapping[tuple[str, str], str]

ENDED = frozenset({"cleared", "no-roll", "void"})


@dataclass(frozen=True, slots=True)
class Procedure:
    """An order of steps: the moves, the ribbon's steps, how many are done in a phase, and the next act."""

    moves: Moves
    ribbon: tuple[str, ...]
    done: Mapping[str, int]
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
