"""Refusals about a facility, its pits, and where its tables belong."""

from games.engine.refusals import RefusalCode

PIT_CODE_TAKEN = RefusalCode(
    "pit-code-taken", "Another pit has the code %(pit)s or the name %(name)s already.", "Another code or name"
)
TABLE_CODE_TAKEN = RefusalCode("table-code-taken", "Table %(table)s exists already.", "Another code")
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
NO_SUCH_DEVICE = RefusalCode(
    "no-such-device", "There is no such device here, or it was revoked. Reload the page.", "No such device"
)
DEVICE_NAME_TAKEN = RefusalCode(
    "device-name-taken", "A device is or was called %(device)s. Choose another name.", "Another name"
)
DEVICE_NEEDS_A_TABLE = RefusalCode(
    "device-needs-a-table", "A %(station)s device serves one table. Choose the table.", "Choose a table"
)
DEVICE_WITHOUT_TABLE = RefusalCode(
    "device-without-table", "A %(station)s device serves the whole facility. Choose no table.", "No table"
)
DEVICE_SERVES_IT = RefusalCode("device-serves-it", "%(device)s serves that table already.", "Nothing to move")
SOMEBODY_AT_THE_DEVICE = RefusalCode(
    "somebody-at-the-device",
    "%(person)s is signed in at %(device)s. They must sign off first.",
    "Sign off first",
)
TOKEN_IS_USED = RefusalCode(
    "token-is-used", "A browser already uses %(device)s. Revoke it and add another device.", "In use already"
)
SECOND_PERSON_FOR_DEVICE = RefusalCode(
    "second-person-for-device",
    "%(device)s is not a device of your department alone. A second person of another department signs with their own "
    "PIN: %(who)s.",
    "Second person needed",
)
TOKEN_FOR_ANOTHER = RefusalCode(
    "token-for-another",
    "You asked for %(device)s. Somebody else makes and reads its enrollment token: %(who)s.",
    "Not yours to read",
)
NOT_THIS_DEVICE = RefusalCode(
    "not-this-device", "You work at %(device)s now. Revoke it from another device.", "This device"
)
