"""Refusals about planned moves, each with its sentence."""

from games.engine.refusals import RefusalCode

NOT_A_DEALER = RefusalCode(
    "not-a-dealer", "%(person)s is not a dealer and cannot take a post.", "Not a dealer"
)
DEALER_NOT_ON_DUTY = RefusalCode(
    "dealer-not-on-duty",
    "%(person)s is not on duty at %(table)s. Assign them there first.",
    "Not on duty there",
)
MOVE_PLANNED_ALREADY = RefusalCode(
    "move-planned-already",
    "%(person)s is already planned for %(table)s at %(time)s. Cancel that move first.",
    "Planned already",
)
POST_PLANNED_ALREADY = RefusalCode(
    "post-planned-already",
    "%(person)s is already planned to come to %(table)s at %(time)s. Cancel that move first.",
    "Planned already",
)
BREAK_DUE_BEFORE = RefusalCode(
    "break-due-before",
    "%(person)s has a break due at %(due)s, before this move at %(time)s. Send somebody who has rested.",
    "Break due",
)
NOT_RESTED = RefusalCode(
    "not-rested",
    "%(person)s has worked %(worked)s min and has been off only since %(since)s. A break of %(break)s min ends at "
    "%(until)s. Plan the move for then.",
    "Break not over",
)
MOVE_IN_THE_PAST = RefusalCode(
    "move-in-the-past", "%(time)s has passed. Choose a later time.", "Time has passed"
)
NO_SUCH_MOVE = RefusalCode(
    "no-such-move",
    "This move has already taken place, or was canceled. Look at the board again.",
    "No longer planned",
)
