"""The refusals of the engine. A refusal is data: a code, which carries its sentence, and the figures that fill it."""

from collections.abc import Callable
from typing import Any

from audit.refusals import RefusalCode as RefusalCode


class Refusal(Exception):
    """What the rules do not allow: a code, the section that says so ("" where none does) and the figures."""

    def __init__(self, code: RefusalCode, section: str = "", /, **params: Any) -> None:
        super().__init__(code, section, params)
        self.code = code
        self.section = section
        self.params = params

    def __str__(self) -> str:
        return f"{self.code} ({self.section})" if self.section else self.code

    @property
    def sentence(self) -> str:
        """What is wrong and what to do now."""
        return self.code.sentence % self.params

    @property
    def heading(self) -> str:
        """Two or three words over the sentence."""
        return self.code.heading or "Not possible"


def refusal_of(check: Callable[[], object]) -> Refusal | None:
    """Return what a check raises; None if it passes."""
    try:
        check()
    except Refusal as refusal:
        return refusal
    return None


# Wagers
BETS_CLOSED = RefusalCode(
    "bets-closed",
    "No more bets was announced. Give the wager back.",
    "Bets are closed",
)
BETS_CLOSED_ALREADY = RefusalCode(
    "bets-closed-already",
    "No more bets was already announced. Continue.",
    "Bets are closed",
)
BETS_STILL_OPEN = RefusalCode(
    "bets-still-open",
    "Bets are still open. Announce no more bets first.",
    "Bets are still open",
)
NO_SUCH_WAGER = RefusalCode(
    "no-such-wager",
    "The layout has no wager %(code)s. Ask where the chips belong.",
    "No such wager",
)
CASH_WAGER = RefusalCode(
    "cash-wager",
    "Wagers are chips or plaques on the layout. Change the cash first.",
    "No cash wagers",
)
BAD_AMOUNT = RefusalCode(
    "bad-amount",
    "%(cents)s is not an amount in whole cents. Enter it again.",
    "Wrong amount",
)
BAD_SEAT = RefusalCode("bad-seat", "%(seat)s is not a seat. Choose the seat again.", "No such seat")
FRACTION_OF_A_CENT = RefusalCode(
    "fraction-of-a-cent",
    "At %(odds)s this wager would win a part of a cent. Ask for another amount.",
    "Cannot be paid",
)
NOT_AN_INCREMENT = RefusalCode(
    "not-an-increment",
    "Wagers here are made in steps of %(step)s. Ask for another amount.",
    "Wrong amount",
)
NOTHING_PLACED = RefusalCode(
    "nothing-placed",
    "There is no wager in this entry. Choose a place on the layout.",
    "No wager",
)

# The round
ROUND_OVER = RefusalCode("round-over", "This round has ended. Begin the next one.", "Round over")
NOT_NOW = RefusalCode("not-now", "That is not the next step. Follow the line of steps.", "Not now")
NOT_SHAKEN = RefusalCode("not-shaken", "The dice have not been shaken. Shake them first.", "Not shaken")
NOT_READY = RefusalCode(
    "not-ready",
    "The dice are not ready. Close the bets and shake them first.",
    "Not ready",
)
SHAKEN_ALREADY = RefusalCode(
    "shaken-already",
    "The dice were already shaken for this round. Continue with the next step.",
    "Shaken already",
)
TOO_FEW_SHAKES = RefusalCode(
    "too-few-shakes",
    "The shaker was shaken %(times)s times. Shake it at least %(least)s times.",
    "Shake again",
)
NOT_PLAYER_ACTIVATED = RefusalCode(
    "not-player-activated",
    "No player works this shaker. The dealer shakes or activates it.",
    "The dealer shakes",
)
NO_LIVE_WAGER = RefusalCode(
    "no-live-wager",
    "Seat %(seat)s has no wager in this round. Choose a player who has one.",
    "No wager there",
)
NO_DICE_YET = RefusalCode(
    "no-dice-yet",
    "No dice have been called in this round. Call and enter them first.",
    "No dice yet",
)
DICE_CALLED_ALREADY = RefusalCode(
    "dice-called-already",
    "The dice of this round are already called. Settle it; if the entry is wrong, correct the dice.",
    "Dice are called",
)
DICE_UNCHANGED = RefusalCode(
    "dice-unchanged",
    "These dice are already entered. Enter the dice as they fell.",
    "Same dice",
)
WRONG_NUMBER_OF_DICE = RefusalCode(
    "wrong-number-of-dice",
    "%(given)s dice were entered and the game is played with %(needed)s. Enter them all.",
    "Number of dice",
)
NO_SUCH_FACE = RefusalCode(
    "no-such-face",
    "%(face)s is not a face of a die. Enter 1 to %(faces)s.",
    "No such face",
)
MORE_FACES_THAN_DICE = RefusalCode(
    "more-faces-than-dice",
    "%(given)s faces were entered and %(thrown)s dice were thrown. Enter only the faces that could be read.",
    "Number of faces",
)
NOT_LIT = RefusalCode("not-lit", "The winning combinations are not lit. Enter the dice first.", "Not lit yet")
LOSERS_TAKEN_ALREADY = RefusalCode(
    "losers-taken-already",
    "The losing wagers are taken. Pay the winners.",
    "Taken already",
)
LOSERS_NOT_TAKEN = RefusalCode(
    "losers-not-taken",
    "There are still losing wagers. Take them all before you pay.",
    "Take first",
)
NOTHING_TO_PAY = RefusalCode(
    "nothing-to-pay",
    "No winning wager is left to pay there. Choose another seat.",
    "Nothing to pay",
)
SEAT_PAID_ALREADY = RefusalCode(
    "seat-paid-already",
    "Seat %(seat)s has been paid. Go on to the next seat.",
    "Paid already",
)
WINNERS_NOT_PAID = RefusalCode(
    "winners-not-paid",
    "Winning wagers are still to be paid. Pay them, then clear.",
    "Pay first",
)
SEAT_SETTLED_ALREADY = RefusalCode(
    "seat-settled-already",
    "Seat %(seat)s has been settled. Go on to the next seat.",
    "Settled already",
)
NOTHING_TO_SETTLE = RefusalCode(
    "nothing-to-settle",
    "Nothing is left to settle there. Choose another seat.",
    "Nothing to settle",
)
NO_SUCH_REASON = RefusalCode(
    "no-such-reason",
    "A throw is not void because of %(reason)s. Choose one of the reasons shown.",
    "No such reason",
)
PLAY_NOT_ASKED = RefusalCode(
    "play-not-asked",
    "%(code)s is not made on one play. Enter it without a play.",
    "No play there",
)
NO_SUCH_PLAY = RefusalCode(
    "no-such-play",
    "The game had no play %(play)s on which %(code)s could be settled. Correct the play.",
    "No such play",
)
REASON_MISSING = RefusalCode("reason-missing", "A void needs its reason. Enter it in a few words.", "Say why")

# Corrections
PAYMENT_BEGUN = RefusalCode(
    "payment-begun",
    "A winner has been paid, so this round can no longer be corrected here. Call the floorperson.",
    "Payment has begun",
)
SETTLED_BEFORE = RefusalCode(
    "settled-before",
    "An earlier throw has settled %(code)s. It can no longer be corrected here; call the floorperson.",
    "Settled already",
)
WAGER_UNCHANGED = RefusalCode(
    "wager-unchanged",
    "That wager is already entered. Enter what was there instead.",
    "No change",
)
NOTHING_TO_STRIKE = RefusalCode(
    "nothing-to-strike",
    "Seat %(seat)s has no %(code)s entered. Choose another wager.",
    "No such wager",
)

# Device, shaker
DICE_NOT_SEEN = RefusalCode(
    "dice-not-seen",
    "The dice have not been seen yet. Report the failure without dice.",
    "Dice not seen",
)
DICE_ARE_IN_VIEW = RefusalCode(
    "dice-are-in-view",
    "The dice are in view. Enter them and settle manually.",
    "Dice are in view",
)
DICE_WERE_TOSSED = RefusalCode(
    "dice-were-tossed",
    "The shaker has tossed the dice. Uncover it, enter them and settle manually.",
    "Dice were tossed",
)
SHAKER_HAS_TOSSED = RefusalCode(
    "shaker-has-tossed",
    "The dice are in view. Enter them and settle, or a pit manager voids the round.",
    "Dice are in view",
)
SHAKER_NOT_AUTOMATED = RefusalCode(
    "shaker-not-automated",
    "This shaker is not an automated one. Call no roll, or have the round voided.",
    "Manual shaker",
)
SHAKER_NOT_STARTED = RefusalCode(
    "shaker-not-started",
    "The shaker has not been activated in this round. Announce no more bets first.",
    "Not activated",
)
SHAKER_NOT_ALLOWED = RefusalCode(
    "shaker-not-allowed",
    "These rules allow no %(kind)s shaker. Use another.",
    "Shaker not allowed",
)
SHAKER_NOT_FILED = RefusalCode(
    "shaker-not-filed",
    "The rules submission in force names no %(kind)s shaker. Use one that it names.",
    "Shaker not filed",
)
NO_SUCH_RULES = RefusalCode(
    "no-such-rules",
    "There are no rules %(rules)s. Use a key such as pa-625a/A.",
    "No such rules",
)
WHICH_PAYTABLE = RefusalCode(
    "which-paytable",
    "%(rules)s has several paytables. Name one: %(rules)s/A.",
    "Which paytable?",
)
PAYOUTS_ARE_EXACT = RefusalCode(
    "payouts-are-exact",
    "These rules set exact odds, so %(family)s cannot be changed. Choose a paytable instead.",
    "Odds are fixed",
)
ODDS_ARE_FIXED = RefusalCode(
    "odds-are-fixed",
    "The odds of %(family)s are fixed. Leave them out.",
    "Odds are fixed",
)
NO_SUCH_FAMILY = RefusalCode(
    "no-such-family",
    "There are no odds named %(family)s. Use a name such as total:4.",
    "No such wager",
)
UNDER_THE_FLOOR = RefusalCode(
    "under-the-floor",
    "%(odds)s for %(family)s is under the least odds. File %(floor)s or more.",
    "Under the floor",
)
LIMIT_UNDER_THE_LEAST = RefusalCode(
    "limit-under-the-least",
    "A payout limit of %(limit)s is under the least, %(least)s. Give the limit that is filed.",
    "Limit too low",
)
NO_PAYOUT_LIMIT = RefusalCode(
    "no-payout-limit",
    "These rules know no aggregate payout limit. Leave it out.",
    "No payout limit",
)
ODDS_UNREADABLE = RefusalCode(
    "odds-unreadable",
    "%(text)s is not odds. Write them as 6 to 1.",
    "Odds unreadable",
)
ODDS_SAID_FOR = RefusalCode(
    "odds-said-for",
    "Odds are never stated as %(text)s. Write them as 6 to 1.",
    "Wrong word",
)
ODDS_WORD_NOT_ALLOWED = RefusalCode(
    "odds-word-not-allowed",
    "Odds are not stated with %(word)s here. Write them as 6 to 1.",
    "Wrong word",
)
TERMS_CHANGED = RefusalCode(
    "terms-changed",
    "The filed terms of %(rules)s no longer agree with the edition. Call the games administrator.",
    "Terms have changed",
)
TOO_MANY_THROWS = RefusalCode(
    "too-many-throws",
    "The round had ended before its last throw. Leave out what follows.",
    "Too many throws",
)
TOO_FEW_THROWS = RefusalCode(
    "too-few-throws",
    "The round had not ended with these throws. Add the rest.",
    "Too few throws",
)
