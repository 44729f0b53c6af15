"""Refusals about the rules of a table, each with its sentence."""

from games.engine.refusals import RefusalCode

TERMS_NOT_APPROVED = RefusalCode(
    "terms-not-approved",
    "The rules stored for this table are not the approved ones of %(code)s. Do not deal. Call compliance.",
    "Do not deal",
)
RULES_NOT_ACKNOWLEDGED = RefusalCode(
    "rules-not-acknowledged",
    "Version %(version)s of %(code)s is in force. The floor acknowledges what it changes.",
    "New rules: the floor first",
)
