"""What calls somebody to a table: raised, ended and acknowledged, each with an entry on the table's stream.

An alert is held until what it is about is over *and* somebody entitled has acknowledged it. Whoever calls these holds
the table's lock, in an act or in the ticker; the entries follow the act's own (`AtTable.also`), so that the ticker
writes them itself with `AtTable.write_also`.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from audit.models import Person
from audit.rows import read
from tables.core.context import TableContext
from tables.models import Alert

Level = Alert.Level
# Nothing ends these by itself: whoever acknowledges one has it in hand.
EVENTS = ("dispute", "cheating", "clock:jump", "head-not-ours")
NEEDS_A_NOTE = frozenset({"dispute"})


def raise_alert(ctx: TableContext, kind: str, key: str, level: str, section: str = "", **params: Any) -> bool:
    """Raises an alert at this table, unless one of this key stands already; says whether it did.

    `key` names what it is about; `params` are what its sentence says, in the values that the record takes.
    """
    if Alert.objects.filter(table=ctx.table, key=key, ended_at=None).exists():
        return False
    Alert.objects.create(
        table=ctx.table, kind=kind, key=key, level=level, section=section, params=params, raised_at=ctx.now
    )
    ctx.extra_entries.append(
        ("alert.raised", {**params, "kind": kind, "key": key, "level": str(level), "section": section})
    )
    return True


def end_alert(ctx: TableContext, key_prefix: str) -> bool:
    """Ends what stands here under this key, or under a longer one whose first parts it is (`dice` ends
    `dice:L-0001:1`); says whether anything did. It is held until acknowledged.
    """
    under = Q(key=key_prefix) | Q(key__startswith=key_prefix + ":")
    ended = list(Alert.objects.filter(under, table=ctx.table, ended_at=None).order_by("pk"))
    for alert in ended:
        alert.ended_at = ctx.now
        alert.save(update_fields=["ended_at"])
        ctx.extra_entries.append(("alert.ended", {"kind": alert.kind, "key": alert.key}))
    return bool(ended)


def acknowledge(ctx: TableContext, alert: Alert, by: Person, note: str) -> None:
    """Somebody has it in hand. The caller records it."""
    alert.acknowledged_at, alert.acknowledged_by, alert.note = ctx.now, by, note
    alert.save(update_fields=["acknowledged_at", "acknowledged_by", "note"])


def replaced_by(alert: Alert, open_alerts: list[Alert]) -> list[Alert]:
    """The alerts that this one took the place of: the earlier warnings of the same dice. They are answered with it."""
    if not has_prefix(alert.key, ["dice"]):
        return []
    return [
        earlier for earlier in open_alerts if earlier.pk < alert.pk and group(earlier.key) == group(alert.key)
    ]


def dice_key(lot: str, stage: int) -> str:
    """The key of a warning about a lot: 1 to 3 an hour, ten minutes, one minute before; 4: it is over."""
    return f"dice:{lot}:{stage}"


def failure_kind(what: str) -> str:
    """The kind of alert for what failed."""
    return "shaker-failure" if what == "shaker" else "device-failure"


def has_prefix(key: str, prefixes: Iterable[str]) -> bool:
    """Whether a key stands under one of these, as `end_alert` understands it."""
    return any(key == prefix or key.startswith(prefix + ":") for prefix in prefixes)


def group(key: str) -> str:
    """What the stages of one alert share: the key without its last part."""
    return key.rpartition(":")[0]


def is_event(key: str) -> bool:
    """Whether acknowledging an alert of this key ends it as well."""
    return has_prefix(key, EVENTS)


def held(table_id: int) -> list[Alert]:
    """What is held at a table, the oldest first: what stands, and what is over and nobody acknowledged."""
    sql = """FROM tables_alert a LEFT JOIN audit_person p ON p.id = a.acknowledged_by_id
             WHERE a.table_id = %s AND (a.ended_at IS NULL OR a.acknowledged_at IS NULL) ORDER BY a.id"""
    alerts = []
    for (alert, person), _ in read((("a", Alert), ("p", Person)), sql, [table_id]):
        alert.acknowledged_by = person
        alerts.append(alert)
    return alerts
