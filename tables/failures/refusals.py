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
