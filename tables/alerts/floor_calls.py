"""Calls of a table to the floor or to Security: the reasons that a dealer taps, and the decisions of the floor.

The codes are stored in entries and alerts, and never change. Everything is one tap: nobody types at the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from games.snapshot_types import Addressee

ADDRESSEES: tuple[Addressee, ...] = get_args(Addressee)
DecisionCode = Literal["as-recorded", "correct", "return-wager", "settled", "words"]
IN_WORDS: DecisionCode = "words"  # the decision is the note
DECISIONS: dict[DecisionCode, str] = {
    "as-recorded": "Stands as recorded",
    "correct": "Correct it",
    "return-wager": "Return the wager",
    "settled": "Settled",
}
TITLES: dict[Addressee, str] = {"floor": "Floor called", "security": "Security called"}
TEXTS: dict[Addressee, str] = {
    "floor": "The table asks for somebody from the floor.",
    "security": "The table asks for Security. Send them, and go there.",
}


@dataclass(frozen=True)
class Reason:
    """Why a table calls. `icon` is a symbol of the console; `decisions` are offered to the floor."""

    label: str
    text: str
    icon: str
    decisions: tuple[DecisionCode, ...] = ("settled",)


REASONS: dict[Addressee, dict[str, Reason]] = {
    "floor": {
        "dispute": Reason(
            "Dispute",
            "A player disputes a decision.",
            "i-ask",
            ("as-recorded", "correct", "return-wager", "settled"),
        ),
        "payment": Reason("Payment", "About a payment.", "i-money", ("as-recorded", "correct", "settled")),
        "limits": Reason(
            "Limits", "A wager is outside the limits.", "i-limit", ("as-recorded", "return-wager", "settled")
        ),
        "correction": Reason(
            "Correction", "Something has to be corrected.", "i-edit", ("correct", "as-recorded", "settled")
        ),
        "chips": Reason("Chips", "The table needs chips.", "i-add"),
        "dice": Reason("Dice", "About the dice or the shaker.", "i-shaker"),
        "player": Reason("Player", "About a player.", "i-person"),
        "device": Reason("Device", "A device or a tablet does not work.", "i-sensor"),
    },
    "security": {
        "cheating": Reason("Cheating", "Cheating is suspected.", "i-flag"),
        "theft": Reason("Theft", "Chips or property are missing.", "i-lock"),
        "disturbance": Reason("Disturbance", "Somebody disturbs the game.", "i-person"),
        "medical": Reason("Medical", "Somebody needs help.", "i-add"),
    },
}


def addressee_of(kind: str) -> Addressee | None:
    """Whom an alert of this kind calls to decide; None for the other kinds. A dispute calls the floor."""
    if kind in ("floor-call", "dispute"):
        return "floor"
    return "security" if kind == "security-call" else None


def describe_call(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of a call."""
    to = params.get("to")
    addressee: Addressee = "security" if to == "security" else "floor"
    reason = REASONS[addressee].get(params.get("reason", ""))
    seat = params.get("seat")
    title = reason.label if reason else TITLES[addressee]
    text = f"{reason.text} {TEXTS[addressee]}" if reason else TEXTS[addressee]
    return f"{title}, seat {seat}" if seat else title, text


def decisions_for(kind: str, reason: str | None) -> list[tuple[DecisionCode, str]]:
    """Return the decisions that the floor may tap for an alert of this kind, with their words."""
    known = REASONS["security" if kind == "security-call" else "floor"].get(
        "dispute" if kind == "dispute" else reason or ""
    )
    codes: tuple[DecisionCode, ...] = known.decisions if known else ("settled", "as-recorded", "correct")
    return [(code, DECISIONS[code]) for code in codes]


def decision_words(code: str, note: str) -> str:
    """Return a decision in words; the note alone where the decision is written in words."""
    words = DECISIONS.get(code, "")  # type: ignore[call-overload]
    return f"{words}. {note}" if words and note else words or note
