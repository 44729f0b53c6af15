"""Cash at a table: chips sold for it, and the drop box that it goes into."""

from typing import Annotated

from games.act_forms import NO_CHIPS, Cents, Chips, Code, Seat, whole
from games.chips import are_made
from games.engine import Refusal
from games.params import MOST_CENTS
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, CAGE, FLOOR
from tables.models import ChipDiscrepancy, ChipSale, DropBox
from tables.money.discrepancies import add_discrepancy
from tables.money.entry_types import (
    CHIPS_SOLD,
    DROP_BOX_COUNTED,
    DROP_BOX_PUT_ON,
    DROP_BOX_TAKEN_OFF,
    ChipsSold,
    DropBoxData,
)
from tables.money.inventory import (
    change_tray,
    drop_box_on,
    exact_cents,
    require_inventory,
    section_of,
)
from tables.money.refusals import (
    DROP_BOX_ALREADY_COUNTED,
    DROP_BOX_IS_ON,
    DROP_BOX_NOT_OFF,
    NO_DROP_BOX,
    NO_SUCH_DROP_BOX,
    NOT_IN_CHIPS,
    SALE_DIFFERS,
    TOO_FEW_CHIPS_IN_TRAY,
)
from tables.money.signing import SECURITY, count_room, security_and_floor
from tables.money.tray import value_cents
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

MAX_NUMBER = 2**31 - 1


@act(roles=AT_THE_TABLE, depends_on="nothing")
def sell_chips(ctx: TableContext, *, cents: Cents, chips: Chips = NO_CHIPS, seat: Seat = 0) -> ActOutcome:
    """Sell chips for cash, which goes into the drop box. `chips` by denomination and `seat` may be left out."""
    inventory = require_inventory(ctx)
    ctx.verify_open()
    section = section_of(ctx.table, "drop")
    if chips and value_cents(chips) != cents:
        raise Refusal(SALE_DIFFERS, section, chips=dollars(value_cents(chips)), cents=dollars(cents))
    values = ctx.table.facility.chip_values
    if not are_made(values, cents):
        raise Refusal(NOT_IN_CHIPS, section, cents=dollars(cents), chip=dollars(values[-1]))
    box = drop_box_on(ctx.table)
    if box is None:
        raise Refusal(NO_DROP_BOX, section, table=ctx.table.code)
    tray = exact_cents(ctx)
    if cents > tray:
        raise Refusal(TOO_FEW_CHIPS_IN_TRAY, section, tray=dollars(tray), cents=dollars(cents))
    assert ctx.actor is not None
    ChipSale.objects.create(
        table=ctx.table,
        inventory=inventory,
        drop_box=box,
        gaming_day=ctx.gaming_day,
        sold_at=ctx.now,
        sold_by=ctx.actor,
        seat=seat or None,
        cents=cents,
        chips=chips,
    )
    inventory.sold_cents += cents
    inventory.save(update_fields=["sold_cents"])
    box.sold_cents += cents
    box.save(update_fields=["sold_cents"])
    change_tray(ctx, -cents)
    data: ChipsSold = {
        "inventory": inventory.number,
        "cents": cents,
        "chips": chips,
        "drop_box": box.number,
    }
    if seat:
        data["seat"] = seat
    return ActOutcome(CHIPS_SOLD(data), {"cents": cents}, changes="nothing")


@act(roles=FLOOR | SECURITY, witness=True, depends_on="nothing")
def put_on_drop_box(ctx: TableContext, *, box_code: Code) -> ActOutcome:
    """Put an empty drop box on the table. Security and the floor sign."""
    security, floorperson = security_and_floor(ctx, "drop")
    inventory = require_inventory(ctx)
    box = drop_box_on(ctx.table)
    if box is not None:
        section = section_of(ctx.table, "drop")
        raise Refusal(DROP_BOX_IS_ON, section, box=box.box, table=ctx.table.code)
    box = DropBox.objects.create(
        table=ctx.table,
        inventory=inventory,
        number=DropBox.objects.filter(table=ctx.table).count() + 1,
        box=box_code,
        put_on_at=ctx.now,
        put_on_by=security,
        put_on_with=floorperson,
    )
    return ActOutcome(DROP_BOX_PUT_ON(_data(box)), {"drop_box": box.number}, changes="nothing")


@act(roles=FLOOR | SECURITY, witness=True, depends_on="nothing")
def take_off_drop_box(ctx: TableContext) -> ActOutcome:
    """Take the drop box off the table. Security and the floor sign, and security takes it to the count room."""
    security, floorperson = security_and_floor(ctx, "drop")
    box = drop_box_on(ctx.table)
    if box is None:
        raise Refusal(NO_DROP_BOX, section_of(ctx.table, "drop"), table=ctx.table.code)
    box.taken_off_at, box.taken_off_by, box.taken_off_with = ctx.now, security, floorperson
    box.save(update_fields=["taken_off_at", "taken_off_by", "taken_off_with"])
    entry = DROP_BOX_TAKEN_OFF({**_data(box), "sold_cents": box.sold_cents})
    return ActOutcome(entry, {"drop_box": box.number}, changes="nothing")


@act(roles=CAGE, witness=True, depends_on="nothing")
def count_drop(
    ctx: TableContext,
    *,
    drop_box: Annotated[int, whole(1, MAX_NUMBER)],
    cents: Annotated[int, whole(0, MOST_CENTS)],
) -> ActOutcome:
    """Enter the count room's figure of a drop box. A cashier enters it; another cashier or compliance signs.

    It may come after the closer. A figure that is not what the record says is a discrepancy, and adjusts nothing.
    """
    cashier, witness = count_room(ctx, "drop")
    section = section_of(ctx.table, "drop")
    boxes = DropBox.objects.select_related("inventory")
    box = boxes.filter(table=ctx.table, number=drop_box).first()
    if box is None:
        raise Refusal(NO_SUCH_DROP_BOX, section, table=ctx.table.code, number=drop_box)
    if box.taken_off_at is None:
        raise Refusal(DROP_BOX_NOT_OFF, section, box=box.box)
    if box.counted_at is not None:
        counted_at, counted = ctx.local(box.counted_at), dollars(box.counted_cents or 0)
        raise Refusal(DROP_BOX_ALREADY_COUNTED, section, box=box.box, at=counted_at, cents=counted)
    box.counted_at, box.counted_by, box.counted_with = ctx.now, cashier, witness
    box.counted_cents = cents
    box.save(update_fields=["counted_at", "counted_by", "counted_with", "counted_cents"])
    if cents != box.sold_cents:
        add_discrepancy(
            ctx,
            box.inventory,
            ChipDiscrepancy.Kind.DROP,
            expected_cents=box.sold_cents,
            counted_cents=cents,
            drop_box=box,
        )
    entry = DROP_BOX_COUNTED(
        {
            **_data(box),
            "sold_cents": box.sold_cents,
            "cents": cents,
            "difference_cents": cents - box.sold_cents,
        }
    )
    return ActOutcome(entry, {"drop_box": box.number}, changes="nothing")


def _data(box: DropBox) -> DropBoxData:
    return {"drop_box": box.number, "box": box.box, "inventory": box.inventory.number}
