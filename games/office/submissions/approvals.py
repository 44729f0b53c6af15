"""The approvals of rules submissions as the record states them: which terms were approved for which submission."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from audit import chain, record
from audit.models import Entry
from games.office.core.runner import STREAM
from games.office.submissions.entry_types import RULES_APPROVED


@dataclass(frozen=True, slots=True)
class RecordedApproval:
    """One version of a submission as its entry approves it. `at` is the moment as written, UTC with a Z."""

    seq: int
    at: str
    code: str
    version: int
    edition: str
    terms_sha256: str


def recorded_approvals(facility: str, code: str = "") -> Iterator[RecordedApproval]:
    """The approvals of a facility, oldest first; only of submission `code` if it is given.

    The terms are hashed again here. An entry that cannot be read approves nothing.
    """
    names = record.names_with_continuations(f"{facility}/{STREAM}")
    entries = Entry.objects.filter(stream__name__in=names, type=RULES_APPROVED.name)
    for seq, body in entries.order_by("stream", "seq").values_list("seq", "body"):
        try:
            content = json.loads(bytes(body))
            data = content["data"]
            digest = hashlib.sha256(chain.canonical(data["terms"])).hexdigest()
            approval = RecordedApproval(
                seq, str(content["at"]), data["code"], data["version"], data["edition"], digest
            )
        except (ValueError, KeyError, TypeError, RecursionError, chain.NotCanonical):
            continue
        if not code or approval.code == code:
            yield approval
