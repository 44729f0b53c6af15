"""Sentences about Error Notification Slips. Each says what to do next."""

from collections.abc import Callable
from typing import Any

from games.engine.odds import in_dollars
from tables.words.registry import register

TITLES: dict[str, Any] = {
    "slip-needs-two": "Second person needed",
    "slip-manager-must-sign": "Manager needed",
    "slip-mend-it": "Correct it at the table",
    "slip-round-in-play": "Round in play",
    "slip-another-course": "Void the round",
    "slip-stands-otherwise": "Already corrected",
    "slip-settle-first": "Settle the open slip",
    "round-unreadable": "The record is damaged",
    "slip-say-why-less": "Reason needed",
}

SENTENCES: dict[str, Any] = {
    "no-such-round": "%(table)s has no round %(round)s. Check the number in its list of rounds.",
    "no-such-slip": "%(table)s has no slip %(slip)s. Check the code on the page of its round.",
    "slip-needs-two": "Two people must sign a slip, each with their own PIN. Ask a second person to sign.",
    "slip-signer-elsewhere": "%(witness)s does not work at this table. Ask someone who deals or supervises here.",
    "slip-manager-must-sign": "A pit manager or a shift manager must be one of the two who sign a void round. Ask one to sign.",
    "slip-mend-it": "Round %(round)s is in play and no one has been paid. Correct it at the table; that needs no slip.",
    "slip-round-in-play": (
        "Round %(round)s is in play, and some of its money has moved. Correct what the table still allows, finish the round "
        "as shown there, and file the slip when it has ended."
    ),
    "slip-nothing-settled": "Round %(round)s settled nothing, so there is nothing for a slip to correct.",
    "round-unreadable": (
        "The record of round %(round)s was altered, so the round cannot be corrected. Tell compliance "
        "now: Integrity shows which entry was changed."
    ),
    "slip-no-result": (
        "Every open wager of round %(round)s was returned, and no dice decided it. "
        "If a wrong amount was paid or taken, file a payment slip."
    ),
    "slip-is-void": "Slip %(slip)s made round %(round)s void. File a slip with its dice first, then this one.",
    "slip-nothing-to-undo": "Nothing was taken or paid in round %(round)s, so there is nothing to undo.",
    "slip-changes-nothing": "Round %(round)s was settled with these dice. Enter the dice that were on the layout.",
    "slip-wager-unchanged": "This is already recorded for seat %(seat)s. Enter the amount that was there, or 0 for nothing.",
    "slip-payment-unchanged": "This is what was settled with seat %(seat)s. Enter what was in fact paid and taken.",
    "slip-another-course": "With this correction the game would have gone on, or ended on another throw, so it cannot be settled again. Void the round.",
    "slip-stands-otherwise": "Someone else corrected round %(round)s in the meantime. Check the figures again, then sign.",
    "slip-settle-first": "Slip %(slip)s of this round is waiting for its money. Settle it first, then enter the total that was handed over.",
    "slip-settled-already": "Slip %(slip)s is already settled. To correct it, file another slip.",
    "slip-other-seats": "Slip %(slip)s has amounts due at seats %(seats)s. Enter what each of them received or gave back.",
    "slip-moved-more": "This is more than slip %(slip)s has due at seat %(seat)s. Enter no more than the amount due.",
    "slip-say-why-less": "Slip %(slip)s would be settled with less than is due. Enter the reason, and sign again.",
}

KINDS: dict[str, Any] = {
    "dice": "Dice",
    "wager": "Wager",
    "payment": "Payment",
    "void": "Void",
}

CHIPS: dict[str, Any] = {
    "recorded": "went as recorded",
    "player": "are with the player",
    "house": "were taken by the casino",
}

OUTCOMES: dict[str, Any] = {
    "": "nothing",
    "win": "won %(paid)s on %(stake)s",
    "lose": "lost %(stake)s",
    "fee": "fee %(stake)s",
    "return": "%(stake)s returned",
}

FIGURES: dict[str, Any] = {
    "taken": "taken",
    "paid": "paid",
    "returned": "returned",
    "win": "win",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "slip.filed": lambda data: (
        "Slip %(slip)s, round %(round)s: %(owed)s" % {**data, "owed": owed_in_words(data["due"])}
    ),
    "slip.settled": lambda data: (
        "Slip %(slip)s settled: %(moved)s" % {**data, "moved": moved_in_words(data["moved"])}
    ),
}


def owed_in_words(due: list[dict[str, int]]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts still due."""
    return _listed(due) or "no money is owed"


def moved_in_words(amounts: list[dict[str, int]]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts that moved."""
    return _listed([amount for amount in amounts if amount["cents"]]) or "no money moved"


def _listed(amounts: list[dict[str, int]]) -> str:
    return ", ".join(
        ("%(sum)s to seat %(seat)s" if amount["cents"] > 0 else "%(sum)s from seat %(seat)s")
        % {"sum": in_dollars(abs(amount["cents"])), "seat": amount["seat"]}
        for amount in amounts
    )


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
