"""Read the record of a table: the entries of a round, and its alerts.

A round's entries name it, but for some that it caused, such as the end of an alert. Alerts are folded from their
entries: raised, ended, acknowledged and decided (`alerts_between`).
"""

import datetime as dt
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from audit import chain, clock
from audit.export import Span
from audit.models import Entry, Stream
from tables.core.alerts import ALERT_ACKNOWLEDGED, ALERT_DECIDED, ALERT_ENDED, ALERT_RAISED

BATCH = 1000
COLUMNS = ("seq", "prev", "hash", "body")
# Entries about a round that do not name it: the end of an alert that it caused. Higher packages declare those types
# that have no constant here.
OF_DISPUTES = ("dispute.reported", ALERT_RAISED.name)
OF_ALERTS = (ALERT_ENDED.name, ALERT_ACKNOWLEDGED.name)
ENDS = frozenset({"layout.cleared", "round.no_roll", "round.voided", "round.recorded_by_hand"})
Row = tuple[int, bytes, bytes, bytes]
# What reading an entry's data raises when its shape is not that of its type.
MISSHAPEN = (KeyError, TypeError, ValueError, AttributeError, IndexError)


Result = TypeVar("Result")


def read_or_none(read: Callable[[], Result]) -> Result | None:
    """Return what `read` reads of an entry's data; None where it has another shape than its type."""
    try:
        return read()
    except MISSHAPEN:
        return None


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """One entry, as its body says.

    `is_intact`: the stored hash is the hash of this body. `at`: the moment as written, UTC with a Z. `digest`: the hash
    in hex. `terms`: the SHA-256 of the terms, or empty. `day`: the gaming day as written.
    """

    seq: int
    digest: str
    is_intact: bool
    type: str
    at: str
    actor: str
    witness: str
    terms: str
    data: dict[str, Any]
    day: str = ""

    @property
    def round(self) -> int | None:
        """The number of the round that the entry names, if any."""
        number = self.data.get("round")
        return number if type(number) is int else None


def read(row: Row) -> RecordedEntry:
    """Return the entry of a row. A body that is not a valid entry gives empty fields and `is_intact` False."""
    seq, prev, digest, body = row[0], bytes(row[1]), bytes(row[2]), bytes(row[3])
    is_intact = chain.entry_hash(prev, body) == digest
    try:
        fields = json.loads(body)
        data = fields["data"] if isinstance(fields["data"], dict) else {}
        actor, witness, terms = (fields[name] or "" for name in ("actor", "witness", "terms"))
        is_intact = is_intact and fields["seq"] == seq
        type_, moment = fields["_type"], fields["at"]
        if not all(isinstance(text, str) for text in (type_, moment, actor, witness, terms)):
            raise TypeError
        dt.datetime.fromisoformat(moment)
        day = str(fields.get("gaming_day", ""))
        return RecordedEntry(seq, digest.hex(), is_intact, type_, moment, actor, witness, terms, data, day)
    except (ValueError, KeyError, TypeError, RecursionError):
        return RecordedEntry(seq, digest.hex(), False, "", "", "", "", "", {})


def of_round(stream: Stream, number: int, before: int | None = None) -> list[RecordedEntry]:
    """The entries about a round in order: those that name it, and the ends of alerts that it caused.

    With `before`, only entries that name the round and have a lower number.
    """
    rows = Entry.objects.filter(stream=stream, round=number).order_by("seq")
    if before is not None:
        return [read(row) for row in rows.filter(seq__lt=before).values_list(*COLUMNS)]
    entries = _with_moments(rows, [read(row) for row in rows.values_list(*COLUMNS)])
    if entries:
        entries += _disputes_after(stream, number, entries)
        entries += _ends_of_alerts(stream, entries)
    return sorted(entries, key=lambda entry: entry.seq)


def _with_moments(rows: QuerySet[Entry], entries: list[RecordedEntry]) -> list[RecordedEntry]:
    """Give entries that cannot be read the moment of their row, so that they keep their place in time."""
    if all(entry.at for entry in entries):
        return entries
    moments = dict(rows.values_list("seq", "at"))
    return [
        entry if entry.at else replace(entry, at=clock.format_moment(moments[entry.seq])) for entry in entries
    ]


def _disputes_after(stream: Stream, number: int, entries: Sequence[RecordedEntry]) -> list[RecordedEntry]:
    """Disputes reported after this round ended and before the first act of the next one."""
    end = next((entry.seq for entry in entries if entry.type in ENDS), None)
    if end is None:
        return []
    later = Entry.objects.filter(stream=stream, seq__gt=end)
    following = later.filter(round__gt=number).order_by("seq").values_list("seq", flat=True).first()
    rows = later.filter(round__isnull=True, type__in=OF_DISPUTES).order_by("seq")
    between = rows.filter(seq__lt=following) if following else rows
    reports = (read(row) for row in between.values_list(*COLUMNS))
    return [
        entry for entry in reports if entry.type != ALERT_RAISED.name or entry.data.get("kind") == "dispute"
    ]


def _ends_of_alerts(stream: Stream, entries: Iterable[RecordedEntry]) -> list[RecordedEntry]:
    """Later entries without a round that acknowledge or end the alerts which these entries raised."""
    raised = {_key(entry): entry.seq for entry in entries if entry.type == ALERT_RAISED.name}
    if not raised:
        return []
    rows = Entry.objects.filter(stream=stream, type__in=OF_ALERTS, seq__gt=min(raised.values()))
    open_keys, ends = set(raised), []
    for row in rows.order_by("seq").values_list(*COLUMNS).iterator(chunk_size=BATCH):
        entry = read(row)
        key = _key(entry)
        if key in open_keys and entry.seq > raised[key]:
            ends += [entry] if entry.round is None else []
            open_keys -= {key} if entry.type == ALERT_ENDED.name else set()
        if not open_keys:
            break
    return ends


def _key(entry: RecordedEntry) -> str:
    """The key of the alert that an entry names."""
    return str(entry.data.get("key", ""))


def of_span(span: Span) -> Iterator[RecordedEntry]:
    """The entries of a span that name a round, read in batches: memory does not grow with the record."""
    rows = Entry.objects.filter(stream_id=span.stream_id, round__isnull=False).order_by("seq")
    for start in range(span.first, span.last + 1, BATCH):
        batch = rows.filter(seq__gte=start, seq__lte=min(start + BATCH - 1, span.last))
        for row in batch.values_list(*COLUMNS):
            yield read(row)


# Bodies alone


def entry_bodies(entries: QuerySet[Entry]) -> Iterator[dict[str, Any]]:
    """Yield the bodies of these entries in the order of their numbers, without those that cannot be read.

    The verification of the chain names an entry that cannot be read.
    """
    rows = entries.order_by("stream", "seq").values_list("body", flat=True)
    for body in rows.iterator(chunk_size=1000):
        try:
            content = json.loads(bytes(body))
        except (ValueError, RecursionError):
            continue
        if isinstance(content, dict):
            yield content


# Alerts


ALERT_TYPES = (ALERT_RAISED.name, ALERT_ENDED.name, ALERT_ACKNOWLEDGED.name, ALERT_DECIDED.name)


@dataclass
class RecordedAlert:
    """An alert of one table, as far as its entries were read. `seq` is the entry that raised it."""

    stream_id: int
    seq: int
    kind: str
    key: str
    raised_at: dt.datetime
    ended_at: dt.datetime | None = None
    acknowledged_at: dt.datetime | None = None
    decided_at: dt.datetime | None = None
    decision: str = ""
    level: str = ""


def alerts_between(streams: Collection[int], begins: dt.datetime, ends: dt.datetime) -> list[RecordedAlert]:
    """The alerts that were raised from `begins` up to `ends`, with their ends and acknowledgments up to `ends`."""
    in_time = Q(at__gte=begins, at__lte=ends)
    entries = Entry.objects.filter(in_time, stream__in=list(streams), type__in=ALERT_TYPES)
    rows = entries.order_by("stream", "seq").values_list("stream", *COLUMNS)
    return [alert for alert in fold_alerts(rows) if begins <= alert.raised_at < ends]


def fold_alerts(rows: Iterable[tuple[Any, ...]]) -> list[RecordedAlert]:
    """The alerts of rows of (stream, *COLUMNS), ordered by stream and number. Other entries are passed over.

    An end or acknowledgment of an alert that was raised before the first row changes nothing.
    """
    alerts: list[RecordedAlert] = []
    by_key: dict[tuple[int, str], list[RecordedAlert]] = {}
    for stream, *row in rows:
        entry = read((row[0], row[1], row[2], row[3]))
        key, kind = str(entry.data.get("key", "")), str(entry.data.get("kind", ""))
        raised = by_key.setdefault((stream, key), [])
        if entry.type == ALERT_RAISED.name:
            moment, level = dt.datetime.fromisoformat(entry.at), str(entry.data.get("level", ""))
            raised.append(RecordedAlert(stream, entry.seq, kind, key, moment, level=level))
            alerts.append(raised[-1])
        else:
            _apply_to_alerts(entry, raised)
    return alerts


def _apply_to_alerts(entry: RecordedEntry, raised: list[RecordedAlert]) -> None:
    """End, acknowledge or decide one of the alerts with the entry's key. At most one of them is open."""
    if entry.type == ALERT_ENDED.name:
        for alert in raised:
            if alert.ended_at is None:
                alert.ended_at = dt.datetime.fromisoformat(entry.at)
    elif entry.type == ALERT_ACKNOWLEDGED.name:
        waiting = [alert for alert in raised if alert.acknowledged_at is None]
        raised_at = entry.data.get("raised_at")  # only where several alerts with this key waited
        if isinstance(raised_at, str):
            waiting = [alert for alert in waiting if alert.raised_at == _moment(raised_at)]
        if waiting:
            waiting[-1].acknowledged_at = dt.datetime.fromisoformat(entry.at)
    elif entry.type == ALERT_DECIDED.name and raised:
        raised[-1].decided_at = dt.datetime.fromisoformat(entry.at)
        raised[-1].decision = str(entry.data.get("decision", ""))


def _moment(text: str) -> dt.datetime | None:
    try:
        return dt.datetime.fromisoformat(text)
    except ValueError:
        return None
