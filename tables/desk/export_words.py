"""Words about exports and verifications of the record."""

from audit.entries import EXPORT_FAILED, EXPORT_FINISHED, RECORD_VERIFIED, VERIFICATION_FAILED
from tables.desk.entry_types import EXPORT_ASKED, EXPORT_TAKEN, SEARCH_TAKEN, VERIFICATION_ASKED
from tables.words.registry import line, register

# Why a job failed, by the code that the worker stored.
FAILURES = {
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
    "sheets-xlsx": "Sheets, XLSX",
    "sheets-csv": "Sheets, CSV",
    "verification": "Full verification",
}

SHEETS = ("sheets-xlsx", "sheets-csv")

ACT_LINES = [
    line(EXPORT_ASKED, lambda data: "Asked for: %(kind)s" % {"kind": KINDS.get(data.get("kind", ""), "")}),
    line(
        EXPORT_FINISHED,
        lambda data: (
            "%(kind)s written: %(entries)s %(unit)s"
            % {
                "kind": KINDS.get(data.get("kind", ""), ""),
                "entries": f"{data.get('entries', 0):,}",
                "unit": "rows" if data.get("kind") in SHEETS else "entries",
            }
        ),
    ),
    line(
        EXPORT_TAKEN,
        lambda data: f"{KINDS.get(data['kind'], data['kind'])} downloaded: {data['filename']}",
    ),
    line(
        SEARCH_TAKEN,
        lambda data: f"Search downloaded: {data['entries']:,} entries of {data['query'] or 'everything'}",
    ),
    line(EXPORT_FAILED, lambda data: "%(kind)s not written" % {"kind": KINDS.get(data.get("kind", ""), "")}),
    line(VERIFICATION_ASKED, lambda data: "Asked for a full verification"),
    line(VERIFICATION_FAILED, lambda data: "The full verification could not be done"),
    line(
        RECORD_VERIFIED,
        lambda data: (
            "Record verified: %(entries)s entries, all good" % {"entries": f"{data.get('entries', 0):,}"}
            if data.get("outcome") == "good"
            else "Record verified: %(bad)s faults found" % {"bad": data.get("bad", 0)}
        ),
    ),
]


def why(code: str) -> str:
    """Why a job failed, as a sentence."""
    return str(FAILURES.get(code, FAILURES["unexpected"]))


register(act_lines=ACT_LINES)
