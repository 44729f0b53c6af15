"""Words about exports and verifications of the record."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

# Why a job failed, by the code that the worker stored.
FAILURES: dict[str, Any] = {
    "gave-up": "Its worker stopped several times. Request a smaller range.",
    "disk-full": "The server's disk is full. Free some space, then request the export again.",
    "not-written": "The server could not write the file. Make its export folder writable, then request the export again.",
    "missing-entry": "An entry is missing from the record. Verify the whole record.",
    "no-such-stream": "A stream in the request no longer exists. Verify the whole record.",
    "unexpected": "An unexpected error occurred. The server's log has the details.",
}

KINDS = {
    "evidence": "Evidence bundle",
    "csv": "Reading copy, CSV",
    "xlsx": "Reading copy, XLSX",
    "verification": "Full verification",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "export.asked": lambda data: "Asked for: %(kind)s" % {"kind": KINDS.get(data.get("kind", ""), "")},
    "export.finished": lambda data: (
        "%(kind)s written: %(entries)s entries"
        % {"kind": KINDS.get(data.get("kind", ""), ""), "entries": f"{data.get('entries', 0):,}"}
    ),
    "export.failed": lambda data: "%(kind)s not written" % {"kind": KINDS.get(data.get("kind", ""), "")},
    "verification.asked": lambda data: "Asked for a full verification",
    "verification.failed": lambda data: "The full verification could not be done",
    "record.verified": lambda data: (
        "Record verified: %(entries)s entries, all good" % {"entries": f"{data.get('entries', 0):,}"}
        if data.get("outcome") == "good"
        else "Record verified: %(bad)s faults found" % {"bad": data.get("bad", 0)}
    ),
}


def why(code: str) -> str:
    """Why a job failed, as a sentence."""
    return str(FAILURES.get(code, FAILURES["unexpected"]))


register(act_lines=ACT_LINES)
