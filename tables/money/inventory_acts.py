"""Acts that count the tray: the opener, a count at any time, and the closer; and the par of a table."""

from games.act_forms import Chips
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, STAFFERS
from tables.core.refusals import ROUND_IN_PLAY
from tables.models import ChipDiscrepancy, Table, TableInventory, TrayPar
from tables.money.discrepancies import add_discrepancy
from tables.money.entry_types import (
    CLOSER_COUNTED,
    OPENER_COUNTED,
    PAR_SET,
    TRAY_COUNTED,
    CloserCounted,
    LastCloser,
)
from tables.money.inventory import (
    exact_cents,
    keeps_inventory,
    require_inventory,
    section_of,
    tray_of,
    verify_chips_may_move,
    verify_drop_box_off,
    verify_nothing_under_way,
)
from tables.money.refusals import (
    NO_INVENTORY_KEPT,
    OPENER_IS_SIGNED,
    PAR_UNCHANGED,
)
from tables.money.signing import dealer_and_floor, verify_par_is_signed
from tables.money.tray import differences, value_cents
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_opener(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray before the table opens, against the slip of the last closer. The dealer and the floor sign.

    An opener that differs is a discrepancy; the inventory begins with what was counted.
    """
    _verify_kept(ctx)
    dealer, floorperson = dealer_and_floor(ctx, "opener")
    _verify_may_begin(ctx)
    last = TableInventory.objects.filter(table=ctx.table).order_by("-number").first()
    cents = value_cents(chips)
    inventory = TableInventory.objects.create(
        table=ctx.table,
        number=last.number + 1 if last else 1,
        gaming_day=ctx.gaming_day,
        opened_seq=ctx.stream.seq + 1,
        rounds_before=ctx.table.last_round,
        opened_at=ctx.now,
        opened_by=dealer,
        opened_with=floorperson,
        opener_chips=chips,
        opener_cents=cents,
        counted_chips=chips,
        counted_cents=cents,
        counted_at=ctx.now,
        counted_exact_cents=cents,
    )
    ctx.change_table(
        tray_cents=cents,
        tray_taken_cents=0,
        tray_paid_cents=0,
        tray_corrected_cents=0,
        closer_signed_at=None,
    )
    closer: LastCloser | None = None
    if last is not None:
        assert last.closer_cents is not None
        closer = {"inventory": last.number, "chips": last.closer_chips, "cents": last.closer_cents}
        if differences(last.closer_chips, chips):
            add_discrepancy(
                ctx,
                inventory,
                ChipDiscrepancy.Kind.OPENER,
                expected_chips=last.closer_chips,
                expected_cents=last.closer_cents,
                counted_chips=chips,
                counted_cents=cents,
            )
    entry = OPENER_COUNTED(
        {
            "inventory": inventory.number,
            "chips": chips,
            "cents": cents,
            "closer": closer,
            "difference_cents": cents - closer["cents"] if closer else 0,
        }
    )
    return ActOutcome(entry, {"inventory": inventory.number, "cents": cents}, changes="nothing")


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_tray(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray by denomination, at any time. The dealer and the floor sign.

    A count that differs from the exact value is a discrepancy, and adjusts nothing.
    """
    dealer_and_floor(ctx, "count")
    inventory = require_inventory(ctx)
    cents, exact = value_cents(chips), exact_cents(ctx)
    _write_count(ctx, inventory, chips, exact)
    inventory.save(update_fields=COUNT_FIELDS)
    if cents != exact:
        _add_difference(ctx, inventory, ChipDiscrepancy.Kind.COUNT, chips, exact)
    entry = TRAY_COUNTED(
        {
            "inventory": inventory.number,
            "chips": chips,
            "cents": cents,
            "exact_cents": exact,
            "difference_cents": cents - exact,
        }
    )
    return ActOutcome(entry, {"cents": cents, "exact_cents": exact}, changes="nothing")


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_closer(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray before the table closes. The dealer and the floor sign; its slip is locked in with the chips.

    Refused during a round, while a fill or a credit is under way, and while a drop box is on the table. No chips move
    from then on until the next opener.
    """
    dealer, floorperson = dealer_and_floor(ctx, "closer")
    inventory = require_inventory(ctx)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    verify_nothing_under_way(ctx)
    verify_drop_box_off(ctx)
    table, tray = ctx.table, tray_of(ctx.table, inventory)
    cents, exact = value_cents(chips), exact_cents(ctx)
    _write_count(ctx, inventory, chips, exact)
    inventory.taken_cents = tray.taken_cents
    inventory.paid_cents = tray.paid_cents
    inventory.corrected_cents = tray.corrected_cents
    inventory.closer_chips, inventory.closer_cents = chips, cents
    inventory.closed_seq, inventory.last_round = ctx.stream.seq + 1, table.last_round
    inventory.closed_at, inventory.closed_by, inventory.closed_with = ctx.now, dealer, floorperson
    inventory.save()
    ctx.change_table(
        tray_cents=None,
        tray_taken_cents=0,
        tray_paid_cents=0,
        tray_corrected_cents=0,
        closer_signed_at=ctx.now,
    )
    if cents != exact:
        _add_difference(ctx, inventory, ChipDiscrepancy.Kind.CLOSER, chips, exact)
    data: CloserCounted = {
        "inventory": inventory.number,
        "chips": chips,
        "cents": cents,
        "exact_cents": exact,
        "difference_cents": cents - exact,
        "opener_cents": tray.opener_cents,
        "fills_cents": tray.fills_cents,
        "credits_cents": tray.credits_cents,
        "sold_cents": tray.sold_cents,
        "taken_cents": tray.taken_cents,
        "paid_cents": tray.paid_cents,
        "corrected_cents": tray.corrected_cents,
        "last_round": table.last_round,
    }
    return ActOutcome(CLOSER_COUNTED(data), {"cents": cents, "exact_cents": exact})


@act(roles=STAFFERS, witness=True, depends_on="nothing")
def set_par(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Set what the tray of this table should hold, by denomination. Two people sign, as the row `pars` says.

    Raises `second-person-must-sign`.
    """
    _verify_kept(ctx)
    verify_par_is_signed(ctx)
    par = TrayPar.objects.filter(table=ctx.table).first() or TrayPar(table=ctx.table)
    if par.pk is not None and par.chips == chips:
        raise Refusal(PAR_UNCHANGED, table=ctx.table.code)
    assert ctx.actor is not None
    par.chips, par.set_at, par.set_by = chips, ctx.now, ctx.actor
    par.save()
    return ActOutcome(PAR_SET({"chips": chips, "cents": value_cents(chips)}), changes="nothing")


COUNT_FIELDS = ("counted_chips", "counted_cents", "counted_at", "counted_exact_cents")


def _write_count(ctx: TableContext, inventory: TableInventory, chips: dict[str, int], exact: int) -> None:
    inventory.counted_chips, inventory.counted_cents = chips, value_cents(chips)
    inventory.counted_at, inventory.counted_exact_cents = ctx.now, exact


def _add_difference(
    ctx: TableContext,
    inventory: TableInventory,
    kind: ChipDiscrepancy.Kind,
    chips: dict[str, int],
    exact: int,
) -> None:
    """Report a count of which only the sum is known by the record."""
    add_discrepancy(
        ctx,
        inventory,
        kind,
        expected_cents=exact,
        counted_chips=chips,
        counted_cents=value_cents(chips),
    )


def _verify_kept(ctx: TableContext) -> None:
    table = ctx.table
    if not keeps_inventory(table):
        raise Refusal(NO_INVENTORY_KEPT, facility=table.facility.name, table=table.code)


def _verify_may_begin(ctx: TableContext) -> None:
    """An inventory begins where none is open, in no round, and not between a closer and the closing of its table."""
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    if table.tray_cents is not None:
        opened_at = TableInventory.objects.get(table=table, closed_at=None).opened_at
        section = section_of(table, "opener")
        raise Refusal(OPENER_IS_SIGNED, section, table=table.code, at=ctx.local(opened_at))
    if table.status != Table.Status.CLOSED:
        verify_chips_may_move(ctx)
