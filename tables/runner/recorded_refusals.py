"""Refusals that are on the record: the act is refused, and an entry says that somebody tried.

Any other refused act leaves no trace, because its transaction is rolled back. Where a try is itself evidence, such as a
count that differs, the act returns `refuse_on_record(…)`. Its entry is appended and its command is answered as for any
act; then `execute` raises the refusal. A repeated command gets the same refusal.
"""

from typing import Any

from audit.entry_types import EntryBody
from audit.refusal_codes import RefusalCode
from audit.runner import ActOutcome, ActResponse
from games.engine import Refusal

REFUSAL = "refusal"  # its key in the stored answer


class RecordedRefusal(Refusal):
    """A refusal whose entry is committed. `response` says which tables show it."""

    def __init__(
        self, response: ActResponse, code: RefusalCode, section: str, params: dict[str, Any]
    ) -> None:
        super().__init__(code, section, **params)
        self.response = response


def refuse_on_record(entry: EntryBody, refusal: Refusal) -> ActOutcome:
    """Return the outcome of an act that is refused and whose entry says so. The refusal's params are JSON."""
    stored = {"code": str(refusal.code), "section": refusal.section, "params": refusal.params}
    return ActOutcome(entry, {REFUSAL: stored}, changes="nothing")


def raise_recorded(response: ActResponse | None) -> None:
    """Raise the refusal of an act that was refused on the record, now or when its command came first."""
    stored = response.body.get(REFUSAL) if response is not None else None
    if response is not None and stored is not None:
        code = RefusalCode.declared[stored["code"]]
        raise RecordedRefusal(response, code, stored["section"], stored["params"])
