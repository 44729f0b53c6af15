"""Entries about cases and about accepted reports."""

from typing import Annotated, Any, NotRequired, TypedDict

from audit.entry_types import entry_type

CaseCode = Annotated[str, "code of the case"]


class CaseEntry(TypedDict):
    case: CaseCode


class CaseOpened(CaseEntry):
    """The entry names nobody where a rule opened the case. `about` is what a patron or a colleague says."""

    about: NotRequired[Annotated[str, "what it is about, in a person's words; only of a case opened by hand"]]
    due_at: Annotated[str, "when it is due, UTC"]
    kind: Annotated[str, "kind of the case"]
    params: NotRequired[Annotated[dict[str, Any], "values for its sentences"]]
    round: NotRequired[Annotated[int | None, "number of the round that it is about; null without one"]]
    seat: NotRequired[Annotated[int | None, "the seat that it is about; null without one"]]
    subject: Annotated[str, "what it is about, as a key; one case for each"]
    table: NotRequired[Annotated[str | None, "code of the table that it is about; null without one"]]
    title: Annotated[str, "what it is about, in words"]


CASE_OPENED = entry_type("case.opened", CaseOpened, "A case was opened, by its rule or by a person.")
CASE_TAKEN = entry_type("case.taken", CaseEntry, "A person took a case: its owner is the person who acted.")


class CaseAssigned(CaseEntry):
    owner: Annotated[str, "code of the new owner"]


CASE_ASSIGNED = entry_type("case.assigned", CaseAssigned, "A case was given to another person.")


class CaseNoted(CaseEntry):
    text: Annotated[str, "the note, in a person's words"]


CASE_NOTED = entry_type("case.noted", CaseNoted, "A person wrote a note about a case.")


class CaseDocumentAdded(CaseEntry):
    filename: Annotated[str, "name of the file as it was sent"]
    media_type: Annotated[str, "the type of the file, decided by its first bytes"]
    number: Annotated[int, "number of the document in its case"]
    sha256: str
    size: Annotated[int, "bytes"]
    title: Annotated[str, "title of the document"]


CASE_DOCUMENT_ADDED = entry_type(
    "case.document_added", CaseDocumentAdded, "A document was added to a case. The entry has its SHA-256."
)


class CameraSeen(CaseEntry):
    begins: Annotated[str, "local time at which the clip begins; may be empty"]
    camera: str
    clip: Annotated[str, "reference of the clip; empty where none is kept"]
    ends: Annotated[str, "local time at which the clip ends; may be empty"]
    shows: Annotated[str, "what it shows, in a person's words"]


CAMERA_SEEN = entry_type("case.camera_seen", CameraSeen, "Surveillance looked at the camera of a case.")


class LetterWritten(CaseEntry):
    """The words stay off the record: they name a patron. The SHA-256 fixes them."""

    cents: Annotated[int | None, "what is paid for goodwill; null for any other outcome"]
    letter: Annotated[int, "number of the letter in its case"]
    outcome: Annotated[str, "code of the outcome that it tells the patron"]
    sha256: Annotated[str, "SHA-256 of its words, in hex"]


LETTER_WRITTEN = entry_type(
    "case.letter_written",
    LetterWritten,
    "A letter to the patron was written. An earlier one no longer counts.",
)


class LetterPrinted(CaseEntry):
    bytes: Annotated[int, "size of the file"]
    letter: Annotated[int, "number of the letter in its case"]
    sha256: Annotated[str, "SHA-256 of the PDF, in hex"]


LETTER_PRINTED = entry_type("letter.printed", LetterPrinted, "A person printed a signed letter to a patron.")


class OutcomeSigned(CaseEntry):
    cents: Annotated[int | None, "what is paid for goodwill; null for any other outcome"]
    letter: NotRequired[Annotated[str, "SHA-256 of the words of the letter that is signed with it, in hex"]]
    outcome: Annotated[str, "code of the outcome"]
    reason: Annotated[str, "why, in a person's words"]
    signature: Annotated[int, "1 for the first signature, 2 for the second"]


OUTCOME_SIGNED = entry_type("case.outcome_signed", OutcomeSigned, "A person signed the outcome of a case.")


class CaseClosed(CaseEntry):
    outcome: Annotated[str, "code of the outcome"]


CASE_CLOSED = entry_type("case.closed", CaseClosed, "A case was closed, with its outcome signed.")


class CaseReopened(CaseEntry):
    reason: Annotated[str, "why, in a person's words"]


CASE_REOPENED = entry_type(
    "case.reopened", CaseReopened, "A case was reopened. Earlier signatures of its outcome no longer count."
)


class ReportAccepted(TypedDict):
    day: Annotated[str, "gaming day of the report"]
    opened_at: Annotated[str, "when the person had opened the report, UTC"]
    sha256: Annotated[str, "SHA-256 of its PDF, in hex"]
    win_cents: Annotated[int, "win of the day, with the slips filed on it"]


REPORT_ACCEPTED = entry_type(
    "report.accepted", ReportAccepted, "A person accepted the report of a gaming day, after opening it."
)
