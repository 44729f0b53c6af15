"""Entries about disputes."""

from typing import TypedDict

from audit.entry_types import entry_type


class DisputeReported(TypedDict):
    about: str
    round: int | None
    seat: int
    section: str


DISPUTE_REPORTED = entry_type("dispute.reported", DisputeReported, "A dispute was reported.")
