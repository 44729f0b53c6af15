"""The open inventory of a table: its rows, its running figures on the table's row, and when it lets gaming go on.

Callers hold the table's lock. `Table.tray_cents` is the exact value of the tray without the round in play; it changes
with every round that ends, in the statement that saves the table anyway.
"""

from django.conf import settings

from games.engine import Refusal
from games.engine.odds import in_dollars
from tables.core.alerts import end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.held_back import held_in_tray
from tables.models import ChipTransfer, DropBox, Table, TableInventory
from tables.models.money import slip_of
from tables.money.alert_rules import TRAY_BELOW_ZERO
from tables.money.refusals import (
    CLOSER_IS_SIGNED,
    CLOSER_MISSING,
    DROP_BOX_IS_ON,
    MORE_THAN_THE_HOUSE_HAS,
    NO_OPEN_INVENTORY,
    OPENER_MISSING,
    TRANSFERS_UNDER_WAY,
)
from tables.money.tray import MovedChips, Tray, moved_in_round, settled_so_far

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


def verify_nothing_under_way(ctx: TableContext) -> None:
    """Raises `transfers-under-way`, naming them, while a fill or a credit of this table is under way."""
    transfers = ctx.play.transfers
    if transfers:
        names = [slip_of(row.kind, row.slip_number) or f"request {row.number}" for row in transfers]
        raise Refusal(TRANSFERS_UNDER_WAY, section_of(ctx.table, "transfer"), transfers=", ".join(names))


def verify_drop_box_off(ctx: TableContext) -> None:
    """Raises `drop-box-is-on`, naming the box, while one is on this table."""
    box = ctx.play.drop_box
    if box:
        raise Refusal(DROP_BOX_IS_ON, section_of(ctx.table, "drop"), box=box, table=ctx.table.code)


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
    change_tray(ctx, round_.taken_cents - round_.paid_cents)
    ctx.change_table(
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
        change_tray(ctx, cents)
        ctx.change_table(tray_corrected_cents=table.tray_corrected_cents + cents)


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
    return ctx.table.tray_cents + moved_in_play(ctx).cents


def moved_in_play(ctx: TableContext) -> MovedChips:
    """What the round in play has moved so far, without payouts that are held back."""
    if ctx.round is None:
        return MovedChips()
    moved = moved_in_round(ctx.game, ctx.state)
    held_cents = (
        held_in_tray(ctx.round, ctx.state, settled_so_far(ctx.game, ctx.state)) if ctx.round.raises else 0
    )
    return MovedChips(moved.taken_cents, moved.paid_cents - held_cents)


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
    """Add chips that moved. The caller changes the sum of the inventory.

    No tray holds less than nothing: an alert says so until the record shows chips again.
    """
    before_cents = ctx.table.tray_cents
    assert before_cents is not None
    ctx.change_table(tray_cents=before_cents + cents)
    if before_cents + cents < 0:
        raise_alert(ctx, TRAY_BELOW_ZERO.expected(ctx.table.pk, cents=-before_cents - cents))
    elif before_cents < 0:
        end_alert(ctx, TRAY_BELOW_ZERO.key)


def verify_chips_exist(table: Table, wagered_cents: int) -> None:
    """Refuse wagers or payments of one table that come to more than all chips of the casino: a typing error.

    Nothing that chips of the casino can make is refused for its size: what was accepted is settled and paid
    (§ 521.7(c)). Raises `more-than-the-house-has`.
    """
    if wagered_cents > settings.HOUSE_CHIPS_CENTS:
        wagered, house = in_dollars(wagered_cents), in_dollars(settings.HOUSE_CHIPS_CENTS)
        raise Refusal(MORE_THAN_THE_HOUSE_HAS, table=table.code, wagered=wagered, house=house)
