"""When tables were open for play and staffed, and by whom, by their entries: the time of `tables.core.figure_sums`."""

import datetime as dt
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from django.db.models import OuterRef, Q, Subquery

from audit.models import Entry, Stream
from audit.rows import CompiledValues
from games.engine.game import PostCode
from tables.core import posts
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.failures import DEVICE_FAILED, SHAKER_REPLACED
from tables.models import Table
from tables.opening.opening import TABLE_CLOSED, TABLE_INSPECTED, TABLE_OPENED
from tables.rounds.no_rolls import ROUND_VOIDED
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND
from tables.staffing.dealers import POST_TYPES, PostHolders, post_changes

OPENED, CLOSED, INSPECTED = TABLE_OPENED.name, TABLE_CLOSED.name, TABLE_INSPECTED.name
FAILED, REPLACED = DEVICE_FAILED.name, SHAKER_REPLACED.name
MANUAL_KINDS = (
    "manual",
    "dice-cup",
)  # of a shaker that takes the place of a failed one without an inspection
TYPES = (
    *(OPENED, CLOSED, INSPECTED, FAILED, REPLACED, ROUND_SETTLED_BY_HAND.name, ROUND_VOIDED.name),
    *POST_TYPES,
)
STREAMS_PER_STATEMENT = 200  # SQLite allows no more than a thousand conditions


class OpenSpan(NamedTuple):
    """Open and staffed from one moment to another, with the codes of the dealers in the order of the posts."""

    begins: dt.datetime
    ends: dt.datetime
    dealers: tuple[str, ...]


@dataclass
class OpenTime:
    """The spans of one table, entry by entry. `posts` are those that somebody must hold."""

    posts: tuple[PostCode, ...]
    is_open: bool = False
    ceased: str = ""  # what had failed
    holders: dict[str, str] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    closed_spans: list[OpenSpan] = field(default_factory=list)
    since: dt.datetime | None = None
    running_since: dt.datetime | None = None  # without a break, whoever held the posts; not in `state`
    newest: RecordedEntry | None = None

    def apply(self, entry: RecordedEntry) -> None:
        """Continue with the next entry of the table."""
        self.newest = entry
        try:
            moment = dt.datetime.fromisoformat(entry.at)
            before = self._state()
            self._change(entry)
        except MISSHAPEN:
            return
        if self._state() == before:
            return
        if self.since is not None and self.since < moment:
            self.closed_spans.append(OpenSpan(self.since, moment, before[1]))
        self.since = moment if self._state()[0] else None
        if self._state()[0] != before[0]:
            self.running_since = self.since

    def _state(self) -> tuple[bool, tuple[str, ...]]:
        codes = (self.holders.get(post, "") for post in self.posts)
        is_running = self.is_open and not self.ceased and not self.empty
        return is_running, tuple(dict.fromkeys(code for code in codes if code))

    def _change(self, entry: RecordedEntry) -> None:
        data = entry.data
        if entry.type == OPENED:
            self.is_open, self.ceased = True, ""
            self.empty.clear()  # a table opens only with a person at each post
        elif entry.type == CLOSED:
            self.is_open = False
        elif entry.type == INSPECTED or (entry.type == REPLACED and data["kind"] in MANUAL_KINDS):
            if entry.type == INSPECTED or self.ceased == "shaker":
                self.ceased = ""
        elif entry.type in POST_TYPES:
            for post, person in post_changes(entry).items():
                self.holders[post] = person
                if person or post not in self.posts:
                    self.empty.discard(post)
                else:
                    self.empty.add(post)
        elif entry.type == FAILED:
            self.ceased = self.ceased if data["what"] == "shaker" and self.ceased else str(data["what"])
        elif entry.type != REPLACED and "failed" in data:
            self.ceased = self.ceased or str(data["failed"])

    @property
    def state(self) -> dict[str, Any]:
        """What the next entries continue, as JSON. The spans before are not in it."""
        return {
            "seq": self.newest.seq if self.newest else 0,
            "is_open": self.is_open,
            "ceased": self.ceased,
            "holders": dict(self.holders),
            "empty": sorted(self.empty),
            "since": self.since.isoformat() if self.since else "",
        }

    def spans(self, begins: dt.datetime, ends: dt.datetime) -> list[OpenSpan]:
        """Return the spans between two moments, cut at them. A span that goes on lasts to the second one."""
        spans = list(self.closed_spans)
        if self.since is not None and self.since < ends:
            spans.append(OpenSpan(self.since, ends, self._state()[1]))
        return [
            OpenSpan(max(span.begins, begins), min(span.ends, ends), span.dealers)
            for span in spans
            if span.begins < ends and span.ends > begins
        ]

    def between(self, begins: dt.datetime, ends: dt.datetime) -> dt.timedelta:
        """Return how long the table was open and staffed between two moments."""
        spans = self.spans(begins, ends)
        return sum((span.ends - span.begins for span in spans), dt.timedelta())


def open_times(tables: Collection[Table], begins: dt.datetime, ends: dt.datetime) -> dict[int, OpenTime]:
    """Return the open time of each table (id), known from one moment to another, in few statements.

    The entries are read from the last opening before `begins`, because at an opening every post is held. Who had come
    before that opening is not read, so the dealers of the spans may be missing: see `open_time_with_dealers`.
    """
    needed = {table.stream_id: needed_posts(table) for table in tables}
    by_stream = _read_streams(needed, begins, ends)
    return {table.pk: by_stream[table.stream_id] for table in tables}


def open_time_with_dealers(table: Table, begins: dt.datetime, ends: dt.datetime) -> OpenTime:
    """Return the open time of one table, known from one moment to another, with the dealers of each span."""
    needed = needed_posts(table)
    ((stream, opening),) = _last_openings([table.stream_id], begins)
    open_time = OpenTime(needed, holders=PostHolders(stream, needed, opening).by_post)
    rows = Entry.objects.filter(stream=stream, seq__gte=opening, type__in=TYPES, at__lte=ends).order_by("seq")
    for row in rows.values_list(*COLUMNS):
        open_time.apply(read(row))
    return open_time


def continued_open_time(table: Table, state: Mapping[str, Any], ends: dt.datetime) -> OpenTime:
    """Return the open time of one table since a state, up to a moment. It reads no entry before the state."""
    open_time = OpenTime(
        needed_posts(table),
        is_open=state["is_open"],
        ceased=state["ceased"],
        holders=dict(state["holders"]),
        empty=set(state["empty"]),
        since=dt.datetime.fromisoformat(state["since"]) if state["since"] else None,
    )
    rows = Entry.objects.filter(stream=table.stream_id, seq__gt=state["seq"], type__in=TYPES, at__lte=ends)
    for row in rows.order_by("seq").values_list(*COLUMNS):
        open_time.apply(read(row))
    return open_time


def needed_posts(table: Table) -> tuple[PostCode, ...]:
    """Return the posts of a table that must be held. A simulated table has no people."""
    return () if table.kind == Table.Kind.SIMULATED else posts.posts_of(table)


def _read_streams(
    needed: Mapping[int, tuple[PostCode, ...]], begins: dt.datetime, ends: dt.datetime
) -> dict[int, OpenTime]:
    times = {stream: OpenTime(of_stream) for stream, of_stream in needed.items()}
    openings = _last_openings(needed, begins)
    for start in range(0, len(openings), STREAMS_PER_STATEMENT):
        chosen = Q(pk__in=())
        for stream, opening in openings[start : start + STREAMS_PER_STATEMENT]:
            chosen |= Q(stream=stream, seq__gte=opening)
        entries = Entry.objects.filter(chosen, type__in=TYPES, at__lte=ends).order_by("stream", "seq")
        for stream, *row in entries.values_list("stream", *COLUMNS):
            times[stream].apply(read((row[0], row[1], row[2], row[3])))
    return times


def _last_openings(streams: Collection[int], moment: dt.datetime) -> list[tuple[int, int]]:
    """Return each stream with the number of the last opening before a moment; 1 where there is none."""
    before = Entry.objects.filter(stream=OuterRef("pk"), type=OPENED, at__lt=moment).order_by("-seq")
    rows = (
        Stream.objects.filter(pk__in=streams).order_by().annotate(opening=Subquery(before.values("seq")[:1]))
    )
    return [(stream, opening or 1) for stream, opening in rows.values_list("pk", "opening")]


# Extended by the entries of each round that ends, for the screens

ENTRIES_FROM = CompiledValues(
    lambda stream, first: (
        Entry.objects.filter(stream=stream, seq__gte=first, type__in=TYPES)
        .order_by("seq")
        .values_list(*COLUMNS)
    )
)
MAX_CACHED = 2_000  # tables
_cache: dict[uuid.UUID, tuple[dt.datetime, OpenTime]] = {}  # with the moment from which it is known


def open_time_since(
    uid: uuid.UUID, stream: int, needed: tuple[PostCode, ...], begins: dt.datetime, ends: dt.datetime
) -> OpenTime:
    """Return the open time of one table from the beginning of a day up to the present, at least to `ends`."""
    since, cached = _cache.get(uid, (None, None))
    open_time = _continued(stream, cached) if cached and since and since <= begins else None
    if open_time is None:
        open_time = _read_streams({stream: needed}, begins, ends)[stream]
    open_time.closed_spans = [span for span in open_time.closed_spans if span.ends > begins]
    if len(_cache) >= MAX_CACHED:
        _cache.clear()
    _cache[uid] = begins, open_time
    return open_time


def _continued(stream: int, cached: OpenTime) -> OpenTime | None:
    """Return it with the entries that followed; None if its newest entry is no longer in the record."""
    if cached.newest is None:
        return None
    entries = [read((row[0], row[1], row[2], row[3])) for row in ENTRIES_FROM(stream, cached.newest.seq)]
    if not entries or entries[0].digest != cached.newest.digest:
        return None
    open_time = replace(
        cached,
        holders=dict(cached.holders),
        empty=set(cached.empty),
        closed_spans=list(cached.closed_spans),
    )
    for entry in entries[1:]:
        open_time.apply(entry)
    return open_time
