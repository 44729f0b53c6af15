"""Acts on dice lots at a table: issued to it, placed in its shaker, inspected, taken out of play."""

from typing import Annotated

from audit import clock
from games.act_forms import Text, text
from games.engine import Refusal
from games.engine.rules import A_DAY
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, DICE_KEEPERS, FLOOR
from tables.core.refusals import NO_DICE, NO_SHAKER
from tables.dice import custody
from tables.dice.custody import Status
from tables.dice.entry_types import (
    DICE_LOT_EXAMINED,
    DICE_LOT_ISSUED,
    DICE_LOT_PLACED,
    DICE_LOT_RETURNED,
    DICE_LOT_TAMPERED,
    DICE_LOT_WITHDRAWN,
    SHAKER_UNLOCKED,
    DiceInspection,
    DiceLotIssued,
    DiceLotPlaced,
    DiceLotReturned,
    DiceLotWithdrawn,
    ShakerUnlocked,
    WithdrawalReason,
)
from tables.dice.handling import (
    OUTSIDE_SHAKER,
    finder_data,
    locked_fresh_lot,
    locked_lot_of_table,
    place_lot,
    remove_dice,
    verify_lot_fits,
    verify_no_dice_in_play,
    verify_sealed,
)
from tables.dice.refusals import SAY_WHAT_WAS_FOUND, SHAKER_HAS_NO_MONTH, WITHDRAW_TAMPERED_DICE
from tables.runner.signatures import verify_signed_by_floor, verify_two_departments
from tables.runner.table import ActOutcome, act


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def issue_dice(ctx: TableContext, *, lot_code: Text) -> ActOutcome:
    """Issue a stored lot to this table. Table games and a second department sign.

    At the start of the gaming day, and again whenever dice must be replaced.
    """
    facility = ctx.table.facility
    section = custody.duty_section(facility, "issue")
    verify_two_departments(ctx, section)
    lot = custody.locked_lot(facility, lot_code)
    custody.verify_status(lot, [Status.STORED], section)
    verify_lot_fits(ctx, lot)
    lot.status, lot.table = Status.ISSUED, ctx.table
    lot.save(update_fields=["status", "table"])
    ctx.lots.append(lot)
    data: DiceLotIssued = {**custody.lot_data(lot), "from": lot.compartment, "section": section}
    return ActOutcome(DICE_LOT_ISSUED(data), changes="nothing")


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def return_dice(
    ctx: TableContext, *, lot_code: Text, compartment: Annotated[str, text(40)] = ""
) -> ActOutcome:
    """Return a lot that was issued here and never placed to storage. Two departments sign."""
    section = custody.duty_section(ctx.table.facility, "storage")
    verify_two_departments(ctx, section)
    lot = locked_lot_of_table(ctx, lot_code)
    custody.verify_status(lot, [Status.ISSUED], section)
    lot.status, lot.table, lot.compartment = Status.STORED, None, compartment or lot.compartment
    lot.save(update_fields=["status", "table", "compartment"])
    ctx.lots.append(lot)
    data: DiceLotReturned = {"lot": lot.code, "compartment": lot.compartment, "section": section}
    return ActOutcome(DICE_LOT_RETURNED(data), changes="nothing")


@act(roles=AT_THE_TABLE, witness=True)
def change_dice_lot(ctx: TableContext, *, lot_code: Text, seal: Annotated[str, text(40)] = "") -> ActOutcome:
    """Put a lot into the shaker, seal or lock it, and start its clock. The floor signs.

    The previous lot leaves play for good: dice never return to a shaker, because their clock would start again
    (A16).
    """
    verify_signed_by_floor(ctx)
    verify_no_dice_in_play(ctx)
    shaker = ctx.shaker
    if shaker is None:
        raise Refusal(NO_SHAKER, table=ctx.table.code)
    verify_sealed(ctx, seal)
    lot = locked_fresh_lot(ctx, lot_code)
    removed_lot = remove_dice(ctx, shaker, "replaced")
    expires_at = place_lot(ctx, lot, shaker, seal)
    data: DiceLotPlaced = {
        "lot": lot.code,
        "shaker": shaker.code,
        "expires_at": clock.format_moment(expires_at),
        "removed": removed_lot,
        "dice": lot.dice,
        "section": lot.clock_section,
        "attested": lot.attested,
        "seal": seal,
    }
    return ActOutcome(DICE_LOT_PLACED(data))


@act(roles=AT_THE_TABLE, witness=True)
def withdraw_dice(ctx: TableContext, *, why: WithdrawalReason, found: Text = "") -> ActOutcome:
    """Take the dice at this table out of play for good: one is lost, or they are marked or no longer fit.

    Nothing is shaken or thrown here until another lot is placed (§ 577.4(d)). The entry names the finder and their
    license.
    """
    verify_no_dice_in_play(ctx)
    shaker = ctx.shaker
    removed_lot = remove_dice(ctx, shaker, why) if shaker else None
    if shaker is None or removed_lot is None:
        raise Refusal(NO_DICE, ctx.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    section = ctx.rules.section("new-dice-at-opening") or ctx.rules.section("dice-number")
    data: DiceLotWithdrawn = {
        **finder_data(ctx),
        "lot": removed_lot,
        "shaker": shaker.code,
        "why": why,
        "section": section,
        "found": found,
        "round": ctx.round.number if ctx.round else None,
    }
    return ActOutcome(DICE_LOT_WITHDRAWN(data))


@act(roles=AT_THE_TABLE, witness=True)
def unlock_shaker(ctx: TableContext, *, why: Text) -> ActOutcome:
    """Open the lock of an automated shaker. The floor signs.

    This ends the calendar month of its dice (A17): they expire 24 hours after they were placed.
    """
    verify_signed_by_floor(ctx)
    verify_no_dice_in_play(ctx)
    lot, shaker = ctx.lot, ctx.shaker
    if lot is None or shaker is None or lot.placed_at is None or lot.expires_at is None:
        raise Refusal(NO_DICE, ctx.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    if not ctx.rules.shaker(shaker.kind).months:
        raise Refusal(SHAKER_HAS_NO_MONTH, ctx.rules.section("dice-clock-manual"), shaker=shaker.code)
    lot.expires_at = min(lot.expires_at, lot.placed_at + A_DAY)
    lot.seal = ""
    lot.save(update_fields=["expires_at", "seal"])
    ctx.lots.append(lot)
    data: ShakerUnlocked = {
        "lot": lot.code,
        "shaker": shaker.code,
        "why": why,
        "expires_at": clock.format_moment(lot.expires_at),
        "section": lot.clock_section,
    }
    return ActOutcome(SHAKER_UNLOCKED(data))


@act(roles=FLOOR, depends_on="nothing")
def examine_dice(
    ctx: TableContext, *, lot_code: Text, tampered: bool = False, found: Text = ""
) -> ActOutcome:
    """Record the end-of-day inspection of a lot that this table has or had: sound, or tampered with.

    A report of tampering has the time, the table, and the finder's name and license. Dice in the shaker must be
    taken out first, with `withdraw_dice`.
    """
    lot = locked_lot_of_table(ctx, lot_code)
    custody.verify_status(lot, [Status.PLACED, *OUTSIDE_SHAKER])
    if tampered and lot.status == Status.PLACED:
        raise Refusal(WITHDRAW_TAMPERED_DICE, lot=lot.code)
    if tampered and not found:
        raise Refusal(SAY_WHAT_WAS_FOUND, lot=lot.code)
    lot.examined_at, lot.tampered = ctx.now, lot.tampered or tampered
    if tampered and lot.status == Status.ISSUED:
        custody.remove_from_play(lot, ctx.now, "tampered")
    lot.save(update_fields=["examined_at", "tampered"])
    ctx.lots.append(lot)
    data: DiceInspection = {
        **finder_data(ctx),
        "lot": lot.code,
        "found": found,
        "section": custody.duty_section(ctx.table.facility, "examination"),
    }
    entry_type = DICE_LOT_TAMPERED if tampered else DICE_LOT_EXAMINED
    return ActOutcome(entry_type(data), changes="nothing")
