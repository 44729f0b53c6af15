"""Refusals before an act begins, each with its sentence."""

from games.engine.refusals import RefusalCode

# Where who and what cannot be said: to a person who may not open the screen, or of an act that is no longer listed
SOMEBODY_WAS_FIRST = "Someone else acted first."
STALE = RefusalCode(
    "stale",
    "%(first)s The screen now shows what comes next.",
    "The table has moved on",
)
UNKNOWN_ACT = RefusalCode("unknown-act", "There is no such act.")
LOCKED = RefusalCode("locked", "This tablet is locked. Sign in with your PIN.")
SIGNED_OUT = RefusalCode("signed-out", "You are signed out. Sign in with your PIN.")
