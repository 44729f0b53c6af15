"""Entries about approvals and shakers."""

from typing import TypedDict

from audit.entry_types import entry_type


class ApprovalRecorded(TypedDict):
    approval: int
    approved_on: str
    body: str
    ends_on: str | None
    lines: list[str]
    of_shaker: str | None
    of_table: str | None
    prints: list[str]
    reference: str
    subject: str
    version: str


APPROVAL_RECORDED = entry_type(
    "approval.recorded",
    ApprovalRecorded,
    "An approval of equipment was recorded, of one table or of one shaker.",
)


class ApprovalWithdrawn(TypedDict):
    approval: int
    approved_on: str
    body: str
    ends_on: None
    lines: list[str]
    of_shaker: None
    of_table: str
    prints: list[str]
    reference: str
    subject: str
    version: str
    why: str


APPROVAL_WITHDRAWN = entry_type(
    "approval.withdrawn", ApprovalWithdrawn, "An approval of equipment was withdrawn."
)


class ShakerRegistered(TypedDict):
    kind: str
    shaker: str


SHAKER_REGISTERED = entry_type(
    "shaker.registered", ShakerRegistered, "A new shaker was registered in the facility."
)
