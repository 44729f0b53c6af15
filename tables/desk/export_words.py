"""Sentences about exports and verifications of the record."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

TITLES: dict[str, Any] = {
    "export-empty": "No entries",
    "export-range": "Range",
    "export-to-come": "Range",
    "export-too-long": "Range",
    "too-many-jobs": "Too many exports",
    "verification-runs": "Already running",
    "entry-missing": "Entry missing",
}

SENTENCES: dict[str, Any] = {
    "export-empty": "The record has no entries in this range. Choose another range, or more streams.",
    "export-range": "The range ends before it begins. Swap its beginning and end.",
    "export-to-come": "This range is in the future. Choose one that begins before now.",
    "export-too-long": "An export can hold at most %(most)s gaming days. Request it in parts.",
    "export-mixed": "%(real)s is real play, which is kept apart from training. Request a separate export for each.",
    "no-such-stream": "This casino's record has no stream %(stream)s. Choose one from the list.",
    "too-many-jobs": "%(most)s exports are already waiting or running. Try again when one of them is done.",
    "verification-runs": "A full verification was requested at %(at)s and is still running. Wait until it is done.",
    "entry-missing": "Entry %(seq)s of %(stream)s is missing: the record was tampered with. Verify the whole record now.",
}

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


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
