"""Stakes of which no chip makes the stake or its payout: named before they are accepted (58 Pa. Code § 521.7(d)).

What was accepted is paid, to the cent. So a stake is refused at once where the chips of the house cannot make it, or
what it may be paid, with the nearest stakes that they can. A wager that lay on the layout when bets closed is settled
as it lies; only an amount that no chips make cannot have lain there.
"""

from collections.abc import Iterable

from games.chips import are_made, payable_step
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from tables.core.context import TableContext
from tables.core.wager_input import WagerInput

STAKE_NOT_IN_CHIPS = RefusalCode(
    "stake-not-in-chips",
    "No chips here make %(cents)s. The smallest chip is %(chip)s: enter %(stakes)s.",
    "Not an amount in chips",
)
PAYOUT_NOT_IN_CHIPS = RefusalCode(
    "payout-not-in-chips",
    "%(cents)s at seat %(seat)s may win an amount that no chips here make: the smallest chip is %(chip)s. Tell the "
    "player, and take %(stakes)s instead.",
    "Not payable in chips",
)


def verify_payable(ctx: TableContext, wagers: Iterable[WagerInput]) -> None:
    """Refuse stakes that these chips cannot pay. Raises `stake-not-in-chips` or `payout-not-in-chips`.

    The engine knows the wagers already. A wager that is taken off needs no chips.
    """
    chips = ctx.table.facility.chip_values
    for wager in wagers:
        if not wager.cents:
            continue
        verify_in_chips(ctx, wager.cents)
        step = payable_step(chips, ctx.game.possible_odds(ctx.rules, wager.wager))
        if wager.cents % step:
            raise Refusal(
                PAYOUT_NOT_IN_CHIPS,
                _section(ctx),
                seat=wager.seat,
                cents=in_dollars(wager.cents),
                chip=in_dollars(chips[-1]),
                stakes=_nearest(wager.cents, step),
            )


def verify_in_chips(ctx: TableContext, cents: int) -> None:
    """Refuse an amount that the chips of the house cannot make. Raises `stake-not-in-chips`."""
    chips = ctx.table.facility.chip_values
    if not are_made(chips, cents):
        raise Refusal(
            STAKE_NOT_IN_CHIPS,
            _section(ctx),
            cents=in_dollars(cents),
            chip=in_dollars(chips[-1]),
            stakes=_nearest(cents, chips[-1]),
        )


def _section(ctx: TableContext) -> str:
    return ctx.rules.section("increments") or ctx.rules.section("odds")


def _nearest(cents: int, step: int) -> str:
    """The nearest multiples of `step` around an amount, in words: `$5 or $10`."""
    below = cents // step * step
    return " or ".join(in_dollars(stake) for stake in (below, below + step) if stake)
