"""Every refusal and reason of the engine as a sentence. A refusal says what is wrong and what to do now.

The words of a single game lie in its folder, `games/catalog/*/words.py`, under the same names.
"""

from collections import ChainMap
from collections.abc import Mapping
from typing import Any, TypeVar

from games import registry
from games.engine import Reason, Refusal

Key = TypeVar("Key")
Words = TypeVar("Words")

# code: (two or three words, the sentence)
REFUSALS = {
    # Wagers
    "bets-closed": ("Bets are closed", "No more bets was announced. Give the wager back."),
    "bets-closed-already": ("Bets are closed", "No more bets was already announced. Continue."),
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
        "The dice were already shaken for this round. Continue with the next step.",
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
        "The dice of this round are already called. Settle it; if the entry is wrong, correct the dice.",
    ),
    "dice-unchanged": (
        "Same dice",
        "These dice are already entered. Enter the dice that are in the shaker.",
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
        "There are still losing wagers. Take them all before you pay.",
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
    "play-not-asked": (
        "No play there",
        "%(code)s is not made on one play. Enter it without a play.",
    ),
    "no-such-play": (
        "No such play",
        "The game had no play %(play)s on which %(code)s could be settled. Mend the play.",
    ),
    "reason-missing": ("Say why", "A void needs its reason. Enter it in a few words."),
    # Corrections
    "payment-begun": (
        "Payment has begun",
        "A winner has been paid, so this round can no longer be corrected here. Call the floorperson.",
    ),
    "settled-before": (
        "Settled already",
        "An earlier throw has settled %(code)s. It can no longer be corrected here; call the floorperson.",
    ),
    "wager-unchanged": (
        "No change",
        "That wager is already entered. Enter what was there instead.",
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
        "The dice are in view. Enter them and settle manually.",
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
}

# What several dice of a face are called
FACES = {1: "aces", 2: "twos", 3: "threes", 4: "fours", 5: "fives", 6: "sixes"}


def with_games(name: str, shared: Mapping[Key, Words]) -> Mapping[Key, Words]:
    """Shared words together with those that every registered game has under the same name."""
    return ChainMap(dict(shared), *(getattr(words, name, {}) for words in registry.parts("words").values()))


def no_roll_text(reason: str) -> str:
    """Why a throw was void, in words. What people entered in their own words stays as it is."""
    return str(with_games("NO_ROLLS", NO_ROLLS).get(reason, reason))


def say(refusal: Refusal) -> str:
    """The sentence of a refusal. An unknown code is shown as it is rather than hidden."""
    entry = with_games("REFUSALS", REFUSALS).get(refusal.code)
    return str(entry[1]) % refusal.params if entry else "Not possible now: %s." % refusal.code


def title(refusal: Refusal) -> str:
    """Two or three words over the sentence."""
    entry = with_games("REFUSALS", REFUSALS).get(refusal.code)
    return str(entry[0]) if entry else "Not possible"


def reason_text(reason: Reason) -> str:
    """The sentence of a reason, for instance "12 is over 10"."""
    sentence = with_games("REASONS", REASONS).get(reason_key(reason), reason.code)
    return str(sentence) % _figures(reason)


def reason_key(reason: Reason) -> str:
    """The sentence's key: where a number is written in words, each number has a sentence of its own."""
    counts = [str(reason.params[name]) for name in ("count", "needed") if name in reason.params]
    return "-".join([reason.code, *counts])


def _figures(reason: Reason) -> dict[str, Any]:
    faces = {"faces": FACES[reason.params["face"]]} if "face" in reason.params else {}
    return {**reason.params, **faces}
