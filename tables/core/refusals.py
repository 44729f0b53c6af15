"""Refusals that any act at a table may meet, each with its sentence."""

from games.engine.refusals import RefusalCode

DRAW_FIRST = RefusalCode(
    "draw-first",
    "The dice of round %(round)s have not been thrown yet. Throw them, then call them.",
    "Throw the dice",
)
NOT_THESE_DICE = RefusalCode(
    "not-these-dice",
    "These are not the dice on the table. Read them again.",
    "Read them again",
)
NO_SUCH_PERSON = RefusalCode(
    "no-such-person",
    "Nobody at this facility has the code %(person)s. Check the code.",
)
PERSON_ON_LEAVE = RefusalCode(
    "person-on-leave",
    "%(person)s is on leave %(until)s. Choose somebody else, or have the return recorded under People first.",
    "On leave",
)
NO_RULES_IN_FORCE = RefusalCode(
    "no-rules-in-force",
    "No approved rules submission %(code)s is in force. The table cannot deal.",
)
NO_SHAKER = RefusalCode("no-shaker", "There is no working shaker at %(table)s. Place one first.")
NO_DICE = RefusalCode("no-dice", "Shaker %(shaker)s has no dice in it. Put a dice lot in first.")
DICE_PAST_THEIR_TIME = RefusalCode(
    "dice-past-their-time",
    "Dice lot %(lot)s reached its time at %(at)s. Put a new lot in the shaker.",
    "Not shaken",
)
GAMING_CEASED = RefusalCode(
    "gaming-ceased",
    "Gaming at this table has ceased: the %(what)s failed. Record the repair, then inspect it.",
    "Gaming has ceased",
)
TABLE_IS_CLOSED = RefusalCode(
    "table-closed",
    "%(table)s is not open. The floorperson inspects and opens it.",
    "The table is closed",
)
ROUND_IN_PLAY = RefusalCode("round-in-play", "Round %(round)s is in play. Finish it first.")
NOT_ASSIGNED = RefusalCode("not-assigned", "You are not assigned to %(table)s.")
AT_NO_POST = RefusalCode(
    "at-no-post",
    "You work at no post of %(table)s. Sign in at its tablet and take it over first.",
    "Take over first",
)
POST_IS_EMPTY = RefusalCode(
    "post-is-empty",
    "The post of %(post)s at %(table)s is empty. Someone on duty must sign in there first.",
    "Dealer needed",
)
ACT_OF_ANOTHER_POST = RefusalCode(
    "act-of-another-post",
    "This belongs to the %(post)s. If the tablet there is lost, say why, and have that person enter their PIN here.",
    "Another post",
)
SEATS_OF_ANOTHER_POST = RefusalCode(
    "seats-of-another-post",
    "The %(post)s, %(person)s, settles %(seats)s. If the tablet there is lost, say why, and have that person enter "
    "their PIN here.",
    "Another half",
)
NOT_AT_THAT_POST = RefusalCode(
    "not-at-that-post",
    "%(witness)s is not the %(post)s of %(table)s. The person at that post must enter their PIN.",
    "Another post",
)
TABLET_REASON_MISSING = RefusalCode(
    "tablet-reason-missing",
    "Say why the %(post)s cannot use their own tablet.",
    "Say why",
)
WITNESS_NOT_ASSIGNED = RefusalCode(
    "witness-not-assigned",
    "%(witness)s is not assigned to %(table)s and cannot sign here.",
)
ACT_OF_ANOTHER_GAME = RefusalCode(
    "act-of-another-game",
    "That act belongs to another game than the one at %(table)s.",
)
SEAT_IS_REFUSED = RefusalCode(
    "seat-is-refused",
    "Seat %(seat)s is refused: take no wager there. What lies there is settled. Ask the floor.",
    "Seat refused",
)
