"""What a failed device means for the round, before anybody reports it: from the snapshot and the edition's sections.

The act itself decides (`tables.failures`). These are its possible ends in words, for the dialog that asks.
"""

from typing import Literal, TypedDict

from games import registry
from games.engine.rules import Rules
from games.jurisdictions import jurisdiction
from games.separation import policy
from games.snapshot_types import Snapshot
from tables.rounds.no_rolls import NO_ROLL_ROW
from tables.words.sentences import DEVICE_PARTS, short

PHASES_AFTER_UNCOVERING = ("ready",)
TOSSED = ("shaken", "ready")
ROLES = {"floorperson": "A floorperson", "casino-supervisor": "A casino supervisor"}
DETAILS = {
    "device": "The system that shows and settles wagers",
    "layout": "Winning areas do not light",
    "shaker": "It does not toss the dice, or it stops",
}
ICONS = {"device": "i-layout", "layout": "i-lamp", "shaker": "i-shaker"}

Sight = Literal["seen", "unseen"]


class FailureChoice(TypedDict):
    """What may have failed. `why_not` is set where it cannot have. `icon` is the id of its symbol."""

    what: str
    icon: str
    title: str
    detail: str
    why_not: str


class FailureEnd(TypedDict):
    """How the round ends if these parts failed (`what`, codes with spaces), with the dice seen, unseen, or ""."""

    what: str
    dice: Literal["", "seen", "unseen"]
    end: Literal["settle", "void", "cease"]
    title: str
    text: str
    section: str
    signs: str


class Failures(TypedDict):
    """What the dialog asks: choices, whether the dice were seen, and each possible end."""

    choices: list[FailureChoice]
    sights: list[Sight]
    ends: list[FailureEnd]


def failures(s: Snapshot, rules: Rules) -> Failures:
    """Return what may have failed at a table now, and what follows from it."""
    words = getattr(registry.parts("words").get(s["table"]["game"]), "DEVICE_PARTS", DEVICE_PARTS)
    icons = getattr(registry.parts("words").get(s["table"]["game"]), "DEVICE_ICONS", ICONS)
    kind = s["shaker"]["kind"] if s["shaker"] else ""
    automated = bool(kind) and rules.shaker(kind).automated
    choices: list[FailureChoice] = [
        {
            "what": code,
            "icon": icons.get(code, ICONS["device"]),
            "title": title,
            "detail": DETAILS.get(code, ""),
            "why_not": "Not at this table: manual shaker" if code == "shaker" and not automated else "",
        }
        for code, title in words.items()
    ]
    sights, ends = _ends(s, rules, automated=automated)
    return {"choices": choices, "sights": sights, "ends": ends}


def _ends(s: Snapshot, rules: Rules, *, automated: bool) -> tuple[list[Sight], list[FailureEnd]]:
    """Return whether the dice may have been seen, and each possible end."""
    round_ = s["round"]
    if round_["opened_at"] is None or s["table"]["status"] != "open":
        section = short(rules.section("device-failure") or rules.section("device"))
        ceases: FailureEnd = {
            "what": "device layout shaker",
            "dice": "",
            "end": "cease",
            "title": "No wagers are in play",
            "text": "Nothing is taken, paid or returned.",
            "section": section,
            "signs": "",
        }
        return [], [ceases]
    phase = round_["phase"]
    ends: list[FailureEnd] = []
    signs = _signs_void(s, rules)
    if automated and not round_["dice"]:
        ends.append(_void("shaker", "", short(rules.section("shaker-failure")), "The shaker failed.", signs))
    if round_["dice"]:
        ends.append(_settle(rules, "", "The dice were entered, so the wagers stand."))
        return [], ends
    if automated and phase in TOSSED:
        ends.append(_settle(rules, "seen", "The shaker has tossed the dice, so the wagers stand."))
        return ["seen"], ends
    void = short(rules.section("void"))
    if phase in PHASES_AFTER_UNCOVERING:
        ends.append(_settle(rules, "seen", "The dice were seen, so the wagers stand."))
        ends.append(_void("device layout", "unseen", void, "Nobody saw the dice.", signs))
        return ["seen", "unseen"], ends
    ends.append(_void("device layout", "", void, "No dice were seen in this round.", signs))
    return [], ends


def _settle(rules: Rules, dice: Literal["", "seen"], text: str) -> FailureEnd:
    role = rules.witness("device-failure") or "floorperson"
    return {
        "what": "device layout",
        "dice": dice,
        "end": "settle",
        "title": "Then this round is settled, not void",
        "text": text,
        "section": short(rules.section("device-failure")),
        "signs": ROLES.get(role, role.replace("-", " ").capitalize()),
    }


def _signs_void(s: Snapshot, rules: Rules) -> str:
    """Who signs that the wagers go back: the floor after no more bets, unless the policy leaves some free."""
    row = policy.row_of(jurisdiction(rules.edition.jurisdiction), NO_ROLL_ROW)
    return "" if s["round"]["bets_open"] or row.free_count else ROLES["floorperson"]


def _void(parts: str, dice: Literal["", "unseen"], section: str, text: str, signs: str) -> FailureEnd:
    return {
        "what": parts,
        "dice": dice,
        "end": "void",
        "title": "Then this round is void, and every wager goes back",
        "text": text,
        "section": section,
        "signs": signs,
    }
