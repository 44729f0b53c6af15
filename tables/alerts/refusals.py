"""Refusals about alerts and disputes, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_ALERT = RefusalCode(
    "no-such-alert",
    "This alert at %(table)s has already ended or been acknowledged.",
    "Nothing to acknowledge",
)
SAY_HOW_IT_WAS_DECIDED = RefusalCode(
    "say-how-it-was-decided",
    "Write how the dispute was decided.",
    "Decision missing",
)
ALREADY_CALLED = RefusalCode(
    "already-called",
    "This table has already called. Somebody from the pit will answer.",
    "Already called",
)
ALREADY_COMING = RefusalCode(
    "already-coming",
    "%(person)s is already coming, and the table sees it.",
    "Already coming",
)
