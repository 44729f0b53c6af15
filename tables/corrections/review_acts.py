"""The act of somebody outside the table: they reviewed an Error Notification Slip and agree, or differ and say why."""

from typing import Annotated

from audit.clock import format_moment
from games.act_forms import text
from games.engine import Refusal
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.corrections.alert_rules import AWAITED_REVIEW, DIFFERING_REVIEW, UNSETTLED_SLIP
from tables.corrections.chips_elsewhere import withheld_of_slip
from tables.corrections.correction import MAX_REASON
from tables.corrections.entry_types import SLIP_REVIEWED, SlipReviewed
from tables.corrections.outcomes import filed_entry
from tables.corrections.refusals import SLIP_SAY_WHY_DIFFERS
from tables.corrections.reviews import REVIEWERS, verify_reviewer
from tables.corrections.slip_acts import end_alert_of, find_slip
from tables.models import Slip
from tables.money.tray import add_filed_slip
from tables.runner.table import ActOutcome, act, act_without_post


@act(roles=REVIEWERS, depends_on="nothing", step_up="always")
@act_without_post
def review_slip(
    ctx: TableContext,
    *,
    slip_code: Annotated[str, text(20)],
    differs: bool = False,
    reason: Annotated[str, text(MAX_REASON)] = "",
) -> ActOutcome:
    """Review a slip once, from outside the table. Who differs says why; then no more money moves on this slip.

    Who agrees takes the chips off the tray that the slip says are gone, where their review comes first.
    """
    assert ctx.actor is not None
    slip = find_slip(ctx, slip_code)
    verify_reviewer(ctx.actor, slip, ctx.table.facility)
    if differs and not reason:
        raise Refusal(SLIP_SAY_WHY_DIFFERS, slip=slip.code)
    filing_entry = filed_entry(slip)
    withheld_cents = withheld_of_slip(slip)
    slip.review_verdict = Slip.Verdict.DIFFERS if differs else Slip.Verdict.AGREES
    slip.review_reason, slip.reviewed_by = reason, ctx.actor
    slip.reviewed_seq, slip.reviewed_at = ctx.stream.seq + 1, ctx.now
    slip.save()
    if not differs:
        add_filed_slip(ctx, slip.round.number, withheld_cents)
    _change_alerts(ctx, slip)
    ctx.submission = slip.round.submission
    assert slip.review_due_at is not None
    data: SlipReviewed = {
        "slip": slip.code,
        "round": slip.round.number,
        "filed": filing_entry.as_data,
        "verdict": "differs" if differs else "agrees",
        "reason": reason,
        "department": ctx.actor.department,
        "due_at": format_moment(slip.review_due_at),
    }
    return ActOutcome(SLIP_REVIEWED(data), {"slip": slip.code}, changes="nothing")


def _change_alerts(ctx: TableContext, slip: Slip) -> None:
    """Tell the table that its money may move now, or that the review differs."""
    end_alert_of(ctx, AWAITED_REVIEW, slip)
    number = slip.round.number
    if slip.review_verdict == Slip.Verdict.DIFFERS:
        end_alert_of(ctx, UNSETTLED_SLIP, slip)
        raise_alert(ctx, DIFFERING_REVIEW.expected(ctx.table.pk, slip=slip.code, round=number))
    elif slip.status == Slip.Status.FILED:
        raise_alert(ctx, UNSETTLED_SLIP.expected(ctx.table.pk, slip=slip.code, round=number))
