"""Refusals about dice lots and shakers, each with its sentence."""

from games.engine.refusals import RefusalCode

LOT_IS_ELSEWHERE = RefusalCode(
    "lot-is-elsewhere",
    "Dice lot %(lot)s is %(status)s, so this cannot be done now.",
)
LOT_NOT_ISSUED = RefusalCode(
    "lot-not-issued",
    "Dice lot %(lot)s was not issued to %(table)s. Have it issued first.",
    "Dice not issued",
)
LOT_OF_ANOTHER_KIND = RefusalCode(
    "lot-of-another-kind",
    "Dice lot %(lot)s is not for this table. Training dice are used at training tables only.",
)
LOT_CODE_TAKEN = RefusalCode("lot-code-taken", "There is already a dice lot %(lot)s. Use another code.")
DICE_OF_ANOTHER_SIZE = RefusalCode(
    "dice-of-another-size",
    "The dice of lot %(lot)s measure %(mm)s mm, which is not the right size for this game. Take another lot.",
)
DICE_OF_OTHER_COLOURS = RefusalCode(
    "dice-of-other-colours",
    "The dice of lot %(lot)s are not the right color for this game. Take another lot.",
)
MEASURE_EVERY_DIE = RefusalCode(
    "measure-every-die",
    "Lot %(lot)s has %(dice)s dice, but %(measured)s were measured. Measure every die.",
)
SEAL_MISSING = RefusalCode("seal-missing", "The dice are sealed in the shaker. Enter the number of the seal.")
SHAKER_HAS_NO_MONTH = RefusalCode(
    "shaker-has-no-month",
    "The dice in shaker %(shaker)s are good for 24 hours, not a month. There is nothing to unlock.",
)
WITHDRAW_TAMPERED_DICE = RefusalCode(
    "withdraw-tampered-dice",
    "Lot %(lot)s is in the shaker. Take it out of play as tampered with first.",
)
SAY_WHAT_WAS_FOUND = RefusalCode("say-what-was-found", "Describe what was found on the dice of lot %(lot)s.")
DICE_IN_PLAY = RefusalCode(
    "dice-in-play",
    "Round %(round)s is shaken. Its dice stay in the shaker until it ends.",
)
NO_SUCH_INSTRUMENT = RefusalCode(
    "no-such-instrument",
    "There is no %(kind)s %(instrument)s in the register. Add it under Dice, Counts and instruments.",
)
INSTRUMENT_CODE_TAKEN = RefusalCode(
    "instrument-code-taken",
    "There is already an instrument %(instrument)s. Use another code, or record its calibration.",
)
INSTRUMENT_RETIRED = RefusalCode(
    "instrument-retired",
    "The %(kind)s %(instrument)s is out of service: %(why)s. Use another one.",
)
CALIBRATION_ENDED = RefusalCode(
    "calibration-ended",
    "The calibration of the %(kind)s %(instrument)s ended on %(day)s. Use another one, or record its new calibration.",
    "Not calibrated",
)
CALIBRATION_DATES = RefusalCode(
    "calibration-dates",
    "A calibration begins today or earlier, and ends on that day or later. Correct the dates.",
)
COUNT_DIFFERS = RefusalCode(
    "count-differs",
    "The count differs from the record: %(differences)s. Count again. If it is the same, say what you found.",
    "The count differs",
)
NO_SUCH_LOT = RefusalCode("no-such-lot", "There is no dice lot %(lot)s in this facility.")
LOT_WAS_USED = RefusalCode(
    "lot-was-used",
    "Dice lot %(lot)s has been in a shaker before; its clock cannot begin again. Take a fresh lot.",
)
DICE_NOT_ATTESTED = RefusalCode(
    "dice-not-attested",
    "Dice lot %(lot)s is not attested to the standard of this game. Take one that is.",
)
LOT_OF_OTHER_DICE = RefusalCode(
    "lot-of-other-dice",
    "Dice lot %(lot)s holds %(dice)s dice, not the number this game is played with.",
)
