"""Refusals about the opening of a table, each with its sentence."""

from games.engine.refusals import RefusalCode

SECURE_THE_SHAKER = RefusalCode(
    "secure-the-shaker",
    "Shaker %(shaker)s must not be left unattended. Lock it away, and confirm it.",
    "Lock the shaker away",
)
TABLE_NOT_CLOSED = RefusalCode("table-not-closed", "%(table)s is open already.")
INSPECT_BEFORE_OPENING = RefusalCode(
    "inspect-before-opening",
    "The inspection is made while the table is closed.",
)
LIGHTS_DO_NOT_AGREE = RefusalCode(
    "lights-do-not-agree",
    "The combinations you saw lit are not those of these dice: %(wrong)s. Do not open the table.",
)
NOT_INSPECTED = RefusalCode(
    "not-inspected",
    "The table has not been inspected since it closed. Inspect it first.",
)
EDITION_LAPSED = RefusalCode(
    "edition-lapsed",
    "This edition lapsed on %(on)s. Acknowledge that to open the table under it.",
)
NEW_DICE_AT_OPENING = RefusalCode(
    "new-dice-at-opening",
    "Dice lot %(lot)s was at this table before it closed. Put a new set in first.",
)
PAYOUT_LIMIT_TOO_LOW = RefusalCode(
    "payout-limit-too-low",
    "The filed payout limit of %(limit)s is under %(least)s, the least at this table's minimum. Do "
    "not open it.",
)
