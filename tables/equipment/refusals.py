"""Refusals about approvals, inspections and signs, each with its sentence."""

from games.engine.refusals import RefusalCode

SIGN_HAS_NOTHING_TO_SAY = RefusalCode(
    "sign-has-nothing-to-say",
    "%(table)s has nothing to show on a sign of this kind (%(kind)s).",
    "No such sign here",
)
