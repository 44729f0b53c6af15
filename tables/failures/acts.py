"""Acts on failures of the device, the lit layout or an automated shaker. Gaming ceases until the repair."""

from typing import cast

from audit.people import has_rank
from games.act_forms import OptionalDice, Text
from games.engine import Refusal
from games.engine.refusals import SHAKER_NOT_AUTOMATED
from games.snapshot_types import EquipmentKind
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.core.refusals import GAMING_CEASED, ROUND_IN_PLAY, TABLE_IS_CLOSED
from tables.failures.ceasing import cease_gaming, mark_repaired
from tables.failures.entry_types import DEVICE_FAILED, REPAIR_RECORDED
from tables.failures.refusals import DICE_ENTERED_ALREADY, NOTHING_FAILED, WITNESS_MUST_SIGN
from tables.models import Round, Table
from tables.rounds.course import advance, require_round
from tables.rounds.no_rolls import (
    NO_ROLL_ROW,
    ROUND_VOIDED,
    RoundVoided,
    alert_if_many,
    are_bets_open,
    verify_may_undo,
)
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND, settle_throw
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True)
def report_device_failure(
    ctx: TableContext, *, what: EquipmentKind = "device", dice: OptionalDice = None
) -> ActOutcome:
    """Record that the device, the lit layout (A14) or an automated shaker failed. Gaming here ceases.

    If the dice were not seen yet, the round is void and wagers are returned; after no more bets the floor signs that,
    as the policy says. Otherwise the announced dice settle it manually, before the witness that the edition names.
    """
    if ctx.table.status == Table.Status.CEASED:
        return _another_failure(ctx, what)
    if ctx.table.status != Table.Status.OPEN:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    if what == "shaker":
        return _shaker_failed(ctx)
    round_ = ctx.round
    section = ctx.rules.section("device-failure")
    cease_gaming(ctx, what, section)
    if round_ is None:
        if dice is not None:
            ctx.game.verify_report_device_failure(ctx.state, dice)
        return ActOutcome(DEVICE_FAILED({"what": what, "section": section, "round": None}))
    if dice is not None or ctx.state.dice:
        verify_edition_witness(ctx)
    else:
        ctx.game.verify_report_device_failure(ctx.state, dice)
        _verify_may_void(ctx, round_, section)
    return _settle_failure(ctx, round_, what, dice)


def _settle_failure(
    ctx: TableContext, round_: Round, equipment: EquipmentKind, dice: tuple[int, ...] | None
) -> ActOutcome:
    had_dice = bool(ctx.state.dice)
    if had_dice and dice is not None and sorted(dice) != sorted(ctx.state.dice):
        raise Refusal(DICE_ENTERED_ALREADY, round=round_.number)
    state, failed = ctx.game.report_device_failure(ctx.state, dice)
    if had_dice:
        advance(ctx, state, by_hand=True)
        return ActOutcome(
            DEVICE_FAILED({"what": equipment, "round": round_.number, "dice": list(state.dice)})
        )
    if dice is not None:
        ctx.verify_as_they_lie(dice)
        return settle_throw(
            ctx,
            round_,
            state,
            lambda data: ROUND_SETTLED_BY_HAND({**data, "failed": equipment}),
            state.settled,
            dice=state.dice,
        )
    reason = "device failure before the dice were seen"
    return settle_throw(
        ctx,
        round_,
        state,
        lambda data: ROUND_VOIDED(cast(RoundVoided, {**data, "failed": equipment})),
        failed.settled,
        reason=reason,
    )


def _shaker_failed(ctx: TableContext) -> ActOutcome:
    """Record that an automated shaker failed: the round is void and wagers are returned."""
    section = ctx.rules.section("shaker-failure")
    if ctx.round is None and ctx.rules.shaker(ctx.shaker_kind).automated:
        cease_gaming(ctx, "shaker", section)
        return ActOutcome(DEVICE_FAILED({"what": "shaker", "section": section, "round": None}))
    round_ = require_round(ctx)
    state, failed = ctx.game.report_shaker_failure(ctx.state)
    _verify_may_void(ctx, round_, section)
    cease_gaming(ctx, "shaker", section)
    return settle_throw(
        ctx,
        round_,
        state,
        lambda data: ROUND_VOIDED(cast(RoundVoided, {**data, "failed": "shaker"})),
        failed.settled,
        reason="automated shaker failed",
    )


def _verify_may_void(ctx: TableContext, round_: Round, section: str) -> None:
    """Refuse to return wagers after no more bets without the signature of the floor, as the policy says."""
    if not are_bets_open(ctx.state):
        verify_may_undo(ctx, NO_ROLL_ROW, section)
        alert_if_many(ctx, NO_ROLL_ROW, round_number=round_.number)


def _another_failure(ctx: TableContext, equipment: EquipmentKind) -> ActOutcome:
    """Record a second failure after gaming has ceased, or a new one after a repair: a new repair is needed.

    A failed device or layout takes precedence over a failed shaker, which another one may replace.
    """
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    if equipment == table.ceased_what and table.repaired_at is None:
        raise Refusal(GAMING_CEASED, table.ceased_section, what=table.ceased_what)
    if equipment == "shaker" and not ctx.rules.shaker(ctx.shaker_kind).automated:
        raise Refusal(SHAKER_NOT_AUTOMATED, ctx.rules.section("shaker-failure"))
    section = ctx.rules.section("shaker-failure" if equipment == "shaker" else "device-failure")
    if equipment == "shaker" and table.ceased_what != "shaker":
        ctx.change_table(repaired_at=None)
    else:
        cease_gaming(ctx, equipment, section)
    return ActOutcome(DEVICE_FAILED({"what": equipment, "section": section, "round": None}))


@act(roles=AT_THE_TABLE, witness=True)
def record_repair(ctx: TableContext, *, what: Text) -> ActOutcome:
    """Record that the failed equipment was repaired, and how (A15). The floor signs.

    The inspection afterward lets gaming continue.
    """
    verify_signed_by_floor(ctx)
    if not ctx.table.ceased_what:
        raise Refusal(NOTHING_FAILED, table=ctx.table.code)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    equipment = ctx.table.ceased_what
    mark_repaired(ctx)
    return ActOutcome(REPAIR_RECORDED({"what": equipment, "how": what}))


def verify_edition_witness(ctx: TableContext) -> None:
    """Raises `witness-must-sign` unless the edition's witness signs.

    Pennsylvania: floorperson or above. New Jersey: casino supervisor.
    """
    role = ctx.rules.witness("device-failure") or "floorperson"
    if not any(has_rank(person, role) for person in (ctx.witness, ctx.actor) if person is not None):
        raise Refusal(WITNESS_MUST_SIGN, ctx.rules.section("device-failure"), role=role.replace("-", " "))
