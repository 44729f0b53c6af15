"""Review of an Error Notification Slip by somebody outside the table: which slips need it, by when, and who may.

A slip that moves money in real play is reviewed as the row `corrections` of the policy says (games/separation). Where
much money moves, the review comes before any of it. How much is counted over several slips (`review_sum`), so that no
sum is split into slips that are each below it. A facility may lower the sum from which it comes first
(`set_review_sum`).

Somebody of another department, who did not sign the slip, agrees, or differs and says why (`review_slip`). If they
differ, no money moves on this slip; the table files another one.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Annotated, NamedTuple

from django.db.models import Q

from audit.clock import format_moment
from audit.entry_types import entry_type
from audit.models import Person
from games.act_forms import Cents, text
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.facility_runner import may_not_prepare
from games.models import Facility
from games.separation import policy
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.duty import lock_duty_of
from tables.corrections.raises import CORRECTIONS, raised_by, raised_unheld, signers_of_raises
from tables.corrections.settlements import MAX_REASON, filed_entry
from tables.corrections.slips import (
    AWAITED_REVIEW,
    DIFFERING_REVIEW,
    SLIP_REVIEWED,
    UNSETTLED_SLIP,
    end_alert_of,
    find_slip,
    withheld_of_slip,
)
from tables.models import Round, Slip, Table
from tables.money.tray import add_filed_slip
from tables.runner.facility import SETUP, FacilityContext, facility_act
from tables.runner.table import ActOutcome, act, act_without_post

SLIP_REVIEW_FIRST = RefusalCode(
    "slip-review-first",
    "Slip %(slip)s moves %(sum)s. Alone, or with other slips and raises of its round, its seats or its signers, that "
    "is a sum of which no money may move before somebody outside the table has reviewed it. Ask %(who)s to review it.",
    "Review needed first",
)
SLIP_REVIEW_DIFFERS = RefusalCode(
    "slip-review-differs",
    "%(reviewer)s reviewed slip %(slip)s and differs: “%(why)s” No money may move on it. Settle it with $0, and file "
    "another slip if one is needed.",
    "The review differs",
)
SLIP_NEEDS_NO_REVIEW = RefusalCode(
    "slip-needs-no-review",
    "Slip %(slip)s needs no review: it moves no money, or it was filed before slips were reviewed.",
)
SLIP_REVIEWED_ALREADY = RefusalCode(
    "slip-reviewed-already",
    "%(reviewer)s reviewed slip %(slip)s already. If it is wrong, ask the table to file another slip.",
    "Already reviewed",
)
SLIP_REVIEWER_SIGNED = RefusalCode(
    "slip-reviewer-signed",
    "You signed slip %(slip)s yourself. Somebody else of %(who)s must review it.",
    "Somebody else must review",
)
SLIP_REVIEWER_OF_TABLE = RefusalCode(
    "slip-reviewer-of-table",
    "Slip %(slip)s is reviewed outside the table, by %(who)s. Ask somebody of theirs.",
    "Another department",
)
SLIP_SAY_WHY_DIFFERS = RefusalCode(
    "slip-say-why-differs",
    "Say what differs, so that the table can correct slip %(slip)s.",
    "Reason needed",
)
SLIP_SIGNED_BY_REVIEWER = RefusalCode(
    "slip-signed-by-reviewer",
    "%(reviewer)s reviewed slip %(slip)s and cannot sign it. Ask somebody else to sign.",
    "Somebody else must sign",
)
REVIEW_SUM_TOO_HIGH = RefusalCode(
    "review-sum-too-high",
    "In %(jurisdiction)s slips from %(most)s on are reviewed before money moves. Set this sum or a lower one.",
    "Above the jurisdiction's sum",
)
REVIEW_SUM_THE_SAME = RefusalCode(
    "review-sum-the-same", "Slips from %(sum)s on are reviewed before money moves already.", "The same sum"
)


# Which slips are reviewed, and which before any money moves


REVIEWERS = policy.roles_of(CORRECTIONS, "approve")


class ReviewDue(NamedTuple):
    """By when a slip is reviewed, whether that comes before any money moves, and the sum in cents that decided it."""

    due_at: dt.datetime
    comes_first: bool
    sum_cents: int


def review_due(ctx: TableContext, slip: Slip, elsewhere_cents: int = 0) -> ReviewDue | None:
    """Return the review that a new slip needs; None for a slip that moves no money, or none of real play.

    `elsewhere_cents`: chips that by the slip are not where the settlement says. It is reviewed for them too: a
    person who takes them from the tray would have them accounted for by it.
    """
    if not (slip.due or elsewhere_cents) or ctx.table.kind != Table.Kind.LIVE:
        return None
    row = policy.row_of(ctx.table.facility.law, CORRECTIONS)
    cents_by_seat = {amount["seat"]: amount["cents"] for amount in slip.due}
    sum_cents = max(review_sum(ctx, slip.round, cents_by_seat, slip.apart_cents), abs(elsewhere_cents))
    return ReviewDue(ctx.now + row.time, needs_review_first(ctx, sum_cents), sum_cents)


def needs_review_first(ctx: TableContext, sum_cents: int) -> bool:
    """Whether money of this sum (`review_sum`) moves only after a review."""
    threshold = policy.review_first_from(ctx.table.facility)
    return bool(threshold) and sum_cents >= threshold


def review_sum(
    ctx: TableContext, round_: Round, cents_by_seat: Mapping[int, int], apart_cents: int = 0
) -> int:
    """Return the sum in cents that decides whether new money of a round is reviewed before it moves.

    `cents_by_seat` is the new money, negative toward the casino; it is not on file yet. `apart_cents` are chips that
    are not where the record says, beside it (`Slip.apart_cents`). Both count with what slips on file moved or may
    still move, whichever comes to most: those of the same round, and within the time of the policy those of the same
    seat at this table and those of either signer at any table of the facility; and chips of this tray with each other.
    Raises of the round or its signers that were not held back count as slips do.
    Locks the duty of both signers, so that of two slips at two tables the second one counts the first.
    """
    people = [person for person in (ctx.actor, ctx.witness) if person is not None]
    lock_duty_of(person.pk for person in people)
    since = ctx.now - policy.row_of(ctx.table.facility.law, CORRECTIONS).sum_time
    recent = Slip.objects.filter(Q(filed_at__gt=since) | Q(settled_at__gt=since))
    real_play = recent.filter(table__facility=ctx.table.facility, table__kind=Table.Kind.LIVE)
    new_cents = sum(map(abs, cents_by_seat.values())) + apart_cents
    sums = [new_cents + _moved_cents(Slip.objects.filter(round=round_)) + raised_unheld(round_)]
    at_table = list(recent.filter(table=ctx.table))
    sums += [abs(cents) + _moved_cents(at_table, seat) for seat, cents in cents_by_seat.items()]
    sums.append(apart_cents + sum(slip.apart_cents for slip in at_table if not slip.agreed_first))
    sums += [
        new_cents + _moved_cents(real_play.filter(_signed_by(person.pk))) + raised_by(ctx, person)
        for person in people
    ]
    return max(sums)


def moved_beside(ctx: TableContext, round_: Round, locks: bool) -> int:
    """What counts with the raises of a round: what the same people raised in other rounds and moved by slips, in cents.

    Within the time of the policy, of the person with most. `locks` the duty of these people, as `review_sum` does.
    """
    signers = signers_of_raises(ctx, round_)
    if locks:
        lock_duty_of(person.pk for person in signers)
    since = ctx.now - policy.row_of(ctx.table.facility.law, CORRECTIONS).sum_time
    recent = Slip.objects.filter(Q(filed_at__gt=since) | Q(settled_at__gt=since))
    real_play = recent.filter(table__facility=ctx.table.facility, table__kind=Table.Kind.LIVE)
    return max(
        (
            raised_by(ctx, person, beside=round_) + _moved_cents(real_play.filter(_signed_by(person.pk)))
            for person in signers
        ),
        default=0,
    )


def _moved_cents(slips: Iterable[Slip], seat: int | None = None) -> int:
    """Add up what slips moved or may still move, toward players and back, at one seat, or at all with chips apart.

    What a review agreed to before it moved is no part of a sum that moves without one.
    """
    counted = [slip for slip in slips if not slip.agreed_first]
    if seat is None:
        return sum(slip.moving_cents + slip.apart_cents for slip in counted)
    amounts = (amount for slip in counted for amount in slip.moving)
    return sum(abs(amount["cents"]) for amount in amounts if amount["seat"] == seat)


def _signed_by(person_id: int) -> Q:
    """The slips that a person signed when they were filed or settled, in either place."""
    names = ("filed_by", "filed_with", "settled_by", "settled_with")
    signed = Q()
    for name in names:
        signed |= Q(**{name: person_id})
    return signed


def review_rule(table: Table) -> str:
    """Return who reviews the slips of this table, and from which sum before money moves; "" where nobody does."""
    if table.kind != Table.Kind.LIVE:
        return ""
    who, first_from = reviewer_names(table.facility).capitalize(), policy.review_first_from(table.facility)
    if not first_from:
        return f"{who} reviews a slip that moves money."
    minutes = policy.row_of(table.facility.law, CORRECTIONS).sum_minutes
    return (
        f"{who} reviews a slip that moves money, from {in_dollars(first_from)} on before any money moves. Other slips "
        f"and raises of the round count with it, and those of its seats or signers of the last {minutes} minutes."
    )


def reviewer_names(facility: Facility) -> str:
    """Return who reviews slips here: `surveillance or compliance`."""
    return policy.departments_in_words(policy.row_of(facility.law, CORRECTIONS).approve.values())


# The sum from which the review comes first


@entry_type("review_sum.set")
def REVIEW_SUM_SET(
    *,
    cents: Annotated[int, "slips from this sum on are reviewed before any money moves"],
    before_cents: Annotated[int, "the sum until then; 0 for none"],
) -> str:
    """The facility set the sum from which a slip is reviewed before any money moves."""
    before = f", before from {in_dollars(before_cents)}" if before_cents else ""
    return f"Slips from {in_dollars(cents)} on are reviewed before money moves{before}"


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
    return ActOutcome(REVIEW_SUM_SET(cents=cents, before_cents=before), changes="nothing")


# Who may correct, and who may review


def verify_may_correct(ctx: TableContext) -> None:
    """Verify that each person who signs a slip prepares corrections by the policy. Raises `may-not-prepare`."""
    row = policy.row_of(ctx.table.facility.law, CORRECTIONS)
    for person in (ctx.actor, ctx.witness):
        if person is not None and not policy.may_prepare(row, person):
            raise may_not_prepare(row, person)


def may_review(person: Person, slip: Slip, facility: Facility) -> bool:
    """Whether this person could review the slip, apart from being on duty."""
    try:
        verify_reviewer(person, slip, facility)
    except Refusal:
        return False
    return True


def verify_reviewer(person: Person, slip: Slip, facility: Facility) -> None:
    """Verify that the slip waits for a review, and that this person is of another department and did not sign it.

    Raises `slip-needs-no-review`, `slip-reviewed-already`, `slip-reviewer-of-table` or `slip-reviewer-signed`.
    """
    if slip.review_due_at is None:
        raise Refusal(SLIP_NEEDS_NO_REVIEW, slip=slip.code)
    if slip.reviewed_by is not None:
        raise Refusal(SLIP_REVIEWED_ALREADY, slip=slip.code, reviewer=slip.reviewed_by.name)
    section, who = facility.law.section("corrections.review"), reviewer_names(facility)
    if not policy.may_approve(policy.row_of(facility.law, CORRECTIONS), person):
        raise Refusal(SLIP_REVIEWER_OF_TABLE, section, slip=slip.code, who=who)
    if person.pk in slip.signer_ids:
        raise Refusal(SLIP_REVIEWER_SIGNED, section, slip=slip.code, who=who)


def verify_reviewed(slip: Slip, *, has_moved: bool) -> None:
    """Refuse to settle a slip before a review that comes first, or to move money against one. Raises `Refusal`."""
    facility = slip.table.facility
    section = facility.law.section("corrections.review")
    if slip.review_comes_first and slip.waits_for_review:
        total, who = in_dollars(slip.due_cents), reviewer_names(facility)
        raise Refusal(SLIP_REVIEW_FIRST, section, slip=slip.code, sum=total, who=who)
    if has_moved and slip.review_verdict == Slip.Verdict.DIFFERS:
        reviewer = slip.reviewed_by.name if slip.reviewed_by else ""
        raise Refusal(SLIP_REVIEW_DIFFERS, section, slip=slip.code, reviewer=reviewer, why=slip.review_reason)


def verify_reviewer_signs_not(ctx: TableContext, slip: Slip) -> None:
    """Refuse a signature of the person who reviewed the slip. Raises `slip-signed-by-reviewer`."""
    signers = {person.pk for person in (ctx.actor, ctx.witness) if person is not None}
    if slip.reviewed_by is not None and slip.reviewed_by.pk in signers:
        raise Refusal(SLIP_SIGNED_BY_REVIEWER, slip=slip.code, reviewer=slip.reviewed_by.name)


# The review


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
    return ActOutcome(
        SLIP_REVIEWED(
            slip=slip.code,
            round=slip.round.number,
            filed=filing_entry.as_data,
            verdict="differs" if differs else "agrees",
            reason=reason,
            department=ctx.actor.department,
            due_at=format_moment(slip.review_due_at),
        ),
        {"slip": slip.code},
        changes="nothing",
    )


def _change_alerts(ctx: TableContext, slip: Slip) -> None:
    """Tell the table that its money may move now, or that the review differs."""
    end_alert_of(ctx, AWAITED_REVIEW, slip)
    number = slip.round.number
    if slip.review_verdict == Slip.Verdict.DIFFERS:
        end_alert_of(ctx, UNSETTLED_SLIP, slip)
        raise_alert(ctx, DIFFERING_REVIEW.expected(ctx.table.pk, slip=slip.code, round=number))
    elif slip.status == Slip.Status.FILED:
        raise_alert(ctx, UNSETTLED_SLIP.expected(ctx.table.pk, slip=slip.code, round=number))
