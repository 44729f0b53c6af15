"""Failures: the electrical device or the lit layout, and an automated shaker. Gaming ceases until it is repaired."""

from audit.people import at_least
from games.engine import Refusal
from games.params import Params
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE
from tables.failures.ceasing import cease_gaming, mark_repaired
from tables.models import Round, Table
from tables.rounds.progress import advance, require_round
from tables.rounds.settlement import settle_throw
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act

WHAT_FAILS = ("device", "layout", "shaker")


@act(roles=AT_THE_TABLE, witness=True)
def report_device_failure(ctx: TableContext, params: Params) -> ActOutcome:
    """The device, the lit layout (A14) or an automated shaker failed.

    Before the dice are seen the round is void and wagers are returned. With the dice seen, the announced dice
    settle it by hand before the witness that the edition names. Either way gaming here ceases afterwards.
    """
    what = params.choice("what", WHAT_FAILS, default="device")
    dice = params.dice(optional=True)
    if ctx.table.status == Table.Status.CEASED:
        return _another_failure(ctx, what)
    if ctx.table.status != Table.Status.OPEN:
        raise Refusal("table-closed", table=ctx.table.code)
    if what == "shaker":
        return _shaker_failed(ctx)
    round_ = ctx.round
    section = ctx.rules.section("device-failure")
    cease_gaming(ctx, what, section)
    if round_ is None:
        if dice is not None:
            ctx.game.verify_report_device_failure(ctx.state, dice)
        return ActOutcome("device.failed", {"what": what, "section": section, "round": None})
    if dice is not None or ctx.state.dice:
        verify_edition_witness(ctx)
    return _settle_failure(ctx, round_, what, dice)


def _settle_failure(ctx: TableContext, round_: Round, what: str, dice: tuple[int, ...] | None) -> ActOutcome:
    had_dice = bool(ctx.state.dice)
    if had_dice and dice is not None and sorted(dice) != sorted(ctx.state.dice):
        raise Refusal("dice-entered-already", round=round_.number)
    state, failed = ctx.game.report_device_failure(ctx.state, dice)
    if had_dice:
        advance(ctx, state, by_hand=True)
        return ActOutcome("device.failed", {"what": what, "round": round_.number, "dice": list(state.dice)})
    if dice is not None:
        ctx.verify_as_they_lie(dice)
        more = {"failed": what}
        return settle_throw(
            ctx, round_, state, "round.settled_by_hand", state.settled, dice=state.dice, more=more
        )
    reason = "device failure before the dice were seen"
    return settle_throw(
        ctx, round_, state, "round.voided", failed.settled, reason=reason, more={"failed": what}
    )


def _shaker_failed(ctx: TableContext) -> ActOutcome:
    """An automated shaker failed to run or malfunctioned: the round is void and wagers are returned."""
    section = ctx.rules.section("shaker-failure")
    if ctx.round is None and ctx.rules.shaker(ctx.shaker_kind).automated:
        cease_gaming(ctx, "shaker", section)
        return ActOutcome("device.failed", {"what": "shaker", "section": section, "round": None})
    round_ = require_round(ctx)
    state, failed = ctx.game.report_shaker_failure(ctx.state)
    cease_gaming(ctx, "shaker", section)
    return settle_throw(
        ctx,
        round_,
        state,
        "round.voided",
        failed.settled,
        reason="automated shaker failed",
        more={"failed": "shaker"},
    )


def _another_failure(ctx: TableContext, what: str) -> ActOutcome:
    """Something else fails while gaming has ceased already, or what was repaired fails again: the repair begins anew.

    A failed device or layout outweighs a failed shaker, which another one may replace.
    """
    table = ctx.table
    if ctx.round is not None:
        raise Refusal("round-in-play", round=ctx.round.number)
    if what == table.ceased_what and table.repaired_at is None:
        raise Refusal("gaming-ceased", table.ceased_section, what=table.ceased_what)
    if what == "shaker" and not ctx.rules.shaker(ctx.shaker_kind).automated:
        raise Refusal("shaker-not-automated", ctx.rules.section("shaker-failure"))
    section = ctx.rules.section("shaker-failure" if what == "shaker" else "device-failure")
    if what == "shaker" and table.ceased_what != "shaker":
        ctx.change_table(repaired_at=None)
    else:
        cease_gaming(ctx, what, section)
    return ActOutcome("device.failed", {"what": what, "section": section, "round": None})


@act(roles=AT_THE_TABLE, witness=True)
def record_repair(ctx: TableContext, params: Params) -> ActOutcome:
    """Records that what failed has been repaired, and how (A15). The floor signs; its inspection lets gaming go on."""
    verify_signed_by_floor(ctx)
    how = params.text("what")
    if not ctx.table.ceased_what:
        raise Refusal("nothing-failed", table=ctx.table.code)
    if ctx.round is not None:
        raise Refusal("round-in-play", round=ctx.round.number)
    what = ctx.table.ceased_what
    mark_repaired(ctx)
    return ActOutcome("repair.recorded", {"what": what, "how": how})


def verify_edition_witness(ctx: TableContext) -> None:
    """Raises `Refusal` unless the witness of this edition signed (PA: floorperson or above; NJ: casino supervisor)."""
    role = ctx.rules.witness("device-failure") or "floorperson"
    if not any(at_least(person, role) for person in (ctx.witness, ctx.actor) if person is not None):
        raise Refusal("witness-must-sign", ctx.rules.section("device-failure"), role=role.replace("-", " "))
