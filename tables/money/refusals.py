"""Refusals about chips and cash at a table, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_INVENTORY_KEPT = RefusalCode(
    "no-inventory-kept",
    "%(facility)s does not keep the inventory of %(table)s in Pitside.",
    "No inventory here",
)
DEALER_AND_FLOOR_MUST_SIGN = RefusalCode(
    "dealer-and-floor-must-sign",
    "The dealer counts and a floorperson observes. Both must sign, each with their own PIN.",
    "Two signatures needed",
)
CAGE_AND_SECURITY_MUST_SIGN = RefusalCode(
    "cage-and-security-must-sign",
    "A cage cashier and a security officer must sign, each with their own PIN.",
    "Two signatures needed",
)
SECURITY_AND_FLOOR_MUST_SIGN = RefusalCode(
    "security-and-floor-must-sign",
    "A security officer and a floorperson must sign, each with their own PIN.",
    "Two signatures needed",
)
COUNT_ROOM_MUST_SIGN = RefusalCode(
    "count-room-must-sign",
    "A cage cashier enters the count, and another cashier or compliance must sign it with their own PIN.",
    "Two signatures needed",
)
OPENER_IS_SIGNED = RefusalCode(
    "opener-is-signed",
    "The opener of %(table)s was signed at %(at)s. Count the closer before another opener.",
    "Opener already signed",
)
OPENER_MISSING = RefusalCode(
    "opener-missing",
    "The opener of %(table)s is not signed. Count the tray with the floor, then open the table.",
    "Count the opener",
)
CLOSER_MISSING = RefusalCode(
    "closer-missing",
    "The closer of %(table)s is not signed. Count the tray with the floor, then close the table.",
    "Count the closer",
)
CLOSER_IS_SIGNED = RefusalCode(
    "closer-is-signed",
    "The closer of %(table)s was signed at %(at)s, so no chips move. Close the table.",
    "Closer already signed",
)
NO_OPEN_INVENTORY = RefusalCode(
    "no-open-inventory",
    "The opener of %(table)s is not signed, so no chips move. Count it first.",
    "Count the opener",
)
TRANSFERS_UNDER_WAY = RefusalCode(
    "transfers-under-way",
    "Before the closer, finish or void what is under way: %(transfers)s.",
    "Fills or credits under way",
)
DROP_BOX_IS_ON = RefusalCode(
    "drop-box-is-on",
    "Drop box %(box)s is on %(table)s. Security and the floor take it off first.",
    "Drop box on the table",
)
NO_DROP_BOX = RefusalCode(
    "no-drop-box",
    "No drop box is on %(table)s, so no cash can be taken. Put a drop box on first.",
    "No drop box",
)
NO_SUCH_DROP_BOX = RefusalCode(
    "no-such-drop-box",
    "%(table)s has no drop box number %(number)s.",
    "No such drop box",
)
DROP_BOX_NOT_OFF = RefusalCode(
    "drop-box-not-off",
    "Drop box %(box)s is still on the table. Take it off before it is counted.",
    "Drop box on the table",
)
DROP_BOX_ALREADY_COUNTED = RefusalCode(
    "drop-box-counted",
    "Drop box %(box)s was counted at %(at)s: %(cents)s. Nothing is changed.",
    "Already counted",
)
NO_CHIPS_COUNTED = RefusalCode(
    "no-chips-counted",
    "Enter how many chips of each value.",
    "Nothing entered",
)
TOO_FEW_CHIPS_IN_TRAY = RefusalCode(
    "too-few-chips-in-tray",
    "The tray holds %(tray)s, less than %(cents)s.",
    "Not that much in the tray",
)
SALE_DIFFERS = RefusalCode(
    "sale-differs",
    "The chips are worth %(chips)s, and the cash is %(cents)s. Enter both again.",
    "Cash and chips differ",
)
NOT_IN_CHIPS = RefusalCode(
    "not-in-chips",
    "%(cents)s cannot be given in chips. The smallest chip is %(chip)s.",
    "Not an amount in chips",
)
NO_SUCH_TRANSFER = RefusalCode(
    "no-such-transfer",
    "%(table)s has no fill or credit with number %(number)s.",
    "No such transfer",
)
TRANSFER_NOT_AT_THIS_STEP = RefusalCode(
    "transfer-not-at-this-step",
    "%(transfer)s is %(status)s. Reload the page and continue from there.",
    "At another step",
)
RECEIPT_DIFFERS = RefusalCode(
    "receipt-differs",
    "Your count does not match slip %(slip)s. Count again. If it still differs, report the difference. The record has "
    "this count.",
    "Count differs",
)
COUNT_AGREES = RefusalCode(
    "count-agrees",
    "This count matches slip %(slip)s, so there is no difference to report. Sign for it.",
    "The count agrees",
)
CARRIER_MUST_SIGN = RefusalCode(
    "carrier-must-sign",
    "Who carries slip %(slip)s signs with their own PIN before its chips leave the tray: %(who)s, on duty here. Ask "
    "them to sign.",
    "The carrier signs first",
)
FILL_IS_SIGNED_IN_CAGE = RefusalCode(
    "fill-is-signed-in-cage",
    "The carrier of a fill signs in the cage, when it is handed over. Nothing is signed for it here.",
    "Signed in the cage",
)
FILL_ABOVE_PAR = RefusalCode(
    "fill-above-par",
    "%(asked)s chips of %(chip)s would be under way to this table, and by its %(par)s at most %(most)s may be. Ask for "
    "fewer, or have the par changed.",
    "More than the par",
)
TRAY_ABOVE_PAR = RefusalCode(
    "tray-above-par",
    "With this fill the tray would be worth %(cents)s, and by its %(par)s at most %(most)s may be here. Send chips "
    "back first, or have the par changed.",
    "More than the par",
)
PAR_UNCHANGED = RefusalCode("par-unchanged", "This is already the par of %(table)s.", "Nothing changes")
CHIPS_ARE_IN_TRAYS = RefusalCode(
    "chips-are-in-trays",
    "Chips of %(chips)s may be in the trays of %(tables)s. Count the closers there, then declare the chips.",
    "Trays are open",
)
MORE_THAN_THE_HOUSE_HAS = RefusalCode(
    "more-than-the-house-has",
    "%(wagered)s at %(table)s is more than all chips of the casino (%(house)s). Check the amount.",
    "Check the amount",
)
