"""Make the open alerts of the tables match what the alert rules expect."""

import datetime as dt
from collections.abc import Collection, Sequence
from functools import partial

from audit import clock
from tables.core.alert_kinds import AlertRule, ExpectedAlert
from tables.core.alerts import end_alert, has_prefix, raise_alert
from tables.core.context import TableContext
from tables.models import Alert, Table
from tables.runner.system import for_each_table


def reconcile_alerts(
    rules: Sequence[AlertRule], now: dt.datetime, at_tables: Collection[int] | None = None
) -> list[int]:
    """Raise missing alerts and end those that no longer apply, at every table or at these (ids).

    Compares expected with open alerts without locks first; only tables that differ are locked and compared again.
    Returns the ids of the tables that changed.
    """
    prefixes = _key_prefixes(rules)
    expected = {(alert.table_id, alert.key) for alert in _expected_alerts(rules, now, None)}
    open_alerts = {
        (table_id, key)
        for table_id, key in Alert.objects.filter(ended_at=None).values_list("table_id", "key")
        if has_prefix(key, prefixes)
    }
    table_ids = {table_id for table_id, _ in expected ^ open_alerts}
    if at_tables is not None:
        table_ids &= set(at_tables)
    if not table_ids:
        return []
    return for_each_table(Table.objects.filter(pk__in=table_ids), partial(_reconcile_table, rules))


def _reconcile_table(rules: Sequence[AlertRule], ctx: TableContext) -> bool:
    """Reconcile one table under its lock. Returns whether anything changed."""
    now = clock.now()  # not the context's moment: the alert may be about a record ahead of the clock
    expected = {alert.key: alert for alert in _expected_alerts(rules, now, ctx.table.pk)}
    prefixes = _key_prefixes(rules)
    open_alerts = Alert.objects.filter(table=ctx.table, ended_at=None).order_by("pk")
    for key in open_alerts.values_list("key", flat=True):
        if has_prefix(key, prefixes) and key not in expected:
            end_alert(ctx, key)
    for alert in expected.values():
        raise_alert(ctx, alert)
    changed = bool(ctx.extra_entries)
    ctx.append_extra_entries()
    return changed


def _expected_alerts(
    rules: Sequence[AlertRule], now: dt.datetime, table_id: int | None
) -> list[ExpectedAlert]:
    return [alert for rule in rules if rule.query for alert in rule.query(now, table_id)]


def _key_prefixes(rules: Sequence[AlertRule]) -> list[str]:
    return [prefix for rule in rules for prefix in rule.key_prefixes]
