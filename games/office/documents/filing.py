"""Documents on file: what may be filed, and how another act names one.

A file is taken for what its first bytes say, never for what its name claims; it is stored as received and given out
as an attachment alone, so that no browser runs it.
"""

import hashlib
from dataclasses import dataclass

from games.engine import Refusal
from games.models import Document, Facility
from games.office.core.next_code import next_code
from games.office.core.runner import OfficeContext
from games.params import Params

MOST_BYTES = 8 * 1024 * 1024
MOST_FORM_BYTES = MOST_BYTES + 64 * 1024  # with what stands around the file in a form
PDF, PNG, JPEG, TEXT = "application/pdf", "image/png", "image/jpeg", "text/plain"
ENDINGS = {PDF: (".pdf",), PNG: (".png",), JPEG: (".jpg", ".jpeg"), TEXT: (".txt",)}
STARTS = ((b"%PDF-", PDF), (b"\x89PNG\r\n\x1a\n", PNG), (b"\xff\xd8\xff", JPEG))
ENDS = {PDF: b"%%EOF", PNG: b"IEND", JPEG: b"\xff\xd9"}
TAIL = 2048  # bytes in which the end of a whole file is looked for
PRINTABLE = frozenset(b"\t\n\f\r") | frozenset(range(32, 256))


@dataclass(frozen=True)
class Upload:
    """A file that somebody wants to file, as it was sent."""

    title: str
    filename: str
    sha256: str
    content: bytes


def verify_document(upload: Upload) -> str:
    """The media type of a file that may be filed. Raises `document-empty`, `document-too-large`,
    `document-changed-on-the-way`, `document-of-no-known-type`, `document-named-otherwise` or `document-cut-off`.
    """
    if not upload.content:
        raise Refusal("document-empty", name=upload.filename)
    if len(upload.content) > MOST_BYTES:
        raise Refusal("document-too-large", name=upload.filename, most=MOST_BYTES // 2**20)
    if hashlib.sha256(upload.content).hexdigest() != upload.sha256:
        raise Refusal("document-changed-on-the-way", name=upload.filename)
    media_type = _sniff_media_type(upload.content)
    if not media_type:
        raise Refusal("document-of-no-known-type", name=upload.filename)
    if not upload.filename.lower().endswith(ENDINGS[media_type]):
        raise Refusal("document-named-otherwise", name=upload.filename, ending=ENDINGS[media_type][0])
    if media_type in ENDS and ENDS[media_type] not in upload.content[-TAIL:]:
        raise Refusal("document-cut-off", name=upload.filename)
    return media_type


def _sniff_media_type(content: bytes) -> str:
    for start, media_type in STARTS:
        if content.startswith(start):
            return media_type
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return TEXT if PRINTABLE.issuperset(content) and not _is_markup(content) else ""


def _is_markup(content: bytes) -> bool:
    """Whether it begins as HTML, SVG or XML do; a byte order mark hides nothing."""
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def first_with_bytes(facility: Facility, sha256: str) -> Document | None:
    """The first document of the house with these bytes. Filing them again is allowed, and is told."""
    documents = Document.objects.filter(facility=facility, sha256=sha256).defer("content")
    return documents.order_by("filed_at", "pk").first()


def file_upload(ctx: OfficeContext, upload: Upload) -> Document:
    """Files it under the next code. Raises what `verify_document` raises."""
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
        filed_at=ctx.now,
        filed_by=ctx.actor,
    )


def document_by_code(facility: Facility, code: str) -> Document:
    """The document of this code, without its bytes. Raises `no-such-document`."""
    document = Document.objects.filter(facility=facility, code=code).defer("content").first()
    if document is None:
        raise Refusal("no-such-document", code=code)
    return document


def read_document(ctx: OfficeContext, params: Params, name: str) -> Document:
    """The document that a parameter names; it must be there. Raises `no-such-document`, or `malformed`."""
    return document_by_code(ctx.facility, params.code(name))


def read_optional_document(ctx: OfficeContext, params: Params, name: str) -> Document | None:
    """The same where it may be left out: None for an empty text or none at all."""
    code = params.text(name, default="", max_length=20)
    return document_by_code(ctx.facility, code) if code else None


def document_reference(document: Document | None) -> dict[str, str] | None:
    """A document as an entry of the record names it: by its code and the SHA-256 of its bytes."""
    return {"document": document.code, "sha256": document.sha256} if document else None
