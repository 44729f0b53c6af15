"""The open inventory of a table: its rows, its running figures on the table's row, and when it lets gaming go on.

Callers hold the table's lock. `Table.tray_cents` is the exact value of the tray without the round in play; it changes
with every round that ends, in the statement that saves the table anyway.
"""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.models import ChipTransfer, DropBox, Table, TableInventory
from tables.money.refusals import CLOSER_IS_SIGNED, CLOSER_MISSING, NO_OPEN_INVENTORY, OPENER_MISSING
from tables.money.tray import Tray, moved_in_round

UNDER_WAY = (
    ChipTransfer.Status.REQUESTED,
    ChipTransfer.Status.PREPARING,
    ChipTransfer.Status.ON_THE_WAY,
)


def section_of(table: Table, duty: str) -> str:
    """The section of a duty about the inventory (`opener`), or of the inventory itself; "" where it is a practice."""
    law = table.facility.law
    return law.section(f"inventory.{duty}") or law.section("inventory")


def keeps_inventory(table: Table) -> bool:
    """Whether the casino keeps the inventory of this table. A training table has no chips of value."""
    return table.facility.keeps_inventory and table.kind != Table.Kind.TRAINING


def needs_inventory(table: Table) -> bool:
    """Whether this table opens only after its opener. A simulated table may do without."""
    return table.facility.keeps_inventory and table.kind == Table.Kind.LIVE


# What other packages ask


def verify_opener_signed(ctx: TableContext) -> None:
    """Raises `opener-missing` where the table needs an opener that nobody has counted since the last closer."""
    if needs_inventory(ctx.table) and ctx.table.tray_cents is None:
        raise Refusal(OPENER_MISSING, section_of(ctx.table, "opener"), table=ctx.table.code)


def verify_closer_signed(ctx: TableContext) -> None:
    """Raises `closer-missing` while an inventory is open here, also where the casino has stopped keeping them."""
    if ctx.table.tray_cents is not None:
        raise Refusal(CLOSER_MISSING, section_of(ctx.table, "closer"), table=ctx.table.code)


def verify_chips_may_move(ctx: TableContext) -> None:
    """Raises `closer-is-signed` between a closer and the closing of its table."""
    signed_at = ctx.table.closer_signed_at
    if signed_at is not None:
        section = section_of(ctx.table, "closer")
        raise Refusal(CLOSER_IS_SIGNED, section, table=ctx.table.code, at=ctx.local(signed_at))


def add_ended_round(ctx: TableContext) -> None:
    """Add what the round that just ended took and paid to the running figures."""
    table, round_ = ctx.table, ctx.round
    if table.tray_cents is None or round_ is None:
        return
    ctx.change_table(
        tray_cents=table.tray_cents + round_.taken_cents - round_.paid_cents,
        tray_taken_cents=table.tray_taken_cents + round_.taken_cents,
        tray_paid_cents=table.tray_paid_cents + round_.paid_cents,
    )


def add_filed_slip(ctx: TableContext, round_number: int, cents: int) -> None:
    """Add chips that by a slip about this round are in the tray, though the settlement says otherwise.

    A slip about a round before the opener changes nothing: its chips were counted since.
    """
    if cents and ctx.table.tray_cents is not None and round_number > open_inventory(ctx.table).rounds_before:
        _correct(ctx, cents)


def add_settled_slip(ctx: TableContext, handed_cents: int) -> None:
    """Add what a slip handed to the players (negative: what they gave back).

    Between two inventories the tray is locked, so that the cage pays.
    """
    if handed_cents:
        _correct(ctx, -handed_cents)


def _correct(ctx: TableContext, cents: int) -> None:
    table = ctx.table
    if table.tray_cents is not None:
        ctx.change_table(
            tray_cents=table.tray_cents + cents, tray_corrected_cents=table.tray_corrected_cents + cents
        )


# Rows


def open_inventory(table: Table) -> TableInventory:
    """The open inventory of a table that has one."""
    return TableInventory.objects.select_related("opened_by", "opened_with").get(table=table, closed_at=None)


def require_inventory(ctx: TableContext) -> TableInventory:
    """The open inventory. Raises `closer-is-signed`, or `no-open-inventory` before an opener."""
    verify_chips_may_move(ctx)
    if ctx.table.tray_cents is None:
        raise Refusal(NO_OPEN_INVENTORY, section_of(ctx.table, "opener"), table=ctx.table.code)
    return open_inventory(ctx.table)


def drop_box_on(table: Table) -> DropBox | None:
    """The drop box that is on this table, if any."""
    return DropBox.objects.filter(table=table, taken_off_at=None).first()


def exact_cents(ctx: TableContext) -> int:
    """The exact value of the tray at this moment, with what the round in play has moved so far."""
    assert ctx.table.tray_cents is not None
    if ctx.round is None:
        return ctx.table.tray_cents
    return ctx.table.tray_cents + moved_in_round(ctx.game, ctx.state).cents


def tray_of(table: Table, inventory: TableInventory) -> Tray:
    """The sums of an inventory: of the table's row while it is open, of its own row after its closer."""
    row = inventory if inventory.closed_at is not None else None
    return Tray(
        inventory.opener_cents,
        inventory.fills_cents,
        inventory.credits_cents,
        inventory.sold_cents,
        row.taken_cents if row else table.tray_taken_cents,
        row.paid_cents if row else table.tray_paid_cents,
        row.corrected_cents if row else table.tray_corrected_cents,
    )


def change_tray(ctx: TableContext, cents: int) -> None:
    """Add chips that moved by another act than a round or a slip. The caller changes the sum of the inventory."""
    assert ctx.table.tray_cents is not None
    ctx.change_table(tray_cents=ctx.table.tray_cents + cents)
