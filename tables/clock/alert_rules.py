"""Alerts about the server's clock, about tablets that it no longer hears, and about tokens that were used twice."""

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from audit import clock
from audit.models import Device
from games.engine.game import PostCode
from tables.core import posts
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
SHORT_POSTS: dict[PostCode, str] = {"dealer": "right", "dealer-left": "left", "stick": "stick"}


class TabletRow(TypedDict):
    """What the rule reads of a tablet. `person` is an id."""

    pk: uuid.UUID
    place: str
    name: str
    person: int | None
    locked_at: dt.datetime | None
    heard_at: dt.datetime
    battery_percent: int | None
    is_charging: bool | None


CLOCK_BEHIND = alert_kind(
    AlertKind(
        "clock",
        "clock:behind",
        Level.STOP,
        "Clock",
        "The clock went back",
        "The server's clock is behind the record, so acts are refused. Correct the clock, or settle manually until "
        "it has caught up.",
        is_everywhere=True,
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
        is_everywhere=True,
    )
)


def tablet_place(params: Mapping[str, Any]) -> str:
    """Return where a tablet is, as people say it: `Left tablet of T-42`. Older alerts have the device's name alone."""
    if "table" not in params:
        return str(params["device"])
    post = params.get("post")
    return (
        f"{SHORT_POSTS[post].capitalize()} tablet of {params['table']}"
        if post
        else f"Tablet of {params['table']}"
    )


def _describe_silent_tablet(params: Mapping[str, Any]) -> tuple[str, str]:
    post = params.get("post")
    title = f"{SHORT_POSTS[post].capitalize()} tablet offline" if post else "Tablet offline"
    where = tablet_place(params)
    return title, f"{where} has been silent for a minute. Check the tablet, its power and the network."


def _describe_silent_tablets(group: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    posts_of_devices = {params["device"]: params.get("post") for params in group}
    if len(posts_of_devices) == 1:
        words = "%s was silent again and again. Check it." % tablet_place(group[-1])
        return "Tablet offline %s times" % len(group), words
    places = [SHORT_POSTS[post] if post else device for device, post in posts_of_devices.items()]
    title = "%s tablets offline: %s" % (len(posts_of_devices), ", ".join(places))
    return title, "All were silent for a minute. Look first at what they share: power, cable, network."


STALE_TABLET = alert_kind(
    AlertKind(
        "stale-tablet",
        "tablet:{cause}",
        Level.WARN,
        "Tablet offline",
        "Tablet offline",
        describe=_describe_silent_tablet,
        describe_group=_describe_silent_tablets,
    )
)
LOW_PERCENT = 20
LOW_BATTERY = alert_kind(
    AlertKind(
        "low-battery",
        "battery:{cause}",
        Level.INFO,
        "Tablet low",
        "Tablet at %(percent)s%% without power",
        "%(device)s runs on its battery, which was at %(percent)s%% when it was first low. Bring power before it "
        "goes dark.",
        at_the_pit=True,
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
        is_everywhere=True,
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
    """Return open tables with a tablet in use that was connected before and has been silent for a minute.

    Only tablets with somebody signed in; a locked tablet has no connection.
    """
    open_tables = live_tables(table_id).filter(status=Table.Status.OPEN).select_related("stream")
    tables = {table.stream.name: table for table in open_tables}
    silent_since = now - dt.timedelta(seconds=SILENT_SECONDS)
    alerts = []
    for (place, post), device in _tablets_in_use(tables).items():
        if device["person"] and device["locked_at"] is None and device["heard_at"] <= silent_since:
            table = tables[place]
            params: dict[str, Any] = {"device": device["name"], "table": table.code}
            if post:
                params["post"] = post
            alerts.append(STALE_TABLET.expected(table.pk, cause=device["pk"], **params))
    return alerts


def low_tablets(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables with a tablet in use that is low and does not charge, by what it said last.

    A tablet that has gone dark since counts as low until it is heard with power, signed off, or replaced.
    """
    open_tables = live_tables(table_id).filter(status=Table.Status.OPEN).select_related("stream")
    tables = {table.stream.name: table for table in open_tables}
    alerts = []
    for (place, post), device in _tablets_in_use(tables).items():
        percent = device["battery_percent"]
        is_low = percent is not None and percent <= LOW_PERCENT and device["is_charging"] is False
        if device["person"] and is_low:
            params: dict[str, Any] = {"percent": percent, **({"post": post} if post else {})}
            alerts.append(
                LOW_BATTERY.expected(tables[place].pk, cause=device["pk"], device=device["name"], **params)
            )
    return alerts


def _tablets_in_use(tables: Mapping[str, Table]) -> dict[tuple[str, PostCode | None], TabletRow]:
    """Return the tablet in use of each table, or of each post where a table has several, by place and post.

    It is the tablet that was heard last there, so a tablet that was replaced by another raises no alert.
    """
    heard = Device.objects.filter(revoked_at=None, heard_at__isnull=False, place__in=tables)
    in_use: dict[tuple[str, PostCode | None], TabletRow] = {}
    rows = heard.order_by("heard_at", "name").values(
        "pk", "place", "name", "person", "locked_at", "heard_at", "battery_percent", "is_charging"
    )
    for device in cast("list[TabletRow]", list(rows)):
        table, post = tables[device["place"]], None
        if len(posts.posts_of(table)) > 1:
            holders = {posts.holder_id(table, post): post for post in posts.posts_of(table)}
            post = holders.get(device["person"]) if device["person"] else None
            if post is None:
                continue
        in_use[device["place"], post] = device
    return in_use


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
alert_rule(AlertRule((LOW_BATTERY,), low_tablets, TABLET_TICKS))
alert_rule(AlertRule((TOKEN_USED_TWICE,), tokens_used_twice, TABLET_TICKS))
