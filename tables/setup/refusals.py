"""Refusals about a facility, its pits, and where its tables belong."""

from games.engine.refusals import RefusalCode

PIT_CODE_TAKEN = RefusalCode(
    "pit-code-taken", "Another pit has the code %(pit)s or the name %(name)s already.", "Another code or name"
)
TABLE_CODE_TAKEN = RefusalCode("table-code-taken", "There is a table %(table)s already.", "Another code")
TABLE_CODE_RESERVED = RefusalCode(
    "table-code-reserved", "%(table)s is the address of a page. Give the table another code.", "Another code"
)
TOO_MANY_SEATS = RefusalCode(
    "too-many-seats", "%(edition)s has places for %(seats)s players.", "Too many seats"
)
TABLE_MUST_BE_CLOSED = RefusalCode(
    "table-must-be-closed",
    "%(table)s is open. Close it first: a table moves to another pit or submission only while it is closed.",
    "Close the table first",
)
SOMEBODY_AT_A_POST = RefusalCode(
    "somebody-at-a-post",
    "%(person)s is still signed in at %(table)s. They must sign off first.",
    "Sign off first",
)
TABLE_IS_THERE = RefusalCode(
    "table-is-there", "%(table)s belongs to this pit and this submission already.", "Nothing to move"
)
SUBMISSION_OF_ANOTHER_GAME = RefusalCode(
    "submission-of-another-game",
    "%(submission)s is about %(game)s, and %(table)s is a table of another game. A table never changes its game.",
    "Another game",
)
