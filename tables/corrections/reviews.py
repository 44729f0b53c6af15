"""The review of an Error Notification Slip by somebody outside the table: which slips need it, by when, and who may.

A slip that moves money in real play is reviewed as the row `corrections` of the policy says (games/separation). Where
much money moves, the review comes before any of it. How much is counted over several slips (`review_sum`), so that no
sum is split into slips that are each below it.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from django.db.models import Q, QuerySet

from audit.models import Person
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.facility_runner import may_not_prepare
from games.models import Facility
from games.separation import policy
from tables.core.context import TableContext
from tables.core.duty import lock_duty_of
from tables.corrections.recent_raises import CORRECTIONS, raised_by, raised_unheld, signers_of_raises
from tables.corrections.refusals import (
    SLIP_NEEDS_NO_REVIEW,
    SLIP_REVIEW_DIFFERS,
    SLIP_REVIEW_FIRST,
    SLIP_REVIEWED_ALREADY,
    SLIP_REVIEWER_OF_TABLE,
    SLIP_REVIEWER_SIGNED,
    SLIP_SIGNED_BY_REVIEWER,
)
from tables.models import Round, Slip, Table

REVIEWERS = policy.roles_of(CORRECTIONS, "approve")


class ReviewDue(NamedTuple):
    """By when a slip is reviewed, whether that comes before any money moves, and the sum in cents that decided it."""

    due_at: dt.datetime
    comes_first: bool
    sum_cents: int


def review_due(ctx: TableContext, slip: Slip, elsewhere_cents: int = 0) -> ReviewDue | None:
    """Return the review that a new slip needs; None for a slip that moves no money, or none of real play.

    `elsewhere_cents`: chips that by the slip are not where the settlement says. It is reviewed for them too: whoever
    takes them from the tray would have them accounted for by it.
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


def verify_may_correct(ctx: TableContext) -> None:
    """Verify that each person who signs a slip prepares corrections by the policy. Raises `may-not-prepare`."""
    row = policy.row_of(ctx.table.facility.law, CORRECTIONS)
    for person in (ctx.actor, ctx.witness):
        if person is not None and not policy.may_prepare(row, person):
            raise may_not_prepare(row, person)


def slips_waiting_for_review(facility: Facility) -> QuerySet[Slip]:
    """Return the slips of a facility that nobody has reviewed yet, with their tables and rounds, the first due first.

    `review_due_at` says when each is due.
    """
    waiting = Slip.objects.filter(
        table__facility=facility, review_due_at__isnull=False, reviewed_at__isnull=True
    )
    return waiting.select_related("table", "round", "filed_by", "filed_with").order_by("review_due_at", "pk")


def reviewer_names(facility: Facility) -> str:
    """Return who reviews slips here: `surveillance or compliance`."""
    return policy.departments_in_words(policy.row_of(facility.law, CORRECTIONS).approve.values())


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
