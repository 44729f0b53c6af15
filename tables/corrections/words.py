"""Sentences about Error Notification Slips; merged into `tables.wording`. Each says what to do now."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from games.engine.odds import in_dollars

TITLES: dict[str, Any] = {
    "slip-needs-two": lazy("Second person needed"),
    "slip-manager-must-sign": lazy("Manager needed"),
    "slip-mend-it": lazy("Mend it at the table"),
    "slip-round-in-play": lazy("When the round has ended"),
    "slip-another-course": lazy("Another game"),
    "slip-stands-otherwise": lazy("Corrected meanwhile"),
    "slip-settle-first": lazy("A slip waits"),
    "round-unreadable": lazy("The record is damaged"),
    "slip-say-why-less": lazy("Reason needed"),
}

SENTENCES: dict[str, Any] = {
    "no-such-round": lazy("%(table)s has had no round %(round)s. Look at its list of rounds."),
    "no-such-slip": lazy("%(table)s has no slip %(slip)s. Look at the page of its round."),
    "slip-needs-two": lazy("Two people sign a slip, each with an own PIN. Ask a second person to sign."),
    "slip-signer-elsewhere": lazy(
        "%(witness)s works at no table here. Ask somebody who deals or supervises at this one."
    ),
    "slip-manager-must-sign": lazy(
        "A pit manager or a shift manager is one of the two who sign a void round. Ask one to sign."
    ),
    "slip-mend-it": lazy(
        "Round %(round)s is in play and nobody has been paid. Mend it at the table; that needs no slip."
    ),
    "slip-round-in-play": lazy(
        "Round %(round)s is in play, and money of it has moved. Mend what its table still lets you mend, finish it "
        "as it is shown there, and file the slip when it has ended."
    ),
    "slip-nothing-settled": lazy("Round %(round)s settled nothing, so a slip has nothing to correct."),
    "round-unreadable": lazy(
        "The record of round %(round)s is not as it was written, so nothing can be put right upon it. Tell compliance "
        "now: Integrity shows which entry was changed."
    ),
    "slip-no-result": lazy(
        "Every wager of round %(round)s that was open went back, and no dice decided it. "
        "Where another sum went over the table, file the slip about the payment."
    ),
    "slip-is-void": lazy(
        "Slip %(slip)s made round %(round)s void. File a slip with its dice first, and then this one."
    ),
    "slip-nothing-to-undo": lazy("Round %(round)s took and paid nothing. There is nothing to undo."),
    "slip-changes-nothing": lazy(
        "These are the dice that round %(round)s was settled by. Enter those that lay there."
    ),
    "slip-wager-unchanged": lazy(
        "That is what is recorded for seat %(seat)s already. Enter what lay there, or 0 for nothing."
    ),
    "slip-payment-unchanged": lazy(
        "That is what was settled with seat %(seat)s. Enter what went over the table in fact."
    ),
    "slip-another-course": lazy(
        "With that the game would have gone on, or ended on another throw. It cannot be settled again: void the round."
    ),
    "slip-stands-otherwise": lazy(
        "Round %(round)s was put right by somebody else while you looked. Look at the figures again, then sign."
    ),
    "slip-settle-first": lazy(
        "Slip %(slip)s of this round waits for its money. Settle it first; then say what was handed over in all."
    ),
    "slip-settled-already": lazy("Slip %(slip)s is settled. A wrong one is put right by another slip."),
    "slip-other-seats": lazy("Slip %(slip)s is owed at seats %(seats)s. Say what each of them got or gave."),
    "slip-moved-more": lazy(
        "Seat %(seat)s is owed less than that by slip %(slip)s. Move no more than is due."
    ),
    "slip-say-why-less": lazy("Slip %(slip)s is settled with less than is due. Say why, and sign again."),
}

KINDS: dict[str, Any] = {
    "dice": lazy("Dice"),
    "wager": lazy("Wager"),
    "payment": lazy("Payment"),
    "void": lazy("Void"),
}

CHIPS: dict[str, Any] = {
    "recorded": lazy("went as recorded"),
    "player": lazy("are with the player"),
    "house": lazy("were taken by the house"),
}

OUTCOMES: dict[str, Any] = {
    "": lazy("nothing"),
    "win": lazy("won %(paid)s on %(stake)s"),
    "lose": lazy("lost %(stake)s"),
    "fee": lazy("fee %(stake)s"),
    "return": lazy("%(stake)s returned"),
}

FIGURES: dict[str, Any] = {
    "taken": lazy("taken"),
    "paid": lazy("paid"),
    "returned": lazy("returned"),
    "win": lazy("win"),
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "slip.filed": lambda data: (
        _("Slip %(slip)s, round %(round)s: %(owed)s") % {**data, "owed": owed_in_words(data["due"])}
    ),
    "slip.settled": lambda data: (
        _("Slip %(slip)s settled: %(moved)s") % {**data, "moved": moved_in_words(data["moved"])}
    ),
}


def owed_in_words(due: list[dict[str, int]]) -> str:
    """`$30 to seat 3, $10 from seat 5`, what is still to move."""
    return _listed(due) or str(_("no money is owed"))


def moved_in_words(moved: list[dict[str, int]]) -> str:
    """The same of what moved."""
    return _listed([one for one in moved if one["cents"]]) or str(_("no money moved"))


def _listed(amounts: list[dict[str, int]]) -> str:
    return ", ".join(
        (_("%(sum)s to seat %(seat)s") if one["cents"] > 0 else _("%(sum)s from seat %(seat)s"))
        % {"sum": in_dollars(abs(one["cents"])), "seat": one["seat"]}
        for one in amounts
    )
