"""Documents of a facility: which files may be filed, how acts name them, and which may be the letter of a decision.

`file_document` files one; other acts name it by its code (`FiledDocument`). The type of a file is decided by its first
bytes, never by its name. A file is stored as received and served only as an attachment, so no browser runs it.

The letter of a decision can be read, and says this decision and no other (`Letter`). One that says several is filed
as such (`Document.is_about_several`). The file counts, not its title: the same bytes under another code are the same
letter.
"""

import hashlib
import json
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, Literal, TypedDict, overload

from django.apps import apps
from django.db.models import Model
from PIL import Image

from audit.columns import ACTOR, AT, FACILITY, declare, hashed, same
from audit.entry_types import ABSENT, entry_type
from games.act_forms import Code, found, text
from games.engine import Refusal, RefusalCode
from games.facility_runner import next_code
from games.models import (
    Application,
    Document,
    Facility,
    GameRequest,
    GameTest,
    InterimPermission,
    ProviderNote,
    SignForm,
)
from games.models.facility import MediaType
from games.office.core import ActOutcome, OfficeContext, office_act
from games.params import Params, malformed


class DocumentReference(TypedDict):
    """A document as entries refer to it."""

    document: Annotated[str, "code of the document"]
    sha256: str


class DecisionLetter(TypedDict):
    """The body that decided, and its letter."""

    body: Annotated[str, "the body that decided"]
    reference: Annotated[str, "reference of the letter"]
    letter: DocumentReference


class GrantOrDenial(DecisionLetter):
    """What a body decided by letter: whether it granted what was asked."""

    granted: bool


@entry_type("document.filed")
def DOCUMENT_FILED(
    *,
    document: Annotated[str, "code of the new document"],
    title: Annotated[str, "title of the document"],
    filename: Annotated[str, "name of the file as it was sent"],
    media_type: Annotated[MediaType, "the type of the file, decided by its first bytes"],
    size: Annotated[int, "bytes"],
    sha256: str,
    same_as: Annotated[str | None, "code of the first document with the same bytes; null if there is none"],
    several: Annotated[bool, "present and true if it was filed as a letter about several decisions"] = ABSENT,
) -> None:
    """A document was filed in the rules office."""


# Refusals


DOCUMENT_EMPTY = RefusalCode("document-empty", "%(name)s is empty. Choose another file.", "Empty file")
DOCUMENT_TOO_LARGE = RefusalCode(
    "document-too-large",
    "%(name)s is larger than %(most)s MB. Scan it at a lower resolution.",
    "File too large",
)
DOCUMENT_CHANGED_ON_THE_WAY = RefusalCode(
    "document-changed-on-the-way",
    "%(name)s was damaged on the way. Send it again.",
    "File damaged",
)
DOCUMENT_OF_NO_KNOWN_TYPE = RefusalCode(
    "document-of-no-known-type",
    "%(name)s is not a PDF, PNG, JPEG or plain text file. Save it as a PDF and send that.",
    "File not accepted",
)
DOCUMENT_NAMED_OTHERWISE = RefusalCode(
    "document-named-otherwise",
    "The contents of %(name)s do not match its name. If the contents are right, rename it to end in "
    "%(ending)s.",
    "File not accepted",
)
DOCUMENT_CUT_OFF = RefusalCode(
    "document-cut-off",
    "%(name)s is incomplete. Save it again and send the complete file.",
    "File damaged",
)
NO_SUCH_DOCUMENT = RefusalCode(
    "no-such-document",
    "No document %(code)s is on file. Attach the file first.",
    "No such document",
)
LETTER_UNREADABLE = RefusalCode(
    "letter-unreadable",
    "%(document)s (%(name)s) is no letter: nothing can be read in it. Attach the letter as a PDF with its pages, a "
    "scan of at least 200 by 200 pixels, or a text.",
    "Not a letter",
)
LETTER_USED = RefusalCode(
    "letter-used",
    "The same file is already the letter of %(use)s (%(document)s). Attach the letter that says this decision. If one "
    "letter says both, file it under Documents as a letter about several decisions.",
    "Letter of something else",
)


# Files


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


# Where documents are used


WITH_PARTS: tuple[tuple[type[Model], str], ...] = (
    (GameRequest, "facility"),
    (GameTest, "request__facility"),
    (Application, "provider__facility"),
)


def usage_of(facility: Facility, documents: Iterable[Document]) -> dict[str, list[str]]:
    """Return what uses each document, in words, by the document's code. Unused documents are left out."""
    codes = {document.pk: document.code for document in documents}
    uses: dict[str, list[str]] = {}
    for code, label in [*_usage_by_rows(codes), *_usage_by_parts(facility, set(codes.values()))]:
        if label not in uses.setdefault(code, []):
            uses[code].append(label)
    return uses


def _usage_by_rows(codes: dict[int, str]) -> Iterator[tuple[str, str]]:
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.is_relation and field.related_model is Document:
                rows = model._default_manager.filter(**{f"{field.name}__in": codes})
                for row in rows.order_by("pk"):
                    yield codes[getattr(row, field.attname)], f"{label_of(row)}, {field.verbose_name}"


def label_of(row: Model) -> str:
    """Return the name by which people know a row."""
    if isinstance(row, Application):
        return f"{row.provider.name}, {row.get_kind_display()}"
    if isinstance(row, GameTest):
        return f"{row.request.code}, test {row.number}"
    if isinstance(row, InterimPermission | ProviderNote):
        return f"{row.provider.name}, {row}"
    if isinstance(row, SignForm):
        return f"sign form {row}"
    return str(row)


def _usage_by_parts(facility: Facility, codes: set[str]) -> Iterator[tuple[str, str]]:
    for model, path in WITH_PARTS:
        for row in model._default_manager.filter(**{path: facility}).order_by("pk"):
            text = json.dumps(row.parts)  # type: ignore[attr-defined]
            yield from ((code, label_of(row)) for code in sorted(codes) if json.dumps(code) in text)


# Letters of decisions


LETTER_FIELDS = frozenset({"decision", "letter"})  # fields of rows that a body decides
LEAST_WORDS, LEAST_PIXELS, MOST_PIXELS = 5, 200, 100_000_000
MOST_INFLATED = 64 * 1024 * 1024  # bytes that are read of the compressed parts of a PDF
PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
STREAM = re.compile(rb"stream\r?\n")
WORD = re.compile(r"[^\W\d_]{2,}")


def letter_by_code(facility: Facility, code: str) -> Document:
    """Return the letter with this code.

    Raises Refusal(`no-such-document`, `letter-unreadable` or `letter-used`).
    """
    letter = document_by_code(facility, code)
    if not _can_be_read(letter):
        raise Refusal(LETTER_UNREADABLE, document=letter.code, name=letter.filename)
    copies = Document.objects.filter(facility=facility, sha256=letter.sha256)
    if not copies.filter(is_about_several=True).exists():
        for document, use in decisions_of(copies.values_list("pk", flat=True)):
            raise Refusal(LETTER_USED, document=document.code, use=use)
    return letter


Letter = Annotated[
    Document, found(Code, lambda ctx, code: letter_by_code(ctx.facility, code))
]  # named by its code


def decisions_of(documents: object) -> Iterator[tuple[Document, str]]:
    """Yield each decision that one of these documents (ids) says: the document, and the decision in words."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.name in LETTER_FIELDS and field.related_model is Document:
                rows = model._default_manager.filter(**{f"{field.name}__in": documents}).order_by("pk")
                for row in rows.select_related(field.name):
                    yield getattr(row, field.name), label_of(row)


def _can_be_read(letter: Document) -> bool:
    """Whether the file has content: a PDF has a page, an image a sensible size, a text some words."""
    content = bytes(letter.content)
    if letter.media_type == PDF:
        return _has_page(content)
    if letter.media_type in (PNG, JPEG):
        return _is_image(content)
    return len(WORD.findall(content.decode("utf-8", "replace"))) >= LEAST_WORDS


def _has_page(content: bytes) -> bool:
    """Whether a PDF has a page, in its plain objects or in compressed ones.

    Read without a PDF library on purpose: one written in C would run inside the process that serves the tables.
    """
    if PAGE.search(content):
        return True
    left = MOST_INFLATED
    for start in STREAM.finditer(content):
        inflater = zlib.decompressobj()
        try:
            part = inflater.decompress(content[start.end() :], left)
        except zlib.error:
            continue
        if PAGE.search(part):
            return True
        left -= len(part)
        if left <= 0:
            return False
    return False


def _is_image(content: bytes) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            image = Image.open(BytesIO(content), formats=("PNG", "JPEG"))
            width, height = image.size
            if min(width, height) < LEAST_PIXELS or width * height > MOST_PIXELS:
                return False
            image.load()
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return False
    return True


# The act


SHA256 = re.compile(r"[0-9a-f]{64}")


@office_act()
def file_document(
    ctx: OfficeContext,
    *,
    title: Annotated[str, text(120)],
    filename: Annotated[str, text(120)],
    sha256: Annotated[str, text(64)],
    several: Literal["", "false", "true"] = "",
) -> ActOutcome:
    """File the attachment of the request as a document.

    `sha256` is the hash that the browser computed before sending. The same bytes may be filed again under another
    title; the answer then names the first document that has them. `several`, "true": a letter about several decisions.
    """
    if not SHA256.fullmatch(sha256):
        raise malformed("sha256")
    is_about_several = several == "true"
    same = first_with_bytes(ctx.facility, sha256)
    document = file_upload(ctx, Upload(title, filename, sha256, ctx.attachment, is_about_several))
    same_as = same.code if same else None
    entry = DOCUMENT_FILED(
        document=document.code,
        title=title,
        filename=filename,
        media_type=document.media_type,
        size=document.size,
        sha256=sha256,
        same_as=same_as,
        several=True if is_about_several else ABSENT,
    )
    return ActOutcome(entry, {"document": document.code, "title": title, "same_as": same_as})


# What the entries state: bytes, by the SHA-256 that the browser sent with them


declare(
    Document,
    "document",
    key={"facility": FACILITY, "code": "document"},
    created={
        DOCUMENT_FILED: {
            **same("title", "filename", "media_type", "size", "sha256"),
            "content": "sha256",
            "is_about_several": lambda body: body["data"].get("several", False),
            "filed_at": AT,
            "filed_by": ACTOR,
        }
    },
    readings={"content": hashed("content")},
)
