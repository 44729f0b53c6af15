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
    "two-departments-must-sign": "Two people of different departments sign this, one of them of table games. The second signs with an own PIN.",
    "lot-is-elsewhere": "Dice lot %(lot)s is %(status)s. This cannot be done with it now.",
    "lot-not-issued": "Dice lot %(lot)s was not issued to %(table)s. Have it issued first.",
    "lot-of-another-kind": "Dice lot %(lot)s is not for this kind of table: training dice stay at training.",
    "lot-code-taken": "There is a dice lot %(lot)s already.",
    "dice-of-another-size": "The dice of lot %(lot)s measure %(mm)s mm, not the size of this game.",
    "dice-of-other-colours": "Dice lot %(lot)s has not the colours of this game.",
    "measure-every-die": "Lot %(lot)s holds %(dice)s dice, and %(measured)s were measured. Measure every one.",
    "seal-missing": "Name the seal: the dice are sealed in the shaker.",
    "shaker-has-no-month": "Shaker %(shaker)s has no month to end: its dice have 24 hours.",
    "withdraw-tampered-dice": "Lot %(lot)s is in the shaker. Take it out of play first, as tampered with.",
    "say-what-was-found": "Say what was found on the dice of lot %(lot)s.",
    "shaker-not-out-of-order": "Shaker %(shaker)s does not stand at %(table)s out of order.",
    "shaker-code-taken": "There is a shaker %(shaker)s already.",
    "not-approved": "No approval of the %(subject)s by the %(body)s is on file. The table cannot open.",
    "not-on-record": "The %(subject)s is not on record. The table cannot open.",
    "approval-says-less": "Approval %(reference)s does not confirm: %(line)s The table cannot open.",
    "device-of-another-version": "This console runs version %(runs)s; the approval is for %(approved)s. The table cannot open.",
    "odds-not-on-layout": "The odds are not on the layout, and no sign may replace them here.",
    "inspection-line-missing": "Not confirmed: %(line)s Look at it, and confirm it.",
    "cameras-missing": "Name %(cameras)s different cameras, one for each end of the table.",
    "secure-the-shaker": "Shaker %(shaker)s may not stand alone. Lock it away, and say so.",
    "post-is-empty": "Nobody on duty stands at the post of %(post)s at %(table)s. Sign in there first.",
    "approval-ends-before-it-begins": "The approval ends on or before the day on which it was given.",
    "approval-of-one-thing": "An approval is of one table or of one shaker.",
    "approval-of-another-thing": "The %(subject)s is approved for a table or for one shaker, and this is the other. Choose again.",
    "no-such-equipment": "There is no %(code)s in this facility.",
    "no-such-approval": "There is no such approval in effect.",
    "not-on-duty": "You are not on duty at %(facility)s.",
    "witness-not-on-duty": "%(witness)s is not on duty here and does not sign.",
}

POSTS = {
    "dealer": "the dealer",
    "dealer-left": "the left dealer",
    "stick": "the stickperson",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice_lot.issued": lambda data: "Lot %(lot)s issued to the table" % data,
    "dice_lot.returned": lambda data: "Lot %(lot)s back into storage" % data,
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
    "equipment.changed": lambda data: "What is on file changed",
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
