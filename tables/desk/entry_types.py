"""Entries of the compliance desk."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type

ExportKind = Literal["evidence", "csv", "xlsx"]
SheetsKind = Literal["sheets-xlsx", "sheets-csv"]

# "from" is a keyword, so that this type has to be written as a call.
ExportSpan = TypedDict(
    "ExportSpan",
    {
        "day": Annotated[str | None, "the first gaming day; null for a range of moments"],
        "from": Annotated[str | None, "the beginning of the range, inclusive; null: from the first entry"],
        "last_day": Annotated[str | None, "the last gaming day; null for a range of moments"],
        "to": Annotated[str | None, "the end of the range, exclusive; null: to the newest entry"],
    },
)


class ExportSelection(ExportSpan):
    streams: Annotated[list[str], "names of the streams; empty for every stream of the facility"]
    training: Annotated[bool, "whether it is of training and simulation instead of real play"]


class ExportAsked(ExportSelection):
    job: str
    kind: Annotated[ExportKind | SheetsKind, "kind of export"]
    game: NotRequired[Annotated[str, "of a readable export: code of its only game; empty for every game"]]
    table: NotRequired[Annotated[str, "of a readable export: code of its only table; empty for every table"]]
    number: NotRequired[
        Annotated[int | None, "of a readable export: number of its only round; null for every round"]
    ]


EXPORT_ASKED = entry_type("export.asked", ExportAsked, "An export of the record was requested.")


class ExportTaken(TypedDict):
    job: str
    kind: Annotated[ExportKind | SheetsKind, "kind of export"]
    filename: Annotated[str, "name of the file"]
    sha256: Annotated[str, "SHA-256 of the file, in hex"]


EXPORT_TAKEN = entry_type(
    "export.taken",
    ExportTaken,
    "A person began to download the file of an export, for the first time at this device.",
)


class FilterQuery(TypedDict):
    filter: Annotated[str, "name of the saved search"]
    query: Annotated[str, "the search, as the query string of its address"]


FILTER_REMOVED = entry_type("filter.removed", FilterQuery, "A person removed a saved search of the record.")


FILTER_SAVED = entry_type("filter.saved", FilterQuery, "A person saved a search of the record.")


class SearchTaken(TypedDict):
    bytes: Annotated[int, "size of the file"]
    entries: Annotated[int, "so many entries were found"]
    query: Annotated[str, "the search, as the query string of its address"]
    sha256: Annotated[str, "SHA-256 of the file, in hex"]


SEARCH_TAKEN = entry_type(
    "search.taken", SearchTaken, "A person downloaded what a search of the record found, as CSV."
)


class LegalHoldFields(TypedDict):
    hold: Annotated[str, "code of the legal hold"]
    reason: Annotated[str, "why, in a person's words"]


class LegalHoldPlaced(LegalHoldFields):
    first_day: Annotated[str | None, "the first gaming day that it covers; null: the past without limit"]
    kinds: Annotated[list[str], "codes of what it covers"]
    last_day: Annotated[str | None, "the last gaming day that it covers; null: what is to come too"]
    until: Annotated[str | None, "the last day on which it stands; null: until it is released"]


LEGAL_HOLD_PLACED = entry_type(
    "legal_hold.placed", LegalHoldPlaced, "A legal hold was placed: what it covers must be kept."
)
LEGAL_HOLD_RELEASED = entry_type("legal_hold.released", LegalHoldFields, "A legal hold was released.")


class ProofTaken(TypedDict):
    bytes: Annotated[int, "size of the file"]
    first: Annotated[int, "number of the first entry in the file"]
    last: Annotated[int, "number of the last entry in the file"]
    sha256: Annotated[str, "SHA-256 of the file, in hex"]
    stream: str


PROOF_TAKEN = entry_type("proof.taken", ProofTaken, "A person downloaded the proof of one entry.")


class VerificationAsked(TypedDict):
    job: str


VERIFICATION_ASKED = entry_type(
    "verification.asked", VerificationAsked, "A verification of the whole record was requested."
)


class RoundPrinted(TypedDict):
    bytes: Annotated[int, "size of the file"]
    last: Annotated[int, "number of the newest entry that it names"]
    number: Annotated[int, "number of the round"]
    seat: Annotated[int | None, "the seat whose wagers it has; null for every seat"]
    sha256: Annotated[str, "SHA-256 of the file, in hex"]
    table: Annotated[str, "code of the table"]


ROUND_PRINTED = entry_type("round.printed", RoundPrinted, "A person printed the report of a round.")
