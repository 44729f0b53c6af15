"""Entries about documents."""

from typing import Annotated, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.models.documents import MediaType


class DocumentReference(TypedDict):
    """A document as entries refer to it."""

    document: Annotated[str, "code of the document"]
    sha256: str


class DecisionLetter(TypedDict):
    """The body that decided, and its letter."""

    body: Annotated[str, "the body that decided"]
    reference: Annotated[str, "reference of the letter"]
    letter: DocumentReference


class LetterDecision(DecisionLetter):
    """A decision by letter."""

    granted: bool


class DocumentFiled(TypedDict):
    document: Annotated[str, "code of the new document"]
    title: Annotated[str, "title of the document"]
    filename: Annotated[str, "name of the file as it was sent"]
    media_type: Annotated[MediaType, "the type of the file, decided by its first bytes"]
    size: Annotated[int, "bytes"]
    sha256: str
    same_as: Annotated[str | None, "code of the first document with the same bytes; null if there is none"]
    several: NotRequired[
        Annotated[bool, "present and true if it was filed as a letter about several decisions"]
    ]


DOCUMENT_FILED = entry_type("document.filed", DocumentFiled, "A document was filed in the rules office.")
