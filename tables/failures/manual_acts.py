"""The act that records a round of manual settlement, after the tablet was dead. The dealer and the floor sign."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from audit.entry_types import EntryBody
from games.engine import Refusal, RoundState
from games.engine.refusals import NOTHING_PLACED
from games.engine.wagers import apply_placings
from games.params import Params, malformed
from games.separation import policy
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.core.held_back import held_amounts
from tables.core.permissions import AT_THE_TABLE
from tables.core.wager_input import WagerInput, read_wager_input
from tables.failures.alert_rules import HAND_SETTLED
from tables.failures.entry_types import ROUND_RECORDED_BY_HAND, ManualRecord, RoundRecordedByHand
from tables.failures.refusals import (
    DICE_ENTERED_ALREADY,
    FAILURE_HAS_ITS_ROUND,
    HAND_SETTLED_NEEDS_TWO,
    NO_FAILURE_ON_RECORD,
    ROUND_IS_LIVE,
)
from tables.models import Round, Table
from tables.money.chips import verify_chips_exist
from tables.rounds.course import ensure_round, newly_settled
from tables.rounds.settlement import (
    Raise,
    SettledWager,
    ThrowData,
    lines_of,
    net_payout,
    settle_throw,
    settled_data,
    taken_cents,
    write_settlements,
    write_throw,
)
from tables.rounds.wagers import report_over_max, verify_in_chips, verify_seats, write_wagers
from tables.runner.signatures import is_signed_by_two
from tables.runner.table import ActOutcome, act

Dice = tuple[int, ...]
SUBJECT = "hand-settled-rounds"  # the row of the policy


@act(roles=AT_THE_TABLE, witness=True)
def record_hand_settled_round(ctx: TableContext, params: Params) -> ActOutcome:
    """Record the dice and wagers of a round that was settled by hand while the device had failed.

    It ends cleared and marked manual. `dice` for a round of one throw; `throws` for a longer one, in order and without
    void throws. The failure is on record, still open, and has no such round yet; a round in play is never replaced.
    Who dealt it and the floor sign (row `hand-settled-rounds` of the policy), and surveillance is told. A net payout
    from the sum of a first review on waits for that review: it becomes a slip (`tables.rounds.settlement`).
    """
    wagers, throws = params.objects("wagers", read_wager_input), _read_throws(params)
    reason = params.text("reason")
    verify_seats(ctx, wagers)
    _verify_failure_has_no_round(ctx)
    _verify_both_sign(ctx)
    if not any(wager.cents for wager in wagers):
        raise Refusal(NOTHING_PLACED, ctx.rules.section("placement"))
    for wager in wagers:
        verify_in_chips(ctx, wager.cents)
    verify_chips_exist(ctx.table, sum(wager.cents for wager in wagers))
    round_ = ensure_round(ctx, though_ceased=True)
    state = _settled_state(ctx, wagers, throws)
    for wager, flag in zip(wagers, write_wagers(ctx, round_, wagers), strict=True):
        report_over_max(ctx, round_, wager, is_over=flag == "over-max", was_over=False)
    ctx.wagers[:] = round_.wagers.filter(struck=False).order_by("id")
    earlier = _write_earlier_throws(ctx, round_, state)
    raised = net_payout(lines_of(state.settled))

    def entry(data: ThrowData) -> EntryBody:
        mended: ManualRecord = {"before": [], "reason": reason}
        recorded = cast(RoundRecordedByHand, {**data, "mended": mended})
        if earlier:
            _add_earlier_throws(recorded, state, earlier)
        return ROUND_RECORDED_BY_HAND(recorded)

    outcome = settle_throw(ctx, round_, state, entry, newly_settled(state), dice=state.dice, raised=raised)
    _tell(ctx, round_, raised)
    return outcome


def _verify_failure_has_no_round(ctx: TableContext) -> None:
    """Refuse unless gaming has ceased here, no round is in play, and none was recorded since it ceased.

    While gaming has ceased no round opens but one that this act records.
    """
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(DICE_ENTERED_ALREADY if ctx.state.throws else ROUND_IS_LIVE, round=ctx.round.number)
    if table.status == Table.Status.CLOSED:
        ctx.verify_open()
    if not table.ceased_what or table.ceased_since is None:
        raise Refusal(NO_FAILURE_ON_RECORD, ctx.rules.section("device-failure"), table=table.code)
    recorded = Round.objects.filter(table=table, by_hand=True, opened_at__gte=table.ceased_since).first()
    if recorded is not None:
        raise Refusal(FAILURE_HAS_ITS_ROUND, ctx.rules.section("device-failure"), round=recorded.number)


def _verify_both_sign(ctx: TableContext) -> None:
    """Raises `hand-settled-needs-two` unless two people sign as the row of the policy says."""
    row = policy.row_of(ctx.table.facility.law, SUBJECT)
    if not is_signed_by_two(ctx, row):
        dealt, floor = policy.roles_in_words(row.prepare), policy.roles_in_words(row.approve)
        raise Refusal(HAND_SETTLED_NEEDS_TWO, ctx.rules.section("device-failure"), dealt=dealt, floor=floor)


def _tell(ctx: TableContext, round_: Round, raised: Raise) -> None:
    """Raise the alert that names who recorded the round, and what it pays."""
    assert ctx.actor is not None and ctx.witness is not None
    alert = HAND_SETTLED.expected(
        ctx.table.pk,
        duty="device-failure",
        round=round_.number,
        person=ctx.actor.name,
        signed_with=ctx.witness.name,
        cents=raised.total_cents,
        held=bool(held_amounts(round_)),
    )
    raise_alert(ctx, alert)


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
