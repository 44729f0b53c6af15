"""What happened on a gaming day besides its figures: who was there, which dice, alerts, disputes, mends, devices.

Everything is told as it stood when the day ended, so that a report made later says the same.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet

from audit.models import Entry, Person
from games.models import DeviceIncident
from tables.alerts.words import ALERT_NAMES
from tables.models import Alert, Round, Table, Throw
from tables.reports.report_day import SLACK, Day
from tables.words.entries import said_by

MENDS = {
    "dice.corrected": "dice entered again",
    "wager.missed": "missed wager written down",
    "wager.struck": "mistaken wager struck",
}
OPENED, CLOSED = "table.opened", "table.closed"
DISPUTE = "dispute.reported"
Spans = tuple[tuple[dt.datetime | None, dt.datetime | None], ...]


@dataclass(frozen=True)
class AlertLine:
    """Alerts of one kind: how many, how many stood still and were unacknowledged when the day ended, and how long they
    stood, in whole seconds, together and the longest.
    """

    kind: str
    name: str
    count: int
    standing: int
    unacknowledged: int
    stood: int
    longest: int


@dataclass(frozen=True)
class LotLine:
    """A dice lot at one table: `first` and `last` are numbers of rounds, `since` and `until` moments of throws."""

    lot: str
    table: str
    rounds: int
    throws: int
    first: int
    last: int
    since: dt.datetime
    until: dt.datetime


@dataclass(frozen=True)
class PersonLine:
    """What one person signed at one table, themselves or as the second person, from the first entry to the last."""

    code: str
    name: str
    role: str
    table: str
    acted: int
    witnessed: int
    since: dt.datetime
    until: dt.datetime


@dataclass(frozen=True)
class Dispute:
    """One dispute as its entry tells it."""

    table: str
    seq: int
    at: dt.datetime
    round: int | None
    seat: int | None
    about: str


@dataclass(frozen=True)
class Mend:
    """Mendings of one sort at one table, before anybody was paid."""

    table: str
    type: str
    count: int

    @property
    def name(self) -> str:
        return str(MENDS[self.type])


@dataclass(frozen=True)
class Head:
    """The last entry of the day on one stream: where the report stood."""

    stream: str
    table: str
    entries: int
    seq: int
    hash: str
    at: dt.datetime


@dataclass(frozen=True)
class Events:
    """All of it; `opened` by the key of a table."""

    opened: dict[int, Spans]
    alerts: list[AlertLine]
    lots: list[LotLine]
    people: list[PersonLine]
    disputes: list[Dispute]
    mends: list[Mend]
    devices: list[DeviceIncident]
    heads: list[Head]

    @property
    def entries(self) -> int:
        """How many entries the record has of the day."""
        return sum(one.entries for one in self.heads)


def happenings(day: Day) -> Events:
    """Reads it all, in about ten queries."""
    by_stream = {table.stream_id: table for table in day.tables.values()}
    signed = list(_signed(day))
    return Events(
        opened=_opened(day, by_stream),
        alerts=_alerts(day),
        lots=_lots(day),
        people=_people(by_stream, signed),
        disputes=_disputes(day, by_stream),
        mends=_mends(day, by_stream),
        devices=_devices(day),
        heads=_heads(by_stream, signed),
    )


def _entries(day: Day) -> QuerySet[Entry]:
    """The entries of the day at its tables."""
    streams = [table.stream_id for table in day.tables.values()]
    at = Q(at__gte=day.begins - SLACK, at__lt=day.ends + SLACK)
    return Entry.objects.filter(at, stream__in=streams, gaming_day=day.date)


def _signed(day: Day) -> Iterable[Any]:
    return (
        _entries(day)
        .values("stream", "actor", "witness")
        .annotate(count=Count("pk"), since=Min("at"), until=Max("at"), last=Max("seq"))
        .order_by("stream", "actor", "witness")
    )


def _people(by_stream: dict[int, Table], signed: Iterable[dict[str, Any]]) -> list[PersonLine]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in signed:
        for part, code in (("acted", row["actor"]), ("witnessed", row["witness"])):
            if not code:
                continue
            key = by_stream[row["stream"]].code, code
            so_far = found.setdefault(
                key, {"acted": 0, "witnessed": 0, "since": row["since"], "until": row["until"]}
            )
            so_far[part] += row["count"]
            so_far["since"] = min(so_far["since"], row["since"])
            so_far["until"] = max(so_far["until"], row["until"])
    known = {one.code: one for one in Person.objects.filter(code__in={code for _table, code in found})}
    return [
        PersonLine(
            code,
            known[code].name if code in known else code,
            known[code].get_role_display() if code in known else "",
            table,
            **told,
        )
        for (table, code), told in sorted(found.items())
    ]


def _heads(by_stream: dict[int, Table], signed: Iterable[dict[str, Any]]) -> list[Head]:
    newest: dict[int, int] = defaultdict(int)
    counted: dict[int, int] = defaultdict(int)
    for row in signed:
        newest[row["stream"]] = max(newest[row["stream"]], row["last"])
        counted[row["stream"]] += row["count"]
    wanted = Q()
    for stream, seq in newest.items():
        wanted |= Q(stream=stream, seq=seq)
    entries = Entry.objects.filter(wanted).only("stream", "seq", "hash", "at") if newest else ()
    told = {one.stream_id: one for one in entries}
    return [
        Head(
            table.stream.name,
            table.code,
            counted[stream],
            newest[stream],
            bytes(told[stream].hash).hex(),
            told[stream].at,
        )
        for stream, table in by_stream.items()
        if stream in told
    ]


def _opened(day: Day, by_stream: dict[int, Table]) -> dict[int, Spans]:
    """When each table was open; None stands for before the day, or after what is told of it."""
    found: dict[int, list[tuple[dt.datetime | None, dt.datetime | None]]] = defaultdict(list)
    told = _entries(day).filter(type__in=(OPENED, CLOSED)).order_by("stream", "seq")
    for stream, type_, at in told.values_list("stream", "type", "at"):
        spans = found[by_stream[stream].pk]
        if type_ == OPENED:
            spans.append((at, None))
        elif spans and spans[-1][1] is None:
            spans[-1] = (spans[-1][0], at)
        else:
            spans.append((None, at))
    played = Round.objects.filter(table__in=day.table_ids, gaming_day=day.date)
    for table in played.order_by("table").values_list("table", flat=True).distinct():
        if table not in found:
            found[table].append((None, None))
    return {table: tuple(spans) for table, spans in found.items()}


def _alerts(day: Day) -> list[AlertLine]:
    rows = Alert.objects.filter(
        table__in=day.table_ids, raised_at__gte=day.begins, raised_at__lt=day.ends
    ).values_list("kind", "raised_at", "ended_at", "acknowledged_at")
    found: dict[str, list[tuple[int, bool, bool]]] = defaultdict(list)
    for kind, raised, ended, acknowledged in rows:
        over = day.until if ended is None else min(ended, day.until)
        stands, stood = ended is None or ended > day.until, (over - raised) // dt.timedelta(seconds=1)
        found[kind].append((stood, stands, acknowledged is None or acknowledged > day.until))
    return [
        AlertLine(
            kind,
            str(ALERT_NAMES.get(kind, kind.replace("-", " ").capitalize())),
            len(ones),
            sum(stands for _stood, stands, _open in ones),
            sum(unseen for _stood, _stands, unseen in ones),
            sum(stood for stood, _stands, _open in ones),
            max(stood for stood, _stands, _open in ones),
        )
        for kind, ones in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def _lots(day: Day) -> list[LotLine]:
    """Which lot was thrown at which table. A throw that was entered again is one throw."""
    rows: Any = (
        Throw.objects.filter(
            round__table__in=day.table_ids, round__gaming_day=day.date, lot__isnull=False, revision=1
        )
        .exclude(dice=[], round__phase="void")
        .values("lot__code", "round__table")
        .annotate(
            rounds=Count("round", distinct=True),
            throws=Count("pk"),
            first=Min("round__number"),
            last=Max("round__number"),
            since=Min("called_at"),
            until=Max("called_at"),
        )
        .order_by("round__table__code", "since", "lot__code")
    )
    return [LotLine(row.pop("lot__code"), day.tables[row.pop("round__table")].code, **row) for row in rows]


def _disputes(day: Day, by_stream: dict[int, Table]) -> list[Dispute]:
    found = []
    for one in _entries(day).filter(type=DISPUTE).order_by("at", "pk"):
        data = said_by(one)
        found.append(
            Dispute(
                by_stream[one.stream_id].code,
                one.seq,
                one.at,
                data.get("round"),
                data.get("seat"),
                data.get("about", ""),
            )
        )
    return found


def _mends(day: Day, by_stream: dict[int, Table]) -> list[Mend]:
    rows = _entries(day).filter(type__in=MENDS).values("stream", "type").annotate(count=Count("pk"))
    told = [Mend(by_stream[row["stream"]].code, row["type"], row["count"]) for row in rows.order_by()]
    return sorted(told, key=lambda one: (one.table, one.type))


def _devices(day: Day) -> list[DeviceIncident]:
    codes = [table.code for table in day.tables.values()]
    found = DeviceIncident.objects.filter(
        facility=day.house, table__in=codes, at__gte=day.begins, at__lt=day.ends
    )
    return list(found.select_related("by").order_by("at", "pk"))
