"""What the ticker looks for at live tables: posts and shakers that nobody keeps, a span broken by itself, a tablet
without a line, a clock behind the record. Each look is a query or two for the whole installation, and locks nothing.
"""

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet

from audit import clock
from audit.models import Device
from games.engine import Refusal
from tables.core.alerts import Level
from tables.core.context import TableContext
from tables.models import Table
from tables.staffing import posts, spans

SILENCE = dt.timedelta(seconds=60)


@dataclass(frozen=True)
class ExpectedAlert:
    """An alert that should stand at a table as things are. Its section is given, or that of a duty of the edition."""

    table_id: int
    kind: str
    key: str
    level: str = Level.WARN
    section: str = ""
    duty: str = ""
    params: dict[str, Any] = field(default_factory=dict)

    def section_at(self, ctx: TableContext) -> str:
        """The citation, under the rules of this table; without rules there is none."""
        if not self.duty:
            return self.section
        try:
            return ctx.rules.section(self.duty)
        except Refusal:
            return ""


Look = Callable[[dt.datetime, int | None], list[ExpectedAlert]]


@dataclass(frozen=True)
class AlertRule:
    """A look, and the prefixes of the keys that it answers for: what stands under them and is not found is over."""

    prefixes: tuple[str, ...]
    look: Look


def live_tables(only: int | None) -> QuerySet[Table]:
    """The tables of real play; training and simulation call nobody."""
    found = Table.objects.filter(kind=Table.Kind.LIVE)
    return found if only is None else found.filter(pk=only)


def clocks_behind(now: dt.datetime, only: int | None = None) -> list[ExpectedAlert]:
    """Tables whose newest entry lies so far ahead of the clock that acts are refused."""
    latest = now + clock.LARGEST_STEP_BACK
    found = live_tables(only).filter(stream__last_at__gt=latest).values_list("pk", "stream__last_at")
    return [
        ExpectedAlert(
            pk,
            "clock",
            "clock:behind",
            Level.STOP,
            params={"until": clock.format_moment(last_at - clock.LARGEST_STEP_BACK)},
        )
        for pk, last_at in found
        if last_at is not None
    ]


def absences(now: dt.datetime, only: int | None = None) -> list[ExpectedAlert]:
    """Posts that nobody keeps, and shakers left alone so; what it is to keep one, play asks alike (`posts.empty`).

    At a table of several posts each of them must be kept (§ 577.9(b)); elsewhere the dealer's matters for the shaker.
    """
    tables = list(live_tables(only).exclude(status=Table.Status.CLOSED))
    found, without = [], posts.empty_posts_by_table(tables)
    for table in tables:
        empty = without[table.pk]
        if len(posts.posts_of(table)) > 1:
            if table.status == Table.Status.OPEN:
                found += [_empty_post(table, post) for post in empty]
        elif empty and (shaker := _alone(table.uid, table.status_seq, now.replace(second=0, microsecond=0))):
            code, section = shaker
            found.append(
                ExpectedAlert(
                    table.pk, "shaker-unattended", "shaker", section=section, params={"shaker": code}
                )
            )
    return found


def _empty_post(table: Table, post: str) -> ExpectedAlert:
    return ExpectedAlert(table.pk, "post-empty", f"post:{post}", duty="dealers", params={"post": post})


@lru_cache(maxsize=1024)
def _alone(uid: uuid.UUID, status_seq: int, minute: dt.datetime) -> tuple[str, str] | None:
    """The shaker at a table that may not be left alone, and the section that says so; None where it may.

    Kept for a minute while the table's `status_seq` stands, which every change of equipment moves.
    """
    table = Table.objects.select_related("stream", "facility").get(uid=uid)
    at = TableContext(table, None, None, None, clock.displayed_moment(table.stream, minute))
    try:
        section = posts.unattended_shaker_section(at)
    except Refusal:
        return None
    return (at.shaker.code, section) if section and at.shaker and not at.shaker.secured else None


def silent_tablets(now: dt.datetime, only: int | None = None) -> list[ExpectedAlert]:
    """Tablets of open tables with somebody signed on, whose screens had a line before and have not had one for a
    minute. A locked one shows nothing, and waits for nobody.
    """
    tables = dict(live_tables(only).filter(status=Table.Status.OPEN).values_list("stream__name", "pk"))
    silent = Device.objects.filter(
        revoked_at=None, locked_at=None, person__isnull=False, heard_at__lte=now - SILENCE, place__in=tables
    )
    return [
        ExpectedAlert(tables[place], "stale-tablet", f"tablet:{pk}", params={"device": name})
        for pk, place, name in silent.values_list("pk", "place", "name")
    ]


def supervision(now: dt.datetime, only: int | None = None) -> list[ExpectedAlert]:
    """Tables that nobody supervises, or somebody who may not have so many, or not beside those."""
    return [
        ExpectedAlert(
            one.table_id,
            "span",
            f"span:{one.code}",
            section=one.section,
            params={"breach": one.code, **one.params},
        )
        for one in spans.breaches(now, only)
    ]


CLOCKS = AlertRule(("clock:behind",), clocks_behind)
ABSENCES = AlertRule(("post", "shaker"), absences)
SUPERVISION = AlertRule(("span",), supervision)
TABLETS = AlertRule(("tablet",), silent_tablets)
