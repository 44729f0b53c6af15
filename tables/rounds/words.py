"""The lines of the record about the round in play."""

from collections.abc import Mapping
from typing import Any

from tables.rounds.end_reasons import WORDS
from tables.rounds.entry_types import (
    BETS_CLOSED,
    DICE_SHAKEN,
    LAYOUT_CLEARED,
    LOSERS_TAKEN,
    ROUND_NO_ROLL,
    ROUND_SETTLED,
    ROUND_SETTLED_BY_HAND,
    ROUND_VOIDED,
    SEAT_FREED,
    SEAT_MARKED,
    SEAT_TAKEN,
    SEATS_SETTLED,
    THROW_NO_ROLL,
    THROW_SETTLED,
    WAGERS_PLACED,
    WAGERS_RETURNED,
    WINNERS_PAID,
    SeatsSettled,
    WinnersPaid,
)
from tables.words.registry import line, register
from tables.words.sentences import dice_words, dollars, seats_words


def paid_words(data: WinnersPaid | SeatsSettled) -> str:
    """What was handed over, and what was held back of it for a review: `$25`, `$25 ($4,000 held back)`."""
    held_cents = data.get("held_cents", 0)
    paid = dollars(data["paid_cents"] - held_cents)
    return f"{paid} ({dollars(held_cents)} held back)" if held_cents else paid


MARKED = {
    "away": "Seat %(seat)s: the player is away",
    "left": "Seat %(seat)s: the player left, free after the round",
    "here": "Seat %(seat)s: the player is back",
}


def faces_read_words(data: Mapping[str, Any]) -> str:
    """Return which faces of a throw that does not count could be read: "; read 1 6". "" where nobody said."""
    faces = data.get("faces_read")
    if faces is None:
        return ""
    return f"; read {dice_words(faces)}" if faces else "; no face could be read"


def _voided_words(data: Mapping[str, Any]) -> str:
    if data.get("in_view"):
        return "Round void with the dice in view"
    return "Round void with the dice tossed and covered" if data.get("tossed") else "Round void"


def reason_words(data: Mapping[str, Any]) -> str:
    """Return a declared reason and what was noted: ": Dispute settled by the floor (seat 3)". "" where neither is."""
    reason = WORDS.get(data.get("reason", ""), "")
    note = f" ({data['note']})" if data.get("note") else ""
    return f": {reason}{note}" if reason else note


ACT_LINES = [
    line(
        WAGERS_PLACED,
        lambda data: "Wagers, %s" % seats_words(sorted({wager["seat"] for wager in data["placed"]})),
    ),
    line(BETS_CLOSED, lambda data: "No more bets, %s" % dollars(data["wagered_cents"])),
    line(DICE_SHAKEN, lambda data: "Shaken"),
    line(ROUND_SETTLED, lambda data: "Dice %s called and lit" % dice_words(data["dice"])),
    line(THROW_SETTLED, lambda data: "Dice %s called" % dice_words(data["dice"])),
    line(THROW_NO_ROLL, lambda data: "No roll; the dice are thrown again%s" % faces_read_words(data)),
    line(
        SEATS_SETTLED,
        lambda data: (
            "Took %(take)s and paid %(pay)s, %(seats)s"
            % {
                "take": dollars(data["taken_cents"]),
                "pay": paid_words(data),
                "seats": seats_words(data["seats"]),
            }
        ),
    ),
    line(ROUND_SETTLED_BY_HAND, lambda data: "Dice %s, settled manually" % dice_words(data["dice"])),
    line(
        ROUND_NO_ROLL,
        lambda data: "No roll, wagers returned%s%s" % (reason_words(data), faces_read_words(data)),
    ),
    line(
        ROUND_VOIDED,
        lambda data: "%s, wagers returned%s" % (_voided_words(data), reason_words(data)),
    ),
    line(LOSERS_TAKEN, lambda data: "Taken %s" % dollars(data["taken_cents"])),
    line(
        WINNERS_PAID,
        lambda data: (
            "Paid %(sum)s to %(seats)s" % {"sum": paid_words(data), "seats": seats_words(data["seats"])}
        ),
    ),
    line(
        WAGERS_RETURNED,
        lambda data: (
            "Returned %(sum)s to %(seats)s"
            % {"sum": dollars(data["returned_cents"]), "seats": seats_words(data["seats"])}
        ),
    ),
    line(LAYOUT_CLEARED, lambda data: "Cleared"),
    line(SEAT_TAKEN, lambda data: "Seat %(seat)s taken" % data),
    line(SEAT_FREED, lambda data: "Seat %(seat)s free" % data),
    line(SEAT_MARKED, lambda data: MARKED[data["mark"]] % data),
]

register(act_lines=ACT_LINES)
