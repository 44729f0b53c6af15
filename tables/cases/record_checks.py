"""What a full verification checks of cases: the bytes of their documents against the entries that added them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from tables.cases.entry_types import CASE_DOCUMENT_ADDED
from tables.models import CaseDocument

CASE_DOCUMENT_DIFFERS = declare_finding(
    "case-document-differs",
    "Document %(document)s of %(case)s differs from %(stream)s, entry %(seq)s, in %(column)s: it was replaced.",
)
CASE_DOCUMENT_UNRECORDED = declare_finding(
    "case-document-unrecorded",
    "No entry of the record added document %(document)s of %(case)s of %(facility)s.",
)
CASE_DOCUMENT_MISSING = declare_finding(
    "case-document-missing",
    "Document %(document)s of %(case)s, which %(stream)s, entry %(seq)s added, is not in the database.",
)
Added = dict[tuple[str, str, int], tuple[str, int, dict[str, Any]]]  # by facility, case and number


@record_check
def check_case_documents(tick: Callable[[], None]) -> Iterator[Finding]:
    """Hash every document of a case again. One document is in memory at a time."""
    added = _added_documents()
    for key in list(CaseDocument.objects.order_by("pk").values_list("pk", flat=True)):
        tick()
        document = CaseDocument.objects.select_related("case__facility").get(pk=key)
        facility, case = document.case.facility.code, document.case.code
        entry = added.pop((facility, case, document.number), None)
        where = {"document": document.number, "case": case}
        if entry is None:
            yield Finding(CASE_DOCUMENT_UNRECORDED, {**where, "facility": facility})
            continue
        stream, seq, data = entry
        for column, stored in _stored(document).items():
            if data.get("sha256" if column == "content" else column) != stored:
                yield Finding(
                    CASE_DOCUMENT_DIFFERS, {**where, "stream": stream, "seq": seq, "column": column}
                )
    for (_facility, case, number), (stream, seq, _data) in added.items():
        yield Finding(CASE_DOCUMENT_MISSING, {"document": number, "case": case, "stream": stream, "seq": seq})


def _stored(document: CaseDocument) -> dict[str, Any]:
    return {
        "content": hashlib.sha256(bytes(document.content)).hexdigest(),
        "filename": document.filename,
        "media_type": document.media_type,
        "sha256": document.sha256,
        "size": document.size,
        "title": document.title,
    }


def _added_documents() -> Added:
    added: Added = {}
    entries = Entry.objects.filter(type=CASE_DOCUMENT_ADDED.name).order_by("stream", "seq")
    for stream, seq, body in entries.values_list("stream__name", "seq", "body").iterator(chunk_size=1000):
        try:
            data = json.loads(bytes(body))["data"]
            added[stream.partition("/")[0], data["case"], data["number"]] = (stream, seq, data)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return added
