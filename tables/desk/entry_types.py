"""Entries of the compliance desk."""

from typing import TypedDict

from audit.entry_types import entry_type

ExportAsked = TypedDict(
    "ExportAsked",
    {
        "day": str | None,
        "from": str | None,
        "job": str,
        "kind": str,
        "last_day": str | None,
        "streams": list[str],
        "to": str | None,
        "training": bool,
    },
)


EXPORT_ASKED = entry_type("export.asked", ExportAsked, "An export of the record was requested.")


class FilterQuery(TypedDict):
    filter: str
    query: str


FILTER_REMOVED = entry_type("filter.removed", FilterQuery, "A person removed a saved search of the record.")


FILTER_SAVED = entry_type("filter.saved", FilterQuery, "A person saved a search of the record.")


class ProofTaken(TypedDict):
    bytes: int
    first: int
    last: int
    sha256: str
    stream: str


PROOF_TAKEN = entry_type("proof.taken", ProofTaken, "A person downloaded the proof of one entry.")


class VerificationAsked(TypedDict):
    job: str


VERIFICATION_ASKED = entry_type(
    "verification.asked", VerificationAsked, "A verification of the whole record was requested."
)
