"""The ticker: what happens without a person, once a second.

Each tick runs the checks that are due (`Ticker.due`): warn of dice that expire, apply limits and rules that take
effect, raise and end alerts, pass on what nobody answered, remind of deadlines, withdraw changes, begin leaves, open
cases, count settled rounds into the figures. The declared reports of figures and the webhooks are delivered beside it,
in threads of their own.

Nothing depends on it for correctness: every act checks the rules against stored moments itself. It runs as one task of
the embedded server, or as `manage.py ticker` in production. Two tickers are harmless, because each change is claimed
under its table's lock. A row that is not part of the record says that it ticks, for `manage.py ticker --check`.

The alert rules of each topic are declared by that topic. Those about the server's clock, about tablets that it no
longer hears, and about tokens that were used twice are here.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, cast

from channels.db import database_sync_to_async

from audit import clock
from audit.answers import end_old_answers
from audit.logs import OutageLog
from audit.models import Device, Station
from games.engine.game import PostCode
from games.office import calendar
from games.separation.changes import withdraw_ended_changes
from tables.alerts.calls import pass_on_unanswered
from tables.cases.case import open_found_cases
from tables.core import posts
from tables.core.alerts import (
    ALERT_RULES,
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    end_alert,
    has_prefix,
    live_tables,
    raise_alert,
    tables_concerned,
)
from tables.core.context import TableContext
from tables.dice.at_tables import warn_of_dice
from tables.dice_watch import count_dice
from tables.equipment.signs import record_sign_forms
from tables.figures.declared_reports import deliver_due
from tables.figures.rollup import write_rollups
from tables.limits import apply_due_changes
from tables.machines import EVERY_SECONDS as MACHINE_EVERY_SECONDS
from tables.machines import report_machine
from tables.models import Alert, Table, TickerStatus
from tables.rules import record_rules_changes
from tables.runner.table import for_each_table
from tables.screens import push
from tables.staffing.leaves import begin_leaves
from tables.webhooks import run_webhooks

# Alerts about the clock


CLOCK_BEHIND = AlertKind(
    "clock",
    "clock:behind",
    Level.STOP,
    "Clock",
    "The clock went back",
    "The server's clock is behind the record, so acts are refused. Correct the clock, or settle manually until "
    "it has caught up.",
    is_everywhere=True,
)
CLOCK_JUMP = AlertKind(
    "clock",
    "clock:jump",
    Level.WARN,
    "Clock",
    "The clock jumped",
    "The server's clock jumped by %(seconds)s seconds. Compare it with a clock that you trust.",
    ends_when_acknowledged=True,
    is_everywhere=True,
)


def clocks_behind(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return tables whose newest entry is so far ahead of the clock that acts are refused."""
    latest = now + clock.LARGEST_STEP_BACK
    rows = live_tables(table_id).filter(stream__last_at__gt=latest).values_list("pk", "stream__last_at")
    return [
        CLOCK_BEHIND.expected(pk, until=clock.format_moment(last_at - clock.LARGEST_STEP_BACK))
        for pk, last_at in rows
        if last_at is not None
    ]


alert_rule(AlertRule((CLOCK_BEHIND,), clocks_behind))


# Alerts about tablets


SILENT_SECONDS = 60
TABLET_TICKS = 5
TABLET_STATIONS = (Station.DEALER, Station.STICK)  # a sign and a dice reader at the table are heard, too
SHORT_POSTS: dict[PostCode, str] = {"dealer": "right", "dealer-left": "left", "stick": "stick"}


class TabletRow(TypedDict):
    """What the rule reads of a tablet. `person` is an id."""

    pk: uuid.UUID
    place: str
    name: str
    person: int | None
    locked_at: dt.datetime | None
    heard_at: dt.datetime
    battery_percent: int | None
    is_charging: bool | None


def tablet_place(params: Mapping[str, Any]) -> str:
    """Return where a tablet is, as people say it: `Left tablet of T-42`. Older alerts have the device's name alone."""
    if "table" not in params:
        return str(params["device"])
    post = params.get("post")
    return (
        f"{SHORT_POSTS[post].capitalize()} tablet of {params['table']}"
        if post
        else f"Tablet of {params['table']}"
    )


def _describe_silent_tablet(params: Mapping[str, Any]) -> tuple[str, str]:
    post = params.get("post")
    title = f"{SHORT_POSTS[post].capitalize()} tablet offline" if post else "Tablet offline"
    where = tablet_place(params)
    return title, f"{where} has been silent for a minute. Check the tablet, its power and the network."


def _describe_silent_tablets(group: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    posts_of_devices = {params["device"]: params.get("post") for params in group}
    if len(posts_of_devices) == 1:
        words = "%s was silent again and again. Check it." % tablet_place(group[-1])
        return "Tablet offline %s times" % len(group), words
    places = [SHORT_POSTS[post] if post else device for device, post in posts_of_devices.items()]
    title = "%s tablets offline: %s" % (len(posts_of_devices), ", ".join(places))
    return title, "All were silent for a minute. Look first at what they share: power, cable, network."


STALE_TABLET = AlertKind(
    "stale-tablet",
    "tablet:{cause}",
    Level.WARN,
    "Tablet offline",
    "Tablet offline",
    describe=_describe_silent_tablet,
    describe_group=_describe_silent_tablets,
)
LOW_PERCENT = 20
LOW_BATTERY = AlertKind(
    "low-battery",
    "battery:{cause}",
    Level.INFO,
    "Tablet low",
    "Tablet at %(percent)s%% without power",
    "%(device)s runs on its battery, which was at %(percent)s%% when it was first low. Bring power before it "
    "goes dark.",
    at_the_pit=True,
)


def silent_tablets(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables with a tablet in use that was connected before and has been silent for a minute.

    Only tablets with somebody signed in; a locked tablet has no connection.
    """
    open_tables = live_tables(table_id).filter(status=Table.Status.OPEN).select_related("stream")
    tables = {table.stream.name: table for table in open_tables}
    silent_since = now - dt.timedelta(seconds=SILENT_SECONDS)
    alerts = []
    for (place, post), device in _tablets_in_use(tables).items():
        if device["person"] and device["locked_at"] is None and device["heard_at"] <= silent_since:
            table = tables[place]
            params: dict[str, Any] = {"device": device["name"], "table": table.code}
            if post:
                params["post"] = post
            alerts.append(STALE_TABLET.expected(table.pk, cause=device["pk"], **params))
    return alerts


def low_tablets(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables with a tablet in use that is low and does not charge, by what it said last.

    A tablet that has gone dark since counts as low until it is heard with power, signed off, or replaced.
    """
    open_tables = live_tables(table_id).filter(status=Table.Status.OPEN).select_related("stream")
    tables = {table.stream.name: table for table in open_tables}
    alerts = []
    for (place, post), device in _tablets_in_use(tables).items():
        percent = device["battery_percent"]
        is_low = percent is not None and percent <= LOW_PERCENT and device["is_charging"] is False
        if device["person"] and is_low:
            params: dict[str, Any] = {"percent": percent, **({"post": post} if post else {})}
            alerts.append(
                LOW_BATTERY.expected(tables[place].pk, cause=device["pk"], device=device["name"], **params)
            )
    return alerts


TABLET_SILENT_AFTER = dt.timedelta(
    seconds=12
)  # as long as a tablet without a message waits before it says OFFLINE


def silent_posts(table: Table, now: dt.datetime) -> list[PostCode]:
    """Return the posts of a table whose tablet is in use and has no live line.

    What is tapped there waits, so the other posts show a table without it: after *Dice out* on a silent tablet of the
    stick they still take wagers. Always empty for a table with one post.
    """
    if len(posts.posts_of(table)) == 1:
        return []
    in_use = _tablets_in_use({table.stream.name: table})
    return [
        post
        for (_place, post), tablet in in_use.items()
        if post and tablet["locked_at"] is None and now - tablet["heard_at"] > TABLET_SILENT_AFTER
    ]


def _tablets_in_use(tables: Mapping[str, Table]) -> dict[tuple[str, PostCode | None], TabletRow]:
    """Return the tablet in use of each table, or of each post where a table has several, by place and post.

    It is the tablet that was heard last there, so a tablet that was replaced by another raises no alert.
    """
    heard = Device.objects.filter(
        revoked_at=None, heard_at__isnull=False, place__in=tables, station__in=TABLET_STATIONS
    )
    in_use: dict[tuple[str, PostCode | None], TabletRow] = {}
    rows = heard.order_by("heard_at", "name").values(
        "pk", "place", "name", "person", "locked_at", "heard_at", "battery_percent", "is_charging"
    )
    for device in cast("list[TabletRow]", list(rows)):
        table, post = tables[device["place"]], None
        if len(posts.posts_of(table)) > 1:
            holders = {posts.holder_id(table, post): post for post in posts.posts_of(table)}
            post = holders.get(device["person"]) if device["person"] else None
            if post is None:
                continue
        in_use[device["place"], post] = device
    return in_use


alert_rule(AlertRule((STALE_TABLET,), silent_tablets, TABLET_TICKS, settle_seconds=SILENT_SECONDS))
alert_rule(AlertRule((LOW_BATTERY,), low_tablets, TABLET_TICKS))


# Alerts about tokens that were used twice


TOKEN_ALERT_LASTS = dt.timedelta(minutes=15)
TOKEN_USED_TWICE = AlertKind(
    "token-used-twice",
    "token:{cause}",
    Level.WARN,
    "Enrollment token used twice",
    "A token was used twice",
    "The enrollment token of %(device)s was used a second time, and refused. If nobody can say why, have the "
    "system administrator revoke %(device)s.",
    is_everywhere=True,
)


def tokens_used_twice(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return devices whose used token somebody tried again, for a while: at their table, or at every one in play."""
    refused = Device.objects.filter(
        revoked_at=None, enrollment_used_at__isnull=False, enrollment_refused_at__gt=now - TOKEN_ALERT_LASTS
    )
    return [
        TOKEN_USED_TWICE.expected(pk, cause=device.pk, since=device.enrollment_refused_at, device=device.name)
        for device in refused.order_by("facility", "name")
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


alert_rule(AlertRule((TOKEN_USED_TWICE,), tokens_used_twice, TABLET_TICKS))


# Open alerts match what the rules expect


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


# The report that it ticks


HEARTBEAT = dt.timedelta(seconds=5)
SILENT_AFTER = dt.timedelta(seconds=20)  # without a report, the ticker counts as stopped


class StatusWriter:
    """Writes the row when a check begins or ceases to fail, and every five seconds."""

    def __init__(self) -> None:
        self.written: list[str] | None = None
        self.beat_at: dt.datetime | None = None

    def update(self, failing: list[str]) -> None:
        """Report a tick, with the sorted names of the checks that fail."""
        now = clock.now()
        # abs: otherwise a clock that was set back would stop the reports until it has caught up.
        if failing == self.written and self.beat_at is not None and abs(now - self.beat_at) < HEARTBEAT:
            return
        TickerStatus.objects.update_or_create(pk=1, defaults={"beat_at": now, "failing": failing})
        self.written, self.beat_at = failing, now


def is_ticking(now: dt.datetime) -> bool:
    """Whether a ticker writes on this database, though some of its checks may fail."""
    row = TickerStatus.objects.filter(pk=1).first()
    return row is not None and abs(now - row.beat_at) <= SILENT_AFTER


def health_problem(now: dt.datetime) -> str:
    """Return what is wrong with the ticker; "" if it ticks and all its checks work."""
    row = TickerStatus.objects.filter(pk=1).first()
    if row is None:
        return "No ticker has run yet. See the ticker's log."
    if abs(now - row.beat_at) > SILENT_AFTER:
        return f"No ticker has reported since {clock.format_moment(row.beat_at)}. See the ticker's log."
    if row.failing:
        return f"The ticker runs, but this fails: {', '.join(row.failing)}. See the ticker's log."
    return ""


# A tick


log = logging.getLogger(__name__)
SECONDS = 1.0
DEADLINES_EVERY = 60  # ticks
CASES_EVERY = 10  # ticks
DICE_EVERY = 30
SLOW_CASES_EVERY = 60
ROLLUPS_EVERY = 2
ANSWERS_EVERY = 10
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
        ends_answers = self.count % ANSWERS_EVERY == ANSWERS_EVERY - 3
        self.count += 1
        return [
            warn_of_dice,
            record_rules_changes,
            apply_due_changes,
            record_sign_forms,
            self.watch_clock,
            pass_on_unanswered,
            *([count_dice] if counts_dice else []),
            *([partial(self.check_rules, staff_rules)] if staff_rules else []),
            *([remind_of_deadlines] if remind else []),
            *([withdraw_ended_changes] if opens_cases else []),
            *([begin_leaves] if opens_cases else []),
            *([partial(open_found_cases, with_slow=with_slow_cases)] if opens_cases else []),
            *([write_rollups] if rolls_up else []),
            *([end_answers] if ends_answers else []),
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


def end_answers() -> list[int]:
    """End saved answers of acts that nobody repeats any more. No table's screen shows them."""
    end_old_answers(clock.now())
    return []


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
    pass_on_unanswered(at_tables)


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
    behind = {alert.table_id for alert in clocks_behind(now)}
    tables = live_tables().filter(status=Table.Status.OPEN).exclude(pk__in=behind)
    return for_each_table(tables, partial(_raise_jump, seconds=seconds))


def _raise_jump(ctx: TableContext, seconds: int) -> bool:
    raised = raise_alert(ctx, CLOCK_JUMP.expected(ctx.table.pk, seconds=seconds))
    ctx.append_extra_entries()
    return raised


async def run_ticker() -> None:
    """Tick every second until canceled, and report it (`StatusWriter`)."""
    deliveries = [asyncio.create_task(run()) for run in (run_reports, run_webhooks, run_machine_reports)]
    try:
        await _tick_until_canceled()
    finally:
        for task in deliveries:
            task.cancel()


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


async def run_machine_reports() -> None:
    """Measure this machine every minute until canceled, in a thread of its own: a certificate may take seconds."""
    outage = OutageLog(log, "The report of this machine", "The next minute tries again.", traceback=True)
    while True:
        await asyncio.sleep(MACHINE_EVERY_SECONDS)
        try:
            await database_sync_to_async(report_machine, thread_sensitive=False)()
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
