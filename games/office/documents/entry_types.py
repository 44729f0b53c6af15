"""Entries about documents."""

from typing import TypedDict

from audit.entry_types import entry_type


class DocumentFiled(TypedDict):
    document: str
    filename: str
    media_type: str
    same_as: str | None
    sha256: str
    size: int
    title: str


DOCUMENT_FILED = entry_type("document.filed", DocumentFiled, "A document was filed in the rules office.")
