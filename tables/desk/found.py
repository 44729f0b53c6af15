"""What a search of the record found, as CSV: a copy that leaves the casino, so an act records who took which bytes.

The file is made again from the search when it is served, as of the moment of the act, and has the recorded SHA-256.
"""

import datetime as dt

from audit.models import Entry
from games.engine import Refusal
from games.kit.files import csv_table
from games.kit.tables import DAY, MOMENT, MONEY, NUMBER, TEXT, Column, Table
from games.models import Facility
from tables.desk.entry_rows import EntryRow, entry_rows
from tables.desk.query import SearchQuery
from tables.desk.refusals import FOUND_NOTHING, FOUND_TOO_MUCH
from tables.desk.search import PAGE_SIZE, search_record

MOST_FOUND = 1_000
MOST_SCANS = 8  # pages of candidates: a rare act in a long record is searched for by gaming day
C = Column[EntryRow]
COLUMNS = (
    C("time", MOMENT, lambda row: row.entry.at),
    C("gaming day", DAY, lambda row: row.entry.gaming_day),
    C("place", TEXT, lambda row: row.place),
    C("entry", NUMBER, lambda row: row.entry.seq),
    C("act", TEXT, lambda row: row.entry.type),
    C("what it says", TEXT, lambda row: row.words),
    C("person", TEXT, lambda row: next(iter(row.people), "")),
    C("second person", TEXT, lambda row: next(iter(row.people[1:]), "")),
    C("round", NUMBER, lambda row: row.entry.round),
    C("dice lot", TEXT, lambda row: row.entry.lot or ""),
    C("largest amount", MONEY, lambda row: row.entry.cents),
    C("hash", TEXT, lambda row: bytes(row.entry.hash).hex()),
)


def found_csv(query: SearchQuery, facility: Facility, as_of: dt.datetime) -> tuple[bytes, int]:
    """Return the CSV (RFC 4180, UTF-8, newest first) of what a search finds before a moment, and its number of entries.

    Raises `found-nothing`, or `found-too-much` for more entries than a file has, or a search too far back.
    """
    query.until = min(query.until or as_of, as_of)
    entries = _found(query)
    if not entries:
        raise Refusal(FOUND_NOTHING)
    text = csv_table(Table(COLUMNS, entry_rows(entries, facility)), facility.zone)
    return text.encode("utf-8-sig"), len(entries)


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
