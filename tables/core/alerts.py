"""Raise, end and acknowledge the alerts of a table, each with an entry on the table's stream.

An alert stays open until its cause has ended and an entitled person has acknowledged it. Callers hold the table's
lock, in an act or in the ticker. The entries follow the act's own (`TableContext.extra_entries`); the ticker
appends them itself with `append_extra_entries`.
"""

from collections.abc import Iterable

from django.db.models import Q

from audit.models import Person
from audit.rows import read
from tables.core.alert_kinds import ExpectedAlert, kind_of
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_ENDED, ALERT_RAISED
from tables.models import Alert
from tables.models.cases import SHOWN_SQL

DISPUTE = "dispute"  # the code of the alert, and of the reason of a call
PEOPLE = ("acknowledged_by", "coming_by", "decided_by", "muted_by")
JOINS = " ".join(f"LEFT JOIN audit_person {name} ON {name}.id = a.{name}_id" for name in PEOPLE)


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


def acknowledged_with(alert: Alert, open_alerts: list[Alert]) -> list[Alert]:
    """The alerts that are acknowledged together with this alert.

    They are the earlier warnings about the same dice, and the alerts on the same line of the screens (`line_of`).
    """
    if kind_of(alert.kind, alert.key).describe_group:
        return [other for other in open_alerts if other.pk != alert.pk and line_of(other) == line_of(alert)]
    if not has_prefix(alert.key, ["dice"]):
        return []
    return [
        earlier for earlier in open_alerts if earlier.pk < alert.pk and group(earlier.key) == group(alert.key)
    ]


def line_of(alert: Alert) -> tuple[str, bool, bool]:
    """What the alerts of one line share: their kind, whether they have ended, whether they are acknowledged."""
    return alert.kind, alert.ended_at is not None, alert.acknowledged_at is not None


def has_prefix(key: str, prefixes: Iterable[str]) -> bool:
    """Whether the key equals one of these prefixes or starts with its parts, as in `end_alert`."""
    return any(key == prefix or key.startswith(prefix + ":") for prefix in prefixes)


def group(key: str) -> str:
    """The key without its stage, which all stages of one alert share."""
    return key.rpartition(":")[0]


def is_dispute(kind: str, reason: object) -> bool:
    """Whether an alert of this kind, or a call for this reason, is about a dispute of a player."""
    return DISPUTE in (kind, reason)


def standing_disputes(alerts: Iterable[Alert]) -> list[Alert]:
    """Return those of a table's alerts that are disputes which nobody has decided, oldest first."""
    return [
        alert
        for alert in alerts
        if alert.ended_at is None and is_dispute(alert.kind, alert.params.get("reason"))
    ]


def held(table_id: int) -> list[Alert]:
    """The alerts that a table's screens show, oldest first: open, not acknowledged, or decided and not yet read."""
    sql = f"""FROM tables_alert a {JOINS}
             WHERE a.table_id = %s AND {SHOWN_SQL} ORDER BY a.id"""
    models = (("a", Alert), *((person, Person) for person in PEOPLE))
    alerts = []
    for (alert, *people), _ in read(models, sql, [table_id]):
        for name, person in zip(PEOPLE, people, strict=True):
            setattr(alert, name, person)
        alerts.append(alert)
    return alerts
