"""Minimum and maximum wagers, and how they change (58 Pa. Code §§ 521.7, 521.8(c)).

- An accepted wager outside them is flagged and settled in full (§ 521.7(c), reading A04).
- If nobody plays they change at once, § 521.8(c)(1). Every seat that is taken plays (`tables.core.seats`); the floor
records those that have left.
- Otherwise they change after a notice of 30 minutes, by a sign and an announcement, § 521.8(c)(2). The notice runs
from the later of the two, and is as long as the jurisdiction says. The new limits hold from the first round that
begins afterward, or at once if all players leave (reading A05).

New Jersey's texts have no rule on limits. The same steps are a practice of the facility there (reading A45).
"""

import datetime as dt
from collections.abc import Collection
from typing import NamedTuple, Protocol, cast

from audit import clock, record
from audit.compiled_reads import CompiledRead
from games.engine import Refusal
from games.office.submissions.gate import verify_minimum
from games.params import malformed
from games.submissions import coming_versions, rules_of
from tables.core.context import TableContext
from tables.core.seats import leave_seats
from tables.limits.entry_types import LIMITS_TOOK_EFFECT, LimitsInEffect
from tables.limits.entry_types import LimitsChange as ChangeData
from tables.limits.refusals import LIMITS_UNCHANGED, MAXIMUM_UNDER_MINIMUM, SOMEBODY_PLAYS
from tables.models import LimitsChange, Table
from tables.models.rounds import FlagOrNone
from tables.players.ratings import end_with_seats
from tables.words.sentences import dollars


class HasLimits(Protocol):
    """A table, or its limits at a moment, in cents."""

    @property
    def min_cents(self) -> int: ...
    @property
    def max_cents(self) -> int: ...


class Limits(NamedTuple):
    """The minimum and maximum wager of a table at a moment, in cents."""

    min_cents: int
    max_cents: int


def section_of(table: Table, duty: str) -> str:
    """The section of a duty about limits (`limits.sign`); empty where the steps are the facility's own (reading
    A45).
    """
    return table.facility.law.section(duty)


def limits_flag(table: HasLimits, cents: int) -> FlagOrNone:
    """`under-min`, `over-max` or nothing for a wager in cents. A wager that was taken off has no flag."""
    if 0 < cents < table.min_cents:
        return "under-min"
    return "over-max" if cents > table.max_cents else ""


def wager_flag(ctx: TableContext, code: str, cents: int) -> FlagOrNone:
    """The flag of a wager on `code` at this table. Empty for wagers that the limits do not cover."""
    return limits_flag(ctx.table, cents) if cents and ctx.game.is_limited(code) else ""


PENDING_CHANGE = CompiledRead(
    lambda table: LimitsChange.objects.filter(table=table, status=LimitsChange.Status.PENDING).select_related(
        "announced_by", "asked_by"
    )[:1]
)


def pending_change(table: Table) -> LimitsChange | None:
    """The pending change of a table's limits, if any."""
    return PENDING_CHANGE.first(table.pk)


def effective_at(table: Table, change: LimitsChange) -> dt.datetime | None:
    """The moment from which rounds begin under the new limits.

    None while the sign or the announcement is missing.
    """
    if change.posted_at is None or change.announced_at is None:
        return None
    return max(change.posted_at, change.announced_at) + table.facility.law.limits_notice


def is_due(change: LimitsChange, now: dt.datetime) -> bool:
    """Whether the notice of a change has run out."""
    return change.effective_at is not None and now >= change.effective_at


def verify_nobody_plays(ctx: TableContext, left: Collection[int] = ()) -> None:
    """Raises `somebody-plays` if a seat plays that is not recorded as `left`, or `malformed` for no seat of this table.

    Every seat that is taken plays. A seat with a wager in the live round has not left.
    """
    if any(not 1 <= seat <= ctx.table.seats for seat in left):
        raise malformed("left")
    wagering = {wager.seat for wager in ctx.wagers}
    if seats := sorted(wagering | (set(ctx.table.seated) - set(left))):
        minutes = ctx.table.facility.law.limits_notice.seconds // 60
        section = section_of(ctx.table, "limits.nobody-plays")
        raise Refusal(SOMEBODY_PLAYS, section, seats=", ".join(map(str, seats)), minutes=minutes)


def verify_limits(ctx: TableContext, min_cents: int, max_cents: int) -> None:
    """Refuse limits that make no sense, change nothing, or contradict the payout limit (A30).

    Raises `maximum-under-minimum`, `limits-unchanged` or `payout-limit-too-low`. The payout limit is checked
    against the rules of the next round and against those that are approved for a later day.
    """
    table, section = ctx.table, section_of(ctx.table, "limits")
    if max_cents < min_cents:
        raise Refusal(MAXIMUM_UNDER_MINIMUM, section, min=dollars(min_cents), max=dollars(max_cents))
    if (min_cents, max_cents) == (table.min_cents, table.max_cents):
        raise Refusal(LIMITS_UNCHANGED, section, min=dollars(min_cents), max=dollars(max_cents))
    verify_minimum(rules_of(ctx.in_force) if ctx.in_force is not None else ctx.rules, min_cents)
    for coming in coming_versions(table.facility, table.submission_code, ctx.now):
        verify_minimum(rules_of(coming), min_cents)


def apply_change(ctx: TableContext, change: LimitsChange, left: Collection[int] = ()) -> LimitsInEffect:
    """Put the new limits into effect and return the data of the entry, which the caller writes.

    `left`: the seats that the floor records as left. Those that were taken are on the record, and are open from now on.
    """
    change.status, change.took_effect_at = LimitsChange.Status.DONE, ctx.now
    change.save(update_fields=["status", "took_effect_at", "nobody_played"])
    ctx.change_table(min_cents=change.min_cents, max_cents=change.max_cents)
    data = cast(LimitsInEffect, {**change_data(change), "nobody_played": change.nobody_played})
    if gone := set(ctx.table.seated) & set(left):
        end_with_seats(ctx, gone)
        leave_seats(ctx, gone)
        data["left"] = sorted(gone)
    return data


def apply_when_due(ctx: TableContext) -> bool:
    """Apply the pending change if its notice has run out, with an entry of its own. Return whether it did.

    Called when a round opens, before its first entry, and by the ticker between rounds; never during a round. The
    caller holds the table's lock.
    """
    change = pending_change(ctx.table)
    if change is None or not is_due(change, ctx.now):
        return False
    data = apply_change(ctx, change)
    record.append(ctx.stream, entry=LIMITS_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day)
    return True


def change_data(change: LimitsChange) -> ChangeData:
    """A change of the limits as the record stores it."""
    return {
        "change": change.number,
        "was_min_cents": change.was_min_cents,
        "was_max_cents": change.was_max_cents,
        "min_cents": change.min_cents,
        "max_cents": change.max_cents,
        "posted_at": _moment(change.posted_at),
        "announced_at": _moment(change.announced_at),
        "effective_at": _moment(change.effective_at),
    }


def _moment(moment: dt.datetime | None) -> str | None:
    return clock.format_moment(moment) if moment else None
