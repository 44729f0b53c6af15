"""Sentences about dice, shakers, approvals and inspections."""

from collections.abc import Callable
from typing import Any

from tables.equipment.words import LINES, SUBJECTS
from tables.words.registry import register

TITLES = {
    "two-departments-must-sign": "Second department needed",
    "not-approved": "Approval missing",
    "approval-says-less": "Approval incomplete",
    "inspection-line-missing": "Inspection incomplete",
    "post-is-empty": "Dealer needed",
    "secure-the-shaker": "Lock the shaker away",
    "lot-not-issued": "Dice not issued",
}

SENTENCES = {
    "two-departments-must-sign": "Two people of different departments must sign, one of them from table games. The second signs with their own PIN.",
    "lot-is-elsewhere": "Dice lot %(lot)s is %(status)s, so this cannot be done now.",
    "lot-not-issued": "Dice lot %(lot)s was not issued to %(table)s. Have it issued first.",
    "lot-of-another-kind": "Dice lot %(lot)s is not for this table. Training dice are used at training tables only.",
    "lot-code-taken": "There is already a dice lot %(lot)s. Use another code.",
    "dice-of-another-size": "The dice of lot %(lot)s measure %(mm)s mm, which is not the right size for this game. Take another lot.",
    "dice-of-other-colours": "The dice of lot %(lot)s are not the right color for this game. Take another lot.",
    "measure-every-die": "Lot %(lot)s has %(dice)s dice, but %(measured)s were measured. Measure every die.",
    "seal-missing": "The dice are sealed in the shaker. Enter the number of the seal.",
    "shaker-has-no-month": "The dice in shaker %(shaker)s are good for 24 hours, not a month. There is nothing to unlock.",
    "withdraw-tampered-dice": "Lot %(lot)s is in the shaker. Take it out of play as tampered with first.",
    "say-what-was-found": "Describe what was found on the dice of lot %(lot)s.",
    "shaker-not-out-of-order": "Shaker %(shaker)s is not out of order at %(table)s.",
    "shaker-code-taken": "There is already a shaker %(shaker)s. Use another code.",
    "not-approved": "No approval of the %(subject)s by the %(body)s is on file. The table cannot open.",
    "not-on-record": "The %(subject)s is not on record. The table cannot open.",
    "approval-says-less": "Approval %(reference)s does not confirm: %(line)s The table cannot open.",
    "device-of-another-version": "This console runs version %(runs)s; the approval is for %(approved)s. The table cannot open.",
    "odds-not-on-layout": "The odds are not printed on the layout, and a sign may not replace them here. The table cannot open.",
    "inspection-line-missing": "Not confirmed: %(line)s Check it, then confirm it.",
    "cameras-missing": "Name %(cameras)s different cameras, one for each end of the table.",
    "secure-the-shaker": "Shaker %(shaker)s may not be left alone. Lock it away, and confirm it.",
    "post-is-empty": "The post of %(post)s at %(table)s is empty. Someone on duty must sign in there first.",
    "approval-ends-before-it-begins": "The approval would end on or before the day it was given. Check both days.",
    "approval-of-one-thing": "An approval is for one table or for one shaker. Choose one of them.",
    "approval-of-another-thing": "This approval does not fit: choose a shaker for a shaker's approval, and a table for every other. It is for: %(subject)s.",
    "no-such-equipment": "There is no %(code)s at this facility.",
    "no-such-approval": "This approval does not exist or is no longer in effect. Reload the page.",
    "witness-not-on-duty": "%(witness)s is not on duty here and cannot sign.",
}

POSTS = {
    "dealer": "the dealer",
    "dealer-left": "the left dealer",
    "stick": "the stickperson",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice_lot.issued": lambda data: "Lot %(lot)s issued to the table" % data,
    "dice_lot.returned": lambda data: "Lot %(lot)s returned to storage" % data,
    "dice_lot.examined": lambda data: "Lot %(lot)s inspected, sound" % data,
    "dice_lot.tampered": lambda data: "Lot %(lot)s found tampered with" % data,
    "shaker.unlocked": lambda data: "Shaker %(shaker)s unlocked" % data,
    "shaker.repaired": lambda data: "Shaker %(shaker)s repaired and taken away" % data,
    "dice.received": lambda data: "%s lots received" % len(data["lots"]),
    "dice_lot.stored": lambda data: "Lot %(lot)s measured and stored in %(compartment)s" % data,
    "dice_lot.rejected": lambda data: "Lot %(lot)s measured and rejected" % data,
    "dice.destroyed": lambda data: "%(lots)s %(how)s" % {"lots": ", ".join(data["lots"]), "how": data["how"]},
    "approval.recorded": lambda data: "Approval %(reference)s of the %(subject)s recorded" % data,
    "approval.withdrawn": lambda data: "Approval %(reference)s of the %(subject)s withdrawn" % data,
    "equipment.changed": lambda data: "Approvals or shakers changed",
    "shaker.registered": lambda data: "Shaker %(shaker)s registered" % data,
}


def words_for_codes(params: dict[str, Any]) -> dict[str, Any]:
    """Replace codes of subjects, inspection lines and posts among a refusal's parameters with words."""
    labels_by_name = {"subject": SUBJECTS, "line": LINES, "post": POSTS}
    return {
        name: str(labels_by_name[name].get(value, value)) if name in labels_by_name else value
        for name, value in params.items()
    }


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES, params=words_for_codes)
