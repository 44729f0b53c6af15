"""Minimum and maximum wagers, and their change by notice.

The limits of a table (`Table.min_cents`, `max_cents`) refuse no wager: one outside them is flagged and settled in full
(58 Pa. Code § 521.7(c), reading A04). They change like this (§ 521.8(c)):

1. A floorperson asks for other limits (`change_limits`); the row `limits` of the policy says who, and who else signs.
   If nobody plays they change at once, § 521.8(c)(1). Every seat that is taken plays (`tables.core.seats`); the floor
   records those that have left.
2. Otherwise a `LimitsChange` is pending, and the players get notice: the sign is posted (`post_limits_sign`) and the
   change announced (`announce_limits`), § 521.8(c)(2). The notice of 30 minutes, or as long as the jurisdiction says,
   runs from the later of the two. Until it has run, the floor may cancel the change (`cancel_limits_change`).
3. The new limits hold from the first round that begins afterward (`apply_when_due`), or at once if all players leave
   (`players_left`, reading A05). The ticker applies them between rounds (`apply_due_changes`).

New Jersey's texts have no rule on limits. The same steps are a practice of the facility there (reading A45).

Drawn by templates/tables/limits, for the console, a table's page and its tile; the signs by
`tables.equipment.signs`. Limits bind nobody's chips: `tables.rounds.wagers` refuses amounts that no chips make.
"""

import datetime as dt
from collections.abc import Collection
from typing import Annotated, NamedTuple, NotRequired, Protocol, TypedDict, Unpack, cast

from audit import clock, record
from audit.columns import ACTOR, AT, FACILITY, NONE, PLACE, Reading, constant, declare, plain, same
from audit.entry_types import EntryBody, entry_type
from audit.rows import CompiledRead
from games.act_forms import Cents, Seats, Text
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.office import signs
from games.office.submissions.gate import verify_minimum
from games.params import malformed
from games.snapshot_types import PendingLimits
from games.submissions import coming_versions, rules_of
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.core.seats import leave_seats
from tables.models import LimitsChange, Table
from tables.models.rounds import FlagOrNone
from tables.players.ratings import end_with_seats
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act, for_each_table, signed_act
from tables.words.sentences import dollars, moment

CHANGE_SIGN = "limits-change"
LIMITS_ROW = "limits"  # of the policy: who changes them, and who signs

MAXIMUM_UNDER_MINIMUM = RefusalCode(
    "maximum-under-minimum",
    "The maximum %(max)s is under the minimum %(min)s. Swap them.",
    "Limits not changed",
)
MINIMUM_UNDER_A_CHIP = RefusalCode(
    "minimum-under-a-chip",
    "No chip here is as small as %(min)s. The smallest is %(chip)s: enter a minimum of %(chip)s or more.",
    "Minimum too low",
)
LIMITS_UNCHANGED = RefusalCode(
    "limits-unchanged",
    "These are already the limits: %(min)s to %(max)s.",
    "Nothing changes",
)
CHANGE_IS_PENDING = RefusalCode(
    "change-is-pending",
    "A change to %(min)s–%(max)s is already pending here. Cancel it first.",
    "Change pending",
)
NO_CHANGE_IS_PENDING = RefusalCode(
    "no-change-is-pending",
    "No change of limits is pending at %(table)s. Begin one first.",
    "No change pending",
)
SOMEBODY_PLAYS = RefusalCode(
    "somebody-plays",
    "There is play at seat %(seats)s, so players must get %(minutes)s minutes' notice. Say that players are "
    "here, then post the sign and announce the change; or record each of these seats as left.",
    "Players at the table",
)
LIMITS_ANNOUNCED_ALREADY = RefusalCode(
    "limits-announced-already",
    "The change was already announced at %(at)s.",
    "Already announced",
)
LIMITS_SIGN_STANDS = RefusalCode(
    "limits-sign-stands",
    "The sign has been posted since %(at)s.",
    "Sign already posted",
)


# The limits, and a wager outside them


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


def limits_flag(table: HasLimits, cents: int) -> FlagOrNone:
    """`under-min`, `over-max` or nothing for a wager in cents. A wager that was taken off has no flag."""
    if 0 < cents < table.min_cents:
        return "under-min"
    return "over-max" if cents > table.max_cents else ""


def wager_flag(ctx: TableContext, code: str, cents: int) -> FlagOrNone:
    """The flag of a wager on `code` at this table. Empty for wagers that the limits do not cover."""
    return limits_flag(ctx.table, cents) if cents and ctx.game.is_limited(code) else ""


def section_of(table: Table, duty: str) -> str:
    """The section of a duty about limits (`limits.sign`); empty where the steps are the facility's own (reading
    A45).
    """
    return table.facility.law.section(duty)


# What the record says of a change


class ChangeData(TypedDict):
    """A change of limits: what they become, what they were, and how far its notice is."""

    change: int
    min_cents: Annotated[int, "the new minimum wager"]
    max_cents: Annotated[int, "the new maximum wager"]
    was_min_cents: Annotated[int, "the minimum wager before"]
    was_max_cents: Annotated[int, "the maximum wager before"]
    posted_at: Annotated[str | None, "when the sign was posted; null while it is not"]
    announced_at: Annotated[str | None, "when the change was announced; null while it is not"]
    effective_at: Annotated[
        str | None, "when the notice is over; null while the sign or the announcement is missing"
    ]


class LimitsInEffect(ChangeData):
    nobody_played: Annotated[bool, "whether the limits changed because nobody played"]
    left: NotRequired[Annotated[list[int], "seats that were taken and that the floor records as left"]]


def _limits_in(data: ChangeData) -> str:
    return f"{dollars(data['min_cents'])}–{dollars(data['max_cents'])}"


LIMITS_CHANGE_BEGUN = entry_type(
    "limits.change_begun",
    ChangeData,
    "A change of the limits by notice began.",
    lambda data: f"Limits {_limits_in(data)}: notice begun",
)


@entry_type("limits.sign_posted")
def LIMITS_SIGN_POSTED(
    *, sign_form: Annotated[int, "version of the approved form of the sign"], **data: Unpack[ChangeData]
) -> str:
    """The sign of a change of the limits was posted."""
    return "Sign of the new limits posted"


@entry_type("limits.announced")
def LIMITS_ANNOUNCED(
    *,
    dealer: Annotated[str | None, "code of the dealer at the table; null without one"],
    **data: Unpack[ChangeData],
) -> str:
    """A change of the limits was announced to the players."""
    return "New limits announced"


@entry_type("limits.change_cancelled")
def LIMITS_CHANGE_CANCELLED(
    *, why: Annotated[str, "why, in a person's words"], **data: Unpack[ChangeData]
) -> str:
    """A change of the limits was canceled before it took effect."""
    return "Change of limits canceled"


LIMITS_CHANGED = entry_type(
    "limits.changed",
    LimitsInEffect,
    "The limits changed at once, because nobody played.",
    lambda data: f"Limits {_limits_in(data)} from now on",
)
LIMITS_PLAYERS_LEFT = entry_type(
    "limits.players_left",
    LimitsInEffect,
    "All players left during the notice of a change, so the new limits took effect at once.",
    lambda data: f"All players left: limits {_limits_in(data)}",
)
LIMITS_TOOK_EFFECT = entry_type(
    "limits.took_effect",
    LimitsInEffect,
    "The notice of a change of the limits had run, and the new limits took effect.",
    lambda data: f"Limits {_limits_in(data)} in effect",
)


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


_CHANGE = same(
    *("min_cents", "max_cents", "was_min_cents", "was_max_cents", "posted_at", "announced_at", "effective_at")
)
_ASKED = {**_CHANGE, "asked_at": AT, "asked_by": ACTOR, "announced_by": NONE}
_IN_EFFECT = {
    **_CHANGE,
    "nobody_played": "nobody_played",
    "status": constant("done"),
    "took_effect_at": AT,
}

declare(
    LimitsChange,
    "change of limits",
    key={"facility": FACILITY, "table": PLACE, "number": "change"},
    created={
        LIMITS_CHANGE_BEGUN: {
            **_ASKED,
            "status": constant("pending"),
            "nobody_played": constant(False),
            "took_effect_at": NONE,
        },
        LIMITS_CHANGED: {**_ASKED, **_IN_EFFECT},
    },
    changed={
        LIMITS_SIGN_POSTED: _CHANGE,
        LIMITS_ANNOUNCED: {**_CHANGE, "announced_by": ACTOR},
        LIMITS_PLAYERS_LEFT: _IN_EFFECT,
        LIMITS_TOOK_EFFECT: _IN_EFFECT,
        LIMITS_CHANGE_CANCELLED: {**_CHANGE, "status": constant("cancelled")},
    },
    readings={"facility": Reading(("table__facility__code",), plain, ("table",))},
)


# What screens show of a pending change


def pending_change_data(table: Table, change: LimitsChange | None, now: dt.datetime) -> PendingLimits | None:
    """The pending change of the limits as the snapshot shows it, if any."""
    if change is None:
        return None
    begins = change.effective_at
    return {
        "number": change.number,
        "min_cents": change.min_cents,
        "max_cents": change.max_cents,
        "asked_at": moment(change.asked_at),
        "posted_at": moment(change.posted_at),
        "announced_at": moment(change.announced_at),
        "announced_by": change.announced_by.short_name if change.announced_by else None,
        "effective_at": moment(begins),
        "from": _clock_time(table, begins) if begins else None,
        "due": begins is not None and now >= begins,
        "say": _announcement(table, change),
    }


def _clock_time(table: Table, moment: dt.datetime) -> str:
    """A moment as a clock at this table shows it, rounded up to the minute: `2:32 PM`."""
    local = table.facility.local(moment)
    if local.second or local.microsecond:
        local = local.replace(second=0, microsecond=0) + dt.timedelta(minutes=1)
    return f"{local.hour % 12 or 12}:{local:%M} {local:%p}"


def _announcement(table: Table, change: LimitsChange) -> str:
    """The words of the announcement."""
    minutes = table.facility.law.limits_notice.seconds // 60
    low, high = dollars(change.min_cents), dollars(change.max_cents)
    return f"In {minutes} minutes the limits at this table change: minimum {low}, maximum {high}."


# 1. Other limits: at once, or by notice


@signed_act(LIMITS_ROW, depends_on="nothing")
def change_limits(
    ctx: TableContext,
    *,
    min_cents: Cents,
    max_cents: Cents,
    nobody_plays: bool = False,
    left: Seats = (),
) -> ActOutcome:
    """Change the limits at once if nobody plays here; otherwise begin the notice.

    The person confirms that nobody plays (`nobody_plays`), and no wager may contradict it. Every seat that is taken
    plays, unless the person records it as left (`left`). A notice needs the approved form of its sign; it is complete
    when the sign is posted and the change announced.
    """
    _verify_limits(ctx, min_cents, max_cents)
    _verify_none_pending(ctx)
    if nobody_plays:
        _verify_nobody_plays(ctx, left)
    elif left:
        raise malformed("left")
    else:
        signs.verify_form(ctx.table.facility, CHANGE_SIGN, ctx.table.game)
    change = LimitsChange.objects.create(
        table=ctx.table,
        number=LimitsChange.objects.filter(table=ctx.table).count() + 1,
        was_min_cents=ctx.table.min_cents,
        was_max_cents=ctx.table.max_cents,
        min_cents=min_cents,
        max_cents=max_cents,
        nobody_played=nobody_plays,
        asked_at=ctx.now,
        asked_by=ctx.actor,
    )
    answer = {"change": change.number}
    if nobody_plays:
        return ActOutcome(LIMITS_CHANGED(_apply(ctx, change, left)), answer, changes="nothing")
    return ActOutcome(LIMITS_CHANGE_BEGUN(change_data(change)), answer, changes="nothing")


def verify_range(facility: Facility, min_cents: int, max_cents: int) -> None:
    """Refuse limits that no table of a facility can have. Raises `maximum-under-minimum` or `minimum-under-a-chip`."""
    if max_cents < min_cents:
        section = facility.law.section("limits")
        raise Refusal(MAXIMUM_UNDER_MINIMUM, section, min=dollars(min_cents), max=dollars(max_cents))
    smallest = facility.chip_values[-1]
    if min_cents < smallest:
        raise Refusal(MINIMUM_UNDER_A_CHIP, min=dollars(min_cents), chip=dollars(smallest))


def _verify_limits(ctx: TableContext, min_cents: int, max_cents: int) -> None:
    """Refuse limits that make no sense, change nothing, or contradict the payout limit (A30).

    Raises what `verify_range` does, `limits-unchanged` or `filed-limit-too-low`. The payout limit is checked against
    the rules of the next round and against those that are approved for a later day.
    """
    table, section = ctx.table, section_of(ctx.table, "limits")
    verify_range(table.facility, min_cents, max_cents)
    if (min_cents, max_cents) == (table.min_cents, table.max_cents):
        raise Refusal(LIMITS_UNCHANGED, section, min=dollars(min_cents), max=dollars(max_cents))
    verify_minimum(rules_of(ctx.in_force) if ctx.in_force is not None else ctx.rules, min_cents)
    for coming in coming_versions(table.facility, table.submission_code, ctx.now):
        verify_minimum(rules_of(coming), min_cents)


def _verify_none_pending(ctx: TableContext) -> None:
    change = pending_change(ctx.table)
    if change is not None:
        min_, max_ = dollars(change.min_cents), dollars(change.max_cents)
        raise Refusal(CHANGE_IS_PENDING, section_of(ctx.table, "limits.notice"), min=min_, max=max_)


def _verify_nobody_plays(ctx: TableContext, left: Collection[int]) -> None:
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


# 2. The notice: a sign and an announcement


PENDING_CHANGE = CompiledRead(
    lambda table: LimitsChange.objects.filter(table=table, status=LimitsChange.Status.PENDING).select_related(
        "announced_by", "asked_by"
    )[:1],
    is_of_epoch=True,
)


def pending_change(table: Table) -> LimitsChange | None:
    """The pending change of a table's limits, if any."""
    return PENDING_CHANGE.first(table.pk)


@act(roles=AT_THE_TABLE, depends_on="nothing")
def post_limits_sign(ctx: TableContext) -> ActOutcome:
    """Record that the sign of the pending change is posted, under its approved form.

    The sign stays until the change has taken effect or is canceled.
    """
    change = _change_to_complete(ctx)
    if change.posted_at is not None:
        section = section_of(ctx.table, "limits.sign")
        raise Refusal(LIMITS_SIGN_STANDS, section, at=ctx.local(change.posted_at))
    return ActOutcome(post_sign(ctx, change), changes="nothing")


def post_sign(ctx: TableContext, change: LimitsChange) -> EntryBody:
    """Save that the sign of a change is posted now, and return the entry, which the caller writes."""
    form = signs.verify_form(ctx.table.facility, CHANGE_SIGN, ctx.table.game)
    change.posted_at = ctx.now
    _save_notice(ctx, change, "posted_at")
    return LIMITS_SIGN_POSTED(**change_data(change), sign_form=form.version)


@act(roles=AT_THE_TABLE, depends_on="nothing")
def announce_limits(ctx: TableContext) -> ActOutcome:
    """Record that the change was announced to the players."""
    change = _change_to_complete(ctx)
    if change.announced_at is not None:
        section = section_of(ctx.table, "limits.announcement")
        raise Refusal(LIMITS_ANNOUNCED_ALREADY, section, at=ctx.local(change.announced_at))
    change.announced_at, change.announced_by = ctx.now, ctx.actor
    _save_notice(ctx, change, "announced_at", "announced_by")
    dealer = ctx.table.dealer
    return ActOutcome(
        LIMITS_ANNOUNCED(**change_data(change), dealer=dealer.code if dealer else None), changes="nothing"
    )


@signed_act(LIMITS_ROW, depends_on="nothing")
def cancel_limits_change(ctx: TableContext, *, why: Text) -> ActOutcome:
    """Cancel the pending change. Its sign comes down."""
    change = _change_to_complete(ctx)
    change.status = LimitsChange.Status.CANCELLED
    change.save(update_fields=["status"])
    return ActOutcome(LIMITS_CHANGE_CANCELLED(**change_data(change), why=why), changes="nothing")


def _change_to_complete(ctx: TableContext) -> LimitsChange:
    change = pending_change(ctx.table)
    if change is None:
        section = section_of(ctx.table, "limits.notice")
        raise Refusal(NO_CHANGE_IS_PENDING, section, table=ctx.table.code)
    return change


def _save_notice(ctx: TableContext, change: LimitsChange, *fields: str) -> None:
    """Save a step of the notice. Once both are done, the notice runs from the later one."""
    if change.posted_at is not None and change.announced_at is not None:
        notice = ctx.table.facility.law.limits_notice
        change.effective_at = max(change.posted_at, change.announced_at) + notice
    change.save(update_fields=[*fields, "effective_at"])


# 3. The new limits in effect


@act(roles=AT_THE_TABLE, depends_on="nothing")
def players_left(ctx: TableContext, *, left: Seats = ()) -> ActOutcome:
    """Apply the pending change now, because all players have left.

    No wager may contradict it (reading A05). Seats that are taken are recorded as left (`left`) by the floor.
    """
    change = _change_to_complete(ctx)
    _verify_nobody_plays(ctx, left)
    if left:
        verify_signed_by_floor(ctx)
    change.nobody_played = True
    return ActOutcome(LIMITS_PLAYERS_LEFT(_apply(ctx, change, left)), changes="nothing")


def is_due(change: LimitsChange, now: dt.datetime) -> bool:
    """Whether the notice of a change has run out."""
    return change.effective_at is not None and now >= change.effective_at


def apply_when_due(ctx: TableContext) -> bool:
    """Apply the pending change if its notice has run out, with an entry of its own. Return whether it did.

    Called when a round opens, before its first entry, and by the ticker between rounds; never during a round. The
    caller holds the table's lock.
    """
    change = pending_change(ctx.table)
    if change is None or not is_due(change, ctx.now):
        return False
    data = _apply(ctx, change)
    record.append(ctx.stream, entry=LIMITS_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day)
    return True


def apply_due_changes() -> list[int]:
    """Apply due changes at tables without a live round, by the clock. Return the ids of the tables that changed.

    A check takes one query; only tables that change are locked.
    """
    due = LimitsChange.objects.filter(
        status=LimitsChange.Status.PENDING, effective_at__lte=clock.now()
    ).exclude(table__rounds__ended_at=None, table__rounds__isnull=False)
    return for_each_table(Table.objects.filter(pk__in=due.values("table")), _apply_between_rounds)


def _apply_between_rounds(ctx: TableContext) -> bool:
    if ctx.round is not None or not apply_when_due(ctx):
        return False
    ctx.save_changes("nothing", ())
    return True


def _apply(ctx: TableContext, change: LimitsChange, left: Collection[int] = ()) -> LimitsInEffect:
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
