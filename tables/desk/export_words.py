"""Sentences about exports and verifications of the record; merged into `tables.wording`."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "export-empty": lazy("Nothing there"),
    "export-range": lazy("Range"),
    "export-to-come": lazy("Range"),
    "export-too-long": lazy("Range"),
    "too-many-jobs": lazy("Wait a little"),
    "verification-runs": lazy("It runs already"),
    "entry-missing": lazy("The record is not whole"),
}

SENTENCES: dict[str, Any] = {
    "export-empty": lazy("The record has no entry in that range. Choose another range, or more streams."),
    "export-range": lazy("The range ends before it begins. Put its beginning first."),
    "export-to-come": lazy("That range has not begun yet. Choose one up to now."),
    "export-too-long": lazy("At most %(most)s gaming days go into one export. Ask for it in parts."),
    "export-mixed": lazy(
        "%(real)s is of real play, and training stands apart from it. Ask for the two in exports of their own."
    ),
    "no-such-stream": lazy("The record of this house has no stream %(stream)s. Choose from the list."),
    "too-many-jobs": lazy("%(most)s exports wait or run already. Ask again when one of them is done."),
    "verification-runs": lazy(
        "A full verification was asked for at %(at)s and is not done yet. Wait for it."
    ),
    "entry-missing": lazy(
        "%(stream)s has no entry %(seq)s any more: the record was tampered with. Verify the whole record now."
    ),
}

# Why a job could not be done (Job.said).
FAILURES: dict[str, Any] = {
    "gave-up": lazy("Its worker stopped again and again while at it. Ask for a smaller range."),
    "disk-full": lazy("The disk of the server is full. Make room there, then ask again."),
    "not-written": lazy("The server could not write the file. Its folder for exports must be writable."),
    "missing-entry": lazy("An entry that must be there is missing. Verify the whole record."),
    "no-such-stream": lazy("A stream that was asked for is not there any more. Verify the whole record."),
    "unexpected": lazy("Something failed that nobody foresaw. The server's log tells what."),
}

KINDS = {
    "evidence": lazy("Evidence bundle"),
    "csv": lazy("Reading copy, CSV"),
    "xlsx": lazy("Reading copy, XLSX"),
    "verification": lazy("Full verification"),
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "export.asked": lambda data: _("Asked for: %(kind)s") % {"kind": KINDS.get(data.get("kind", ""), "")},
    "export.finished": lambda data: (
        _("%(kind)s written: %(entries)s entries")
        % {"kind": KINDS.get(data.get("kind", ""), ""), "entries": f"{data.get('entries', 0):,}"}
    ),
    "export.failed": lambda data: _("%(kind)s not written") % {"kind": KINDS.get(data.get("kind", ""), "")},
    "verification.asked": lambda data: _("Asked for a full verification"),
    "verification.failed": lambda data: _("The full verification could not be done"),
    "record.verified": lambda data: (
        _("Record verified: %(entries)s entries, all good") % {"entries": f"{data.get('entries', 0):,}"}
        if data.get("outcome") == "good"
        else _("Record verified: %(bad)s faults found") % {"bad": data.get("bad", 0)}
    ),
}


def why(code: str) -> str:
    """Why a job could not be done, as a sentence."""
    return str(FAILURES.get(code, FAILURES["unexpected"]))
