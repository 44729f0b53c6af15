"""What the clock does about dice: warn before their time is over, and record that it is."""

import datetime as dt
import logging

from django.db import transaction

from audit import clock, record
from tables.core.alerts import end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.lot_steps import write_lot_steps
from tables.core.reads import locked_table
from tables.dice.alert_rules import DICE_EXPIRED, DICE_ONE_HOUR, DICE_ONE_MINUTE, DICE_TEN_MINUTES
from tables.dice.entry_types import DICE_LOT_EXPIRED, DiceLotExpired
from tables.models import DiceLot, Table
from tables.runner.system import system_context

log = logging.getLogger(__name__)
# Minutes before the dice expire, with the warning of each stage. The fourth stage: the dice have expired.
STAGES = ((60, DICE_ONE_HOUR), (10, DICE_TEN_MINUTES), (1, DICE_ONE_MINUTE))
EXPIRED = 4
HOUR = dt.timedelta(hours=1)


def warn_of_dice() -> list[int]:
    """Warn of dice that are about to expire, once at each stage, and record that they did.

    A closed table gets no warning. Returns the ids of the tables that changed.
    """
    now = clock.now()
    expiring_lots = DiceLot.objects.filter(
        status=DiceLot.Status.PLACED,
        warned__lt=EXPIRED,
        expires_at__lte=now + HOUR,
        shaker__table__isnull=False,
        shaker__out_of_order=False,
    ).select_related("shaker__table__facility")
    due = [
        (lot, lot.shaker.table) for lot in expiring_lots if lot.shaker and _is_due(lot, lot.shaker.table, now)
    ]
    changed = (_try_to_warn(lot.pk, table.facility.code, table.code) for lot, table in due if table)
    return [table_id for table_id in changed if table_id is not None]


def _try_to_warn(lot_id: int, facility: str, code: str) -> int | None:
    """Warn of a lot. A failure at one table is logged and does not stop the others."""
    try:
        return _warn(lot_id, facility, code)
    except Exception:
        log.exception("the dice of %s/%s could not be checked", facility, code)
        return None


def stage_of(remaining: dt.timedelta) -> int:
    """Return the stage for the time that remains: 0 over an hour, 1 an hour, 2 ten minutes, 3 one minute, 4 expired."""
    if remaining <= dt.timedelta():
        return EXPIRED
    return sum(remaining <= dt.timedelta(minutes=minutes) for minutes, _ in STAGES)


def _is_due(lot: DiceLot, table: Table | None, now: dt.datetime) -> bool:
    assert lot.expires_at is not None
    stage = stage_of(lot.expires_at - now)
    warns = table is not None and table.status != Table.Status.CLOSED
    return stage > lot.warned and (warns or stage == EXPIRED)


def _warn(lot_id: int, facility: str, code: str) -> int | None:
    """Claim the lot under its table's lock, and warn. Returns None when another ticker was first."""
    with transaction.atomic(durable=True):
        locked = locked_table(facility, code)
        table = locked.table
        lot = DiceLot.objects.filter(
            pk=lot_id, status=DiceLot.Status.PLACED, shaker__table=table, shaker__out_of_order=False
        ).first()
        if lot is None or lot.expires_at is None or not _is_due(lot, table, locked.now):
            return None
        ctx = system_context(locked)
        lot.warned = stage_of(lot.expires_at - locked.now)
        lot.save(update_fields=["warned"])
        end_alert(ctx, f"dice:{lot.code}")
        if lot.warned == EXPIRED:
            _record_expiry(ctx, lot, lot.expires_at)
        if table.status != Table.Status.CLOSED:
            _raise_warning(ctx, lot, lot.expires_at)
        ctx.append_extra_entries()
        return table.pk


def _record_expiry(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    data: DiceLotExpired = {
        "lot": lot.code,
        "expires_at": clock.format_moment(expires_at),
        "section": lot.clock_section,
    }
    entry = record.append(ctx.stream, entry=DICE_LOT_EXPIRED(data), moment=ctx.now, gaming_day=ctx.gaming_day)
    write_lot_steps([lot], ctx.stream, entry.seq)


def _raise_warning(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    section = lot.clock_section
    if lot.warned == EXPIRED:
        raise_alert(ctx, DICE_EXPIRED.expected(ctx.table.pk, section=section, lot=lot.code))
        return
    minutes, kind = STAGES[lot.warned - 1]
    until = clock.format_moment(expires_at)
    raise_alert(ctx, kind.expected(ctx.table.pk, section=section, lot=lot.code, minutes=minutes, until=until))
