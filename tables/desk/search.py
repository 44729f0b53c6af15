"""The record searched: newest first, page by page, in a time that does not grow with the record.

Each search walks one index backwards from where the page begins, and at most `LOOKED` entries of it: what else is asked
is held against those alone. Where a page is not full by then, the answer says how far back it looked, and the next page
goes on from there. So the rarest act in a million costs no more than the commonest.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import connection

from audit.models import Entry, Stream
from audit.record import INSTALLATION
from games.models import Facility
from tables.desk.amounts import with_a_sum
from tables.desk.query import Asked, of_day

from ..models import DiceLot

PAGE = 50
LOOKED = 20_000  # entries that one page holds the question against
COLUMNS = "e.id, e.at, e.seq, e.stream_id, e.type, e.gaming_day, e.actor, e.witness, e.round, e.lot, e.cents"
NEWEST = "at DESC, id DESC"
A_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Found:
    """A page: its entries with their streams, newest first, and where the next one begins (a key; 0 at the end).

    `looked_to`: the entry up to which it looked where the page is not full and older entries are left.
    """

    entries: tuple[Entry, ...]
    older: int = 0
    looked_to: Entry | None = None


@dataclass(frozen=True)
class Walk:
    """One index walked backwards: a statement of its candidates, at most `LOOKED`."""

    sql: str
    params: tuple[Any, ...]
    order: str = NEWEST


@dataclass(frozen=True)
class Where:
    """Conditions joined by AND, with their parameters."""

    sql: str
    params: tuple[Any, ...] = ()

    @classmethod
    def all(cls, parts: Sequence["Where"]) -> "Where":
        return cls(
            " AND ".join(part.sql for part in parts) or "1 = 1", sum((part.params for part in parts), ())
        )


def find(asked: Asked, page: int = PAGE) -> Found:
    """The newest entries that answer, before the page's beginning. What is wrong with the question finds nothing."""
    if asked.wrong:
        return Found(())
    streams = [asked.stream.pk] if asked.stream else streams_of(asked.house, training=asked.training)
    if not streams:
        return Found(())
    wanted = _wanted(asked, streams)
    hits: dict[int, Entry] = {}
    horizons: list[Entry] = []
    for walk in walks(asked, streams):
        found, horizon = _walked(walk, wanted, asked, page)
        hits |= found
        horizons += [horizon] if horizon else []
    horizon = max(horizons, key=_place) if horizons else None
    known = [one for one in hits.values() if horizon is None or _place(one) >= _place(horizon)]
    shown = sorted(known, key=_place, reverse=True)[:page]
    if len(known) > page:
        return Found(tuple(shown), shown[-1].pk)
    full = horizon is None or len(shown) == page
    return Found(tuple(shown), horizon.pk if horizon else 0, None if full else horizon)


def streams_of(house: Facility, *, training: bool) -> list[int]:
    """The keys of a house's streams of one sort: real play with the rooms of the house, or training and simulation."""
    named = Stream.objects.filter(name__startswith=f"{house.code}/", real_play=not training)
    return list(named.order_by("pk").values_list("pk", flat=True))


def places_of(house: Facility, *, training: bool) -> list[str]:
    """Where entries of this sort stand: tables and rooms as a search names them."""
    named = Stream.objects.filter(name__startswith=f"{house.code}/", real_play=not training)
    places = [name.partition("/")[2] for name in named.order_by("name").values_list("name", flat=True)]
    return places if training else [*places, INSTALLATION]


def types_on_record() -> list[str]:
    """Every type that the record has, by one step in the index for each."""
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH RECURSIVE known(type) AS (
                   SELECT min(type) FROM audit_entry
                   UNION ALL
                   SELECT (SELECT min(e.type) FROM audit_entry e WHERE e.type > known.type)
                   FROM known WHERE known.type IS NOT NULL)
               SELECT type FROM known WHERE type IS NOT NULL"""
        )
        return [row[0] for row in cursor.fetchall()]


def walks(asked: Asked, streams: Sequence[int]) -> list[Walk]:
    """The indexes that answer this question, the narrowest that it names."""
    in_time = _in_time(asked)
    if asked.lot:
        return [_named("lot", asked.lot, in_time), *_steps(asked, in_time)]
    if asked.round is not None:
        places = _any("e.stream_id", streams)
        params = (*places.params, asked.round)
        return [_by(Where(f"{places.sql} AND e.round = %s AND e.round IS NOT NULL", params), in_time)]
    if asked.stream:
        return [_along(asked, asked.stream)]
    if asked.who:
        return [_named(column, asked.who, in_time) for column in ("actor", "witness")]
    return [_named("type", asked.type, in_time)] if asked.type else [_by(in_time)]


def statement(walk: Walk, wanted: Where, page: int = PAGE) -> tuple[str, tuple[Any, ...]]:
    """The statement of a page: the keys of the candidates that answer."""
    sql = f"SELECT e.id FROM ({walk.sql} LIMIT {LOOKED}) e WHERE {wanted.sql} ORDER BY {walk.order} LIMIT {page + 1}"
    return sql, (*walk.params, *wanted.params)


def _walked(walk: Walk, wanted: Where, asked: Asked, page: int) -> tuple[dict[int, Entry], Entry | None]:
    """What one walk found, and the last entry up to which that is all there is; None where it came to the end."""
    keys = _answers(walk, wanted, asked, page)
    with connection.cursor() as cursor:
        if len(keys) <= page:
            cursor.execute(f"SELECT id FROM ({walk.sql} LIMIT 1 OFFSET {LOOKED - 1}) e", walk.params)
            last = cursor.fetchone()
            beyond = last[0] if last else None
        else:
            beyond = keys[-1]
    read = {one.pk: one for one in Entry.objects.filter(pk__in=[*keys, beyond]).select_related("stream")}
    return {key: read[key] for key in keys}, read[beyond] if beyond else None


def _answers(walk: Walk, wanted: Where, asked: Asked, page: int) -> list[int]:
    """The keys of at most one more entry than a page has. Columns tell of everything but sums: bodies tell of those."""
    with connection.cursor() as cursor:
        cursor.execute(*statement(walk, wanted, LOOKED if asked.of_a_sum else page))
        keys = [row[0] for row in cursor.fetchall()]
    return list(islice(with_a_sum(keys, asked.least, asked.most), page + 1)) if asked.of_a_sum else keys


def _place(entry: Entry) -> tuple[Any, int]:
    return entry.at, entry.pk


def _by(*conditions: Where) -> Walk:
    found = Where.all(conditions)
    return Walk(
        f"SELECT {COLUMNS} FROM audit_entry e WHERE {found.sql} ORDER BY e.at DESC, e.id DESC", found.params
    )


def _named(column: str, value: str, in_time: Where) -> Walk:
    """The index of a column and the time. Asked as a range and in its order: an equality would let PostgreSQL walk the
    time alone instead, through all that happened since somebody left.
    """
    found = Where.all(
        [Where(f"e.{column} BETWEEN %s AND %s AND NOT (e.{column} = '')", (value, value)), in_time]
    )
    order = f"{column} DESC, at DESC, id DESC"
    inner = f"e.{column} DESC, e.at DESC, e.id DESC"
    return Walk(
        f"SELECT {COLUMNS} FROM audit_entry e WHERE {found.sql} ORDER BY {inner}", found.params, order
    )


def _along(asked: Asked, stream: Stream) -> Walk:
    """One stream backwards by its numbers: times never go back there, so a range of time is one of numbers."""
    since, until = _span(asked)
    first = _first_at(stream, since) if since else 1
    last = (_first_at(stream, until) if until else stream.seq + 1) - 1
    if asked.before:
        last = min(last, asked.before.seq - 1)
    sql = f"SELECT {COLUMNS} FROM audit_entry e WHERE e.stream_id = %s AND e.seq BETWEEN %s AND %s ORDER BY e.seq DESC"
    return Walk(sql, (stream.pk, first, last), "seq DESC")


def _steps(asked: Asked, in_time: Where) -> list[Walk]:
    """Entries that speak of a lot without naming it as theirs: the steps of its chain of custody."""
    lot = DiceLot.objects.filter(facility=asked.house, code=asked.lot).values_list("pk", flat=True).first()
    if lot is None:
        return []
    sql = f"""SELECT {COLUMNS} FROM tables_lotstep s
        JOIN audit_entry e ON e.stream_id = s.stream_id AND e.seq = s.seq
        WHERE s.lot_id = %s AND {in_time.sql} ORDER BY e.at DESC, e.id DESC"""
    return [Walk(sql, (lot, *in_time.params))]


def _wanted(asked: Asked, streams: Sequence[int]) -> Where:
    """Everything that is asked but a sum, held against each candidate.

    Along one stream its place is no question any more, and asking it again leads PostgreSQL to sort all of it.
    """
    is_along = asked.stream is not None and not asked.lot and asked.round is None
    parts = [] if is_along else [_any("e.stream_id", streams)]
    if asked.day:
        parts.append(Where("e.gaming_day = %s", (connection.ops.adapt_datefield_value(asked.day),)))
    if asked.round is not None:
        parts.append(Where("e.round = %s", (asked.round,)))
    if asked.who:
        parts.append(Where("(e.actor = %s OR e.witness = %s)", (asked.who, asked.who)))
    if asked.type:
        parts.append(Where("e.type = %s", (asked.type,)))
    return Where.all(parts)


def _span(asked: Asked) -> tuple[Any, Any]:
    """From when to when: the range of time, and that of the gaming day where one is asked."""
    since, until = asked.since, asked.until
    if asked.day:
        first, last = _of_day(asked, asked.day)
        since, until = max(first, since or first), min(last, until or last)
    return since, until


def _of_day(asked: Asked, day: dt.date) -> tuple[dt.datetime, dt.datetime]:
    """By the house's clocks; what belongs to no house keeps the days of UTC."""
    if asked.stream and asked.stream.name == INSTALLATION:
        begins = dt.datetime.combine(day, dt.time(), dt.UTC)
        return begins, begins + A_DAY
    return of_day(day, asked.house)


def _in_time(asked: Asked) -> Where:
    since, until = _span(asked)
    parts = []
    if since:
        parts.append(Where("e.at >= %s", (_moment(since),)))
    if until:
        parts.append(Where("e.at < %s", (_moment(until),)))
    if asked.before:
        at = _moment(asked.before.at)
        parts.append(Where("e.at <= %s AND (e.at < %s OR e.id < %s)", (at, at, asked.before.pk)))
    return Where.all(parts)


def _moment(at: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(at)


def _any(column: str, keys: Sequence[int]) -> Where:
    return Where(f"{column} IN ({', '.join(['%s'] * len(keys))})", tuple(keys))


def _first_at(stream: Stream, moment: Any) -> int:
    """The number of a stream's first entry at or after a moment, by halving; one past its last where there is none.

    An entry that is missing (a record that somebody cut) is passed over: the integrity page tells of it, not this.
    """
    entries = Entry.objects.filter(stream=stream)
    low, high = 1, stream.seq + 1
    while low < high:
        middle = (low + high) // 2
        at = entries.filter(seq__gte=middle).order_by("seq").values_list("at", flat=True).first()
        if at is not None and at < moment:
            low = middle + 1
        else:
            high = middle
    return low
