"""Tell those who signed that a payout was raised once the dice were known: at the podiums and phones of the pit."""

from collections.abc import Iterable

from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.corrections.alert_rules import HELD_AFTER_DICE, RAISED_AFTER_DICE


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
