"""Reasons for ending a round without a result that another act owns: it has the consequences that its section names.

A round that is voided because the device failed would go on without the repair, and with the wagers back although the
dice were tossed. So such a reason is refused with the name of its act, wherever that act is possible now.
"""

import re
from dataclasses import dataclass

from games.engine import Refusal
from tables.core.context import TableContext
from tables.rounds.refusals import REASON_OF_ANOTHER_ACT

FAILS = (
    r"(fail|malfunction|broke|break|defect|fault|dead|dark|stuck|jam|crash|does ?n.?t|did ?n.?t|is ?n.?t|not "
    r"(work|light|lit|toss|run|start|show)|out of order|down\b|outage)"
)


@dataclass(frozen=True)
class OwnedReason:
    """Words of a reason, the engine's act that it belongs to, the duty of its section, and the act in words."""

    pattern: re.Pattern[str]
    act: str
    duty: str
    instead: str


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _both(noun: str) -> str:
    """The noun and a word of failing, in either order."""
    return rf"{noun}.*{FAILS}|{FAILS}.*{noun}"


SHAKER = OwnedReason(
    _words(_both(r"\bshaker")), "report_shaker_failure", "shaker-failure", "Device failed, Shaker"
)
DEVICE = OwnedReason(
    _words(
        r"\belectr",
        r"\bpower (cut|fail|loss|out)",
        r"\b(fuse|circuit|LEDs?)\b",
        r"\billuminat",
        r"\bmalfunction",
        _both(r"\b(device|lamp|light|layout|display|combinations?|wager area)"),
    ),
    "report_device_failure",
    "device-failure",
    "Device failed",
)
NO_ROLL = OwnedReason(
    _words(
        r"\bcocked",
        r"\blean(s|ed|ing)?\b",
        r"\bnot (lie |land )?flat",
        r"\bno.?roll\b",
        r"\bdie (rests )?on (a|the other|another|top)",
        r"\boff the table",
    ),
    "call_no_roll",
    "no-roll",
    "No roll",
)
MISSED_WAGER = OwnedReason(
    _words(
        r"\b(wager|bet)s?\b.*\b(missed|not entered|forgotten)",
        r"\b(missed|forgotten) (a |the |his |her |their )?(wager|bet)",
    ),
    "record_missed_wager",
    "position",
    "Missed wager",
)
MISTAKEN_WAGER = OwnedReason(
    _words(r"\b(wager|bet)s?\b.*\b(by mistake|twice|mistaken)", r"\bmistaken\b.*\b(wager|bet)"),
    "strike_mistaken_wager",
    "position",
    "Strike a wager",
)
OF_EQUIPMENT = (SHAKER, DEVICE)
OF_VOIDS = (*OF_EQUIPMENT, NO_ROLL, MISSED_WAGER, MISTAKEN_WAGER)


def verify_reason_is_own(ctx: TableContext, reason: str, owned: tuple[OwnedReason, ...]) -> None:
    """Refuse a reason that belongs to an act that is possible now. Raises `reason-of-another-act`."""
    legal_acts = ctx.game.legal_acts(ctx.state)
    for other in owned:
        if other.act in legal_acts and other.pattern.search(reason) and _is_of_this_table(ctx, other):
            raise Refusal(REASON_OF_ANOTHER_ACT, ctx.rules.section(other.duty), instead=other.instead)


def _is_of_this_table(ctx: TableContext, other: OwnedReason) -> bool:
    return other is not SHAKER or ctx.rules.shaker(ctx.state.shaker).automated
