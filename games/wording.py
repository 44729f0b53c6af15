"""Every refusal and reason of the engine as a sentence. A refusal says what is wrong and what to do now."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from games import wording_high_roll as high_roll
from games.engine import Reason, Refusal

# code: (two or three words, the sentence)
REFUSALS = {
    # Wagers
    "bets-closed": (lazy("Bets are closed"), lazy("No more bets was announced. Give the wager back.")),
    "bets-closed-already": (lazy("Bets are closed"), lazy("No more bets was announced already. Go on.")),
    "bets-still-open": (
        lazy("Bets are still open"),
        lazy("Bets are still open. Announce no more bets first."),
    ),
    "no-such-wager": (
        lazy("No such wager"),
        lazy("The layout has no wager %(code)s. Ask where the chips belong."),
    ),
    "cash-wager": (
        lazy("No cash wagers"),
        lazy("Wagers are chips or plaques on the layout. Change the cash first."),
    ),
    "bad-amount": (lazy("Wrong amount"), lazy("%(cents)s is not an amount in whole cents. Enter it again.")),
    "bad-seat": (lazy("No such seat"), lazy("%(seat)s is not a seat. Choose the seat again.")),
    "fraction-of-a-cent": (
        lazy("Cannot be paid"),
        lazy("At %(odds)s this wager would win a part of a cent. Ask for another amount."),
    ),
    "not-an-increment": (
        lazy("Wrong amount"),
        lazy("Wagers here are made in steps of %(step)s. Ask for another amount."),
    ),
    "nothing-placed": (
        lazy("No wager"),
        lazy("There is no wager in this entry. Choose a place on the layout."),
    ),
    # The round
    "round-over": (lazy("Round over"), lazy("This round has ended. Begin the next one.")),
    "not-now": (lazy("Not now"), lazy("That is not the next step. Follow the line of steps.")),
    "not-shaken": (lazy("Not shaken"), lazy("The dice have not been shaken. Shake them first.")),
    "not-ready": (lazy("Not ready"), lazy("The dice are not ready. Close the bets and shake them first.")),
    "shaken-already": (
        lazy("Shaken already"),
        lazy("The dice were shaken for this round. Go on to the next step."),
    ),
    "too-few-shakes": (
        lazy("Shake again"),
        lazy("The shaker was shaken %(times)s times. Shake it at least %(least)s times."),
    ),
    "not-player-activated": (
        lazy("The dealer shakes"),
        lazy("No player works this shaker. The dealer shakes or activates it."),
    ),
    "no-live-wager": (
        lazy("No wager there"),
        lazy("Seat %(seat)s has no wager in this round. Choose a player who has one."),
    ),
    "no-dice-yet": (
        lazy("No dice yet"),
        lazy("No dice have been called in this round. Call and enter them first."),
    ),
    "dice-called-already": (
        lazy("Dice are called"),
        lazy("The dice of this round are called. Settle it; a wrong entry is mended by correcting the dice."),
    ),
    "dice-unchanged": (
        lazy("Same dice"),
        lazy("These dice stand entered. Enter what lies in the shaker."),
    ),
    "wrong-number-of-dice": (
        lazy("Number of dice"),
        lazy("%(given)s dice were entered and the game is played with %(needed)s. Enter them all."),
    ),
    "no-such-face": (lazy("No such face"), lazy("%(face)s is not a face of a die. Enter 1 to %(faces)s.")),
    "not-lit": (lazy("Not lit yet"), lazy("The winning combinations are not lit. Enter the dice first.")),
    "losers-taken-already": (lazy("Taken already"), lazy("The losing wagers are taken. Pay the winners.")),
    "losers-not-taken": (
        lazy("Take first"),
        lazy("Losing wagers still lie there. Take them all before paying."),
    ),
    "nothing-to-pay": (
        lazy("Nothing to pay"),
        lazy("No winning wager is left to pay there. Choose another seat."),
    ),
    "seat-paid-already": (lazy("Paid already"), lazy("Seat %(seat)s has been paid. Go on to the next seat.")),
    "winners-not-paid": (
        lazy("Pay first"),
        lazy("Winning wagers are still to be paid. Pay them, then clear."),
    ),
    "settle-first": (
        lazy("Settle first"),
        lazy("The newest throw is still to be settled. Take and pay, then go on."),
    ),
    "seat-settled-already": (
        lazy("Settled already"),
        lazy("Seat %(seat)s has been settled. Go on to the next seat."),
    ),
    "nothing-to-settle": (
        lazy("Nothing to settle"),
        lazy("Nothing is left to settle there. Choose another seat."),
    ),
    "no-such-reason": (
        lazy("No such reason"),
        lazy("A throw is not void because of %(reason)s. Choose one of the reasons shown."),
    ),
    # High Roll Dice
    **high_roll.REFUSALS,
    "not-locked-out": (
        lazy("Lock out first"),
        lazy("An Extra Roll was bought. Lock the sensors before the shake."),
    ),
    "nothing-to-lock-out": (
        lazy("Nothing to lock out"),
        lazy("No Extra Roll waits for the lock-out now. Follow the line of steps."),
    ),
    "fees-not-collected": (
        lazy("Collect the fees"),
        lazy("Extra Roll fees still lie on the sensors. Put them in the tray before the shake."),
    ),
    "no-fees": (lazy("No fees"), lazy("There are no Extra Roll fees to collect now. Go on.")),
    "gather-first": (
        lazy("Gather the dice"),
        lazy("The loose dice are not in the shaker yet. Gather them first."),
    ),
    # Three Dice Football
    "extra-point-rolled": (
        lazy("The point was rolled"),
        lazy(
            "The extra point roll was made on this wager. It can no longer be struck; call the floorperson."
        ),
    ),
    "thrown-already": (
        lazy("Thrown already"),
        lazy("The dice are thrown. Call them, or call no roll."),
    ),
    "play-not-asked": (
        lazy("No play there"),
        lazy("%(code)s is not made on one play. Enter it without a play."),
    ),
    "no-such-play": (
        lazy("No such play"),
        lazy("The game had no play %(play)s on which %(code)s could be settled. Mend the play."),
    ),
    "play-missing": (
        lazy("Which play?"),
        lazy("%(code)s is made on a single play. Enter its play with it."),
    ),
    "not-the-next-play": (
        lazy("Another play"),
        lazy("Wagers are on play %(next)s now and this one is on play %(play)s. Enter it on play %(next)s."),
    ),
    "full-game-locked": (
        lazy("Locked for the game"),
        lazy("The first throw locked %(code)s until the game ends. Leave it as it lies."),
    ),
    "closed-by-the-throw": (
        lazy("The dice are thrown"),
        lazy("The dice have left the hand, which closed the wagers. Give the wager back."),
    ),
    "extra-point-next": (
        lazy("Extra point roll"),
        lazy("A score is made and no wager or offer comes before its extra point roll. Have it thrown."),
    ),
    "game-over": (lazy("Game over"), lazy("This game has ended. Clear the field and begin the next one.")),
    "not-thrown": (
        lazy("Not thrown yet"),
        lazy("The dice have not been thrown for this play. Pass them to the Quarterback."),
    ),
    "no-quarterback": (
        lazy("No Quarterback"),
        lazy("Nobody has accepted the dice. Offer them clockwise until a player does."),
    ),
    "quarterback-chosen": (
        lazy("Quarterback is chosen"),
        lazy("Seat %(seat)s holds the dice. Pass them there for the throw."),
    ),
    "offer-in-turn": (
        lazy("Offer in turn"),
        lazy("Seat %(next)s is asked before seat %(seat)s. Offer the dice there first."),
    ),
    "next-play-wagered": (
        lazy("Wagers lie there"),
        lazy("Wagers for play %(play)s lie there already. Take them off before the dice are corrected."),
    ),
    "reason-missing": (lazy("Say why"), lazy("A void needs its reason. Enter it in a few words.")),
    # Mending
    "payment-begun": (
        lazy("Payment has begun"),
        lazy("A winner has been paid, so this round is no longer mended here. Call the floorperson."),
    ),
    "settled-before": (
        lazy("Settled already"),
        lazy("An earlier throw has settled %(code)s. It is no longer mended here; call the floorperson."),
    ),
    "wager-unchanged": (
        lazy("No change"),
        lazy("That wager stands entered already. Enter what lay there instead."),
    ),
    "nothing-to-strike": (
        lazy("No such wager"),
        lazy("Seat %(seat)s has no %(code)s entered. Choose another wager."),
    ),
    # Device, shaker
    "dice-not-seen": (
        lazy("Dice not seen"),
        lazy("The dice have not been seen yet. Report the failure without dice."),
    ),
    "dice-are-in-view": (
        lazy("Dice are in view"),
        lazy("The dice are in view. Enter them and settle by hand."),
    ),
    "shaker-not-automated": (
        lazy("Manual shaker"),
        lazy("This shaker is not an automated one. Call no roll, or have the round voided."),
    ),
    "shaker-not-started": (
        lazy("Not activated"),
        lazy("The shaker has not been activated in this round. Announce no more bets first."),
    ),
    "shaker-not-allowed": (
        lazy("Shaker not allowed"),
        lazy("These rules allow no %(kind)s shaker. Use another."),
    ),
    "shaker-not-filed": (
        lazy("Shaker not filed"),
        lazy("The rules submission in force names no %(kind)s shaker. Use one that it names."),
    ),
    # Rules
    "no-such-game": (lazy("No such game"), lazy("There is no game %(code)s here. Choose one of the list.")),
    "no-such-rules": (
        lazy("No such rules"),
        lazy("There are no rules %(rules)s. Use a key such as pa-625a/A."),
    ),
    "which-paytable": (
        lazy("Which paytable?"),
        lazy("%(rules)s has several paytables. Name one: %(rules)s/A."),
    ),
    "payouts-are-exact": (
        lazy("Odds are fixed"),
        lazy("These rules set exact odds, so %(family)s cannot be changed. Choose a paytable instead."),
    ),
    "odds-are-fixed": (lazy("Odds are fixed"), lazy("The odds of %(family)s are fixed. Leave them out.")),
    "no-such-family": (
        lazy("No such wager"),
        lazy("There are no odds named %(family)s. Use a name such as total:4."),
    ),
    "under-the-floor": (
        lazy("Under the floor"),
        lazy("%(odds)s for %(family)s is under the least odds. File %(floor)s or more."),
    ),
    "no-payout-limit": (
        lazy("No payout limit"),
        lazy("These rules know no aggregate payout limit. Leave it out."),
    ),
    "odds-unreadable": (lazy("Odds unreadable"), lazy("%(text)s is not odds. Write them as 6 to 1.")),
    "odds-said-for": (lazy("Wrong word"), lazy("Odds are never stated as %(text)s. Write them as 6 to 1.")),
    "odds-word-not-allowed": (
        lazy("Wrong word"),
        lazy("Odds are not stated with %(word)s here. Write them as 6 to 1."),
    ),
    "terms-changed": (
        lazy("Terms have changed"),
        lazy("The filed terms of %(rules)s no longer agree with the edition. Call the games administrator."),
    ),
    "terms-do-not-match": (
        lazy("Terms altered"),
        lazy(
            "The terms of %(submission)s do not match their hash. Do not deal; call the games administrator."
        ),
    ),
    "player-favoured": (
        lazy("Pays too much"),
        lazy("With these odds %(wager)s pays players more than the house keeps. File lower odds."),
    ),
    # Rounds on paper
    "unreadable-line": (
        lazy("Unreadable"),
        lazy("The line is not JSON in UTF-8. Mend it and send it again."),
    ),
    "not-an-object": (
        lazy("Not an object"),
        lazy("The %(what)s is not a JSON object. Mend it and send it again."),
    ),
    "repeated-key": (lazy("Repeated key"), lazy("The key %(key)s stands there twice. Keep one of them.")),
    "unknown-key": (lazy("Unknown key"), lazy("The key %(key)s means nothing here. Leave it out.")),
    "key-missing": (lazy("Key missing"), lazy("The key %(key)s is missing. Add it.")),
    "wrong-value": (lazy("Wrong value"), lazy("The value of %(key)s is not of the right kind. Mend it.")),
    "not-a-number": (lazy("Not a number"), lazy("%(value)s is not a number in JSON. Write a whole number.")),
    "number-too-long": (
        lazy("Number too long"),
        lazy("A number of %(digits)s digits is no amount. Mend it."),
    ),
    "reason-needed": (lazy("Say why"), lazy("The key %(key)s needs a reason in words. Add it.")),
    "repeated-wager": (
        lazy("Repeated wager"),
        lazy("Seat %(seat)s has %(code)s twice. A wager is the total of a seat: add them up."),
    ),
    "too-many-throws": (
        lazy("Too many throws"),
        lazy("The round had ended before its last throw. Leave out what follows."),
    ),
    "too-few-throws": (
        lazy("Too few throws"),
        lazy("The round had not ended with these throws. Add the rest."),
    ),
}

REASONS = {
    **high_roll.REASONS,
    "none-shows": lazy("No %(number)s shows"),
    "too-few-show-1-3": lazy("One %(number)s, not three"),
    "too-few-show-2-3": lazy("Two %(number)ss, not three"),
    "too-few-show-1-2": lazy("One %(number)s, not two"),
    "shows-1": lazy("One die shows %(number)s"),
    "shows-2": lazy("Two dice show %(number)s"),
    "shows-3": lazy("Three dice show %(number)s"),
    "no-three-alike": lazy("No three alike"),
    "triple": lazy("%(number)s-%(number)s-%(number)s is a triple"),
    "total": lazy("The total is %(total)s"),
    "over": lazy("%(total)s is over %(bound)s"),
    "under": lazy("%(total)s is under %(bound)s"),
    "both-show": lazy("%(low)s and %(high)s show"),
    "neither-shows": lazy("Neither shows"),
    "called-triple": lazy("Total %(total)s, triple"),
    "called-small": lazy("Total %(total)s, small"),
    "called-big": lazy("Total %(total)s, big"),
    # Three Dice Football
    "gain": lazy("Gain of %(yards)s"),
    "no-gain": lazy("No gain"),
    "penalty": lazy("Penalty"),
    "turnover": lazy("Turnover"),
    "trips-td": lazy("Trips TD"),
    "touchdown": lazy("Touchdown"),
    "out-of-downs": lazy("Out of downs"),
    "scored-on-play": lazy("Scored on play %(play)s"),
    "lasted": lazy("The game ended on play %(play)s"),
    "point-on-one": lazy("One 1"),
    "point-on-two": lazy("Two 1s"),
    "point-on-three-aces": lazy("Three 1s"),
    "point-on-triple": lazy("Triple"),
    "no-point": lazy("No point"),
    "no-roll": lazy("No roll: the wager goes back"),
    "void": lazy("The round is void: the wager goes back"),
    "device-failed": lazy("The device failed before the dice were seen: the wager goes back"),
    "shaker-failed": lazy("The shaker failed: the wager goes back"),
}


# Why a throw is void, by the code that the editions list
NO_ROLLS = {
    "off-table": lazy("A die left the table"),
    "on-another": lazy("A die came to rest on another"),
    "cocked": lazy("More than one side of a die rests on an object"),
    "not-simultaneous": lazy("The dice did not leave the hand together"),
    "short-of-the-end": lazy("A die did not strike the far end"),
    "on-the-bank": lazy("A die rests on the bank of chips"),
    "in-cup-or-rail": lazy("A die rests in the cup or on a rail"),
    "cheating-device": lazy("A cheating device or technique"),
    "improper": lazy("The throw was improper"),
    "disputed": lazy("The uppermost face was disputed"),
}


def no_roll(reason: str) -> str:
    """Why a throw was void, in words; what people entered in their own words stays as it is."""
    return str(NO_ROLLS.get(reason, reason))


def say(refusal: Refusal) -> str:
    """The sentence of a refusal; an unknown code is shown as it is rather than hidden."""
    found = REFUSALS.get(refusal.code)
    return str(found[1]) % refusal.params if found else _("Not possible now: %s.") % refusal.code


def title(refusal: Refusal) -> str:
    """Two or three words over the sentence."""
    found = REFUSALS.get(refusal.code)
    return str(found[0]) if found else _("Not possible")


def why(reason: Reason) -> str:
    """The sentence of a reason, for instance "12 is over 10"."""
    return str(REASONS.get(key_of(reason), reason.code)) % _figures(reason)


def key_of(reason: Reason) -> str:
    """The sentence's key: where a number is told in words, each number has a sentence of its own."""
    told = [str(reason.params[name]) for name in ("count", "needed") if name in reason.params]
    return "-".join([reason.code, *told])


def _figures(reason: Reason) -> dict[str, Any]:
    named = {"faces": high_roll.FACES[reason.params["face"]]} if "face" in reason.params else {}
    return {**reason.params, **named}
