"""Alerts about dice: their time, a shaker without dice, and the deadlines of the dice room."""

import datetime as dt

from games.models import Facility
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
from tables.dice.deadlines import count_due_at, destructions_due
from tables.models import Table

DEADLINE_TICKS = 60

RUNNING_OUT = "Dice about to expire"
DICE_ONE_HOUR = alert_kind(
    AlertKind(
        "dice-time",
        "dice:{lot}:1",
        Level.WARN,
        RUNNING_OUT,
        "Dice expire within the hour",
        "Have a new lot ready to replace %(lot)s.",
    )
)
DICE_TEN_MINUTES = alert_kind(
    AlertKind(
        "dice-time",
        "dice:{lot}:2",
        Level.WARN,
        RUNNING_OUT,
        "Dice expire within ten minutes",
        "Bring a new lot to the table and replace %(lot)s between rounds.",
    )
)
DICE_ONE_MINUTE = alert_kind(
    AlertKind(
        "dice-time",
        "dice:{lot}:3",
        Level.STOP,
        RUNNING_OUT,
        "Dice expire within a minute",
        "Replace lot %(lot)s now. Nothing may be shaken or thrown after it expires.",
    )
)
DICE_EXPIRED = alert_kind(
    AlertKind(
        "dice-expired",
        "dice:{lot}:4",
        Level.STOP,
        "Dice expired",
        "Dice expired",
        "Replace lot %(lot)s. Nothing may be shaken or thrown before.",
    )
)
NO_DICE = alert_kind(
    AlertKind(
        "no-dice",
        "no-dice",
        Level.WARN,
        "No dice in the shaker",
        "No dice in the shaker",
        "Put a lot into shaker %(shaker)s. Nothing may be shaken or thrown before.",
    )
)
LATE_DESTRUCTION = alert_kind(
    AlertKind(
        "late-destruction",
        "late-destruction",
        Level.WARN,
        "Dice to destroy",
        "Dice of this table are late for destruction",
        "Lot %(lot)s was due %(day)s. The page of the dice lists every lot that is late.",
    )
)
LATE_COUNT = alert_kind(
    AlertKind(
        "late-count",
        "late-count",
        Level.WARN,
        "Dice to count",
        "The physical count of the dice is late",
        "It was due %(day)s. Count the dice, and record the count on the page of the dice.",
    )
)


def expired_dice(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where the dice in the shaker are past their time."""
    lot = ctx.lot
    if ctx.table.status == Table.Status.CLOSED or lot is None or lot.expires_at is None:
        return None
    if ctx.now < lot.expires_at:
        return None
    return DICE_EXPIRED.expected(ctx.table.pk, section=lot.clock_section, since=lot.expires_at, lot=lot.code)


def no_dice(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where the shaker is empty."""
    if ctx.table.status == Table.Status.CLOSED or ctx.shaker is None or ctx.lot is not None:
        return None
    return NO_DICE.expected(ctx.table.pk, shaker=ctx.shaker.code)


def late_deadlines(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the deadlines of the dice room that have passed.

    A late destruction is an alert at the last table of the lot, the first lot for each table. What belongs to no table
    is an alert at one table in play: a facility has no screen of its own.
    """
    return [
        alert
        for facility in Facility.objects.all()
        for alert in _late_at(facility, now)
        if table_id in (None, alert.table_id)
    ]


def _late_at(facility: Facility, now: dt.datetime) -> list[ExpectedAlert]:
    rules = facility.law.custody
    if not (rules.destruction_hours or rules.count_days):
        return []
    late = [deadline for deadline in destructions_due(facility, now) if deadline.is_late]
    counted_by = count_due_at(facility)
    is_count_late = counted_by is not None and counted_by <= now
    if not late and not is_count_late:
        return []
    live = set(live_tables().filter(facility=facility).values_list("pk", flat=True))
    anywhere = tables_concerned(facility.code)[:1]
    alerts: dict[int, ExpectedAlert] = {}
    for deadline in late:
        assert deadline.lot is not None
        own = deadline.lot.table_id if deadline.lot.table_id in live else None
        for pk in [own] if own is not None else anywhere:
            day = _local_day(facility, deadline.due_at)
            alerts.setdefault(pk, LATE_DESTRUCTION.expected(pk, lot=deadline.lot.code, day=day))
    expected = list(alerts.values())
    if counted_by is not None and is_count_late:
        expected += [LATE_COUNT.expected(pk, day=_local_day(facility, counted_by)) for pk in anywhere]
    return expected


def _local_day(facility: Facility, moment: dt.datetime) -> str:
    local = facility.local(moment)
    return f"{local.day} {local:%b %H:%M}"


alert_rule(AlertRule((DICE_EXPIRED,), at_table=expired_dice))
alert_rule(AlertRule((NO_DICE,), at_table=no_dice))
alert_rule(AlertRule((LATE_COUNT, LATE_DESTRUCTION), late_deadlines, DEADLINE_TICKS))
