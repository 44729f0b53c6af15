"""What the clock itself does: it warns of dice that run out, records that they did, calls somebody to a table for what
time or absence causes, and reminds the rules office of its deadlines. Correctness never depends on it: every rule is
asked against stored moments in the act.

One task inside the one process of the embedded default, or `manage.py ticker` in production; two of them are harmless,
because each change is claimed under its table's lock.
"""

import asyncio
import datetime as dt
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from channels.db import database_sync_to_async
from django.db import transaction

from audit import clock, record
from games.office.calendar import reminders
from tables.clock import alert_rules
from tables.core.alerts import Level, dice_key, end_alert, has_prefix, raise_alert
from tables.core.context import TableContext
from tables.core.lot_steps import write_lot_steps
from tables.core.reads import locked_table
from tables.limits import watch as limits_watch
from tables.models import Alert, DiceLot, Table
from tables.rules import watch as offer_watch
from tables.runner.system import for_each_table, system_context
from tables.screens import push

log = logging.getLogger(__name__)
SECONDS = 1.0
STAFF_EVERY = 5  # ticks
DEADLINES_EVERY = 60
# The warnings before the dice's time: minutes, and how grave. The fourth stage is that it is over.
STAGES = ((60, Level.WARN), (10, Level.WARN), (1, Level.STOP))
HOUR = dt.timedelta(hours=1)
OVER = 4
LARGEST_JUMP = dt.timedelta(seconds=2)
SLOW_SECONDS = 1.0
Check = Callable[[], list[int]]


class Ticker:
    """Ticks; remembers from one tick to the next how the clocks stood. `monotonic` gives seconds that never jump."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self.count = 0
        self.stood: tuple[dt.datetime, float] | None = None
        self.hears_since = monotonic()

    def due(self) -> list[Check]:
        """The checks of this tick; each returns the tables that it changed."""
        staff = [self.watch_staff] if self.count % STAFF_EVERY == 0 else []
        office = [remind_of_deadlines] if self.count % DEADLINES_EVERY == DEADLINES_EVERY // 2 else []
        self.count += 1
        return [
            warn_of_dice,
            offer_watch.record_rules_changes,
            limits_watch.apply_due_changes,
            limits_watch.record_sign_forms,
            self.watch_clock,
            *staff,
            *office,
        ]

    def tick(self) -> list[int]:
        """All the checks of one tick. Returns the tables that changed."""
        return sorted({table_id for check in self.due() for table_id in check()})

    def watch_clock(self) -> list[int]:
        """The clock against the record, and against the seconds that have gone by since the last tick.

        A clock that went back is told where acts are refused for it; else a jump is told at each open table.
        """
        before = self.monotonic()
        now = clock.now()
        moved = self._moved(now, before, self.monotonic())
        changed = keep([alert_rules.CLOCKS], now)
        if moved is not None:
            # Every tablet was heard by another clock.
            self.hears_since = self.monotonic()
            changed += _tell_jump(round(moved.total_seconds()), now)
        return changed

    def watch_staff(self) -> list[int]:
        """Posts, supervision, and tablets once there was a minute to hear them in: not at once after a restart."""
        hears = self.monotonic() - self.hears_since >= alert_rules.SILENCE.total_seconds()
        watches = [alert_rules.ABSENCES, alert_rules.SUPERVISION, *([alert_rules.TABLETS] if hears else [])]
        return keep(watches, clock.now())

    def _moved(self, now: dt.datetime, before: float, after: float) -> dt.timedelta | None:
        """How far the clock moved by itself since the last tick; None where it did not, or where it is not certain."""
        stood, self.stood = self.stood, (now, after)
        if after - before > SLOW_SECONDS:
            self.stood = None
        if stood is None or self.stood is None:
            return None
        moved = (now - stood[0]) - dt.timedelta(seconds=after - stood[1])
        return moved if abs(moved) > LARGEST_JUMP else None


def tick() -> list[int]:
    """One tick by itself, which remembers nothing. Returns the tables that changed."""
    return Ticker().tick()


def remind_of_deadlines() -> list[int]:
    """The rules office is told of its deadlines; no table shows it."""
    reminders.send_reminders()
    return []


def warn_of_dice() -> list[int]:
    """Warns of dice that run out, once at each stage, and records that they did. A closed table is not warned."""
    now = clock.now()
    soon = DiceLot.objects.filter(
        status=DiceLot.Status.PLACED,
        warned__lt=OVER,
        expires_at__lte=now + HOUR,
        shaker__table__isnull=False,
        shaker__out_of_order=False,
    ).select_related("shaker__table__facility")
    due = [(lot, lot.shaker.table) for lot in soon if lot.shaker and _is_due(lot, lot.shaker.table, now)]
    changed = (_warned(lot.pk, table.facility.code, table.code) for lot, table in due if table)
    return [table_id for table_id in changed if table_id is not None]


def _warned(lot_id: int, facility: str, code: str) -> int | None:
    """`_warn`, and a table at which it fails hinders no other."""
    try:
        return _warn(lot_id, facility, code)
    except Exception:
        log.exception("the dice of %s/%s were not looked at", facility, code)
        return None


def stage_of(left: dt.timedelta) -> int:
    """How near the end is: 0 more than an hour, 1 an hour, 2 ten minutes, 3 one minute, 4 over."""
    if left <= dt.timedelta():
        return OVER
    return sum(left <= dt.timedelta(minutes=minutes) for minutes, _ in STAGES)


def _is_due(lot: DiceLot, table: Table | None, now: dt.datetime) -> bool:
    assert lot.expires_at is not None
    stage = stage_of(lot.expires_at - now)
    warns = table is not None and table.status != Table.Status.CLOSED
    return stage > lot.warned and (warns or stage == OVER)


def _warn(lot_id: int, facility: str, code: str) -> int | None:
    """Claims the lot under its table's lock; None when another ticker was first."""
    with transaction.atomic(durable=True):
        locked = locked_table(facility, code)
        table = locked.table
        lot = DiceLot.objects.filter(
            pk=lot_id, status=DiceLot.Status.PLACED, shaker__table=table, shaker__out_of_order=False
        ).first()
        if lot is None or lot.expires_at is None or not _is_due(lot, table, locked.now):
            return None
        at = system_context(locked)
        lot.warned = stage_of(lot.expires_at - locked.now)
        lot.save(update_fields=["warned"])
        end_alert(at, f"dice:{lot.code}")
        if lot.warned == OVER:
            _record_expiry(at, lot, lot.expires_at)
        if table.status != Table.Status.CLOSED:
            _raise_warning(at, lot, lot.expires_at)
        at.append_extra_entries()
        return table.pk


def _record_expiry(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    data = {"lot": lot.code, "expires_at": clock.format_moment(expires_at), "section": lot.clock_section}
    said = record.append(
        ctx.stream, type="dice_lot.expired", data=data, moment=ctx.now, gaming_day=ctx.gaming_day
    )
    write_lot_steps([lot], ctx.stream, said.seq)


def _raise_warning(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    key, section = dice_key(lot.code, lot.warned), lot.clock_section
    if lot.warned == OVER:
        raise_alert(ctx, "dice-expired", key, Level.STOP, section, lot=lot.code)
        return
    minutes, level = STAGES[lot.warned - 1]
    until = clock.format_moment(expires_at)
    raise_alert(ctx, "dice-time", key, level, section, lot=lot.code, minutes=minutes, until=until)


def keep(watches: Iterable[alert_rules.AlertRule], now: dt.datetime) -> list[int]:
    """Raises what these looks find and nobody has raised, and ends what stands and is not found any more.

    Only tables where the two differ are locked, and looked at again under the lock. Returns the tables that changed.
    """
    watches = list(watches)
    prefixes = [prefix for one in watches for prefix in one.prefixes]
    wanted = {(one.table_id, one.key) for each in watches for one in each.look(now, None)}
    standing = {
        (table_id, key)
        for table_id, key in Alert.objects.filter(ended_at=None).values_list("table_id", "key")
        if has_prefix(key, prefixes)
    }
    differing = {table_id for table_id, _ in wanted ^ standing}
    if not differing:
        return []
    return for_each_table(Table.objects.filter(pk__in=differing), lambda at: _settle(at, watches))


def _settle(ctx: TableContext, watches: list[alert_rules.AlertRule]) -> bool:
    """Makes what stands at one table what is found there, under its lock; says whether anything changed."""
    now = clock.now()  # where the record is ahead of it, that is what there is to find
    found = {one.key: one for each in watches for one in each.look(now, ctx.table.pk)}
    prefixes = [prefix for one in watches for prefix in one.prefixes]
    standing = Alert.objects.filter(table=ctx.table, ended_at=None).order_by("pk")
    for key in standing.values_list("key", flat=True):
        if has_prefix(key, prefixes) and key not in found:
            end_alert(ctx, key)
    for one in found.values():
        raise_alert(ctx, one.kind, one.key, one.level, one.section_at(ctx), **one.params)
    changed = bool(ctx.extra_entries)
    ctx.append_extra_entries()
    return changed


def _tell_jump(seconds: int, now: dt.datetime) -> list[int]:
    """The clock moved by so many seconds: told once at each open live table that does not refuse acts for it."""
    behind = {one.table_id for one in alert_rules.clocks_behind(now)}
    tables = alert_rules.live_tables(None).filter(status=Table.Status.OPEN).exclude(pk__in=behind)
    return for_each_table(tables, lambda at: _raise_jump(at, seconds))


def _raise_jump(ctx: TableContext, seconds: int) -> bool:
    raised = raise_alert(ctx, "clock", "clock:jump", Level.WARN, seconds=seconds)
    ctx.append_extra_entries()
    return raised


async def keep_ticking() -> None:
    """Ticks each second until cancelled. A check that fails is logged, and the next tick tries again."""
    ticker = Ticker()
    while True:
        await asyncio.sleep(SECONDS)
        for check in ticker.due():
            try:
                for table_id in await database_sync_to_async(check)():
                    await push.publish(table_id)
            except Exception:
                log.exception("a check of the clock failed")


def with_ticker(application: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """The application with the ticker as a task of its server, begun with the first scope."""
    tasks: list[asyncio.Task[None]] = []

    async def ticking(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not tasks or tasks[0].done():
            tasks[:] = [asyncio.create_task(keep_ticking())]
        if scope["type"] != "lifespan":
            await application(scope, receive, send)
            return
        await _answer_lifespan(receive, send)
        tasks[0].cancel()

    return ticking


async def _answer_lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
