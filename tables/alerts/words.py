"""Sentences about alerts. Each text says what to do.

No text has a remaining time: the screen gets the moment and counts down.
"""

from collections.abc import Callable
from typing import Any

from tables.dice.words import words_for_codes
from tables.words.registry import register

TITLES: dict[str, Any] = {
    "no-such-alert": "Nothing to acknowledge",
    "record-went-back": "The record went back",
    "table-halted": "This table is halted",
    "head-not-ours": "Screen not known",
    "say-how-it-was-decided": "Decision missing",
}

SENTENCES: dict[str, Any] = {
    "no-such-alert": "%(table)s holds no such alert any more: it is over, or somebody has acknowledged it.",
    "say-how-it-was-decided": "Write down how the dispute was decided.",
    "record-went-back": (
        "This screen has shown entry %(seen)s of %(table)s, and the record does not hold it any more. Nothing was "
        "taken. Leave chips and dice as they lie, and call the shift manager."
    ),
    "table-halted": (
        "The record of %(table)s has gone back, so nothing is taken here. Leave chips and dice as they lie, and call "
        "the shift manager: the table goes on once two people have declared the record."
    ),
    "head-not-ours": (
        "This screen sent a state of %(table)s that the server never showed. Nothing was taken. Load the page again; "
        "if that does not help, call the shift manager."
    ),
}

# The title of each kind, and what to do. A kind with several forms has one row for each, after a colon.
ALERTS: dict[str, tuple[Any, Any]] = {
    "no-rules": (
        "No rules in force",
        "Rules submission %(code)s is not in force. The table cannot deal: close it.",
    ),
    "dice-time:60": ("Dice run out within the hour", "Have a new lot ready for %(lot)s."),
    "dice-time:10": (
        "Dice run out within ten minutes",
        "Bring a new lot for %(lot)s to the table, and change it between rounds.",
    ),
    "dice-time:1": (
        "Dice run out within a minute",
        "Change lot %(lot)s now. Nothing is shaken or thrown at its time.",
    ),
    "dice-expired": (
        "Dice past their time",
        "Put a new lot in for %(lot)s. Nothing is shaken or thrown before.",
    ),
    "no-dice": (
        "No dice in the shaker",
        "Put a lot into shaker %(shaker)s. Nothing is shaken or thrown before.",
    ),
    "failure": ("Gaming ceased", "%(text)s"),
    "dispute": (
        "Dispute at seat %(seat)s",
        "Disputed: “%(about)s”. Decide it, and write down how.",
    ),
    "cheating": (
        "Cheating suspected",
        (
            "A throw of round %(round)s was called no roll for a device or technique. "
            "Look at the dice, and at the pictures of the throw."
        ),
    ),
    "shaker-unattended": (
        "Shaker unattended",
        "Nobody keeps shaker %(shaker)s. Send a dealer, who takes it over by PIN.",
    ),
    "post-empty": (
        "A post is empty",
        "Nobody stands at the post of %(post)s. Send somebody, who takes it over by PIN.",
    ),
    "span": ("Supervision", "%(text)s"),
    "clock": (
        "The clock went back",
        (
            "The server's clock is behind the record, and acts are refused. Set it right, or play by hand until it "
            "has caught up."
        ),
    ),
    "clock:jump": (
        "The clock jumped",
        "The server's clock moved by %(seconds)s seconds at once. Compare it with one that you trust.",
    ),
    "stale-tablet": (
        "Tablet without a line",
        "%(device)s has not been heard for a minute. Look at it, at its power and at the network.",
    ),
    "slip": (
        "Slip %(slip)s to be settled",
        "Round %(round)s was put right. Move the money that is due, and both of you sign it.",
    ),
    "record-went-back": (
        "The record went back",
        (
            "A screen has shown entry %(seen)s, and the record ended at %(last)s without it. Nothing is taken here. "
            "Leave chips and dice as they lie, write down what lies there, and call compliance: two people declare "
            "the record."
        ),
    ),
    "head-not-ours": (
        "Screen not known",
        (
            "%(device)s sent a state of this table that the server never showed; its act was refused. Look who has "
            "the device, load its page again, and tell compliance."
        ),
    ),
}


def alert_words(kind: str, params: dict[str, Any]) -> tuple[str, str]:
    """The title and the text of an alert."""
    return alert_title(kind, params), str(ALERTS[alert_form(kind, params)][1]) % words_for_codes(params)


def alert_title(kind: str, params: dict[str, Any]) -> str:
    """The title of an alert."""
    return str(ALERTS[alert_form(kind, params)][0]) % words_for_codes(params)


def alert_form(kind: str, params: dict[str, Any]) -> str:
    """The row of `ALERTS` for an alert of this kind."""
    if kind == "dice-time":
        return f"{kind}:{params['minutes']}"
    if kind in ("device-failure", "shaker-failure"):
        return "failure"
    return "clock:jump" if kind == "clock" and "seconds" in params else kind


ALERT_NAMES = {
    "dice-time": "Dice running out",
    "dice-expired": "Dice past their time",
    "device-failure": "Failure",
    "shaker-failure": "Shaker failure",
    "dispute": "Dispute",
    "cheating": "Cheating suspected",
    "shaker-unattended": "Shaker unattended",
    "post-empty": "Empty post",
    "span": "Floorperson's span",
    "clock": "Clock",
    "stale-tablet": "Tablet without a line",
    "slip": "Slip to be settled",
    "record-went-back": "Record gone back",
    "head-not-ours": "Screen not known",
}


def _acknowledged(data: dict[str, Any]) -> str:
    words = {"what": ALERT_NAMES[data["kind"]], "note": data["note"]}
    return "Acknowledged: %(what)s. %(note)s" % words if data["note"] else "Acknowledged: %(what)s" % words


ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "alert.raised": lambda data: "Alert: %s" % alert_title(data["kind"], data),
    "alert.ended": lambda data: "Over: %s" % ALERT_NAMES[data["kind"]],
    "alert.acknowledged": _acknowledged,
    "table.halted": lambda data: "Halted: the record does not hold entry %(seen)s" % data,
    "table.resumed": lambda data: "Goes on: the record was declared",
    "dispute.reported": lambda data: "Dispute at seat %(seat)s: %(about)s" % data,
    "device.incident": lambda data: "Device logged: %(what)s. %(action)s" % data,
}


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
