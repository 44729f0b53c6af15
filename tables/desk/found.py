"""What a search of the record found, as CSV: a copy that leaves the casino, so an act records who took which bytes.

The file is made again from the search when it is served, as of the moment of the act, and has the recorded SHA-256.
"""

import csv
import datetime as dt
import io

from audit.export import escape_formula
from audit.models import Entry
from games.engine import Refusal
from games.kit.files import dollars_text, moment_text
from games.models import Facility
from tables.desk.entry_rows import entry_rows
from tables.desk.query import SearchQuery
from tables.desk.refusals import FOUND_NOTHING, FOUND_TOO_MUCH
from tables.desk.search import PAGE_SIZE, search_record

MOST_FOUND = 1_000
MOST_SCANS = 8  # pages of candidates: a rare act in a long record is searched for by gaming day
COLUMNS = (
    *("time", "gaming day", "place", "entry", "act", "what it says", "person", "second person"),
    *("round", "dice lot", "largest amount", "hash"),
)


def found_csv(query: SearchQuery, facility: Facility, as_of: dt.datetime) -> tuple[bytes, int]:
    """Return the CSV (RFC 4180, UTF-8, newest first) of what a search finds before a moment, and its number of entries.

    Raises `found-nothing`, or `found-too-much` for more entries than a file has, or a search too far back.
    """
    query.until = min(query.until or as_of, as_of)
    entries = _found(query)
    if not entries:
        raise Refusal(FOUND_NOTHING)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in entry_rows(entries, facility):
        entry = row.entry
        writer.writerow(
            [
                moment_text(entry.at, facility.zone),
                entry.gaming_day,
                escape_formula(row.place),
                entry.seq,
                entry.type,
                escape_formula(row.words),
                *(escape_formula(name) for name in (*row.people, "", "")[:2]),
                "" if entry.round is None else entry.round,
                escape_formula(entry.lot or ""),
                "" if entry.cents is None else dollars_text(entry.cents),
                bytes(entry.hash).hex(),
            ]
        )
    return text.getvalue().encode("utf-8-sig"), len(entries)


def _found(query: SearchQuery) -> list[Entry]:
    entries: list[Entry] = []
    for _ in range(MOST_SCANS + MOST_FOUND // PAGE_SIZE):
        page = search_record(query)
        entries += page.entries
        if len(entries) > MOST_FOUND:
            break
        if not page.next_key:
            return entries
        query.before = Entry.objects.only("pk", "at", "seq", "stream_id").get(pk=page.next_key)
    raise Refusal(FOUND_TOO_MUCH, most=f"{MOST_FOUND:,}")
