"""The act by which a facility lowers the sum from which a slip is reviewed before any money moves."""

from games.act_forms import Cents
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.separation import policy
from tables.corrections.entry_types import REVIEW_SUM_SET
from tables.corrections.recent_raises import CORRECTIONS
from tables.corrections.refusals import REVIEW_SUM_THE_SAME, REVIEW_SUM_TOO_HIGH
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act


@facility_act(SETUP, roles=policy.roles_of("review-sum", "prepare"), step_up="always", subject="review-sum")
def set_review_sum(ctx: FacilityContext, *, cents: Cents) -> ActOutcome:
    """Set the sum, up to that of the jurisdiction. It holds for slips that are filed from now on.

    Raises `review-sum-too-high` or `review-sum-the-same`.
    """
    law = ctx.facility.law
    most, before = policy.row_of(law, CORRECTIONS).first_from_cents, policy.review_first_from(ctx.facility)
    if most and cents > most:
        section = law.section("corrections.review")
        raise Refusal(REVIEW_SUM_TOO_HIGH, section, jurisdiction=law.name, most=in_dollars(most))
    if cents == before:
        raise Refusal(REVIEW_SUM_THE_SAME, sum=in_dollars(before))
    ctx.facility.review_first_from_cents = cents
    ctx.facility.save(update_fields=["review_first_from_cents"])
    return ActOutcome(REVIEW_SUM_SET({"cents": cents, "before_cents": before}), changes="nothing")
