"""Lines of the record about dice, shakers and approvals; the posts at a table, and codes in words."""

from collections.abc import Callable
from typing import Any

from tables.equipment.words import LINES, SUBJECTS
from tables.words.registry import register

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


register(act_lines=ACT_LINES, params=words_for_codes)
