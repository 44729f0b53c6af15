"""Refusals before an act begins, each with its sentence."""

from games.engine.refusals import RefusalCode

STALE = RefusalCode(
    "stale",
    "Someone else acted first. The screen now shows the current state. Try again.",
    "The table has moved on",
)
UNKNOWN_ACT = RefusalCode("unknown-act", "There is no such act.")
LOCKED = RefusalCode("locked", "This tablet is locked. Sign in with your PIN.")
SIGNED_OUT = RefusalCode("signed-out", "You are signed out. Sign in with your PIN.")
