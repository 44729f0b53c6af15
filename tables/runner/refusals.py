"""Refusals about who must sign, and about screens whose state is not the record's; each with its sentence."""

from games.engine.refusals import RefusalCode

RECORD_WENT_BACK = RefusalCode(
    "record-went-back",
    "This screen has shown entry %(seen)s of %(table)s, but the record no longer has it. Nothing was "
    "recorded. Leave chips and dice where they are, and call the shift manager.",
    "The record was rolled back",
)
TABLE_IS_HALTED = RefusalCode(
    "table-halted",
    "The record of %(table)s was rolled back, so nothing can be recorded here. Leave chips and dice "
    "where they are, and call the shift manager. Play continues after two people have declared the record.",
    "This table is halted",
)
HEAD_NOT_OURS = RefusalCode(
    "head-not-ours",
    "This screen sent a state of %(table)s that the server never showed. Nothing was recorded. "
    "Reload the page. If that does not help, call the shift manager.",
    "Unknown screen",
)
TWO_DEPARTMENTS_MUST_SIGN = RefusalCode(
    "two-departments-must-sign",
    "Two people must sign, one of table games and one of %(departments)s, each with their own PIN. Ask %(departments)s "
    "to sign.",
    "Second department needed",
)
WITNESS_NOT_ON_DUTY = RefusalCode("witness-not-on-duty", "%(witness)s is not on duty here and cannot sign.")
SECOND_PERSON_MUST_SIGN = RefusalCode(
    "second-person-must-sign",
    "A second person must sign with their own PIN: %(who)s. Ask one of them to sign.",
    "Second person needed",
)
FLOORPERSON_MUST_SIGN = RefusalCode(
    "floorperson-must-sign",
    "A floorperson must sign with their own PIN.",
    "Floorperson needed",
)
MANAGER_MUST_SIGN = RefusalCode(
    "manager-must-sign",
    "The dice are in view. Settle the round. Only a pit or shift manager may void it, with their own PIN.",
    "Manager needed",
)
TOSSED_DICE_ARE_SETTLED = RefusalCode(
    "tossed-dice-are-settled",
    "The shaker has tossed the dice, so they count, in view or covered. Uncover them and settle the round. "
    "If equipment failed, report it: gaming ceases then.",
    "Dice were tossed",
)
