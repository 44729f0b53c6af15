"""Sentences about alerts; merged into `tables.wording`. Each text says what to do.

Nothing here says how long is left: a moment travels beside the text, and the screen counts.
"""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tables.dice.words import worded

TITLES: dict[str, Any] = {
    "no-such-alert": lazy("Nothing to acknowledge"),
    "record-went-back": lazy("The record went back"),
    "table-halted": lazy("This table is halted"),
    "head-not-ours": lazy("Screen not known"),
    "say-how-it-was-decided": lazy("Decision missing"),
}

SENTENCES: dict[str, Any] = {
    "no-such-alert": lazy(
        "%(table)s holds no such alert any more: it is over, or somebody has acknowledged it."
    ),
    "say-how-it-was-decided": lazy("Write down how the dispute was decided."),
    "record-went-back": lazy(
        "This screen has shown entry %(seen)s of %(table)s, and the record does not hold it any more. Nothing was "
        "taken. Leave chips and dice as they lie, and call the shift manager."
    ),
    "table-halted": lazy(
        "The record of %(table)s has gone back, so nothing is taken here. Leave chips and dice as they lie, and call "
        "the shift manager: the table goes on once two people have declared the record."
    ),
    "head-not-ours": lazy(
        "This screen sent a state of %(table)s that the server never showed. Nothing was taken. Load the page again; "
        "if that does not help, call the shift manager."
    ),
}

# Of each kind its title and what to do. A colon tells the forms of one kind apart.
ALERTS: dict[str, tuple[Any, Any]] = {
    "no-rules": (
        lazy("No rules in force"),
        lazy("Rules submission %(code)s is not in force. The table cannot deal: close it."),
    ),
    "dice-time:60": (lazy("Dice run out within the hour"), lazy("Have a new lot ready for %(lot)s.")),
    "dice-time:10": (
        lazy("Dice run out within ten minutes"),
        lazy("Bring a new lot for %(lot)s to the table, and change it between rounds."),
    ),
    "dice-time:1": (
        lazy("Dice run out within a minute"),
        lazy("Change lot %(lot)s now. Nothing is shaken or thrown at its time."),
    ),
    "dice-expired": (
        lazy("Dice past their time"),
        lazy("Put a new lot in for %(lot)s. Nothing is shaken or thrown before."),
    ),
    "no-dice": (
        lazy("No dice in the shaker"),
        lazy("Put a lot into shaker %(shaker)s. Nothing is shaken or thrown before."),
    ),
    "failure": (lazy("Gaming ceased"), lazy("%(text)s")),
    "dispute": (
        lazy("Dispute at seat %(seat)s"),
        lazy("Disputed: “%(about)s”. Decide it, and write down how."),
    ),
    "cheating": (
        lazy("Cheating suspected"),
        lazy(
            "A throw of round %(round)s was called no roll for a device or technique. "
            "Look at the dice, and at the pictures of the throw."
        ),
    ),
    "shaker-unattended": (
        lazy("Shaker unattended"),
        lazy("Nobody keeps shaker %(shaker)s. Send a dealer, who takes it over by PIN."),
    ),
    "post-empty": (
        lazy("A post is empty"),
        lazy("Nobody stands at the post of %(post)s. Send somebody, who takes it over by PIN."),
    ),
    "span": (lazy("Supervision"), lazy("%(text)s")),
    "clock": (
        lazy("The clock went back"),
        lazy(
            "The server's clock is behind the record, and acts are refused. Set it right, or play by hand until it "
            "has caught up."
        ),
    ),
    "clock:jump": (
        lazy("The clock jumped"),
        lazy("The server's clock moved by %(seconds)s seconds at once. Compare it with one that you trust."),
    ),
    "stale-tablet": (
        lazy("Tablet without a line"),
        lazy("%(device)s has not been heard for a minute. Look at it, at its power and at the network."),
    ),
    "slip": (
        lazy("Slip %(slip)s to be settled"),
        lazy("Round %(round)s was put right. Move the money that is due, and both of you sign it."),
    ),
    "record-went-back": (
        lazy("The record went back"),
        lazy(
            "A screen has shown entry %(seen)s, and the record ended at %(last)s without it. Nothing is taken here. "
            "Leave chips and dice as they lie, write down what lies there, and call compliance: two people declare "
            "the record."
        ),
    ),
    "head-not-ours": (
        lazy("Screen not known"),
        lazy(
            "%(device)s sent a state of this table that the server never showed; its act was refused. Look who has "
            "the device, load its page again, and tell compliance."
        ),
    ),
}


def said(kind: str, params: dict[str, Any]) -> tuple[str, str]:
    """The title and the text of an alert."""
    return titled(kind, params), str(ALERTS[form(kind, params)][1]) % worded(params)


def titled(kind: str, params: dict[str, Any]) -> str:
    """The title of an alert."""
    return str(ALERTS[form(kind, params)][0]) % worded(params)


def form(kind: str, params: dict[str, Any]) -> str:
    """Which form of its kind an alert has."""
    if kind == "dice-time":
        return f"{kind}:{params['minutes']}"
    if kind in ("device-failure", "shaker-failure"):
        return "failure"
    return "clock:jump" if kind == "clock" and "seconds" in params else kind


NAMES = {
    "dice-time": lazy("Dice running out"),
    "dice-expired": lazy("Dice past their time"),
    "device-failure": lazy("Failure"),
    "shaker-failure": lazy("Shaker failure"),
    "dispute": lazy("Dispute"),
    "cheating": lazy("Cheating suspected"),
    "shaker-unattended": lazy("Shaker unattended"),
    "post-empty": lazy("Empty post"),
    "span": lazy("Floorperson's span"),
    "clock": lazy("Clock"),
    "stale-tablet": lazy("Tablet without a line"),
    "slip": lazy("Slip to be settled"),
    "record-went-back": lazy("Record gone back"),
    "head-not-ours": lazy("Screen not known"),
}


def _acknowledged(data: dict[str, Any]) -> str:
    said = {"what": NAMES[data["kind"]], "note": data["note"]}
    return (
        _("Acknowledged: %(what)s. %(note)s") % said if data["note"] else _("Acknowledged: %(what)s") % said
    )


ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "alert.raised": lambda data: _("Alert: %s") % titled(data["kind"], data),
    "alert.ended": lambda data: _("Over: %s") % NAMES[data["kind"]],
    "alert.acknowledged": _acknowledged,
    "table.halted": lambda data: _("Halted: the record does not hold entry %(seen)s") % data,
    "table.resumed": lambda data: _("Goes on: the record was declared"),
    "dispute.reported": lambda data: _("Dispute at seat %(seat)s: %(about)s") % data,
    "device.incident": lambda data: _("Device logged: %(what)s. %(action)s") % data,
}
