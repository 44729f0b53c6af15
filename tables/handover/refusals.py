"""Refusals about the handover of a shift, each with its sentence."""

from games.engine.refusals import RefusalCode

HANDOVER_ITEM_NOT_OPEN = RefusalCode(
    "handover-item-not-open",
    "This is no longer open: %(item)s. Reload the page and read the list again.",
    "No longer open",
)
HANDOVER_OWNER_MAY_NOT = RefusalCode(
    "handover-owner-may-not",
    "%(person)s does not work on the table games floor. A floorperson or a manager takes over what is open.",
    "Not from the floor",
)
HANDOVER_ITEM_WITHOUT_OWNER = RefusalCode(
    "handover-item-without-owner",
    "%(count)s of %(total)s have no owner, first: %(item)s. Somebody from the next shift must take over each.",
    "Open without an owner",
)
HANDOVER_OF_ANOTHER_SHIFT = RefusalCode(
    "handover-of-another-shift",
    "This page shows a different shift from the one to hand over now. Reload it.",
    "Another shift",
)
HANDOVER_SUCCESSOR_MUST_SIGN = RefusalCode(
    "handover-successor-must-sign",
    "A pit or shift manager of the next shift must sign too, with their own PIN.",
    "Second signature missing",
)
