"""Dice in and out of a shaker: the checks, and the steps themselves."""

import datetime as dt

from games.engine import Refusal, dice_expiry
from tables.core.alerts import end_alert
from tables.core.context import TableContext
from tables.dice import custody
from tables.dice.custody import Status
from tables.dice.entry_types import FinderData
from tables.dice.refusals import (
    DICE_IN_PLAY,
    DICE_NOT_ATTESTED,
    DICE_OF_ANOTHER_SIZE,
    DICE_OF_OTHER_COLOURS,
    LOT_NOT_ISSUED,
    LOT_OF_ANOTHER_KIND,
    LOT_OF_OTHER_DICE,
    LOT_WAS_USED,
    SEAL_MISSING,
)
from tables.models import DiceLot, Shaker

OUTSIDE_SHAKER = (Status.ISSUED, Status.REMOVED)


def finder_data(ctx: TableContext) -> FinderData:
    """The table, and the name and license of the person who found the dice as they are."""
    assert ctx.actor is not None
    return {"table": ctx.table.code, "finder": ctx.actor.name, "licence": ctx.actor.licence}


def verify_no_dice_in_play(ctx: TableContext) -> None:
    """Raises `dice-in-play` once the dice are shaken or thrown, or some of them are on the layout.

    A round whose next throw uses all the dice may have them changed, so that expired dice never strand it.
    """
    if ctx.round is not None and not ctx.dice_at_rest:
        raise Refusal(DICE_IN_PLAY, round=ctx.round.number)


def verify_sealed(ctx: TableContext, seal: str) -> None:
    """Raises `seal-missing` if the edition requires a sealed shaker and no seal is named."""
    section = ctx.rules.section("dice-sealed")
    if section and not seal:
        raise Refusal(SEAL_MISSING, section)


def verify_lot_fits(ctx: TableContext, lot: DiceLot) -> None:
    """Refuse a lot that does not suit this table's edition.

    Raises `lot-of-another-kind`, `dice-not-attested`, `lot-of-other-dice`, `dice-of-another-size` or
    `dice-of-other-colours`.
    """
    rules, edition = ctx.rules, ctx.rules.edition
    if lot.training != (ctx.table.kind == "training"):
        raise Refusal(LOT_OF_ANOTHER_KIND, lot=lot.code)
    if rules.section("dice-standard") and not lot.attested:
        raise Refusal(DICE_NOT_ATTESTED, rules.section("dice-standard"), lot=lot.code)
    if lot.dice != edition.dice_in_lot:
        raise Refusal(LOT_OF_OTHER_DICE, rules.section("dice-number"), lot=lot.code, dice=lot.dice)
    if edition.dice_size_um and lot.size_um != edition.dice_size_um:
        size = f"{lot.size_um // 1000}.{lot.size_um % 1000:03}"
        raise Refusal(DICE_OF_ANOTHER_SIZE, rules.section("dice-number"), lot=lot.code, mm=size)
    if (edition.dice_in_lot > edition.dice) != (lot.colors == DiceLot.Colors.GREEN_AND_RED):
        raise Refusal(DICE_OF_OTHER_COLOURS, rules.section("dice-number"), lot=lot.code)


def remove_dice(ctx: TableContext, shaker: Shaker, why: str) -> str | None:
    """Take the lot in this shaker out of play for good and end the warnings about its time. Return its code."""
    old = custody.locked_lot_in(shaker)
    if old is None:
        return None
    custody.remove_from_play(old, ctx.now, why)
    end_alert(ctx, "dice")
    ctx.lots.append(old)
    return old.code


def place_lot(ctx: TableContext, lot: DiceLot, shaker: Shaker, seal: str) -> dt.datetime:
    """Put a lot into a shaker and start its clock. Return the moment at which it expires."""
    lot.status, lot.shaker, lot.placed_at, lot.seal = Status.PLACED, shaker, ctx.now, seal
    local = ctx.table.facility.local(ctx.now)
    expires_at, lot.clock_section = dice_expiry(ctx.rules, shaker.kind, local, lot.attested)
    lot.expires_at = expires_at
    lot.save(update_fields=["status", "shaker", "placed_at", "seal", "expires_at", "clock_section"])
    ctx.lots.append(lot)
    return expires_at


def locked_fresh_lot(ctx: TableContext, code: str) -> DiceLot:
    """Lock and return a lot that was issued to this table and never placed.

    Raises `lot-was-used`, `lot-not-issued`, or what `verify_lot_fits` raises.
    """
    lot = custody.locked_lot(ctx.table.facility, code)
    if lot.placed_at is not None:
        raise Refusal(LOT_WAS_USED, ctx.rules.section("dice-clock-manual"), lot=code)
    verify_lot_fits(ctx, lot)
    if lot.status != Status.ISSUED or lot.table_id != ctx.table.pk:
        raise Refusal(LOT_NOT_ISSUED, lot=code, table=ctx.table.code)
    return lot


def locked_lot_of_table(ctx: TableContext, code: str) -> DiceLot:
    """Lock and return a lot of this table. Raises `lot-not-issued`."""
    lot = custody.locked_lot(ctx.table.facility, code)
    if lot.table_id != ctx.table.pk:
        raise Refusal(LOT_NOT_ISSUED, lot=code, table=ctx.table.code)
    return lot
