"""Entries about approvals and shakers."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from games.office.documents import DocumentReference
from games.snapshot_types import ShakerKind
from tables.equipment.words import approval_subjects
from tables.words.registry import entry_with_line


class ApprovalData(TypedDict):
    """An approval of a table's equipment, or of a shaker: exactly one of `of_table` and `of_shaker` is set."""

    approval: int
    approved_on: Annotated[str, "since when it is in effect"]
    body: Annotated[str, "the body that approved; may be empty"]
    ends_on: Annotated[str | None, "the first day on which it is no longer in effect; null without an end"]
    lines: Annotated[list[str], "codes of the requirements of the edition that it confirms"]
    of_shaker: Annotated[str | None, "code of the shaker that it is for"]
    of_table: Annotated[str | None, "code of the table that it is for"]
    prints: Annotated[list[Literal["odds", "payout-limit"]], "what the layout prints"]
    reference: Annotated[str, "reference of the approval"]
    subject: Annotated[str, "what was approved, as the edition names it: layout, device, shaker, …"]
    version: Annotated[str, "software version of a device; otherwise empty"]
    letter: NotRequired[Annotated[DocumentReference, "the document that says it"]]
    further_versions: NotRequired[Annotated[list[str], "further software versions that it approves"]]


APPROVAL_RECORDED = entry_with_line(
    "approval.recorded",
    ApprovalData,
    "An approval of equipment was recorded, of one table or of one shaker.",
    lambda data: "Approval %(reference)s of the %(subject)s recorded" % data,
)


def _approvals_in_words(approvals: Sequence[ApprovalData]) -> str:
    """Such as "Approval BGL-7 (electrical device) of T-01, T-02"."""
    words = approval_subjects()
    names = dict.fromkeys(
        "%s (%s)" % (approval["reference"], words.get(approval["subject"], approval["subject"]).lower())
        for approval in approvals
    )
    codes = [str(approval["of_table"] or approval["of_shaker"]) for approval in approvals]
    return "Approval %s of %s" % (" and ".join(names), ", ".join(codes))


class ApprovalsRecorded(TypedDict):
    approvals: Annotated[list[ApprovalData], "one for each table or shaker"]


APPROVALS_RECORDED = entry_with_line(
    "approvals.recorded",
    ApprovalsRecorded,
    "An approval of several tables or shakers was recorded, by one letter.",
    lambda data: "%s recorded" % _approvals_in_words(data["approvals"]),
)


class ApprovalWithdrawn(ApprovalData):
    why: Annotated[str, "why, in a person's words"]


APPROVAL_WITHDRAWN = entry_with_line(
    "approval.withdrawn",
    ApprovalWithdrawn,
    "An approval of equipment was withdrawn.",
    lambda data: "Approval %(reference)s of the %(subject)s withdrawn" % data,
)


class ApprovalsWithdrawn(ApprovalsRecorded):
    why: Annotated[str, "why, in a person's words"]


APPROVALS_WITHDRAWN = entry_with_line(
    "approvals.withdrawn",
    ApprovalsWithdrawn,
    "Several approvals of equipment were withdrawn at once.",
    lambda data: "%s withdrawn" % _approvals_in_words(data["approvals"]),
)


class ShakerRegistered(TypedDict):
    kind: Annotated[ShakerKind, "kind of shaker"]
    shaker: str


SHAKER_REGISTERED = entry_with_line(
    "shaker.registered",
    ShakerRegistered,
    "A new shaker was registered in the facility.",
    lambda data: "Shaker %(shaker)s registered" % data,
)
