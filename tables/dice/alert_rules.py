"""Alerts about dice: their time, and a shaker without dice."""

from tables.core.alert_kinds import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.core.context import TableContext
from tables.models import Table

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


alert_rule(AlertRule((DICE_EXPIRED,), at_table=expired_dice))
alert_rule(AlertRule((NO_DICE,), at_table=no_dice))
