"""The ticker: warn of dice that expire, raise alerts, apply limits and rules that take effect, remind of deadlines,
withdraw changes, begin leaves, open cases, count settled rounds into the figures, deliver the declared reports of them.

Nothing depends on it for correctness: every act checks the rules against stored moments itself. It runs as one task of
the embedded server, or as `manage.py ticker` in production. Two tickers are harmless, because each change is claimed
under its table's lock.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import time
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

from channels.db import database_sync_to_async

from audit import clock
from audit.logs import OutageLog
from games.office import calendar
from games.separation import endings as changes_watch
from tables.alerts import escalation
from tables.cases.case import open_found_cases
from tables.clock import alert_rules
from tables.clock.reconcile import reconcile_alerts
from tables.clock.status import StatusWriter
from tables.core.alert_kinds import ALERT_RULES, AlertRule, live_tables
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.dice.at_tables import warn_of_dice
from tables.dice_watch.counting import count_dice
from tables.equipment.sign_forms import record_sign_forms
from tables.figures.deliveries import deliver_due
from tables.figures.rollup import write_rollups
from tables.limits import apply_due_changes
from tables.models import Table
from tables.rules import watch as rules_watch
from tables.runner.system import for_each_table
from tables.screens import push
from tables.staffing import watch as staffing_watch

log = logging.getLogger(__name__)
SECONDS = 1.0
DEADLINES_EVERY = 60  # ticks
CASES_EVERY = 10  # ticks
DICE_EVERY = 30
SLOW_CASES_EVERY = 60
ROLLUPS_EVERY = 2
REPORTS_EVERY_SECONDS = 60.0
MAX_DRIFT = dt.timedelta(seconds=2)
SLOW_SECONDS = 1.0
Check = Callable[[], list[int]]


class ClockJumped(Exception):
    """No check runs until the clock is right again."""


class Ticker:
    """Runs the checks of each tick, and compares the clock with the last tick.

    `monotonic` returns seconds of a clock that never jumps.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self.count = 0
        self.last_reading: tuple[dt.datetime, float] | None = None
        self.settled_since = monotonic()

    def due(self) -> list[Check]:
        """Return the checks of this tick. Each returns the ids of the tables that it changed."""
        rules = [rule for rule in ALERT_RULES if rule.query and self.count % rule.every_ticks == 0]
        staff_rules = [rule for rule in rules if rule.every_ticks > 1]
        remind = self.count % DEADLINES_EVERY == DEADLINES_EVERY // 2
        opens_cases = self.count % CASES_EVERY == CASES_EVERY - 1
        with_slow_cases = self.count % SLOW_CASES_EVERY == CASES_EVERY - 1
        counts_dice = self.count % DICE_EVERY == DICE_EVERY - 2
        rolls_up = self.count % ROLLUPS_EVERY == ROLLUPS_EVERY - 1
        self.count += 1
        return [
            warn_of_dice,
            rules_watch.record_rules_changes,
            apply_due_changes,
            record_sign_forms,
            self.watch_clock,
            escalation.pass_on_unanswered,
            *([count_dice] if counts_dice else []),
            *([partial(self.check_rules, staff_rules)] if staff_rules else []),
            *([remind_of_deadlines] if remind else []),
            *([changes_watch.withdraw_ended_changes] if opens_cases else []),
            *([staffing_watch.begin_leaves] if opens_cases else []),
            *([partial(open_found_cases, with_slow=with_slow_cases)] if opens_cases else []),
            *([write_rollups] if rolls_up else []),
        ]

    def tick(self) -> list[int]:
        """Run all checks of one tick. Returns the ids of the tables that changed."""
        return sorted({table_id for check in self.due() for table_id in check()})

    def watch_clock(self) -> list[int]:
        """Compare the clock with the record, and with the seconds since the last tick.

        A clock behind the record raises an alert at the tables that refuse acts for it. A jump raises one at every
        other open table.
        """
        before = self.monotonic()
        now = clock.now()
        jump = self._jump(now, before, self.monotonic())
        changed = reconcile_alerts(
            [rule for rule in ALERT_RULES if rule.query and rule.every_ticks == 1], now
        )
        if jump is not None:
            self.settled_since = self.monotonic()  # tablets were heard by the clock before the jump
            changed += _report_jump(round(jump.total_seconds()), now)
        return changed

    def check_rules(self, rules: list[AlertRule]) -> list[int]:
        """Reconcile the alerts of these rules, except for rules that are not settled after a start or a jump."""
        settled_seconds = self.monotonic() - self.settled_since
        return reconcile_alerts(
            [rule for rule in rules if settled_seconds >= rule.settle_seconds], clock.now()
        )

    def _jump(self, now: dt.datetime, before: float, after: float) -> dt.timedelta | None:
        """Return how far the clock jumped since the last tick; None where it did not, or reading it took too long."""
        last_reading, self.last_reading = self.last_reading, (now, after)
        if after - before > SLOW_SECONDS:
            self.last_reading = None
        if last_reading is None or self.last_reading is None:
            return None
        jump = (now - last_reading[0]) - dt.timedelta(seconds=after - last_reading[1])
        return jump if abs(jump) > MAX_DRIFT else None


def tick() -> list[int]:
    """Run one tick of a new ticker. Returns the ids of the tables that changed."""
    return Ticker().tick()


def watch_tables(table_ids: Collection[int]) -> None:
    """Do at these tables what a ticker does about alerts, once: for a demo that deals its tables in the past.

    A table whose record is ahead of this moment is left to a later one: there nothing can be recorded yet.
    """
    now = clock.now()
    ready = Table.objects.filter(pk__in=table_ids, stream__last_at__lte=now).values_list("pk", flat=True)
    at_tables = set(ready)
    reconcile_alerts([rule for rule in ALERT_RULES if rule.query and rule.every_ticks > 1], now, at_tables)
    escalation.pass_on_unanswered(at_tables)


def verify_clock() -> list[int]:
    """Refuse a tick at which the clock has jumped far ahead: nothing would be recorded. Raises ClockJumped."""
    if clock.has_jumped(clock.now()):
        raise ClockJumped("the clock of the record jumped ahead")
    return []


def remind_of_deadlines() -> list[int]:
    """Remind the rules office of its deadlines; no table shows them."""
    calendar.send_reminders()
    return []


def _report_jump(seconds: int, now: dt.datetime) -> list[int]:
    """Raise an alert about the jump at each open live table that does not refuse acts for its clock."""
    behind = {alert.table_id for alert in alert_rules.clocks_behind(now)}
    tables = live_tables().filter(status=Table.Status.OPEN).exclude(pk__in=behind)
    return for_each_table(tables, partial(_raise_jump, seconds=seconds))


def _raise_jump(ctx: TableContext, seconds: int) -> bool:
    raised = raise_alert(ctx, alert_rules.CLOCK_JUMP.expected(ctx.table.pk, seconds=seconds))
    ctx.append_extra_entries()
    return raised


async def run_ticker() -> None:
    """Tick every second until canceled, and report it (`status.py`)."""
    reports = asyncio.create_task(run_reports())
    try:
        await _tick_until_canceled()
    finally:
        reports.cancel()


async def run_reports() -> None:
    """Deliver the declared reports of figures every minute until canceled.

    A mail server or a folder may be slow, so this has a thread of its own, and no check of a tick waits for it.
    """
    outage = OutageLog(log, "The delivery of reports", "The next minute tries again.", traceback=True)
    while True:
        await asyncio.sleep(REPORTS_EVERY_SECONDS)
        try:
            await database_sync_to_async(deliver_due, thread_sensitive=False)()
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()


async def _tick_until_canceled() -> None:
    ticker, checks, status = Ticker(), Checks(), StatusWriter()
    while True:
        await asyncio.sleep(SECONDS)
        await checks.run(verify_clock)
        for check in [] if check_name(verify_clock) in checks.failing else ticker.due():
            await checks.run(check)
        with contextlib.suppress(Exception):  # the checks have logged that the database is away
            await database_sync_to_async(status.update)(checks.failing)


class Checks:
    """Runs checks. One that fails is logged when it begins to fail, and the next tick tries again."""

    def __init__(self) -> None:
        self.outages: dict[str, OutageLog] = {}

    @property
    def failing(self) -> list[str]:
        """The sorted names of the checks that failed when they last ran."""
        return sorted(name for name, outage in self.outages.items() if outage.failures)

    async def run(self, check: Check) -> None:
        """Run one check in the thread of the database, and publish the tables that it changed."""
        name = check_name(check)
        outage = self.outages.setdefault(
            name, OutageLog(log, f"The ticker's {name}", "The next tick tries again.", traceback=True)
        )
        try:
            for table_id in await database_sync_to_async(check)():
                await push.publish(table_id)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()


def check_name(check: Check) -> str:
    """The name of a check's function."""
    function = check.func if isinstance(check, partial) else check
    return str(function.__name__)


def with_ticker(application: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Wrap an application so that the ticker runs as a task of its server, from the first scope on."""
    tasks: list[asyncio.Task[None]] = []

    async def application_with_ticker(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not tasks or tasks[0].done():
            tasks[:] = [asyncio.create_task(run_ticker())]
        if scope["type"] != "lifespan":
            await application(scope, receive, send)
            return
        await _handle_lifespan(receive, send)
        tasks[0].cancel()

    return application_with_ticker


async def _handle_lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
