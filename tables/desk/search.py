"""Search of the record: newest first, page by page, in a time that does not grow with the record.

Each search scans one index backwards from the page's beginning, at most `MAX_CANDIDATES` entries, and compares the
other fields with those alone. Where a page is not full by then, the answer says how far back it got, and the next page
continues there. So the rarest act in a million costs no more than the commonest.

Amounts and numbers such as `RS-0009` are in no column: for these the bodies of the candidates are read.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db import connection

from audit.models import COMMONEST_TYPE, Entry, Stream, TenMinutes
from audit.record import INSTALLATION
from games.models import Facility
from tables.desk.query import INDEXED, NumberScope, SearchQuery, day_bounds
from tables.models import DiceLot

if TYPE_CHECKING:
    from django.db.models import QuerySet


PAGE_SIZE = 50
MAX_CANDIDATES = 20_000  # entries that one page compares with the query
COLUMNS = "e.id, e.at, e.seq, e.stream_id, e.type, e.gaming_day, e.actor, e.witness, e.round, e.lot, e.cents"
NEWEST = "at DESC, id DESC"
DAY = dt.timedelta(days=1)
MONEY = re.compile(rb'cents":(-?[0-9]+)')
BATCH_SIZE = 250  # bodies read in one query


@dataclass(frozen=True)
class SearchPage:
    """A page of results: its entries with their streams, newest first, and the key of the next page (0 at the end).

    `scanned_to` is the last entry scanned where the page is not full and older entries remain.
    """

    entries: tuple[Entry, ...]
    next_key: int = 0
    scanned_to: Entry | None = None


@dataclass(frozen=True)
class IndexScan:
    """One index scanned backwards: a query of at most `MAX_CANDIDATES` candidates. `type`: of which they must be."""

    sql: str
    params: tuple[Any, ...]
    order: str = NEWEST
    type: str = ""


@dataclass(frozen=True)
class Condition:
    """Conditions joined by AND, with their parameters."""

    sql: str
    params: tuple[Any, ...] = ()

    @classmethod
    def all(cls, parts: Sequence["Condition"]) -> "Condition":
        return cls(
            " AND ".join(part.sql for part in parts) or "1 = 1", sum((part.params for part in parts), ())
        )


def search_record(query: SearchQuery, page: int = PAGE_SIZE) -> SearchPage:
    """Return the newest matching entries before the page's beginning. A query with errors finds nothing."""
    if query.errors:
        return SearchPage(())
    if not query.stream and not _streams(query.facility, training=query.training).exists():
        return SearchPage(())
    filters = _filters(query)
    hits: dict[int, Entry] = {}
    horizons: list[Entry] = []
    for walk in index_scans(query):
        page_hits, horizon = _run_scan(walk, filters, query, page)
        hits |= page_hits
        horizons += [horizon] if horizon else []
    horizon = max(horizons, key=_sort_key) if horizons else None
    candidates = [
        entry for entry in hits.values() if horizon is None or _sort_key(entry) >= _sort_key(horizon)
    ]
    entries = sorted(candidates, key=_sort_key, reverse=True)[:page]
    if len(candidates) > page:
        return SearchPage(tuple(entries), entries[-1].pk)
    is_complete = horizon is None or len(entries) == page
    return SearchPage(tuple(entries), horizon.pk if horizon else 0, None if is_complete else horizon)


def _streams(facility: Facility, *, training: bool) -> "QuerySet[Stream]":
    """A facility's streams of one kind: real play with its offices, or training and simulation."""
    return Stream.objects.filter(name__startswith=f"{facility.code}/", real_play=not training)


def places_of(facility: Facility, *, training: bool) -> list[str]:
    """The places of this kind: tables and offices as a search names them."""
    streams = _streams(facility, training=training).order_by("name")
    places = [name.partition("/")[2] for name in streams.values_list("name", flat=True)]
    return places if training else [*places, INSTALLATION]


def index_scans(query: SearchQuery) -> list[IndexScan]:
    """The index scans that answer this query, by the most selective field."""
    in_time = _time_condition(query)
    scanned = _scanned_field(query)
    if scanned == "number" and query.number:
        return _scan_number(query, query.number, in_time)
    if scanned == "lot":
        return [_scan_by_column("lot", query.lot, in_time), *_scan_lot_steps(query, in_time)]
    if scanned == "round":
        number = Condition("e.round = %s AND e.round IS NOT NULL", (query.round,))
        return [_scan_by_time(_of_each_stream(query), number, in_time)]
    if query.stream:
        return [_scan_stream(query, query.stream)]
    if scanned == "who":
        return [_scan_by_person(column, query, in_time) for column in ("actor", "witness")]
    if scanned == "type":
        return [_scan_by_type(type_, in_time) for type_ in query.types]
    return [_scan_by_time(in_time)]


def _scanned_field(query: SearchQuery) -> str:
    """The most selective field, whose index is scanned; `at` if there is none."""
    if query.number and query.number.text:
        return "number"
    if query.lot:
        return "lot"
    if query.round is not None:
        return "round"
    if query.stream:
        return "stream"
    return "who" if query.who else "type" if query.types else "at"


def statement(walk: IndexScan, filters: Condition, page: int = PAGE_SIZE) -> tuple[str, tuple[Any, ...]]:
    """The SQL of a page: the keys of the matching candidates."""
    if walk.type:
        filters = Condition.all([Condition("e.type = %s", (walk.type,)), filters])
    candidates = f"{walk.sql} LIMIT {MAX_CANDIDATES}"
    sql = f"SELECT e.id FROM ({candidates}) e WHERE {filters.sql} ORDER BY {walk.order} LIMIT {page + 1}"
    return sql, (*walk.params, *filters.params)


def _run_scan(
    walk: IndexScan, filters: Condition, query: SearchQuery, page: int
) -> tuple[dict[int, Entry], Entry | None]:
    """Return the matches of one scan, and the entry up to which they are complete; None at the scan's end."""
    keys = _matching_keys(walk, filters, query, page)
    with connection.cursor() as cursor:
        if len(keys) <= page:
            cursor.execute(f"SELECT id FROM ({walk.sql} LIMIT 1 OFFSET {MAX_CANDIDATES - 1}) e", walk.params)
            last = cursor.fetchone()
            beyond = last[0] if last else None
        else:
            beyond = keys[-1]
    entries = {
        entry.pk: entry for entry in Entry.objects.filter(pk__in=[*keys, beyond]).select_related("stream")
    }
    return {key: entries[key] for key in keys}, entries[beyond] if beyond else None


def _matching_keys(walk: IndexScan, filters: Condition, query: SearchQuery, page: int) -> list[int]:
    """The keys of at most one entry more than a page holds. Amounts are matched in the bodies, the rest by columns."""
    with connection.cursor() as cursor:
        cursor.execute(*statement(walk, filters, MAX_CANDIDATES if query.reads_bodies else page))
        keys = [row[0] for row in cursor.fetchall()]
    if not query.reads_bodies:
        return keys
    matches: Iterable[int] = keys
    if query.number and query.number.text:
        matches = filter_by_text(keys, query.number.text)
    if query.has_amounts:
        matches = filter_by_amount(list(matches), query.min_cents, query.max_cents)
    return list(islice(matches, page + 1))


def _sort_key(entry: Entry) -> tuple[Any, int]:
    return entry.at, entry.pk


def _scan_by_time(*conditions: Condition) -> IndexScan:
    condition = Condition.all(conditions)
    return IndexScan(
        f"SELECT {COLUMNS} FROM audit_entry e WHERE {condition.sql} ORDER BY e.at DESC, e.id DESC",
        condition.params,
    )


def _scan_by_column(column: str, value: str, *conditions: Condition) -> IndexScan:
    """Scan the index of a column and time.

    The condition is a range in the index's order: with an equality PostgreSQL may scan by time alone, through
    everything since a person left.
    """
    condition = Condition.all([_is_value(column, value), *conditions])
    order = f"{column} DESC, at DESC, id DESC"
    inner = f"e.{column} DESC, e.at DESC, e.id DESC"
    return IndexScan(
        f"SELECT {COLUMNS} FROM audit_entry e WHERE {condition.sql} ORDER BY {inner}", condition.params, order
    )


def _is_value(column: str, value: str) -> Condition:
    return Condition(f"e.{column} BETWEEN %s AND %s AND NOT (e.{column} = '')", (value, value))


def _scan_by_type(type_: str, in_time: Condition) -> IndexScan:
    """Scan the index of types and time; by time alone for the commonest type, which the index leaves out."""
    if type_ == COMMONEST_TYPE:
        return replace(_scan_by_time(in_time), type=type_)
    return _scan_by_column("type", type_, Condition(INDEXED), in_time)


def _scan_by_person(column: str, query: SearchQuery, in_time: Condition) -> IndexScan:
    """Scan the index of a person's ten minutes, each of which is sorted by itself."""
    ten_minutes = TenMinutes.sql_of("e.at")
    since, until = _time_bounds(query)
    if query.before:
        until = min(until or query.before.at, query.before.at)
    within = [
        Condition(f"{ten_minutes} {sign} {TenMinutes.sql_of('%s')}", (_moment(bound),))
        for sign, bound in ((">=", since), ("<=", until))
        if bound
    ]
    condition = Condition.all([_is_value(column, query.who), *within, in_time])
    newest = f"{column} DESC, ten_minutes DESC, {NEWEST}"
    return IndexScan(
        f"SELECT {COLUMNS}, {ten_minutes} AS ten_minutes FROM audit_entry e WHERE {condition.sql} "
        f"ORDER BY e.{column} DESC, {ten_minutes} DESC, e.at DESC, e.id DESC",
        condition.params,
        newest,
    )


def _scan_number(query: SearchQuery, number: NumberScope, in_time: Condition) -> list[IndexScan]:
    """Scan the rounds and the streams in which a number may be named."""
    scans = [_scan_stream(query, stream) for stream in number.streams]
    for stream, round_ in number.rounds:
        of_round = Condition("e.stream_id = %s AND e.round = %s AND e.round IS NOT NULL", (stream, round_))
        scans.append(_scan_by_time(of_round, in_time))
    return scans


def _scan_stream(query: SearchQuery, stream: Stream) -> IndexScan:
    """Scan one stream backwards by number. Times never go back there, so a time range is a range of numbers."""
    since, until = _time_bounds(query)
    first = _first_seq_at(stream, since) if since else 1
    last = (_first_seq_at(stream, until) if until else stream.seq + 1) - 1
    if query.before:
        last = min(last, query.before.seq - 1)
    sql = f"SELECT {COLUMNS} FROM audit_entry e WHERE e.stream_id = %s AND e.seq BETWEEN %s AND %s ORDER BY e.seq DESC"
    return IndexScan(sql, (stream.pk, first, last), "seq DESC")


def _scan_lot_steps(query: SearchQuery, in_time: Condition) -> list[IndexScan]:
    """Scan the chain of custody of a lot: entries about it that do not name it in their column."""
    lot = DiceLot.objects.filter(facility=query.facility, code=query.lot).values_list("pk", flat=True).first()
    if lot is None:
        return []
    sql = f"""SELECT {COLUMNS} FROM tables_lotstep s
        JOIN audit_entry e ON e.stream_id = s.stream_id AND e.seq = s.seq
        WHERE s.lot_id = %s AND {in_time.sql} ORDER BY e.at DESC, e.id DESC"""
    return [IndexScan(sql, (lot, *in_time.params))]


def _of_each_stream(query: SearchQuery) -> Condition:
    """One search of the index by stream and round for each table, so a place makes it cheap."""
    if query.stream:
        return _of_one_stream(query.stream)
    keys = list(_streams(query.facility, training=query.training).order_by("pk").values_list("pk", flat=True))
    return Condition(f"e.stream_id IN ({', '.join(['%s'] * len(keys))})", tuple(keys))


def _of_one_stream(stream: Stream) -> Condition:
    return Condition("e.stream_id = %s", (stream.pk,))


def _of_facility(query: SearchQuery) -> Condition:
    """Whether a candidate's stream is one of the facility, looked up for each candidate until the page is full.

    A list of the streams, or a join with them, would take longer with every table; a join would also read and sort all
    candidates first.
    """
    prefix = f"{query.facility.code}/"
    return Condition(
        "(SELECT s.real_play = %s AND substr(s.name, 1, %s) = %s FROM audit_stream s WHERE s.id = e.stream_id)",
        (not query.training, len(prefix), prefix),
    )


def _filters(query: SearchQuery) -> Condition:
    """Conditions for the candidates: every field except amounts.

    The field of the index is not repeated as a condition: PostgreSQL would expect few matches, and sort all candidates.
    """
    scanned = _scanned_field(query)
    parts = []
    if scanned != "stream":
        parts.append(_of_one_stream(query.stream) if query.stream else _of_facility(query))
    if query.day:
        parts.append(Condition("e.gaming_day = %s", (connection.ops.adapt_datefield_value(query.day),)))
    if query.round is not None and scanned != "round":
        parts.append(Condition("e.round = %s", (query.round,)))
    if query.who and scanned != "who":
        parts.append(Condition("(e.actor = %s OR e.witness = %s)", (query.who, query.who)))
    if query.types and scanned != "type":
        parts.append(Condition(f"e.type IN ({', '.join(['%s'] * len(query.types))})", query.types))
    return Condition.all(parts)


def _time_bounds(query: SearchQuery) -> tuple[Any, Any]:
    """The time range of the query, narrowed to its gaming day."""
    since, until = query.since, query.until
    if query.day:
        first, last = _day_bounds(query, query.day)
        since, until = max(first, since or first), min(last, until or last)
    return since, until


def _day_bounds(query: SearchQuery, day: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """The bounds of a gaming day, in local time; in UTC for the installation's own stream."""
    if query.stream and query.stream.name == INSTALLATION:
        begins = dt.datetime.combine(day, dt.time(), dt.UTC)
        return begins, begins + DAY
    return day_bounds(day, query.facility)


def _time_condition(query: SearchQuery) -> Condition:
    since, until = _time_bounds(query)
    parts = []
    if since:
        parts.append(Condition("e.at >= %s", (_moment(since),)))
    if until:
        parts.append(Condition("e.at < %s", (_moment(until),)))
    if query.before:
        moment = _moment(query.before.at)
        parts.append(Condition("e.at <= %s AND (e.at < %s OR e.id < %s)", (moment, moment, query.before.pk)))
    return Condition.all(parts)


def _moment(moment: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


def _first_seq_at(stream: Stream, moment: Any) -> int:
    """The number of a stream's first entry at or after a moment, by bisection; one past its last where there is none.

    Missing entries are skipped: the integrity page reports them.
    """
    entries = Entry.objects.filter(stream=stream)
    low, high = 1, stream.seq + 1
    while low < high:
        middle = (low + high) // 2
        found_at = entries.filter(seq__gte=middle).order_by("seq").values_list("at", flat=True).first()
        if found_at is not None and found_at < moment:
            low = middle + 1
        else:
            high = middle
    return low


# What only the bytes of a body say
#
# Wagers, payments, totals, limits: every value of an entry's data, at any depth. Keys of money end in `cents`
# (audit/FORMAT.md). In canonical JSON no text can look like such a key, because a quote within a text is escaped by a
# backslash.


def amounts_in(body: bytes) -> set[int]:
    """The amounts in cents, without signs: what a player owes is found like what a player is owed."""
    return {abs(int(amount)) for amount in MONEY.findall(body)}


def filter_by_amount(keys: Sequence[int], least: int | None, most: int | None) -> Iterator[int]:
    """Yield the keys of the entries with an amount from `least` to `most` cents, inclusive. None means no bound."""
    for key, body in _bodies(keys):
        amounts = amounts_in(body)
        if any((least is None or cents >= least) and (most is None or cents <= most) for cents in amounts):
            yield key


def filter_by_text(keys: Sequence[int], text: str) -> Iterator[int]:
    """Yield the keys of the entries with this text as a whole value, such as the code of a submission."""
    value = b'"' + text.encode() + b'"'
    return (key for key, body in _bodies(keys) if value in body)


def _bodies(keys: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        bodies = dict(Entry.objects.filter(pk__in=batch).values_list("pk", "body"))
        yield from ((key, bytes(bodies[key])) for key in batch)
