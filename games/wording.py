"""Every refusal and reason of the engine as a sentence. A refusal says what is wrong and what to do now."""

from typing import Any

from games import wording_high_roll as high_roll
from games.engine import Reason, Refusal

# code: (two or three words, the sentence)
REFUSALS = {
    # Wagers
    "bets-closed": ("Bets are closed", "No more bets was announced. Give the wager back."),
    "bets-closed-already": ("Bets are closed", "No more bets was announced already. Go on."),
    "bets-still-open": (
        "Bets are still open",
        "Bets are still open. Announce no more bets first.",
    ),
    "no-such-wager": (
        "No such wager",
        "The layout has no wager %(code)s. Ask where the chips belong.",
    ),
    "cash-wager": (
        "No cash wagers",
        "Wagers are chips or plaques on the layout. Change the cash first.",
    ),
    "bad-amount": ("Wrong amount", "%(cents)s is not an amount in whole cents. Enter it again."),
    "bad-seat": ("No such seat", "%(seat)s is not a seat. Choose the seat again."),
    "fraction-of-a-cent": (
        "Cannot be paid",
        "At %(odds)s this wager would win a part of a cent. Ask for another amount.",
    ),
    "not-an-increment": (
        "Wrong amount",
        "Wagers here are made in steps of %(step)s. Ask for another amount.",
    ),
    "nothing-placed": (
        "No wager",
        "There is no wager in this entry. Choose a place on the layout.",
    ),
    # The round
    "round-over": ("Round over", "This round has ended. Begin the next one."),
    "not-now": ("Not now", "That is not the next step. Follow the line of steps."),
    "not-shaken": ("Not shaken", "The dice have not been shaken. Shake them first."),
    "not-ready": ("Not ready", "The dice are not ready. Close the bets and shake them first."),
    "shaken-already": (
        "Shaken already",
        "The dice were shaken for this round. Go on to the next step.",
    ),
    "too-few-shakes": (
        "Shake again",
        "The shaker was shaken %(times)s times. Shake it at least %(least)s times.",
    ),
    "not-player-activated": (
        "The dealer shakes",
        "No player works this shaker. The dealer shakes or activates it.",
    ),
    "no-live-wager": (
        "No wager there",
        "Seat %(seat)s has no wager in this round. Choose a player who has one.",
    ),
    "no-dice-yet": (
        "No dice yet",
        "No dice have been called in this round. Call and enter them first.",
    ),
    "dice-called-already": (
        "Dice are called",
        "The dice of this round are called. Settle it; a wrong entry is mended by correcting the dice.",
    ),
    "dice-unchanged": (
        "Same dice",
        "These dice stand entered. Enter what lies in the shaker.",
    ),
    "wrong-number-of-dice": (
        "Number of dice",
        "%(given)s dice were entered and the game is played with %(needed)s. Enter them all.",
    ),
    "no-such-face": ("No such face", "%(face)s is not a face of a die. Enter 1 to %(faces)s."),
    "not-lit": ("Not lit yet", "The winning combinations are not lit. Enter the dice first."),
    "losers-taken-already": ("Taken already", "The losing wagers are taken. Pay the winners."),
    "losers-not-taken": (
        "Take first",
        "Losing wagers still lie there. Take them all before paying.",
    ),
    "nothing-to-pay": (
        "Nothing to pay",
        "No winning wager is left to pay there. Choose another seat.",
    ),
    "seat-paid-already": ("Paid already", "Seat %(seat)s has been paid. Go on to the next seat."),
    "winners-not-paid": (
        "Pay first",
        "Winning wagers are still to be paid. Pay them, then clear.",
    ),
    "settle-first": (
        "Settle first",
        "The newest throw is still to be settled. Take and pay, then go on.",
    ),
    "seat-settled-already": (
        "Settled already",
        "Seat %(seat)s has been settled. Go on to the next seat.",
    ),
    "nothing-to-settle": (
        "Nothing to settle",
        "Nothing is left to settle there. Choose another seat.",
    ),
    "no-such-reason": (
        "No such reason",
        "A throw is not void because of %(reason)s. Choose one of the reasons shown.",
    ),
    # High Roll Dice
    **high_roll.REFUSALS,
    "not-locked-out": (
        "Lock out first",
        "An Extra Roll was bought. Lock the sensors before the shake.",
    ),
    "nothing-to-lock-out": (
        "Nothing to lock out",
        "No Extra Roll waits for the lock-out now. Follow the line of steps.",
    ),
    "fees-not-collected": (
        "Collect the fees",
        "Extra Roll fees still lie on the sensors. Put them in the tray before the shake.",
    ),
    "no-fees": ("No fees", "There are no Extra Roll fees to collect now. Go on."),
    "gather-first": (
        "Gather the dice",
        "The loose dice are not in the shaker yet. Gather them first.",
    ),
    # Three Dice Football
    "extra-point-rolled": (
        "The point was rolled",
        "The extra point roll was made on this wager. It can no longer be struck; call the floorperson.",
    ),
    "thrown-already": (
        "Thrown already",
        "The dice are thrown. Call them, or call no roll.",
    ),
    "play-not-asked": (
        "No play there",
        "%(code)s is not made on one play. Enter it without a play.",
    ),
    "no-such-play": (
        "No such play",
        "The game had no play %(play)s on which %(code)s could be settled. Mend the play.",
    ),
    "play-missing": (
        "Which play?",
        "%(code)s is made on a single play. Enter its play with it.",
    ),
    "not-the-next-play": (
        "Another play",
        "Wagers are on play %(next)s now and this one is on play %(play)s. Enter it on play %(next)s.",
    ),
    "full-game-locked": (
        "Locked for the game",
        "The first throw locked %(code)s until the game ends. Leave it as it lies.",
    ),
    "closed-by-the-throw": (
        "The dice are thrown",
        "The dice have left the hand, which closed the wagers. Give the wager back.",
    ),
    "extra-point-next": (
        "Extra point roll",
        "A score is made and no wager or offer comes before its extra point roll. Have it thrown.",
    ),
    "game-over": ("Game over", "This game has ended. Clear the field and begin the next one."),
    "not-thrown": (
        "Not thrown yet",
        "The dice have not been thrown for this play. Pass them to the Quarterback.",
    ),
    "no-quarterback": (
        "No Quarterback",
        "Nobody has accepted the dice. Offer them clockwise until a player does.",
    ),
    "quarterback-chosen": (
        "Quarterback is chosen",
        "Seat %(seat)s holds the dice. Pass them there for the throw.",
    ),
    "offer-in-turn": (
        "Offer in turn",
        "Seat %(next)s is asked before seat %(seat)s. Offer the dice there first.",
    ),
    "next-play-wagered": (
        "Wagers lie there",
        "Wagers for play %(play)s lie there already. Take them off before the dice are corrected.",
    ),
    "reason-missing": ("Say why", "A void needs its reason. Enter it in a few words."),
    # Mending
    "payment-begun": (
        "Payment has begun",
        "A winner has been paid, so this round is no longer mended here. Call the floorperson.",
    ),
    "settled-before": (
        "Settled already",
        "An earlier throw has settled %(code)s. It is no longer mended here; call the floorperson.",
    ),
    "wager-unchanged": (
        "No change",
        "That wager stands entered already. Enter what lay there instead.",
    ),
    "nothing-to-strike": (
        "No such wager",
        "Seat %(seat)s has no %(code)s entered. Choose another wager.",
    ),
    # Device, shaker
    "dice-not-seen": (
        "Dice not seen",
        "The dice have not been seen yet. Report the failure without dice.",
    ),
    "dice-are-in-view": (
        "Dice are in view",
        "The dice are in view. Enter them and settle by hand.",
    ),
    "shaker-not-automated": (
        "Manual shaker",
        "This shaker is not an automated one. Call no roll, or have the round voided.",
    ),
    "shaker-not-started": (
        "Not activated",
        "The shaker has not been activated in this round. Announce no more bets first.",
    ),
    "shaker-not-allowed": (
        "Shaker not allowed",
        "These rules allow no %(kind)s shaker. Use another.",
    ),
    "shaker-not-filed": (
        "Shaker not filed",
        "The rules submission in force names no %(kind)s shaker. Use one that it names.",
    ),
    # Rules
    "no-such-game": ("No such game", "There is no game %(code)s here. Choose one of the list."),
    "no-such-rules": (
        "No such rules",
        "There are no rules %(rules)s. Use a key such as pa-625a/A.",
    ),
    "which-paytable": (
        "Which paytable?",
        "%(rules)s has several paytables. Name one: %(rules)s/A.",
    ),
    "payouts-are-exact": (
        "Odds are fixed",
        "These rules set exact odds, so %(family)s cannot be changed. Choose a paytable instead.",
    ),
    "odds-are-fixed": ("Odds are fixed", "The odds of %(family)s are fixed. Leave them out."),
    "no-such-family": (
        "No such wager",
        "There are no odds named %(family)s. Use a name such as total:4.",
    ),
    "under-the-floor": (
        "Under the floor",
        "%(odds)s for %(family)s is under the least odds. File %(floor)s or more.",
    ),
    "no-payout-limit": (
        "No payout limit",
        "These rules know no aggregate payout limit. Leave it out.",
    ),
    "odds-unreadable": ("Odds unreadable", "%(text)s is not odds. Write them as 6 to 1."),
    "odds-said-for": ("Wrong word", "Odds are never stated as %(text)s. Write them as 6 to 1."),
    "odds-word-not-allowed": (
        "Wrong word",
        "Odds are not stated with %(word)s here. Write them as 6 to 1.",
    ),
    "terms-changed": (
        "Terms have changed",
        "The filed terms of %(rules)s no longer agree with the edition. Call the games administrator.",
    ),
    "terms-do-not-match": (
        "Terms altered",
        "The terms of %(submission)s do not match their hash. Do not deal; call the games administrator.",
    ),
    "player-favoured": (
        "Pays too much",
        "With these odds %(wager)s pays players more than the house keeps. File lower odds.",
    ),
    # Rounds on paper
    "unreadable-line": (
        "Unreadable",
        "The line is not JSON in UTF-8. Mend it and send it again.",
    ),
    "not-an-object": (
        "Not an object",
        "The %(what)s is not a JSON object. Mend it and send it again.",
    ),
    "repeated-key": ("Repeated key", "The key %(key)s stands there twice. Keep one of them."),
    "unknown-key": ("Unknown key", "The key %(key)s means nothing here. Leave it out."),
    "key-missing": ("Key missing", "The key %(key)s is missing. Add it."),
    "wrong-value": ("Wrong value", "The value of %(key)s is not of the right kind. Mend it."),
    "not-a-number": ("Not a number", "%(value)s is not a number in JSON. Write a whole number."),
    "number-too-long": (
        "Number too long",
        "A number of %(digits)s digits is no amount. Mend it.",
    ),
    "reason-needed": ("Say why", "The key %(key)s needs a reason in words. Add it."),
    "repeated-wager": (
        "Repeated wager",
        "Seat %(seat)s has %(code)s twice. A wager is the total of a seat: add them up.",
    ),
    "too-many-throws": (
        "Too many throws",
        "The round had ended before its last throw. Leave out what follows.",
    ),
    "too-few-throws": (
        "Too few throws",
        "The round had not ended with these throws. Add the rest.",
    ),
}

REASONS = {
    **high_roll.REASONS,
    "none-shows": "No %(number)s shows",
    "too-few-show-1-3": "One %(number)s, not three",
    "too-few-show-2-3": "Two %(number)ss, not three",
    "too-few-show-1-2": "One %(number)s, not two",
    "shows-1": "One die shows %(number)s",
    "shows-2": "Two dice show %(number)s",
    "shows-3": "Three dice show %(number)s",
    "no-three-alike": "No three alike",
    "triple": "%(number)s-%(number)s-%(number)s is a triple",
    "total": "The total is %(total)s",
    "over": "%(total)s is over %(bound)s",
    "under": "%(total)s is under %(bound)s",
    "both-show": "%(low)s and %(high)s show",
    "neither-shows": "Neither shows",
    "called-triple": "Total %(total)s, triple",
    "called-small": "Total %(total)s, small",
    "called-big": "Total %(total)s, big",
    # Three Dice Football
    "gain": "Gain of %(yards)s",
    "no-gain": "No gain",
    "penalty": "Penalty",
    "turnover": "Turnover",
    "trips-td": "Trips TD",
    "touchdown": "Touchdown",
    "out-of-downs": "Out of downs",
    "scored-on-play": "Scored on play %(play)s",
    "lasted": "The game ended on play %(play)s",
    "point-on-one": "One 1",
    "point-on-two": "Two 1s",
    "point-on-three-aces": "Three 1s",
    "point-on-triple": "Triple",
    "no-point": "No point",
    "no-roll": "No roll: the wager goes back",
    "void": "The round is void: the wager goes back",
    "device-failed": "The device failed before the dice were seen: the wager goes back",
    "shaker-failed": "The shaker failed: the wager goes back",
}


# Why a throw is void, by the code that the editions list
NO_ROLLS = {
    "off-table": "A die left the table",
    "on-another": "A die came to rest on another",
    "cocked": "More than one side of a die rests on an object",
    "not-simultaneous": "The dice did not leave the hand together",
    "short-of-the-end": "A die did not strike the far end",
    "on-the-bank": "A die rests on the bank of chips",
    "in-cup-or-rail": "A die rests in the cup or on a rail",
    "cheating-device": "A cheating device or technique",
    "improper": "The throw was improper",
    "disputed": "The uppermost face was disputed",
}


def no_roll(reason: str) -> str:
    """Why a throw was void, in words; what people entered in their own words stays as it is."""
    return str(NO_ROLLS.get(reason, reason))


def say(refusal: Refusal) -> str:
    """The sentence of a refusal; an unknown code is shown as it is rather than hidden."""
    entry = REFUSALS.get(refusal.code)
    return str(entry[1]) % refusal.params if entry else "Not possible now: %s." % refusal.code


def title(refusal: Refusal) -> str:
    """Two or three words over the sentence."""
    entry = REFUSALS.get(refusal.code)
    return str(entry[0]) if entry else "Not possible"


def why(reason: Reason) -> str:
    """The sentence of a reason, for instance "12 is over 10"."""
    return str(REASONS.get(key_of(reason), reason.code)) % _figures(reason)


def key_of(reason: Reason) -> str:
    """The sentence's key: where a number is told in words, each number has a sentence of its own."""
    counts = [str(reason.params[name]) for name in ("count", "needed") if name in reason.params]
    return "-".join([reason.code, *counts])


def _figures(reason: Reason) -> dict[str, Any]:
    faces = {"faces": high_roll.FACES[reason.params["face"]]} if "face" in reason.params else {}
    return {**reason.params, **faces}
