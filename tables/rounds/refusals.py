"""Refusals about wagers, seats and rounds, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_ROLL_MUST_BE_SIGNED = RefusalCode(
    "no-roll-must-be-signed",
    "No more bets was announced, so the wagers go back only with the floor's signature. Leave the dice as they are and "
    "call a floorperson, who signs with their own PIN.",
    "Floorperson needed",
)
NO_ROLL_TAKES_TWO = RefusalCode(
    "no-roll-takes-two",
    "Nobody does this alone. Leave the dice as they are, and have whoever deals, or another of the floor, sign with "
    "their own PIN.",
    "Second person needed",
)
NO_ROLLS_ABOVE_THE_RATE = RefusalCode(
    "no-rolls-above-the-rate",
    "%(count)s throws were called no roll in the last %(minutes)s minutes. Leave the dice as they are and call a "
    "floorperson, who signs this one with their own PIN.",
    "Floorperson needed",
)
REASON_OF_ANOTHER_ACT = RefusalCode(
    "reason-of-another-act",
    "For this reason the round is not ended here. Use %(instead)s.",
    "Another act",
)
NO_SUCH_VOID_REASON = RefusalCode(
    "no-such-void-reason",
    "A round is not voided because of %(reason)s. Choose one of the reasons shown, and note the rest beside it.",
    "No such reason",
)
DRAWS_ONLY_IN_TRAINING = RefusalCode(
    "draws-only-in-training",
    "%(table)s is not a training table. People throw the dice there.",
)
DICE_DRAWN_ALREADY = RefusalCode(
    "dice-drawn-already",
    "The dice of round %(round)s are already thrown. Call what they show.",
    "Dice already thrown",
)
NO_SUCH_SEAT = RefusalCode("no-such-seat", "This table has seats 1 to %(seats)s; there is no seat %(seat)s.")
NO_ROUND = RefusalCode("no-round", "No round is in play. It begins with the first wager or shake.")
NOTHING_TO_RETURN = RefusalCode(
    "nothing-to-return",
    "No wagers of round %(round)s are left to return.",
    "Nothing to return",
)
SEAT_IS_OPEN = RefusalCode(
    "seat-is-open",
    "Nobody sits at seat %(seat)s. Seat the player first, then take the wager.",
)
SEAT_IS_TAKEN = RefusalCode("seat-is-taken", "A player sits at seat %(seat)s already.")
SEAT_HAS_THE_DICE = RefusalCode(
    "seat-has-the-dice",
    "Seat %(seat)s has thrown the dice. Call them first.",
)
SEAT_HOLDS_THE_DICE = RefusalCode(
    "seat-holds-the-dice",
    "Seat %(seat)s has the dice. Record first that the player gives them up.",
)
SEAT_HAS_NO_WAGER = RefusalCode(
    "seat-has-no-wager",
    "Seat %(seat)s has no wager in this round. Record that the player left, and the seat is free at once.",
)
SEAT_HAS_A_WAGER = RefusalCode(
    "seat-has-a-wager",
    "Seat %(seat)s has a wager in this round. The player stays until it ends.",
)
