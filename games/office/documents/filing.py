"""Which files may be filed as documents, and how other acts name a document.

The type of a file is decided by its first bytes, never by its name. A file is stored as received and served only as
an attachment, so no browser runs it.
"""

import hashlib
from dataclasses import dataclass
from typing import Annotated, overload

from games.act_forms import Code, found, text
from games.engine import Refusal
from games.models import Document, Facility
from games.models.documents import MediaType
from games.office.core.next_code import next_code
from games.office.core.runner import OfficeContext
from games.office.documents.entry_types import DocumentReference
from games.office.documents.refusals import (
    DOCUMENT_CHANGED_ON_THE_WAY,
    DOCUMENT_CUT_OFF,
    DOCUMENT_EMPTY,
    DOCUMENT_NAMED_OTHERWISE,
    DOCUMENT_OF_NO_KNOWN_TYPE,
    DOCUMENT_TOO_LARGE,
    NO_SUCH_DOCUMENT,
)
from games.params import Params

MOST_BYTES = 8 * 1024 * 1024
MOST_FORM_BYTES = MOST_BYTES + 64 * 1024  # including the rest of the form around the file
PDF: MediaType = "application/pdf"
PNG: MediaType = "image/png"
JPEG: MediaType = "image/jpeg"
TEXT: MediaType = "text/plain"
ENDINGS: dict[MediaType, tuple[str, ...]] = {
    PDF: (".pdf",),
    PNG: (".png",),
    JPEG: (".jpg", ".jpeg"),
    TEXT: (".txt",),
}
STARTS: tuple[tuple[bytes, MediaType], ...] = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
)
ENDS: dict[MediaType, bytes] = {PDF: b"%%EOF", PNG: b"IEND", JPEG: b"\xff\xd9"}
TAIL = 2048  # bytes at the end in which a complete file has its end marker
PRINTABLE = frozenset(b"\t\n\f\r") | frozenset(range(32, 256))


@dataclass(frozen=True)
class Upload:
    """A file to be filed, as it was sent."""

    title: str
    filename: str
    sha256: str
    content: bytes
    is_about_several: bool = False


def verify_document(upload: Upload) -> MediaType:
    """Return the media type of a file that may be filed.

    Raises Refusal(`document-empty`, `document-too-large`, `document-changed-on-the-way`, `document-of-no-known-type`,
    `document-named-otherwise` or `document-cut-off`).
    """
    if not upload.content:
        raise Refusal(DOCUMENT_EMPTY, name=upload.filename)
    if len(upload.content) > MOST_BYTES:
        raise Refusal(DOCUMENT_TOO_LARGE, name=upload.filename, most=MOST_BYTES // 2**20)
    if hashlib.sha256(upload.content).hexdigest() != upload.sha256:
        raise Refusal(DOCUMENT_CHANGED_ON_THE_WAY, name=upload.filename)
    media_type = _sniff_media_type(upload.content)
    if media_type is None:
        raise Refusal(DOCUMENT_OF_NO_KNOWN_TYPE, name=upload.filename)
    if not upload.filename.lower().endswith(ENDINGS[media_type]):
        raise Refusal(DOCUMENT_NAMED_OTHERWISE, name=upload.filename, ending=ENDINGS[media_type][0])
    if media_type in ENDS and ENDS[media_type] not in upload.content[-TAIL:]:
        raise Refusal(DOCUMENT_CUT_OFF, name=upload.filename)
    return media_type


def _sniff_media_type(content: bytes) -> MediaType | None:
    for start, media_type in STARTS:
        if content.startswith(start):
            return media_type
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return TEXT if PRINTABLE.issuperset(content) and not _is_markup(content) else None


def _is_markup(content: bytes) -> bool:
    """Return whether the bytes begin like HTML, SVG or XML, with or without a byte order mark."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def first_with_bytes(facility: Facility, sha256: str) -> Document | None:
    """Return the first document of the facility with these bytes. Filing the same bytes again is allowed."""
    documents = Document.objects.filter(facility=facility, sha256=sha256).defer("content")
    return documents.order_by("filed_at", "pk").first()


def file_upload(ctx: OfficeContext, upload: Upload) -> Document:
    """Store a file as a document under the next code. Raises what `verify_document` raises."""
    media_type = verify_document(upload)
    return Document.objects.create(
        facility=ctx.facility,
        code=next_code(Document.objects.filter(facility=ctx.facility), "D"),
        title=upload.title,
        filename=upload.filename,
        media_type=media_type,
        size=len(upload.content),
        sha256=upload.sha256,
        content=upload.content,
        is_about_several=upload.is_about_several,
        filed_at=ctx.now,
        filed_by=ctx.actor,
    )


def document_by_code(facility: Facility, code: str) -> Document:
    """Return the document with this code, without its bytes. Raises Refusal(`no-such-document`)."""
    document = Document.objects.filter(facility=facility, code=code).defer("content").first()
    if document is None:
        raise Refusal(NO_SUCH_DOCUMENT, code=code)
    return document


def _document(ctx: OfficeContext, code: str) -> Document:
    return document_by_code(ctx.facility, code)


# A document that an act names by its code. They raise Refusal(`no-such-document`).
FiledDocument = Annotated[Document, found(Code, _document)]
OptionalDocument = Annotated[Document | None, found(Annotated[str, text(20)], _document)]


def read_optional_document(ctx: OfficeContext, params: Params, name: str) -> Document | None:
    """Return the document that a parameter names, or None if it is empty or was not sent."""
    code = params.text(name, default="", max_length=20)
    return document_by_code(ctx.facility, code) if code else None


@overload
def document_reference(document: Document) -> DocumentReference: ...


@overload
def document_reference(document: Document | None) -> DocumentReference | None: ...


def document_reference(document: Document | None) -> DocumentReference | None:
    """Return a document as entries refer to it: its code and the SHA-256 of its bytes."""
    return {"document": document.code, "sha256": document.sha256} if document else None
