"""The row of an Error Notification Slip that is filed, and the data of its entry."""

from audit.clock import format_moment
from audit.models import Person
from tables.core.context import TableContext
from tables.corrections.chips_elsewhere import withheld_of_round
from tables.corrections.correction import Correction
from tables.corrections.entry_types import SlipFiled
from tables.corrections.reviews import ReviewDue, review_due
from tables.models import Round, Slip
from tables.money.tray import add_filed_slip


def create_slip(
    ctx: TableContext,
    round_: Round,
    correction: Correction,
    reason: str,
    *,
    signers: tuple[Person, Person],
    elsewhere_cents: int,
    is_held: bool = False,
) -> tuple[Slip, ReviewDue | None]:
    """Save a slip whose entry is the next one on the stream. A slip with nothing due is settled when it is filed.

    `elsewhere_cents`: chips that by the slip are not where the settlement says; those that its review must agree to
    first stay in the tray until then. What the round's slip before this withheld, this slip takes over. `is_held`: its
    money was held back for a review, which comes first whatever the sum.
    """
    withheld_cents = withheld_of_round(round_)
    slip = Slip(
        table=ctx.table,
        number=ctx.table.last_slip,
        round=round_,
        gaming_day=ctx.gaming_day,
        kind=correction.kind,
        reason=reason,
        corrects_seq=correction.corrects.seq,
        before=correction.before,
        after=correction.after,
        due=correction.due,
        elsewhere_cents=elsewhere_cents + withheld_cents,
        filed_seq=ctx.stream.seq + 1,
        filed_at=ctx.now,
        filed_by=signers[0],
        filed_with=signers[1],
    )
    review = review_due(ctx, slip, max(abs(elsewhere_cents), abs(slip.elsewhere_cents)))
    if review is not None:
        review = review._replace(comes_first=review.comes_first or is_held)
        slip.review_due_at, slip.review_comes_first = review.due_at, review.comes_first
    if not correction.due:
        mark_settled(ctx, slip)
    slip.save()
    if not slip.withheld_cents:
        add_filed_slip(ctx, round_.number, slip.elsewhere_cents)
    return slip, review


def mark_settled(ctx: TableContext, slip: Slip) -> None:
    """Mark a slip as settled by the next entry on the stream. The caller saves it."""
    slip.status = Slip.Status.SETTLED
    slip.settled_seq, slip.settled_at = ctx.stream.seq + 1, ctx.now
    slip.settled_by, slip.settled_with = ctx.actor, ctx.witness


def filed_data(round_: Round, correction: Correction, slip: Slip, review: ReviewDue | None) -> SlipFiled:
    """The data of the entry that files a slip."""
    data: SlipFiled = {
        "slip": slip.code,
        "kind": correction.kind,
        "round": round_.number,
        "played_on": round_.gaming_day.isoformat(),
        "corrects": correction.corrects.as_data,
        "reason": slip.reason,
        "mended": correction.mistake,
        "ending": correction.ending,
        "throws": correction.throws,
        "before": correction.before,
        "settled": [{**line} for line in correction.lines],
        "taken_cents": correction.after["taken_cents"],
        "paid_cents": correction.after["paid_cents"],
        "returned_cents": correction.after["returned_cents"],
        "due": correction.due,
    }
    if slip.elsewhere_cents:
        data["elsewhere_cents"] = slip.elsewhere_cents
    if review is not None:
        data["review"] = {
            "due_at": format_moment(review.due_at),
            "before_money": review.comes_first,
            "sum_cents": review.sum_cents,
        }
    return data
