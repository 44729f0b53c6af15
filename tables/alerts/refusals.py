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
