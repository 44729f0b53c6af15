"""Acts that change the minimum and maximum wager at a table (58 Pa. Code § 521.8(c))."""

from games.engine import Refusal
from games.office.signs import forms
from games.params import MOST_CENTS, Params, malformed
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.limits import rules
from tables.limits.entry_types import (
    LIMITS_ANNOUNCED,
    LIMITS_CHANGE_BEGUN,
    LIMITS_CHANGE_CANCELLED,
    LIMITS_CHANGED,
    LIMITS_PLAYERS_LEFT,
    LIMITS_SIGN_POSTED,
    LimitsAnnounced,
)
from tables.limits.refusals import (
    CHANGE_IS_PENDING,
    LIMITS_ANNOUNCED_ALREADY,
    LIMITS_SIGN_STANDS,
    NO_CHANGE_IS_PENDING,
)
from tables.models import LimitsChange
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

CHANGE_SIGN = "limits-change"


@act(roles=FLOOR, depends_on="nothing")
def change_limits(ctx: TableContext, params: Params) -> ActOutcome:
    """Change the limits at once if nobody plays here; otherwise begin the notice.

    The person confirms that nobody plays (`nobody_plays`), and no wager may contradict it. Every seat that is taken
    plays, unless the person records it as left (`left`). A notice needs the approved form of its sign; it is complete
    when the sign is posted and the change announced.
    """
    min_cents, max_cents = (
        params.integer("min_cents", 1, MOST_CENTS),
        params.integer("max_cents", 1, MOST_CENTS),
    )
    nobody_plays, left = params.boolean("nobody_plays"), params.integers("left")
    rules.verify_limits(ctx, min_cents, max_cents)
    _verify_none_pending(ctx)
    if nobody_plays:
        rules.verify_nobody_plays(ctx, left)
    elif left:
        raise malformed("left")
    else:
        forms.verify_form(ctx.table.facility, CHANGE_SIGN, ctx.table.game)
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
        return ActOutcome(LIMITS_CHANGED(rules.apply_change(ctx, change, left)), answer, changes="nothing")
    return ActOutcome(LIMITS_CHANGE_BEGUN(rules.change_data(change)), answer, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def post_limits_sign(ctx: TableContext, params: Params) -> ActOutcome:
    """Record that the sign of the pending change is posted, under its approved form.

    The sign stays until the change has taken effect or is canceled.
    """
    change = _pending_change(ctx)
    if change.posted_at is not None:
        section = rules.section_of(ctx.table, "limits.sign")
        raise Refusal(LIMITS_SIGN_STANDS, section, at=ctx.local(change.posted_at))
    form = forms.verify_form(ctx.table.facility, CHANGE_SIGN, ctx.table.game)
    change.posted_at = ctx.now
    _save_notice(ctx, change, "posted_at")
    return ActOutcome(
        LIMITS_SIGN_POSTED({**rules.change_data(change), "sign_form": form.version}), changes="nothing"
    )


@act(roles=AT_THE_TABLE, depends_on="nothing")
def announce_limits(ctx: TableContext, params: Params) -> ActOutcome:
    """Record that the change was announced to the players."""
    change = _pending_change(ctx)
    if change.announced_at is not None:
        section = rules.section_of(ctx.table, "limits.announcement")
        raise Refusal(LIMITS_ANNOUNCED_ALREADY, section, at=ctx.local(change.announced_at))
    change.announced_at, change.announced_by = ctx.now, ctx.actor
    _save_notice(ctx, change, "announced_at", "announced_by")
    dealer = ctx.table.dealer
    data: LimitsAnnounced = {**rules.change_data(change), "dealer": dealer.code if dealer else None}
    return ActOutcome(LIMITS_ANNOUNCED(data), changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def players_left(ctx: TableContext, params: Params) -> ActOutcome:
    """Apply the pending change now, because all players have left (A05).

    No wager may contradict it. Seats that are taken are recorded as left (`left`) by the floor.
    """
    change, left = _pending_change(ctx), params.integers("left")
    rules.verify_nobody_plays(ctx, left)
    if left:
        verify_signed_by_floor(ctx)
    change.nobody_played = True
    return ActOutcome(LIMITS_PLAYERS_LEFT(rules.apply_change(ctx, change, left)), changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def cancel_limits_change(ctx: TableContext, params: Params) -> ActOutcome:
    """Cancel the pending change. Its sign comes down."""
    change, why = _pending_change(ctx), params.text("why")
    change.status = LimitsChange.Status.CANCELLED
    change.save(update_fields=["status"])
    return ActOutcome(LIMITS_CHANGE_CANCELLED({**rules.change_data(change), "why": why}), changes="nothing")


def _verify_none_pending(ctx: TableContext) -> None:
    change = rules.pending_change(ctx.table)
    if change is not None:
        min_, max_ = dollars(change.min_cents), dollars(change.max_cents)
        raise Refusal(CHANGE_IS_PENDING, rules.section_of(ctx.table, "limits.notice"), min=min_, max=max_)


def _pending_change(ctx: TableContext) -> LimitsChange:
    change = rules.pending_change(ctx.table)
    if change is None:
        section = rules.section_of(ctx.table, "limits.notice")
        raise Refusal(NO_CHANGE_IS_PENDING, section, table=ctx.table.code)
    return change


def _save_notice(ctx: TableContext, change: LimitsChange, *fields: str) -> None:
    change.effective_at = rules.effective_at(ctx.table, change)
    change.save(update_fields=[*fields, "effective_at"])
