"""Corrections that raise what a round pays once its dice may be known: who signs them, and who is told."""

from collections.abc import Iterable

from games.engine import Refusal
from games.engine.odds import in_dollars
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.duty import lock_duty_of
from tables.core.held_back import held_amounts, raised_cents
from tables.corrections.alert_rules import HELD_AFTER_DICE, RAISED_AFTER_DICE
from tables.corrections.refusals import CORRECT_BY_SLIP, RAISE_NEEDS_TWO
from tables.corrections.reviews import reviewer_names, verify_may_correct
from tables.models import Throw
from tables.rounds.settlement import counted_beside, freed_stakes, needs_review


def verify_raise(
    ctx: TableContext,
    act: str,
    before_cents: int,
    seats: Iterable[int],
    *,
    is_late: bool = False,
    frees_stakes: bool = False,
) -> None:
    """Verify who signs a correction that may raise what the round pays once its dice may be known, and tell them.

    `before_cents`: what corrections had raised before. `is_late`: dice that may be known and are not called yet, or
    later ones, decide about it.
    `frees_stakes`: the correction says that recorded chips were not there. They cannot be held back, so from the sum of
    a first review on a slip says where they are.
    Raises `raise-needs-two`, `may-not-prepare` or `correct-by-slip`; the transaction is rolled back.
    """
    round_ = ctx.round
    assert round_ is not None
    raised = raised_cents(round_) - before_cents
    if raised <= 0 and not is_late:
        return
    lock_duty_of(
        person.pk for person in (ctx.actor, ctx.witness) if person is not None
    )  # as `review_sum` does
    decided_in = round_.last_throw + is_late
    after_cents = raised_cents(round_) + freed_stakes(round_, decided_in, ctx.wagers)
    verify_frees_no_stakes(ctx, after_cents, before_cents, frees_stakes=frees_stakes)
    if ctx.actor is None or ctx.witness is None or ctx.actor.pk == ctx.witness.pk:
        raise Refusal(RAISE_NEEDS_TWO, ctx.table.facility.law.section("corrections.review"))
    verify_may_correct(ctx)
    tell_signers(ctx, round_.number, act, max(0, raised), seats, is_held=bool(held_amounts(round_)))


def verify_frees_no_stakes(
    ctx: TableContext, after_cents: int, before_cents: int, *, frees_stakes: bool
) -> None:
    """Refuse to give up recorded stakes where these and raises come to the sum of a first review.

    Raises `correct-by-slip`.
    """
    round_ = ctx.round
    assert round_ is not None
    if not frees_stakes or after_cents <= before_cents:
        return
    if needs_review(ctx.table, after_cents + counted_beside(ctx, round_)):
        facility = ctx.table.facility
        more, who = in_dollars(after_cents - before_cents), reviewer_names(facility)
        raise Refusal(CORRECT_BY_SLIP, facility.law.section("corrections.review"), sum=more, who=who)


def newest_throw(ctx: TableContext) -> Throw | None:
    """Return the newest throw of the live round that has dice; None before the first."""
    return next((throw for throw in reversed(ctx.throws) if throw.dice), None)


def tell_signers(
    ctx: TableContext, round_number: int, act: str, cents: int, seats: Iterable[int], *, is_held: bool
) -> None:
    """Raise the notice that names both signers, their act, the seats and the sum. Surveillance reads it too.

    `cents`: what is paid more; 0 where later dice of the round may still pay it.
    """
    assert ctx.actor is not None and ctx.witness is not None
    kind = HELD_AFTER_DICE if is_held else RAISED_AFTER_DICE
    alert = kind.expected(
        ctx.table.pk,
        section=ctx.table.facility.law.section("corrections.review"),
        cause=ctx.stream.seq + 1,  # the number of the act's entry
        round=round_number,
        act=act,
        person=ctx.actor.name,
        signed_with=ctx.witness.name,
        cents=cents,
        seats=sorted(seats),
        held=is_held,
    )
    raise_alert(ctx, alert)
