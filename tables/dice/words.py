"""Sentences about dice, shakers, approvals and inspections; merged into `tables.wording`."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tables.equipment.words import LINES, SUBJECTS

TITLES = {
    "two-departments-must-sign": lazy("Second department needed"),
    "not-approved": lazy("Approval missing"),
    "approval-says-less": lazy("Approval incomplete"),
    "inspection-line-missing": lazy("Inspection incomplete"),
    "post-is-empty": lazy("Dealer needed"),
    "secure-the-shaker": lazy("Lock the shaker away"),
    "lot-not-issued": lazy("Dice not issued"),
}

SENTENCES = {
    "two-departments-must-sign": lazy(
        "Two people of different departments sign this, one of them of table games. The second signs with an own PIN."
    ),
    "lot-is-elsewhere": lazy("Dice lot %(lot)s is %(status)s. This cannot be done with it now."),
    "lot-not-issued": lazy("Dice lot %(lot)s was not issued to %(table)s. Have it issued first."),
    "lot-of-another-kind": lazy(
        "Dice lot %(lot)s is not for this kind of table: training dice stay at training."
    ),
    "lot-code-taken": lazy("There is a dice lot %(lot)s already."),
    "dice-of-another-size": lazy("The dice of lot %(lot)s measure %(mm)s mm, not the size of this game."),
    "dice-of-other-colours": lazy("Dice lot %(lot)s has not the colours of this game."),
    "measure-every-die": lazy(
        "Lot %(lot)s holds %(dice)s dice, and %(measured)s were measured. Measure every one."
    ),
    "seal-missing": lazy("Name the seal: the dice are sealed in the shaker."),
    "shaker-has-no-month": lazy("Shaker %(shaker)s has no month to end: its dice have 24 hours."),
    "withdraw-tampered-dice": lazy(
        "Lot %(lot)s is in the shaker. Take it out of play first, as tampered with."
    ),
    "say-what-was-found": lazy("Say what was found on the dice of lot %(lot)s."),
    "shaker-not-out-of-order": lazy("Shaker %(shaker)s does not stand at %(table)s out of order."),
    "shaker-code-taken": lazy("There is a shaker %(shaker)s already."),
    "not-approved": lazy("No approval of the %(subject)s by the %(body)s is on file. The table cannot open."),
    "not-on-record": lazy("The %(subject)s is not on record. The table cannot open."),
    "approval-says-less": lazy("Approval %(reference)s does not confirm: %(line)s The table cannot open."),
    "device-of-another-version": lazy(
        "This console runs version %(runs)s; the approval is for %(approved)s. The table cannot open."
    ),
    "odds-not-on-layout": lazy("The odds are not on the layout, and no sign may replace them here."),
    "inspection-line-missing": lazy("Not confirmed: %(line)s Look at it, and confirm it."),
    "cameras-missing": lazy("Name %(cameras)s different cameras, one for each end of the table."),
    "secure-the-shaker": lazy("Shaker %(shaker)s may not stand alone. Lock it away, and say so."),
    "post-is-empty": lazy("Nobody on duty stands at the post of %(post)s at %(table)s. Sign in there first."),
    "approval-ends-before-it-begins": lazy("The approval ends on or before the day on which it was given."),
    "approval-of-one-thing": lazy("An approval is of one table or of one shaker."),
    "approval-of-another-thing": lazy(
        "The %(subject)s is approved for a table or for one shaker, and this is the other. Choose again."
    ),
    "no-such-equipment": lazy("There is no %(code)s in this facility."),
    "no-such-approval": lazy("There is no such approval in effect."),
    "not-on-duty": lazy("You are not on duty at %(facility)s."),
    "witness-not-on-duty": lazy("%(witness)s is not on duty here and does not sign."),
}

POSTS = {
    "dealer": lazy("the dealer"),
    "dealer-left": lazy("the left dealer"),
    "stick": lazy("the stickperson"),
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice_lot.issued": lambda data: _("Lot %(lot)s issued to the table") % data,
    "dice_lot.returned": lambda data: _("Lot %(lot)s back into storage") % data,
    "dice_lot.examined": lambda data: _("Lot %(lot)s inspected, sound") % data,
    "dice_lot.tampered": lambda data: _("Lot %(lot)s found tampered with") % data,
    "shaker.unlocked": lambda data: _("Shaker %(shaker)s unlocked") % data,
    "shaker.repaired": lambda data: _("Shaker %(shaker)s repaired and taken away") % data,
    "dice.received": lambda data: _("%s lots received") % len(data["lots"]),
    "dice_lot.stored": lambda data: _("Lot %(lot)s measured and stored in %(compartment)s") % data,
    "dice_lot.rejected": lambda data: _("Lot %(lot)s measured and rejected") % data,
    "dice.destroyed": lambda data: (
        _("%(lots)s %(how)s") % {"lots": ", ".join(data["lots"]), "how": data["how"]}
    ),
    "approval.recorded": lambda data: _("Approval %(reference)s of the %(subject)s recorded") % data,
    "approval.withdrawn": lambda data: _("Approval %(reference)s of the %(subject)s withdrawn") % data,
    "equipment.changed": lambda data: _("What is on file changed"),
    "shaker.registered": lambda data: _("Shaker %(shaker)s registered") % data,
}


def worded(params: dict[str, Any]) -> dict[str, Any]:
    """Codes of these refusals as people read them."""
    known = {"subject": SUBJECTS, "line": LINES, "post": POSTS}
    return {
        name: str(known[name].get(value, value)) if name in known else value for name, value in params.items()
    }
