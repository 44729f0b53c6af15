"""Refusals of changes that need a second person."""

from games.engine.refusals import RefusalCode

MAY_NOT_PREPARE = RefusalCode(
    "may-not-prepare",
    "%(title)s: a %(role)s of %(department)s does not prepare this. It is prepared by: %(who)s.",
    "Not yours to prepare",
)
MAY_NOT_APPROVE = RefusalCode(
    "may-not-approve",
    "%(title)s: a %(role)s of %(department)s does not approve this. It is approved by: %(who)s.",
    "Not yours to approve",
)
MADE_BY_YOU = RefusalCode(
    "made-by-you",
    "You made %(change)s or what it is about. Somebody else must approve it: %(who)s.",
    "A second person approves",
)
NOT_MADE_BY_YOU = RefusalCode(
    "not-made-by-you",
    "%(change)s was prepared by %(by)s, who alone may take it back. You may send it back with a reason.",
    "Not yours to take back",
)
NO_SUCH_CHANGE = RefusalCode("no-such-change", "There is no change %(change)s here.", "No such change")
CHANGE_HAS_ENDED = RefusalCode(
    "change-has-ended", "%(change)s no longer waits (%(status)s).", "Decided already"
)
CHANGE_WAITS = RefusalCode(
    "change-waits", "%(change)s says the same and waits for its approval.", "Prepared already"
)
NOT_TOLD = RefusalCode(
    "not-told",
    "A %(role)s of %(department)s is not told of %(change)s. Told are: %(who)s.",
    "Not yours to acknowledge",
)
APPROVED_BY_YOU = RefusalCode(
    "approved-by-you",
    "You approved %(change)s yourself. Somebody else of your department acknowledges it.",
    "Somebody else acknowledges",
)
CHANGE_ACKNOWLEDGED_ALREADY = RefusalCode(
    "change-acknowledged-already",
    "%(by)s acknowledged %(change)s for %(department)s.",
    "Acknowledged already",
)
CHANGE_NOT_APPROVED = RefusalCode(
    "change-not-approved", "%(change)s was not approved, so there is nothing to acknowledge."
)
