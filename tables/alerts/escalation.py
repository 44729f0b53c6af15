"""Pass an alert that nobody answers on to the next role.

The floorperson of the table is asked first. The settings say after how many seconds the next role is asked, by level
(`ALERT_PASSES_ON_SECONDS`; 0: never). The ticker passes on, under the table's lock, so that each step has one entry.
"""

import datetime as dt
from collections.abc import Collection

from django.conf import settings

from audit import clock
from tables.alerts.entry_types import ALERT_PASSED_ON
from tables.core.alert_kinds import live_tables
from tables.core.context import TableContext
from tables.models import Alert
from tables.runner.system import for_each_table

ROLES = ("", "pit-manager", "shift-manager")  # "": the floorperson of the table


def next_role(alert: Alert) -> str:
    """Return the role that is asked next; "" after the last."""
    place = ROLES.index(alert.asked_role) + 1
    return ROLES[place] if place < len(ROLES) else ""


def passes_on_at(alert: Alert) -> dt.datetime | None:
    """Return when an unanswered alert is passed on; None where nobody else is asked."""
    seconds = settings.ALERT_PASSES_ON_SECONDS.get(alert.level, 0)
    is_answered = alert.acknowledged_at or alert.coming_at or alert.ended_at
    if is_answered or not seconds or not next_role(alert):
        return None
    return (alert.asked_at or alert.raised_at) + dt.timedelta(seconds=seconds)


def pass_on_unanswered(at_tables: Collection[int] | None = None) -> list[int]:
    """Pass on the alerts of live tables that are due, of all or of these (ids). Returns those that changed."""
    now = clock.now()
    table_ids = {alert.table_id for alert in _unanswered() if _is_due(alert, now)}
    if at_tables is not None:
        table_ids &= set(at_tables)
    return for_each_table(live_tables().filter(pk__in=table_ids), _pass_on) if table_ids else []


def _unanswered() -> list[Alert]:
    levels = [level for level, seconds in settings.ALERT_PASSES_ON_SECONDS.items() if seconds]
    waiting = Alert.objects.filter(ended_at=None, acknowledged_at=None, coming_at=None, level__in=levels)
    return list(waiting.exclude(asked_role=ROLES[-1]).order_by("pk"))


def _pass_on(ctx: TableContext) -> bool:
    """Pass on the alerts of one table under its lock. Returns whether any was due."""
    for alert in Alert.objects.filter(table=ctx.table, ended_at=None).order_by("pk"):
        if _is_due(alert, ctx.now):
            alert.asked_role, alert.asked_at = next_role(alert), ctx.now
            alert.save(update_fields=["asked_role", "asked_at"])
            ctx.extra_entries.append(
                ALERT_PASSED_ON({"kind": alert.kind, "key": alert.key, "role": alert.asked_role})
            )
    changed = bool(ctx.extra_entries)
    ctx.append_extra_entries()
    return changed


def _is_due(alert: Alert, now: dt.datetime) -> bool:
    moment = passes_on_at(alert)
    return moment is not None and moment <= now
