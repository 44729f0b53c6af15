"""Raise, end and acknowledge the alerts of a table, each with an entry on the table's stream.

An alert stays open until its cause has ended and an entitled person has acknowledged it. Callers hold the table's
lock, in an act or in the ticker. The entries follow the act's own (`TableContext.extra_entries`); the ticker
appends them itself with `append_extra_entries`.
"""

from collections.abc import Iterable

from django.db.models import Q

from audit.models import Person
from audit.rows import read
from tables.core.alert_kinds import ExpectedAlert
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_ENDED, ALERT_RAISED
from tables.models import Alert


def raise_alert(ctx: TableContext, alert: ExpectedAlert) -> bool:
    """Raise an alert at this table, unless one with its key is open. Return whether it was raised."""
    if Alert.objects.filter(table=ctx.table, key=alert.key, ended_at=None).exists():
        return False
    kind, section = alert.kind, alert.section_at(ctx)
    Alert.objects.create(
        table=ctx.table,
        kind=kind.code,
        key=alert.key,
        level=kind.level,
        section=section,
        params=alert.params,
        raised_at=ctx.now,
    )
    data = {"kind": kind.code, "key": alert.key, "level": str(kind.level), "section": section}
    ctx.extra_entries.append(ALERT_RAISED.of({**alert.params, **data}))
    return True


def end_alert(ctx: TableContext, key_prefix: str) -> bool:
    """End every open alert whose key is `key_prefix` or starts with its parts. Return whether any ended.

    `dice` ends `dice:L-0001:1`. An ended alert stays on the screens until it is acknowledged.
    """
    under = Q(key=key_prefix) | Q(key__startswith=key_prefix + ":")
    ended = list(Alert.objects.filter(under, table=ctx.table, ended_at=None).order_by("pk"))
    for alert in ended:
        alert.ended_at = ctx.now
        alert.save(update_fields=["ended_at"])
        ctx.extra_entries.append(ALERT_ENDED({"kind": alert.kind, "key": alert.key}))
    return bool(ended)


def acknowledge(ctx: TableContext, alert: Alert, by: Person, note: str) -> None:
    """Mark an alert as acknowledged by this person. The caller records it."""
    alert.acknowledged_at, alert.acknowledged_by, alert.note = ctx.now, by, note
    alert.save(update_fields=["acknowledged_at", "acknowledged_by", "note"])


def replaced_by(alert: Alert, open_alerts: list[Alert]) -> list[Alert]:
    """The earlier warnings about the same dice, which are acknowledged together with this alert."""
    if not has_prefix(alert.key, ["dice"]):
        return []
    return [
        earlier for earlier in open_alerts if earlier.pk < alert.pk and group(earlier.key) == group(alert.key)
    ]


def has_prefix(key: str, prefixes: Iterable[str]) -> bool:
    """Whether the key equals one of these prefixes or starts with its parts, as in `end_alert`."""
    return any(key == prefix or key.startswith(prefix + ":") for prefix in prefixes)


def group(key: str) -> str:
    """The key without its stage, which all stages of one alert share."""
    return key.rpartition(":")[0]


def held(table_id: int) -> list[Alert]:
    """The alerts of a table that are open or not yet acknowledged, oldest first."""
    sql = """FROM tables_alert a LEFT JOIN audit_person p ON p.id = a.acknowledged_by_id
             WHERE a.table_id = %s AND (a.ended_at IS NULL OR a.acknowledged_at IS NULL) ORDER BY a.id"""
    alerts = []
    for (alert, person), _ in read((("a", Alert), ("p", Person)), sql, [table_id]):
        alert.acknowledged_by = person
        alerts.append(alert)
    return alerts
