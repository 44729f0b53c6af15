"""Lines of the record about dice, shakers and approvals; the posts at a table, and codes in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from tables.dice.entry_types import (
    DICE_COUNTED,
    DICE_DESTROYED,
    DICE_LOT_EXAMINED,
    DICE_LOT_EXPIRED,
    DICE_LOT_ISSUED,
    DICE_LOT_PLACED,
    DICE_LOT_REJECTED,
    DICE_LOT_RETURNED,
    DICE_LOT_STORED,
    DICE_LOT_TAMPERED,
    DICE_LOT_WITHDRAWN,
    DICE_RECEIVED,
    INSTRUMENT_CALIBRATED,
    INSTRUMENT_REGISTERED,
    INSTRUMENT_RETIRED,
    SHAKER_UNLOCKED,
)
from tables.equipment.entry_types import (
    APPROVAL_RECORDED,
    APPROVAL_WITHDRAWN,
    APPROVALS_RECORDED,
    APPROVALS_WITHDRAWN,
    SHAKER_REGISTERED,
    ApprovalData,
)
from tables.equipment.words import approval_subjects, inspection_lines
from tables.runner.entry_types import EQUIPMENT_CHANGED
from tables.words.registry import line, register

POSTS = {
    "dealer": "the dealer",
    "dealer-left": "the left dealer",
    "stick": "the stickperson",
}

ACT_LINES = [
    line(DICE_LOT_ISSUED, lambda data: "Lot %(lot)s issued to the table" % data),
    line(DICE_LOT_RETURNED, lambda data: "Lot %(lot)s returned to storage" % data),
    line(DICE_LOT_EXAMINED, lambda data: "Lot %(lot)s inspected, sound" % data),
    line(DICE_LOT_TAMPERED, lambda data: "Lot %(lot)s found tampered with" % data),
    line(SHAKER_UNLOCKED, lambda data: "Shaker %(shaker)s unlocked" % data),
    line(
        DICE_COUNTED,
        lambda data: (
            "Dice counted, as on the record"
            if data["counted"] == data["expected"]
            else "Dice counted, differs from the record: %s" % data["note"]
        ),
    ),
    line(INSTRUMENT_REGISTERED, lambda data: "Instrument %(instrument)s registered" % data),
    line(INSTRUMENT_CALIBRATED, lambda data: "Instrument %(instrument)s calibrated to %(ends_on)s" % data),
    line(INSTRUMENT_RETIRED, lambda data: "Instrument %(instrument)s out of service: %(why)s" % data),
    line(DICE_RECEIVED, lambda data: "%s lots received" % len(data["lots"])),
    line(DICE_LOT_STORED, lambda data: "Lot %(lot)s measured and stored in %(compartment)s" % data),
    line(DICE_LOT_REJECTED, lambda data: "Lot %(lot)s measured and rejected" % data),
    line(
        DICE_DESTROYED,
        lambda data: "%(lots)s %(how)s" % {"lots": ", ".join(data["lots"]), "how": data["how"]},
    ),
    line(APPROVAL_RECORDED, lambda data: "Approval %(reference)s of the %(subject)s recorded" % data),
    line(APPROVAL_WITHDRAWN, lambda data: "Approval %(reference)s of the %(subject)s withdrawn" % data),
    line(APPROVALS_RECORDED, lambda data: "%s recorded" % _approvals_in_words(data["approvals"])),
    line(APPROVALS_WITHDRAWN, lambda data: "%s withdrawn" % _approvals_in_words(data["approvals"])),
    line(EQUIPMENT_CHANGED, lambda data: "Approvals or shakers changed"),
    line(SHAKER_REGISTERED, lambda data: "Shaker %(shaker)s registered" % data),
    line(DICE_LOT_PLACED, lambda data: "Lot %(lot)s into %(shaker)s" % data),
    line(DICE_LOT_WITHDRAWN, lambda data: "Lot %(lot)s out of play: %(why)s" % data),
    line(DICE_LOT_EXPIRED, lambda data: "Lot %(lot)s reached its time" % data),
]


def _approvals_in_words(approvals: Sequence[ApprovalData]) -> str:
    """Such as "Approval BGL-7 (electrical device) of T-01, T-02"."""
    words = approval_subjects()
    names = dict.fromkeys(
        "%s (%s)" % (approval["reference"], words.get(approval["subject"], approval["subject"]).lower())
        for approval in approvals
    )
    codes = [str(approval["of_table"] or approval["of_shaker"]) for approval in approvals]
    return "Approval %s of %s" % (" and ".join(names), ", ".join(codes))


def words_for_codes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Replace codes of subjects, inspection lines and posts among a refusal's parameters with words."""
    labels_by_name = {"subject": approval_subjects(), "line": inspection_lines(), "post": POSTS}
    return {
        name: str(labels_by_name[name].get(value, value)) if name in labels_by_name else value
        for name, value in params.items()
    }


register(act_lines=ACT_LINES, params=words_for_codes)
