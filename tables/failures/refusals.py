"""Refusals about failed equipment, each with its sentence."""

from games.engine.refusals import RefusalCode

SHAKER_NOT_OUT_OF_ORDER = RefusalCode(
    "shaker-not-out-of-order",
    "Shaker %(shaker)s is not out of order at %(table)s.",
)
WITNESS_MUST_SIGN = RefusalCode(
    "witness-must-sign",
    "The wagers are settled manually before a %(role)s, who must sign with their own PIN.",
    "Witness needed",
)
DICE_ENTERED_ALREADY = RefusalCode(
    "dice-entered-already",
    "The dice of round %(round)s are entered. Finish it here, or correct them.",
)
NO_FAILURE_ON_RECORD = RefusalCode(
    "no-failure-on-record",
    "No failure is on record at %(table)s. Report first what failed. Only a round that was settled by hand during that "
    "failure is recorded here, before gaming resumes.",
    "Report the failure first",
)
FAILURE_HAS_ITS_ROUND = RefusalCode(
    "failure-has-its-round",
    "Round %(round)s is recorded for this failure already. One failure has one round; correct it with a slip.",
    "Already recorded",
)
HAND_SETTLED_NEEDS_TWO = RefusalCode(
    "hand-settled-needs-two",
    "Two people must sign a round that was settled by hand, each with their own PIN: who dealt it (%(dealt)s), and the "
    "floor (%(floor)s).",
    "Both must sign",
)
ROUND_IS_LIVE = RefusalCode(
    "round-is-live",
    "Round %(round)s is in play on record, and nothing replaces it. Finish it at a podium or another tablet. If the "
    "device failed, report that with the announced dice. Record wagers that are missing as missed wagers.",
    "A round is in play",
)
NOTHING_FAILED = RefusalCode("nothing-failed", "Nothing at %(table)s is recorded as failed.")
AUTOMATED_SHAKER_STILL_HERE = RefusalCode(
    "automated-shaker-still-here",
    "The automated shaker must leave the table before a manual one is used here.",
)
AUTOMATED_SHAKER_NOT_COVERED = RefusalCode(
    "automated-shaker-not-covered",
    "The automated shaker must be covered or signed out of order before a manual one is used here.",
)
SHAKER_NOT_FREE = RefusalCode(
    "shaker-not-free",
    "Shaker %(shaker)s is not free: it is unknown, at a table, or out of order.",
)
