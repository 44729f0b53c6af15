"""The act that records a round of manual settlement, after the tablet was dead. The floor does it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from audit.entry_types import EntryBody
from games.engine import Refusal, RoundState
from games.engine.refusals import NOTHING_PLACED
from games.engine.wagers import apply_placings
from games.params import Params, malformed
from tables.core.context import TableContext
from tables.core.permissions import FLOOR
from tables.core.wager_input import WagerInput, read_wager_input
from tables.failures.entry_types import (
    ROUND_RECORDED_BY_HAND,
    EarlierWager,
    ManualRecord,
    RoundRecordedByHand,
)
from tables.failures.refusals import DICE_ENTERED_ALREADY
from tables.limits.chips import verify_in_chips
from tables.models import Round, Wager
from tables.rounds.begin import ensure_round
from tables.rounds.entry_types import SettledWager, ThrowData
from tables.rounds.progress import newly_settled
from tables.rounds.settlement import settle_throw, settled_data, taken_cents, write_settlements, write_throw
from tables.rounds.wagers import verify_seats, write_wagers
from tables.runner.table import ActOutcome, act

Dice = tuple[int, ...]


@act(roles=FLOOR)
def record_hand_settled_round(ctx: TableContext, params: Params) -> ActOutcome:
    """Record the dice and wagers of a round whose money has already moved. It ends cleared and marked manual.

    `dice` for a round of one throw; `throws` for a longer one, in order and without void throws. A live round that
    the dead tablet had begun is completed: its wagers become these, and the entry keeps the earlier ones. Refused
    once that round's dice were entered. Gaming may have ceased since.
    """
    wagers, throws = params.objects("wagers", read_wager_input), _read_throws(params)
    reason = params.text("reason")
    verify_seats(ctx, wagers)
    if ctx.round is not None and ctx.state.throws:
        raise Refusal(DICE_ENTERED_ALREADY, round=ctx.round.number)
    if not any(wager.cents for wager in wagers):
        raise Refusal(NOTHING_PLACED, ctx.rules.section("placement"))
    for wager in wagers:
        verify_in_chips(ctx, wager.cents)
    round_ = ensure_round(ctx, though_ceased=True)
    before: list[EarlierWager] = [
        {"seat": row.seat, "wager": row.code, "cents": row.cents} for row in ctx.wagers
    ]
    state = _settled_state(ctx, wagers, throws)
    _rewrite_wagers(ctx, round_, wagers)
    earlier = _write_earlier_throws(ctx, round_, state)

    def entry(data: ThrowData) -> EntryBody:
        mended: ManualRecord = {"before": before, "reason": reason}
        recorded = cast(RoundRecordedByHand, {**data, "mended": mended})
        if earlier:
            _add_earlier_throws(recorded, state, earlier)
        return ROUND_RECORDED_BY_HAND(recorded)

    return settle_throw(ctx, round_, state, entry, newly_settled(state), dice=state.dice)


def _read_throws(params: Params) -> tuple[Dice, ...]:
    dice, throws = params.dice(optional=True), params.throws(optional=True)
    if (dice is None) == (throws is None):
        raise malformed("throws")
    return throws if throws is not None else (dice or (),)


def _settled_state(ctx: TableContext, inputs: tuple[WagerInput, ...], throws: Sequence[Dice]) -> RoundState:
    """The round as the engine settles it, so that nothing the engine would refuse is recorded."""
    game, lines = ctx.game, [wager.placing for wager in inputs]
    for line in lines:
        game.verify_placing(ctx.rules, line)
    wagers = apply_placings((), lines)[0]
    game.adjudicate(ctx.rules, throws, wagers)
    played = replace(ctx.state, phase="cleared", wagers=wagers, throws=tuple(throws), manual_settlement=True)
    return replace(played, paid_seats=frozenset(settled.wager.seat for settled in game.winners(played)))


def _write_earlier_throws(ctx: TableContext, round_: Round, state: RoundState) -> list[list[SettledWager]]:
    """Write the throws before the last one, each with what it settled. Return what each settled."""
    throws_data = []
    for count in range(1, len(state.throws)):
        so_far = replace(state, throws=state.throws[:count])
        throw, settled = write_throw(ctx, round_, so_far.dice), newly_settled(so_far)
        write_settlements(ctx, throw, settled)
        ctx.change_round(last_throw=throw.number)
        throws_data.append([settled_data(wager) for wager in settled])
    return throws_data


def _add_earlier_throws(
    recorded: RoundRecordedByHand, state: RoundState, earlier: list[list[SettledWager]]
) -> None:
    """Extend the data of the last throw with every throw and every settled wager."""
    recorded["throws"] = [list(dice) for dice in state.throws]
    recorded["settled"] = [line for lines in earlier for line in lines] + recorded["settled"]
    recorded["taken_cents"] = taken_cents(state.settled)
    recorded["paid_cents"] = sum(wager.paid_cents for wager in state.settled)
    recorded["returned_cents"] = sum(wager.returned_cents for wager in state.settled)


def _rewrite_wagers(ctx: TableContext, round_: Round, wagers: tuple[WagerInput, ...]) -> None:
    """Replace the wagers with these. No throw has settled the old rows yet, and the entry keeps them."""
    keys = {wager.key for wager in wagers}
    Wager.objects.filter(pk__in=[row.pk for row in ctx.wagers if row.key not in keys]).delete()
    write_wagers(ctx, round_, wagers)
    ctx.wagers[:] = round_.wagers.filter(struck=False).order_by("id")
