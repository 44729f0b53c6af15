"""Begin the live round, or continue it, when an act needs one."""

from audit.rows import insert
from games.office.submissions.gate import verify_minimum
from tables.core import posts
from tables.core.context import TableContext
from tables.equipment.checks import Equipment
from tables.limits import apply_when_due
from tables.models import Round, Table
from tables.money.tray import verify_chips_may_move
from tables.rules.approved_terms import verify_terms_approved
from tables.rules.notice import record_change, verify_acknowledged
from tables.rules.suspensions import verify_game_not_suspended


def ensure_round(ctx: TableContext, *, though_ceased: bool = False) -> Round:
    """Return the live round, opened now if this is its first act. Refuses at a table that is not open.

    Play begins and continues only with a person at every post. A round begins only under approvals that are in effect:
    one that ends or is withdrawn in the middle of a round lets that round end. A round that was played before gaming
    ceased (`though_ceased`) is only recorded, so neither is checked.
    """
    if ctx.round is None:
        verify_chips_may_move(ctx)
        if not (though_ceased and ctx.table.status == Table.Status.CEASED):
            ctx.verify_open()
        ctx.verify_dice_for_a_round()
        ctx.verify_shaker_filed()
    if not though_ceased:
        posts.verify_staffed_in_play(ctx)
    if ctx.round is None:
        if not though_ceased:
            verify_game_not_suspended(ctx)
            Equipment(ctx).verify_approved()
        ctx.round = _open_round(ctx, though_ceased=though_ceased)
        ctx.all_wagers, ctx.throws = [], []
    return ctx.round


def _open_round(ctx: TableContext, *, though_ceased: bool) -> Round:
    """Open the next round under the limits and rules that hold from now on, which the record shows as approved.

    The payout limit's floor (A30) is checked once more: a minimum raised at the table and a limit approved in the
    office at the same moment would each have passed without the other.
    """
    verify_terms_approved(ctx)
    if not though_ceased:
        verify_acknowledged(ctx)
    apply_when_due(ctx)
    record_change(ctx)
    if not though_ceased:
        verify_minimum(ctx.rules, ctx.table.min_cents)
    number = ctx.table.last_round + 1
    ctx.change_table(last_round=number)
    submission, state = ctx.submission, ctx.state
    round_ = Round(
        table=ctx.table,
        submission=submission,
        number=number,
        gaming_day=ctx.gaming_day,
        shaker_kind=ctx.shaker_kind,
        phase=state.phase,
        quarterback=state.quarterback,
        offered=state.offered,
        opened_at=ctx.now,
    )
    insert(round_)
    return round_
