"""Sentences about Error Notification Slips; merged into `tables.wording`. Each says what to do now."""

from collections.abc import Callable
from typing import Any

from games.engine.odds import in_dollars
from tables.words.registry import register

TITLES: dict[str, Any] = {
    "slip-needs-two": "Second person needed",
    "slip-manager-must-sign": "Manager needed",
    "slip-mend-it": "Mend it at the table",
    "slip-round-in-play": "When the round has ended",
    "slip-another-course": "Another game",
    "slip-stands-otherwise": "Corrected meanwhile",
    "slip-settle-first": "A slip waits",
    "round-unreadable": "The record is damaged",
    "slip-say-why-less": "Reason needed",
}

SENTENCES: dict[str, Any] = {
    "no-such-round": "%(table)s has had no round %(round)s. Look at its list of rounds.",
    "no-such-slip": "%(table)s has no slip %(slip)s. Look at the page of its round.",
    "slip-needs-two": "Two people sign a slip, each with an own PIN. Ask a second person to sign.",
    "slip-signer-elsewhere": "%(witness)s works at no table here. Ask somebody who deals or supervises at this one.",
    "slip-manager-must-sign": "A pit manager or a shift manager is one of the two who sign a void round. Ask one to sign.",
    "slip-mend-it": "Round %(round)s is in play and nobody has been paid. Mend it at the table; that needs no slip.",
    "slip-round-in-play": (
        "Round %(round)s is in play, and money of it has moved. Mend what its table still lets you mend, finish it "
        "as it is shown there, and file the slip when it has ended."
    ),
    "slip-nothing-settled": "Round %(round)s settled nothing, so a slip has nothing to correct.",
    "round-unreadable": (
        "The record of round %(round)s is not as it was written, so nothing can be put right upon it. Tell compliance "
        "now: Integrity shows which entry was changed."
    ),
    "slip-no-result": (
        "Every wager of round %(round)s that was open went back, and no dice decided it. "
        "Where another sum went over the table, file the slip about the payment."
    ),
    "slip-is-void": "Slip %(slip)s made round %(round)s void. File a slip with its dice first, and then this one.",
    "slip-nothing-to-undo": "Round %(round)s took and paid nothing. There is nothing to undo.",
    "slip-changes-nothing": "These are the dice that round %(round)s was settled by. Enter those that lay there.",
    "slip-wager-unchanged": "That is what is recorded for seat %(seat)s already. Enter what lay there, or 0 for nothing.",
    "slip-payment-unchanged": "That is what was settled with seat %(seat)s. Enter what went over the table in fact.",
    "slip-another-course": "With that the game would have gone on, or ended on another throw. It cannot be settled again: void the round.",
    "slip-stands-otherwise": "Round %(round)s was put right by somebody else while you looked. Look at the figures again, then sign.",
    "slip-settle-first": "Slip %(slip)s of this round waits for its money. Settle it first; then say what was handed over in all.",
    "slip-settled-already": "Slip %(slip)s is settled. A wrong one is put right by another slip.",
    "slip-other-seats": "Slip %(slip)s is owed at seats %(seats)s. Say what each of them got or gave.",
    "slip-moved-more": "Seat %(seat)s is owed less than that by slip %(slip)s. Move no more than is due.",
    "slip-say-why-less": "Slip %(slip)s is settled with less than is due. Say why, and sign again.",
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
    "house": "were taken by the house",
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
    """`$30 to seat 3, $10 from seat 5`, what is still to move."""
    return _listed(due) or "no money is owed"


def moved_in_words(amounts: list[dict[str, int]]) -> str:
    """The same of what moved."""
    return _listed([amount for amount in amounts if amount["cents"]]) or "no money moved"


def _listed(amounts: list[dict[str, int]]) -> str:
    return ", ".join(
        ("%(sum)s to seat %(seat)s" if amount["cents"] > 0 else "%(sum)s from seat %(seat)s")
        % {"sum": in_dollars(abs(amount["cents"])), "seat": amount["seat"]}
        for amount in amounts
    )


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
