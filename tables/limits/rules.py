"""Minimum and maximum wagers, and how they change (58 Pa. Code §§ 521.7, 521.8(c)).

- An accepted wager outside them is flagged and settled in full (§ 521.7(c), reading A04).
- Where nobody plays they change at once, § 521.8(c)(1).
- Else after notice of 30 minutes, by a sign and an announcement, § 521.8(c)(2). The 30 minutes run from the later of
  the two; the new limits hold from the first round that begins then, or at once if all players leave (reading A05).
"""

import datetime as dt
from typing import Any

from audit import clock, record
from games.engine import Refusal
from games.office.submissions.gate import verify_minimum
from games.submissions import rules_of, to_come
from tables.core.context import TableContext
from tables.models import LimitsChange, Table
from tables.words.sentences import dollars

NOTICE = dt.timedelta(minutes=30)


def section_of(table: Table, duty: str) -> str:
    """The section of a duty about limits (`limits.sign`); "" where the steps are the casino's own (reading A45)."""
    return table.facility.law.section(duty)


def limits_flag(table: Table, cents: int) -> str:
    """`under-min`, `over-max` or nothing, of a wager in cents; a wager taken off has no flag."""
    if 0 < cents < table.min_cents:
        return "under-min"
    return "over-max" if cents > table.max_cents else ""


def wager_flag(ctx: TableContext, code: str, cents: int) -> str:
    """`under-min` or `over-max` for a wager on `code` outside this table's limits; empty where they do not apply."""
    return limits_flag(ctx.table, cents) if cents and ctx.game.is_limited(code) else ""


def pending_change(table: Table) -> LimitsChange | None:
    """The change that is under way at a table, if one is."""
    waiting = LimitsChange.objects.filter(table=table, status=LimitsChange.Status.PENDING)
    return waiting.select_related("announced_by", "asked_by").first()


def effective_at(change: LimitsChange) -> dt.datetime | None:
    """The moment from which a round begins under the new limits; None while sign or announcement is missing."""
    if change.posted_at is None or change.announced_at is None:
        return None
    return max(change.posted_at, change.announced_at) + NOTICE


def is_due(change: LimitsChange, now: dt.datetime) -> bool:
    """Whether the notice of a change has run."""
    return change.effective_at is not None and now >= change.effective_at


def playing_seats(ctx: TableContext) -> str:
    """The seats that play, for a sentence: those with a wager in the round, else those with a player; or empty."""
    betting = sorted({wager.seat for wager in ctx.wagers})
    seats = betting or sorted(ctx.table.seated)
    return ", ".join(map(str, seats))


def verify_nobody_plays(ctx: TableContext) -> None:
    """Raises `somebody-plays` where a player is seated, or a wager lies in the round in play."""
    if seats := playing_seats(ctx):
        raise Refusal("somebody-plays", section_of(ctx.table, "limits.nobody-plays"), seats=seats)


def verify_limits(ctx: TableContext, min_cents: int, max_cents: int) -> None:
    """Raises `maximum-under-minimum`, `limits-unchanged`, or what breaks the floor of the payout limit (A30), asked of
    the rules that the next round begins under, and of those that are approved and still to come.
    """
    table, section = ctx.table, section_of(ctx.table, "limits")
    if max_cents < min_cents:
        raise Refusal("maximum-under-minimum", section, min=dollars(min_cents), max=dollars(max_cents))
    if (min_cents, max_cents) == (table.min_cents, table.max_cents):
        raise Refusal("limits-unchanged", section, min=dollars(min_cents), max=dollars(max_cents))
    verify_minimum(rules_of(ctx.in_force) if ctx.in_force is not None else ctx.rules, min_cents)
    for coming in to_come(table.facility, table.submission_code, ctx.now):
        verify_minimum(rules_of(coming), min_cents)


def apply_change(ctx: TableContext, change: LimitsChange) -> dict[str, Any]:
    """The new limits hold from now on. Returns what the record says of it; the caller writes the entry."""
    change.status, change.took_effect_at = LimitsChange.Status.DONE, ctx.now
    change.save(update_fields=["status", "took_effect_at", "nobody_played"])
    ctx.change_table(min_cents=change.min_cents, max_cents=change.max_cents)
    return change_data(change) | {"nobody_played": change.nobody_played}


def apply_when_due(ctx: TableContext) -> bool:
    """Lets a change whose notice has run take effect, in an entry of its own that goes before whatever begins now.

    Asked as a round opens, and by the ticker between two rounds; never inside one. The caller holds the table's lock.
    """
    change = pending_change(ctx.table)
    if change is None or not is_due(change, ctx.now):
        return False
    data = apply_change(ctx, change)
    record.append(ctx.stream, type="limits.took_effect", data=data, at=ctx.now, gaming_day=ctx.gaming_day)
    return True


def change_data(change: LimitsChange) -> dict[str, Any]:
    """A change as the record says it."""
    moments = {
        name: clock.written(moment) if moment else None
        for name, moment in (
            ("posted_at", change.posted_at),
            ("announced_at", change.announced_at),
            ("effective_at", change.effective_at),
        )
    }
    return {
        "change": change.number,
        "was_min_cents": change.was_min_cents,
        "was_max_cents": change.was_max_cents,
        "min_cents": change.min_cents,
        "max_cents": change.max_cents,
        **moments,
    }
