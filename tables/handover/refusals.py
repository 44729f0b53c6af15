"""Refusals about the handover of a shift, each with its sentence."""

from games.engine.refusals import RefusalCode

HANDOVER_ITEM_NOT_OPEN = RefusalCode(
    "handover-item-not-open",
    "This is not open any more: %(item)s. Read the list again.",
    "Not open any more",
)
HANDOVER_OWNER_MAY_NOT = RefusalCode(
    "handover-owner-may-not",
    "%(person)s does not work on the floor of table games. A floorperson or a manager takes over what is open.",
    "Not from the floor",
)
HANDOVER_ITEM_WITHOUT_OWNER = RefusalCode(
    "handover-item-without-owner",
    "%(count)s of %(total)s have no owner, first: %(item)s. Somebody of the next shift takes each over.",
    "Open without an owner",
)
HANDOVER_OF_ANOTHER_SHIFT = RefusalCode(
    "handover-of-another-shift",
    "This page shows another shift than the one to hand over now. Load it again.",
    "Another shift",
)
HANDOVER_SUCCESSOR_MUST_SIGN = RefusalCode(
    "handover-successor-must-sign",
    "A pit or shift manager of the next shift signs as well, with their own PIN.",
    "Second signature missing",
)
