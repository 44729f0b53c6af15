"""Refusals of rounds on paper, of an act's parameters and of people who may not act, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_GAME = RefusalCode(
    "no-such-game",
    "There is no game %(code)s here. Choose one of the list.",
    "No such game",
)
TERMS_DO_NOT_MATCH = RefusalCode(
    "terms-do-not-match",
    "The terms of %(submission)s do not match their hash. Do not deal; call the games administrator.",
    "Terms altered",
)
PLAYER_FAVOURED = RefusalCode(
    "player-favoured",
    "With these odds %(wager)s pays players more than the house keeps. File lower odds.",
    "Pays too much",
)
UNREADABLE_LINE = RefusalCode(
    "unreadable-line",
    "The line is not JSON in UTF-8. Correct it and send it again.",
    "Unreadable",
)
NOT_AN_OBJECT = RefusalCode(
    "not-an-object",
    "The %(what)s is not a JSON object. Correct it and send it again.",
    "Not an object",
)
REPEATED_KEY = RefusalCode(
    "repeated-key",
    "The key %(key)s stands there twice. Keep one of them.",
    "Repeated key",
)
UNKNOWN_KEY = RefusalCode("unknown-key", "The key %(key)s means nothing here. Leave it out.", "Unknown key")
KEY_MISSING = RefusalCode("key-missing", "The key %(key)s is missing. Add it.", "Key missing")
WRONG_VALUE = RefusalCode(
    "wrong-value",
    "The value of %(key)s is not of the right kind. Correct it.",
    "Wrong value",
)
NOT_A_NUMBER = RefusalCode(
    "not-a-number",
    "%(value)s is not a number in JSON. Write a whole number.",
    "Not a number",
)
NUMBER_TOO_LONG = RefusalCode(
    "number-too-long",
    "A number of %(digits)s digits is no amount. Correct it.",
    "Number too long",
)
REASON_NEEDED = RefusalCode("reason-needed", "The key %(key)s needs a reason in words. Add it.", "Say why")
REPEATED_WAGER = RefusalCode(
    "repeated-wager",
    "Seat %(seat)s has %(code)s twice. A wager is the total of a seat: add them up.",
    "Repeated wager",
)
NOT_ON_DUTY = RefusalCode("not-on-duty", "You are not on duty at %(facility)s.")
MALFORMED = RefusalCode(
    "malformed",
    "The tablet sent something this act does not know (%(name)s). Nothing was changed.",
)
ROLE_MAY_NOT = RefusalCode("role-may-not", "Your role does not include this.")
DEVICE_NOT_ENROLLED = RefusalCode(
    "device-not-enrolled",
    "This tablet is not enrolled. Ask the system administrator.",
)
DEVICE_OF_ANOTHER_TABLE = RefusalCode(
    "device-of-another-table",
    "This tablet (%(device)s) belongs to another table.",
)
