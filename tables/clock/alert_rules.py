"""Alerts about the server's clock, and about tablets that it no longer hears."""

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


alert_rule(AlertRule((CLOCK_BEHIND,), clocks_behind))
alert_rule(AlertRule((STALE_TABLET,), silent_tablets, TABLET_TICKS, settle_seconds=SILENT_SECONDS))
