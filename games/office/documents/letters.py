"""Which document may be the letter of a decision: it can be read, and it says this decision and no other.

A letter that says several decisions is filed as such (`Document.is_about_several`). The file counts, not its title: the
same bytes under another code are the same letter.
"""

import re
import warnings
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Annotated

from django.apps import apps
from PIL import Image

from games.act_forms import Code, found
from games.engine import Refusal
from games.models import Document, Facility
from games.office.documents.filing import JPEG, PDF, PNG, document_by_code
from games.office.documents.refusals import LETTER_UNREADABLE, LETTER_USED
from games.office.documents.usage import label_of

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
