"""What a full verification checks of documents: bytes and description against the entry that filed them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from games.models import Document
from games.office.documents.entry_types import DOCUMENT_FILED

DOCUMENT_DIFFERS = declare_finding(
    "document-differs",
    "The document %(document)s differs from %(stream)s, entry %(seq)s, in %(column)s: it was replaced after filing.",
)
DOCUMENT_UNRECORDED = declare_finding(
    "document-unrecorded", "No entry of the record filed the document %(document)s of %(facility)s."
)
DOCUMENT_MISSING = declare_finding(
    "document-missing",
    "The document %(document)s, which %(stream)s, entry %(seq)s filed, is not in the database.",
)
Filed = dict[tuple[str, str], tuple[str, int, dict[str, Any]]]  # stream, number and data by facility and code


@record_check
def check_documents(tick: Callable[[], None]) -> Iterator[Finding]:
    """Hash every document again and compare it with its entry. One document is in memory at a time."""
    filed = _filed_documents()
    keys = Document.objects.order_by("facility", "code").values_list("pk", flat=True)
    for key in list(keys):
        tick()
        document = Document.objects.select_related("facility").get(pk=key)
        facility = document.facility.code
        entry = filed.pop((facility, document.code), None)
        if entry is None:
            yield Finding(DOCUMENT_UNRECORDED, {"document": document.code, "facility": facility})
            continue
        stream, seq, data = entry
        for column, stored in _stored(document).items():
            recorded = data.get("sha256" if column == "content" else column)
            if recorded != stored:
                where = {"document": document.code, "stream": stream, "seq": seq}
                yield Finding(DOCUMENT_DIFFERS, {**where, "column": column})
    for (_facility, code), (stream, seq, _data) in filed.items():
        yield Finding(DOCUMENT_MISSING, {"document": code, "stream": stream, "seq": seq})


def _stored(document: Document) -> dict[str, Any]:
    return {
        "content": hashlib.sha256(bytes(document.content)).hexdigest(),
        "filename": document.filename,
        "media_type": document.media_type,
        "sha256": document.sha256,
        "size": document.size,
        "title": document.title,
    }


def _filed_documents() -> Filed:
    filed: Filed = {}
    entries = Entry.objects.filter(type=DOCUMENT_FILED.name).order_by("stream", "seq")
    for stream, seq, body in entries.values_list("stream__name", "seq", "body").iterator(chunk_size=1000):
        try:
            data = json.loads(bytes(body))["data"]
            filed[stream.partition("/")[0], data["document"]] = (stream, seq, data)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return filed
