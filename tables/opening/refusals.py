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
INSPECTION_TOO_OLD = RefusalCode(
    "inspection-too-old",
    "The inspection was made at %(at)s. It holds for %(hours)s hours. Inspect the table again.",
    "Inspect again",
)
INSPECTOR_NOT_ASSIGNED = RefusalCode(
    "inspector-not-assigned",
    "%(assigned)s is assigned to %(table)s and inspects it. If %(by)s takes the table over, assign it first.",
    "Another floorperson",
)
INSPECTED_BY_ANOTHER = RefusalCode(
    "inspected-by-another",
    "%(by)s inspected %(table)s, and %(supervisor)s supervises it now. %(supervisor)s must inspect it.",
    "Inspect again",
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
DISPUTE_UNDECIDED = RefusalCode(
    "dispute-undecided",
    "The dispute%(where)s is not decided. Decide it, then close %(table)s.",
    "Decide the dispute",
)
