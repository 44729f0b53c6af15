"""Alerts about the server's clock, about tablets that it no longer hears, and about tokens that were used twice."""

import datetime as dt

from audit import clock
from audit.models import Device
from tables.core.alert_kinds import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_kind,
    alert_rule,
    live_tables,
    tables_concerned,
)
from tables.models import Table

SILENT_SECONDS = 60
TABLET_TICKS = 5
CLOCK_BEHIND = alert_kind(
    AlertKind(
        "clock",
        "clock:behind",
        Level.STOP,
        "Clock",
        "The clock went back",
        "The server's clock is behind the record, so acts are refused. Correct the clock, or settle manually until "
        "it has caught up.",
    )
)
CLOCK_JUMP = alert_kind(
    AlertKind(
        "clock",
        "clock:jump",
        Level.WARN,
        "Clock",
        "The clock jumped",
        "The server's clock jumped by %(seconds)s seconds. Compare it with a clock that you trust.",
        ends_when_acknowledged=True,
    )
)
STALE_TABLET = alert_kind(
    AlertKind(
        "stale-tablet",
        "tablet:{cause}",
        Level.WARN,
        "Tablet offline",
        "Tablet offline",
        "%(device)s has been silent for a minute. Check the tablet, its power and the network.",
    )
)
TOKEN_ALERT_LASTS = dt.timedelta(minutes=15)
TOKEN_USED_TWICE = alert_kind(
    AlertKind(
        "token-used-twice",
        "token:{cause}",
        Level.WARN,
        "Enrollment token used twice",
        "A token was used twice",
        "The enrollment token of %(device)s was used a second time, and refused. If nobody can say why, have the "
        "system administrator revoke %(device)s.",
    )
)


def clocks_behind(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return tables whose newest entry is so far ahead of the clock that acts are refused."""
    latest = now + clock.LARGEST_STEP_BACK
    rows = live_tables(table_id).filter(stream__last_at__gt=latest).values_list("pk", "stream__last_at")
    return [
        CLOCK_BEHIND.expected(pk, until=clock.format_moment(last_at - clock.LARGEST_STEP_BACK))
        for pk, last_at in rows
        if last_at is not None
    ]


def silent_tablets(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables whose tablet was connected before and has been silent for a minute.

    Only tablets with somebody signed in; a locked tablet has no connection.
    """
    tables = dict(live_tables(table_id).filter(status=Table.Status.OPEN).values_list("stream__name", "pk"))
    silent = Device.objects.filter(
        revoked_at=None,
        locked_at=None,
        person__isnull=False,
        heard_at__lte=now - dt.timedelta(seconds=SILENT_SECONDS),
        place__in=tables,
    )
    return [
        STALE_TABLET.expected(tables[place], cause=pk, device=name)
        for pk, place, name in silent.values_list("pk", "place", "name")
    ]


def tokens_used_twice(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return devices whose used token somebody tried again, for a while: at their table, or at every one in play."""
    refused = Device.objects.filter(
        revoked_at=None, enrollment_used_at__isnull=False, enrollment_refused_at__gt=now - TOKEN_ALERT_LASTS
    )
    return [
        TOKEN_USED_TWICE.expected(pk, cause=device.pk, since=device.enrollment_refused_at, device=device.name)
        for device in refused.order_by("facility", "name")
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


alert_rule(AlertRule((CLOCK_BEHIND,), clocks_behind))
alert_rule(AlertRule((STALE_TABLET,), silent_tablets, TABLET_TICKS, settle_seconds=SILENT_SECONDS))
alert_rule(AlertRule((TOKEN_USED_TWICE,), tokens_used_twice, TABLET_TICKS))
