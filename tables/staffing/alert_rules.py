"""Alerts about people: empty posts, unattended shakers, supervision that breaks the span, and PINs being guessed."""

import datetime as dt
import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from audit import clock, pins
from games.engine import Refusal
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
from tables.core.context import TableContext
from tables.models import Table
from tables.staffing import spans
from tables.staffing.refusals import SPAN_EXCEEDED, SUPERVISOR_OFF_DUTY, UNSUPERVISED
from tables.words import sentences

STAFF_TICKS = 5
BREACHES = {code: code for code in (UNSUPERVISED, SUPERVISOR_OFF_DUTY, SPAN_EXCEEDED)}  # as alerts store them


def _describe_breach(params: Mapping[str, Any]) -> tuple[str, str]:
    refusal = Refusal(
        BREACHES[params["breach"]], **{name: value for name, value in params.items() if name != "breach"}
    )
    return sentences.title(refusal), sentences.say(refusal)


EMPTY_POST = alert_kind(
    AlertKind(
        "post-empty",
        "post:{post}",
        Level.WARN,
        "Empty post",
        "A post is empty",
        "The post of %(post)s is empty. Send a relief, who takes it over with their PIN.",
    )
)
UNATTENDED_SHAKER = alert_kind(
    AlertKind(
        "shaker-unattended",
        "shaker",
        Level.WARN,
        "Shaker unattended",
        "Shaker unattended",
        "Nobody is responsible for shaker %(shaker)s. Send a dealer, who takes it over with their PIN.",
    )
)
BROKEN_SPAN = alert_kind(
    AlertKind(
        "span",
        "span:{breach}",
        Level.WARN,
        "Floorperson's span",
        "Supervision",
        describe=_describe_breach,
    )
)

GUESSED_PINS = {
    pins.Scope.PERSON_AT_DEVICE: alert_kind(
        AlertKind(
            "pins-guessed",
            "pins:person-at-device:{cause}",
            Level.WARN,
            "PINs being guessed",
            "A PIN is being guessed",
            "Five wrong PINs of %(person)s at %(device)s, which now refuses %(person)s for fifteen minutes. Find out "
            "who typed them. A supervisor can unlock on the staff page.",
            is_everywhere=True,
        )
    ),
    pins.Scope.DEVICE: alert_kind(
        AlertKind(
            "pins-guessed",
            "pins:device:{cause}",
            Level.WARN,
            "PINs being guessed",
            "PINs are being guessed",
            "Ten wrong PINs at %(device)s, which now accepts none for fifteen minutes. Go there and find out who typed "
            "them. A supervisor can unlock on the staff page.",
            is_everywhere=True,
        )
    ),
    pins.Scope.PERSON: alert_kind(
        AlertKind(
            "pins-guessed",
            "pins:person:{cause}",
            Level.WARN,
            "PINs being guessed",
            "A PIN is being guessed",
            "Twenty wrong PINs of %(person)s at several devices, the last at %(device)s. All refuse %(person)s "
            "for fifteen minutes. Find out who typed them. A supervisor can unlock on the staff page.",
            is_everywhere=True,
        )
    ),
}


def absences(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return empty posts and unattended shakers, by the same duty rule as play (`posts.empty_posts`).

    A table with several posts needs a person at each of them (§ 577.9(b)). Elsewhere the dealer keeps the shaker.
    """
    tables = list(live_tables(table_id).exclude(status=Table.Status.CLOSED))
    alerts = []
    empty_posts = posts.empty_posts_by_table(tables)
    for table in tables:
        empty = empty_posts[table.pk]
        if len(posts.posts_of(table)) > 1:
            if table.status == Table.Status.OPEN:
                alerts += [EMPTY_POST.expected(table.pk, duty="dealers", post=post) for post in empty]
            continue
        minute = now.replace(second=0, microsecond=0)
        if empty and (shaker := _unattended_shaker(table.uid, table.status_seq, minute)):
            code, section = shaker
            alerts.append(UNATTENDED_SHAKER.expected(table.pk, section=section, shaker=code))
    return alerts


@lru_cache(maxsize=1024)
def _unattended_shaker(uid: uuid.UUID, status_seq: int, minute: dt.datetime) -> tuple[str, str] | None:
    """Return the code of a shaker that may not be left alone, and the section; None where it may.

    Cached for a minute; every change of equipment changes `status_seq`.
    """
    table = Table.objects.select_related("stream", "facility").get(uid=uid)
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, minute))
    try:
        section = posts.unattended_shaker_section(ctx)
    except Refusal:
        return None
    return (ctx.shaker.code, section) if section and ctx.shaker and not ctx.shaker.secured else None


def broken_spans(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return tables without a supervisor on duty, and tables that break their supervisor's span."""
    return [
        BROKEN_SPAN.expected(breach.table_id, section=breach.section, breach=breach.code, **breach.params)
        for breach in spans.breaches(now, table_id)
    ]


def guessed_pins(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the lock-outs at the tables that must know: all of the facility that are not closed, or all live ones.

    A dealer's slips at the tablet of a table are that table's own concern. A podium, a whole device, or a person at
    several devices concern the floor.
    """
    alerts = []
    for lockout in pins.active_lockouts(now).select_related("device", "person").order_by("pk"):
        kind = GUESSED_PINS[pins.Scope(lockout.scope)]
        params = {"device": lockout.where}
        if lockout.person is not None:
            params["person"] = lockout.person.name
        is_of_table = lockout.device is not None and lockout.scope == pins.Scope.PERSON_AT_DEVICE
        place = lockout.device.place if lockout.device is not None and is_of_table else ""
        alerts += [
            kind.expected(pk, cause=lockout.pk, since=lockout.started_at, **params)
            for pk in tables_concerned(lockout.facility, place)
            if table_id in (None, pk)
        ]
    return alerts


alert_rule(AlertRule((EMPTY_POST, UNATTENDED_SHAKER), absences, STAFF_TICKS))
alert_rule(AlertRule((BROKEN_SPAN,), broken_spans, STAFF_TICKS))
alert_rule(AlertRule(tuple(GUESSED_PINS.values()), guessed_pins, STAFF_TICKS))
