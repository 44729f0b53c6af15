"""How loud a podium is: the alarms that it gets in an hour, the most in any ten minutes, and those that stand.

Read from the entries of the record alone. Each pit in play counts as one podium. An alert is raised; equal alerts of a
pit are one line of its screens while nobody has them (`line_name`), and one line is one alarm.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from audit.models import Entry
from games.models import Facility
from games.snapshot_types import ALERT_LEVELS
from tables.core.alerts import kind_of, line_name
from tables.core.entries import RecordedAlert, alerts_between
from tables.models import Table

HOUR = dt.timedelta(hours=1)
FLOOD_TIME = dt.timedelta(minutes=10)
# What one person can handle, by ISA-18.2 and EEMUA 191: some six alarms an hour, and never ten in ten minutes.
MOST_AN_HOUR, FLOOD = 6, 10


@dataclass(frozen=True)
class PodiumAlert:
    """An alert as a podium got it. `held_at`: when somebody acknowledged or decided it, or its cause ended.

    `begins_line`: whether it was a line of its own; otherwise it joined the line of an equal one.
    """

    pit: str
    kind: str
    level: str
    raised_at: dt.datetime
    held_at: dt.datetime | None
    stands: bool
    begins_line: bool


@dataclass(frozen=True)
class Rate:
    """What was raised of one kind, or at one podium: alerts, lines, the most lines in any ten minutes and any hour.

    `flood_at`: when those ten minutes began; None without an alert. `standing`: alerts whose cause had not ended.
    `levels`: its levels, the most urgent first.
    """

    name: str
    levels: tuple[str, ...]
    raised: int
    lines: int
    most_in_ten_minutes: int
    flood_at: dt.datetime | None
    most_in_an_hour: int
    standing: int


@dataclass(frozen=True)
class AlarmRates:
    """The rates of a facility from `begins` up to `ends`, of kinds and of podiums (the name of the pit).

    The most of a kind in ten minutes is that of its loudest podium.
    """

    begins: dt.datetime
    ends: dt.datetime
    kinds: list[Rate]
    podiums: list[Rate]

    @property
    def hours(self) -> float:
        return (self.ends - self.begins) / HOUR

    def an_hour(self, lines: int) -> float:
        """Lines an hour, of one podium."""
        return lines / self.hours

    def an_hour_and_podium(self, lines: int) -> float:
        return self.an_hour(lines) / max(1, len(self.podiums))

    @property
    def too_loud(self) -> list[Rate]:
        """The podiums with more alarms in an hour than one person can handle, or with a flood."""
        return [
            podium
            for podium in self.podiums
            if self.an_hour(podium.lines) > MOST_AN_HOUR or podium.most_in_ten_minutes >= FLOOD
        ]


def alarm_rates(facility: Facility, begins: dt.datetime, ends: dt.datetime) -> AlarmRates:
    """Read what the podiums of a facility got at live tables from `begins` up to `ends`."""
    tables = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).select_related("pit")
    pits = {table.stream_id: table.pit.name for table in tables.order_by("pit__code", "code")}
    dealt = Entry.objects.filter(stream__in=list(pits), at__gte=begins, at__lt=ends, round__isnull=False)
    streams = set(dealt.values_list("stream", flat=True).distinct())
    alerts = podium_alerts(alerts_between(list(pits), begins, ends), pits)
    in_play = dict.fromkeys(pit for stream, pit in pits.items() if stream in streams)
    names = [*in_play, *dict.fromkeys(alert.pit for alert in alerts if alert.pit not in in_play)]
    return AlarmRates(
        begins,
        ends,
        sorted(_rates(alerts, lambda alert: alert.kind), key=lambda rate: (-rate.lines, rate.name)),
        [_rate(name, [alert for alert in alerts if alert.pit == name]) for name in names],
    )


def podium_alerts(recorded: Iterable[RecordedAlert], pits: dict[int, str]) -> list[PodiumAlert]:
    """Return what podiums got, oldest first. `pits`: the pit of each stream (its id)."""
    alerts: list[PodiumAlert] = []
    lines: dict[tuple[str, str], list[PodiumAlert]] = defaultdict(list)
    for alert in sorted(recorded, key=lambda raised: (raised.raised_at, raised.stream_id, raised.seq)):
        kind, pit = kind_of(alert.kind, alert.key), pits[alert.stream_id]
        held = [moment for moment in (alert.acknowledged_at, alert.decided_at, alert.ended_at) if moment]
        name = line_name(kind, alert.level, pit)
        equals = lines[pit, name] if name else []
        joins = any(other.held_at is None or other.held_at > alert.raised_at for other in equals)
        alerts.append(
            PodiumAlert(
                pit,
                alert.kind,
                alert.level,
                alert.raised_at,
                min(held, default=None),
                alert.ended_at is None,
                not joins,
            )
        )
        equals.append(alerts[-1])
    return alerts


def most_within(moments: Sequence[dt.datetime], span: dt.timedelta) -> tuple[int, dt.datetime | None]:
    """Return the largest number of these sorted moments in any half-open span, and when the first such one begins."""
    most, began, first = 0, None, 0
    for place, moment in enumerate(moments):
        while moment - moments[first] >= span:
            first += 1
        if place - first + 1 > most:
            most, began = place - first + 1, moments[first]
    return most, began


def _rates(alerts: Iterable[PodiumAlert], name_of: Callable[[PodiumAlert], str]) -> list[Rate]:
    by_name: dict[str, list[PodiumAlert]] = defaultdict(list)
    for alert in alerts:
        by_name[name_of(alert)].append(alert)
    return [_rate(name, own) for name, own in by_name.items()]


def _rate(name: str, alerts: Sequence[PodiumAlert]) -> Rate:
    by_pit: dict[str, list[dt.datetime]] = defaultdict(list)
    for alert in alerts:
        if alert.begins_line:
            by_pit[alert.pit].append(alert.raised_at)
    in_ten_minutes = [most_within(moments, FLOOD_TIME) for moments in by_pit.values()]
    most, flood_at = max(in_ten_minutes, key=lambda flood: flood[0], default=(0, None))
    return Rate(
        name,
        tuple(level for level in ALERT_LEVELS if any(alert.level == level for alert in alerts)),
        len(alerts),
        sum(map(len, by_pit.values())),
        most,
        flood_at,
        max((most_within(moments, HOUR)[0] for moments in by_pit.values()), default=0),
        sum(alert.stands for alert in alerts),
    )
