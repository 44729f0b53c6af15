"""Entries about disputes."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type


class DisputeReported(TypedDict):
    about: Annotated[str, "what it is about, in a person's words"]
    round: Annotated[
        int | None, "number of the round in play, otherwise of the last one; null before the first round"
    ]
    seat: int
    section: Annotated[str, "the section on disputed dice; empty where the edition has none"]


DISPUTE_REPORTED = entry_type("dispute.reported", DisputeReported, "A dispute was reported.")
