"""Electronic signs of limits: what they show, by their own word.

1. A sign reads what it shall show: the limits in effect, and the change to come with its notice (`expected`).
2. It says what it shows now (`show_sign`). Once it shows a change that is not posted yet, that posts the sign of the
   change (`tables.limits`), § 521.8(c)(2), by the machine that shows it. A sign that shows anything else is refused, so
   that the record never says that a sign shows what it does not.
3. A sign that does not show within a minute what it shall, or is silent for a minute, raises an alert at its table.
"""

import datetime as dt
from typing import Annotated, Any, NamedTuple

from audit.columns import AT, DEVICE, PLACE, declare, same
from audit.entry_types import entry_type
from audit.models import Entry
from games.act_forms import Cents, whole
from games.engine import Refusal, RefusalCode
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule, live_tables
from tables.core.context import TableContext
from tables.core.duty import MACHINES, verify_of_one_table
from tables.limits import LIMITS_CHANGE_CANCELLED, pending_change, post_sign, section_of
from tables.models import LimitsChange, SignDisplay, Table
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

BEHIND_AFTER = dt.timedelta(minutes=1)
SIGN_TICKS = 5
MOST_CHANGES = 2**31 - 1

SIGN_SHOWS_OTHERS = RefusalCode(
    "sign-shows-others",
    "%(device)s says that it shows %(shows)s. The limits at %(table)s are %(min)s to %(max)s now, and %(change)s. Read "
    "what the sign shall show, and show that.",
    "Not what it shall show",
)
SIGN_SHOWN_ALREADY = RefusalCode(
    "sign-shown-already",
    "It has been on record since %(at)s that %(device)s shows this.",
    "Already on record",
)


class Shown(NamedTuple):
    """What a sign shall show. `change`: the number of the pending change, 0 for none."""

    min_cents: int
    max_cents: int
    change: int

    def in_words(self) -> str:
        """As sentences about it say it: `$10 to $500, and change 3`."""
        coming = f", and change {self.change}" if self.change else ""
        return f"{dollars(self.min_cents)} to {dollars(self.max_cents)}{coming}"


def expected(table: Table, change: LimitsChange | None) -> Shown:
    """What the signs of a table shall show now."""
    return Shown(table.min_cents, table.max_cents, change.number if change is not None else 0)


@entry_type("sign.shown")
def SIGN_SHOWN(
    *,
    change: Annotated[int, "number of the pending change that it shows; 0 for none"],
    display: Annotated[str, "name of the sign"],
    max_cents: Annotated[int, "the maximum wager in effect"],
    min_cents: Annotated[int, "the minimum wager in effect"],
) -> str:
    """An electronic sign said what it shows."""
    return f"{display} shows {Shown(min_cents, max_cents, change).in_words()}"


declare(
    SignDisplay,
    "sign",
    key={"device": DEVICE},
    created={SIGN_SHOWN: {"table": PLACE, **same("min_cents", "max_cents", "change"), "shown_at": AT}},
)


@act(roles=MACHINES, depends_on="nothing")
def show_sign(
    ctx: TableContext,
    *,
    min_cents: Cents,
    max_cents: Cents,
    change: Annotated[int, whole(0, MOST_CHANGES)] = 0,
) -> ActOutcome:
    """Record what an electronic sign shows now. A change that it shows for the first time is posted by it.

    Raises `machine-without-table`, `sign-shows-others` for anything but what it shall show, and `sign-shown-already`.
    """
    device, pending = ctx.device, pending_change(ctx.table)
    assert device is not None
    verify_of_one_table(device)
    shows, shall = Shown(min_cents, max_cents, change), expected(ctx.table, pending)
    if shows != shall:
        raise Refusal(
            SIGN_SHOWS_OTHERS,
            section_of(ctx.table, "limits.sign"),
            device=device.name,
            shows=shows.in_words(),
            table=ctx.table.code,
            min=dollars(shall.min_cents),
            max=dollars(shall.max_cents),
            change=f"change {shall.change} is to come" if shall.change else "no change is to come",
        )
    row = SignDisplay.objects.filter(device=device, table=ctx.table).first()
    if row is not None and shows == (row.min_cents, row.max_cents, row.change):
        raise Refusal(SIGN_SHOWN_ALREADY, at=row.shown_at, device=device.name)
    SignDisplay.objects.update_or_create(
        device=device, defaults={"table": ctx.table, **shows._asdict(), "shown_at": ctx.now}
    )
    if pending is not None and pending.posted_at is None:
        ctx.extra_entries.append(post_sign(ctx, pending))
    return ActOutcome(SIGN_SHOWN(display=device.name, **shows._asdict()), shows._asdict(), changes="nothing")


# The alert about a sign that does not follow


SIGN_BEHIND = AlertKind(
    "sign-behind",
    "sign:{cause}",
    Level.WARN,
    "Sign does not follow",
    "A sign does not show the limits",
    "%(device)s has not said for a minute that it shows %(shows)s. Look at the sign, and post a paper one "
    "meanwhile.",
)


def signs_behind(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return open tables with an electronic sign that is silent, or does not show what it shall, for a minute."""
    tables = live_tables(table_id).filter(status=Table.Status.OPEN)
    rows = SignDisplay.objects.filter(table__in=tables, device__revoked_at=None)
    alerts = []
    for row in rows.select_related("table", "device").order_by("table", "device__name"):
        pending = pending_change(row.table)
        shall = expected(row.table, pending)
        shows = (row.min_cents, row.max_cents, row.change)
        heard_at = row.device.heard_at or row.shown_at
        is_behind = shows != shall and now - _since(row.table, pending) >= BEHIND_AFTER
        if is_behind or now - heard_at >= BEHIND_AFTER:
            words = f"{dollars(shall.min_cents)} to {dollars(shall.max_cents)}"
            alerts.append(
                SIGN_BEHIND.expected(row.table_id, cause=row.device_id, device=row.device.name, shows=words)
            )
    return alerts


def _since(table: Table, pending: LimitsChange | None) -> dt.datetime:
    """Since when the signs of a table shall show what they shall show now."""
    if pending is not None:
        return pending.asked_at
    moments: list[Any] = [
        LimitsChange.objects.filter(table=table, took_effect_at__isnull=False)
        .order_by("-took_effect_at")
        .values_list("took_effect_at", flat=True)
        .first(),
        Entry.objects.filter(stream=table.stream_id, type=LIMITS_CHANGE_CANCELLED.name)
        .order_by("-seq")
        .values_list("at", flat=True)
        .first(),
    ]
    return max(
        (moment for moment in moments if moment is not None), default=dt.datetime.min.replace(tzinfo=dt.UTC)
    )


alert_rule(AlertRule((SIGN_BEHIND,), signs_behind, SIGN_TICKS, settle_seconds=60))
