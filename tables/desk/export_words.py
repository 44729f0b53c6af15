"""Sentences about exports and verifications of the record; merged into `tables.wording`."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

TITLES: dict[str, Any] = {
    "export-empty": "Nothing there",
    "export-range": "Range",
    "export-to-come": "Range",
    "export-too-long": "Range",
    "too-many-jobs": "Wait a little",
    "verification-runs": "It runs already",
    "entry-missing": "The record is not whole",
}

SENTENCES: dict[str, Any] = {
    "export-empty": "The record has no entry in that range. Choose another range, or more streams.",
    "export-range": "The range ends before it begins. Put its beginning first.",
    "export-to-come": "That range has not begun yet. Choose one up to now.",
    "export-too-long": "At most %(most)s gaming days go into one export. Ask for it in parts.",
    "export-mixed": "%(real)s is of real play, and training stands apart from it. Ask for the two in exports of their own.",
    "no-such-stream": "The record of this house has no stream %(stream)s. Choose from the list.",
    "too-many-jobs": "%(most)s exports wait or run already. Ask again when one of them is done.",
    "verification-runs": "A full verification was asked for at %(at)s and is not done yet. Wait for it.",
    "entry-missing": "%(stream)s has no entry %(seq)s any more: the record was tampered with. Verify the whole record now.",
}

# Why a job could not be done (Job.failure_code).
FAILURES: dict[str, Any] = {
    "gave-up": "Its worker stopped again and again while at it. Ask for a smaller range.",
    "disk-full": "The disk of the server is full. Make room there, then ask again.",
    "not-written": "The server could not write the file. Its folder for exports must be writable.",
    "missing-entry": "An entry that must be there is missing. Verify the whole record.",
    "no-such-stream": "A stream that was asked for is not there any more. Verify the whole record.",
    "unexpected": "Something failed that nobody foresaw. The server's log tells what.",
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
    """Why a job could not be done, as a sentence."""
    return str(FAILURES.get(code, FAILURES["unexpected"]))


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)
