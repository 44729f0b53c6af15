"""Cash at a table: chips sold for it, and the drop box that it goes into.

1. Security and the floor put an empty drop box on the table (`put_on_drop_box`). Without one no cash is taken.
2. The dealer sells chips for cash (`sell_chips`), as far as the tray has them. The cash goes into the box.
3. Security and the floor take the box off (`take_off_drop_box`), before the closer; security takes it to the count
   room.
4. The count room's figure is entered by a cashier and signed by another or by compliance (`count_drop`), also after the
   closer. A figure that is not what was sold by the record is a discrepancy (`tables.money.tray`).
"""

import datetime as dt
from dataclasses import dataclass
from typing import Annotated, TypedDict, Unpack

from django.db.models import Count, QuerySet, Sum

from audit.columns import ACTOR, AT, DAY, NONE, SEQ, STREAM, constant, declare, if_given, same
from audit.entry_types import ABSENT, entry_type
from audit.models import Person
from games.act_forms import NO_CHIPS, Cents, Chips, Code, Seat, whole
from games.chips import are_made
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.params import MOST_CENTS
from games.separation.signatures import Paper, Step, declare_paper, verify_signed_before
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, CAGE, FLOOR
from tables.models import ChipDiscrepancy, ChipSale, DropBox, Table
from tables.money.chips import value_cents
from tables.money.tray import (
    DISCREPANCY_REPORTED,
    MAX_NUMBER,
    MONEY,
    OF_DROP_BOX,
    OF_INVENTORY,
    SECURITY,
    DifferenceCents,
    InventoryNumber,
    add_cents,
    change_tray,
    difference_words,
    report_discrepancy,
    require_inventory,
    section_of,
    signed,
    signers,
    unsigned,
    verify_in_tray,
)
from tables.runner.signatures import step_signers
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dollars

SECURITY_AND_FLOOR_MUST_SIGN = RefusalCode(
    "security-and-floor-must-sign",
    "A security officer and a floorperson must sign, each with their own PIN.",
    "Two signatures needed",
)
COUNT_ROOM_MUST_SIGN = RefusalCode(
    "count-room-must-sign",
    "A cage cashier enters the count, and another cashier or compliance must sign it with their own PIN.",
    "Two signatures needed",
)
DROP_BOX_IS_ON = RefusalCode(
    "drop-box-is-on",
    "Drop box %(box)s is on %(table)s. Security and the floor take it off first.",
    "Drop box on the table",
)
NO_DROP_BOX = RefusalCode(
    "no-drop-box",
    "No drop box is on %(table)s, so no cash can be taken. Put a drop box on first.",
    "No drop box",
)
NO_SUCH_DROP_BOX = RefusalCode(
    "no-such-drop-box",
    "%(table)s has no drop box number %(number)s.",
    "No such drop box",
)
DROP_BOX_NOT_OFF = RefusalCode(
    "drop-box-not-off",
    "Drop box %(box)s is still on the table. Take it off before it is counted.",
    "Drop box on the table",
)
DROP_BOX_ALREADY_COUNTED = RefusalCode(
    "drop-box-counted",
    "Drop box %(box)s was counted at %(at)s: %(cents)s. Nothing is changed.",
    "Already counted",
)
SALE_DIFFERS = RefusalCode(
    "sale-differs",
    "The chips are worth %(chips)s, and the cash is %(cents)s. Enter both again.",
    "Cash and chips differ",
)
NOT_IN_CHIPS = RefusalCode(
    "not-in-chips",
    "%(cents)s cannot be given in chips. The smallest chip is %(chip)s.",
    "Not an amount in chips",
)


# What the record says of sales and drop boxes


@entry_type("chips.sold")
def CHIPS_SOLD(
    *,
    inventory: InventoryNumber,
    cents: Annotated[int, "the cash, and the value of the chips"],
    chips: Annotated[
        dict[str, int], "number of chips by their value in cents; empty where nobody entered it"
    ],
    drop_box: Annotated[int, "number of the drop box that the cash went into"],
    seat: Annotated[int, "number of the seat that bought in"] = ABSENT,
) -> str:
    """A player bought chips. The cash went into the drop box."""
    return f"Chips sold: {dollars(cents)}"


class DropBoxData(TypedDict):
    drop_box: Annotated[int, "number of the drop box at this table, from 1"]
    box: Annotated[str, "what is written on the box"]
    inventory: InventoryNumber


class DropBoxTakenOff(DropBoxData):
    sold_cents: Annotated[int, "the cash that went into the box by the record"]


DROP_BOX_PUT_ON = entry_type(
    "drop_box.put_on",
    DropBoxData,
    "An empty drop box was put on a table by security and the floor.",
    lambda data: f"Drop box {data['box']} put on",
)
DROP_BOX_TAKEN_OFF = entry_type(
    "drop_box.taken_off",
    DropBoxTakenOff,
    "A drop box was taken off a table by security and the floor.",
    lambda data: f"Drop box {data['box']} taken off",
)


@entry_type("drop_box.counted")
def DROP_BOX_COUNTED(
    *,
    cents: Annotated[int, "the cash that the count room counted"],
    difference_cents: DifferenceCents,
    **data: Unpack[DropBoxTakenOff],
) -> str:
    """The count room counted the cash of a drop box."""
    return f"Drop box {data['box']} counted: {dollars(cents)}, {difference_words(difference_cents)}"


declare(
    DropBox,
    "drop box",
    key={"stream": STREAM, "number": "drop_box"},
    created={
        DROP_BOX_PUT_ON: {
            **same("box", "inventory"),
            **signed("put_on"),
            **unsigned("taken_off", "counted"),
            "sold_cents": constant(0),
            "counted_cents": NONE,
        }
    },
    changed={
        DROP_BOX_TAKEN_OFF: signed("taken_off"),
        DROP_BOX_COUNTED: {**signed("counted"), "counted_cents": "cents"},
    },
    folded={CHIPS_SOLD: lambda rows, body: add_cents(rows, body, body["data"]["drop_box"], "sold_cents")},
    readings={**OF_INVENTORY, **signers("put_on", "taken_off", "counted")},
    findings=MONEY,
)
declare(
    ChipSale,
    "sale of",
    key={"stream": STREAM, "seq": SEQ, "sold_at": AT},
    created={
        CHIPS_SOLD: {
            **same("inventory", "drop_box", "cents", "chips"),
            "gaming_day": DAY,
            "sold_by": ACTOR,
            "seat": if_given("seat"),
        }
    },
    readings=OF_DROP_BOX,
    named_by=["sold_at"],
    findings=MONEY,
)


def _box_data(box: DropBox) -> DropBoxData:
    return {"drop_box": box.number, "box": box.box, "inventory": box.inventory.number}


# The box as a paper that people sign


class DropBoxPaper(Paper[DropBox]):
    """A drop box: security and the floor sign that it is put on and taken off, the count room what was in it."""

    code, title, day_path = "drop-box", "Drop box", "inventory__gaming_day"

    def rows(self, facility: Facility) -> QuerySet[DropBox]:
        people = [
            f"{step}_{signer}" for step in ("put_on", "taken_off", "counted") for signer in ("by", "with")
        ]
        rows = DropBox.objects.filter(table__facility=facility)
        return rows.select_related("table__facility", "inventory", *people)

    def key(self, row: DropBox) -> tuple[Facility, str, int]:
        return row.table.facility, row.table.code, row.number

    def name(self, row: DropBox) -> str:
        return f"Drop box {row.box}"

    def day(self, row: DropBox) -> dt.date:
        return row.inventory.gaming_day

    def steps(self, row: DropBox) -> dict[str, Step]:
        return {
            "put-on": Step(row.put_on_at, (row.put_on_by, row.put_on_with)),
            "take-off": Step(row.taken_off_at, (row.taken_off_by, row.taken_off_with), is_next=True),
            "count": Step(
                row.counted_at, (row.counted_by, row.counted_with), is_next=row.taken_off_at is not None
            ),
        }


DROP_BOXES = declare_paper(DropBoxPaper())


# The box on the table


def drop_box_on(table: Table) -> DropBox | None:
    """The drop box that is on this table, if any."""
    boxes = DropBox.objects.select_related("inventory", "table__facility")
    return boxes.filter(table=table, taken_off_at=None).first()


def verify_drop_box_off(ctx: TableContext) -> None:
    """Raises `drop-box-is-on`, naming the box, while one is on this table."""
    box = ctx.play.drop_box
    if box:
        raise Refusal(DROP_BOX_IS_ON, section_of(ctx.table, "drop"), box=box, table=ctx.table.code)


def security_and_floor(ctx: TableContext, step: str) -> tuple[Person, ...]:
    """Return the security officer and the floorperson. Raises `security-and-floor-must-sign`."""
    refusal = Refusal(SECURITY_AND_FLOOR_MUST_SIGN, section_of(ctx.table, "drop"))
    return step_signers(ctx, DROP_BOXES.code, step, refusal)


@act(roles=FLOOR | SECURITY, witness=True, depends_on="nothing")
def put_on_drop_box(ctx: TableContext, *, box_code: Code) -> ActOutcome:
    """Put an empty drop box on the table. Security and the floor sign."""
    security, floorperson = security_and_floor(ctx, "put-on")
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
    return ActOutcome(DROP_BOX_PUT_ON(_box_data(box)), {"drop_box": box.number}, changes="nothing")


@act(roles=FLOOR | SECURITY, witness=True, depends_on="nothing")
def take_off_drop_box(ctx: TableContext) -> ActOutcome:
    """Take the drop box off the table. Security and the floor sign, and security takes it to the count room."""
    security, floorperson = security_and_floor(ctx, "take-off")
    box = drop_box_on(ctx.table)
    if box is None:
        raise Refusal(NO_DROP_BOX, section_of(ctx.table, "drop"), table=ctx.table.code)
    verify_signed_before(DROP_BOXES, box, "take-off", security, floorperson)
    box.taken_off_at, box.taken_off_by, box.taken_off_with = ctx.now, security, floorperson
    box.save(update_fields=["taken_off_at", "taken_off_by", "taken_off_with"])
    entry = DROP_BOX_TAKEN_OFF({**_box_data(box), "sold_cents": box.sold_cents})
    return ActOutcome(entry, {"drop_box": box.number}, changes="nothing")


# Chips sold


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
    verify_in_tray(ctx, cents, "drop")
    assert ctx.actor is not None
    ChipSale.objects.create(
        table=ctx.table,
        inventory=inventory,
        drop_box=box,
        gaming_day=ctx.gaming_day,
        seq=ctx.stream.seq + 1,
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
    return ActOutcome(
        CHIPS_SOLD(
            inventory=inventory.number, cents=cents, chips=chips, drop_box=box.number, seat=seat or ABSENT
        ),
        {"cents": cents},
        changes="nothing",
    )


NEWEST_SALES = 8  # of a day, in the drawer of a buy-in


@dataclass(frozen=True)
class BuyInLog:
    """The buy-ins of a table on a gaming day: how many, their sum in cents, and the newest of them."""

    count: int
    cents: int
    newest: tuple[ChipSale, ...]


def buy_ins_of(table: Table, day: dt.date) -> BuyInLog:
    """The chips sold for cash at a table on a gaming day, in two statements."""
    sales = ChipSale.objects.filter(table=table, gaming_day=day)
    sums = sales.aggregate(count=Count("pk"), cents=Sum("cents"))
    newest = sales.select_related("sold_by").order_by("-pk")[:NEWEST_SALES]
    return BuyInLog(sums["count"], sums["cents"] or 0, tuple(newest))


# The count room


COUNT_WITNESSES = frozenset({"cage", "compliance"})


def count_room(ctx: TableContext) -> tuple[Person, ...]:
    """The cashier who enters the count room's figure, and who signs it. Raises `count-room-must-sign`."""
    refusal = Refusal(COUNT_ROOM_MUST_SIGN, section_of(ctx.table, "drop"))
    return step_signers(ctx, DROP_BOXES.code, "count", refusal)


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
    cashier, witness = count_room(ctx)
    section = section_of(ctx.table, "drop")
    boxes = DropBox.objects.select_related("inventory", "table__facility")
    box = boxes.filter(table=ctx.table, number=drop_box).first()
    if box is None:
        raise Refusal(NO_SUCH_DROP_BOX, section, table=ctx.table.code, number=drop_box)
    if box.taken_off_at is None:
        raise Refusal(DROP_BOX_NOT_OFF, section, box=box.box)
    if box.counted_at is not None:
        counted_at, counted = ctx.local(box.counted_at), dollars(box.counted_cents or 0)
        raise Refusal(DROP_BOX_ALREADY_COUNTED, section, box=box.box, at=counted_at, cents=counted)
    verify_signed_before(DROP_BOXES, box, "count", cashier, witness)
    box.counted_at, box.counted_by, box.counted_with = ctx.now, cashier, witness
    box.counted_cents = cents
    box.save(update_fields=["counted_at", "counted_by", "counted_with", "counted_cents"])
    if cents != box.sold_cents:
        differs = report_discrepancy(
            ctx,
            box.inventory,
            ChipDiscrepancy.Kind.DROP,
            expected_cents=box.sold_cents,
            counted_cents=cents,
            drop_box=box,
        )
        ctx.extra_entries.append(DISCREPANCY_REPORTED(differs))
    entry = DROP_BOX_COUNTED(
        **_box_data(box), sold_cents=box.sold_cents, cents=cents, difference_cents=cents - box.sold_cents
    )
    return ActOutcome(entry, {"drop_box": box.number}, changes="nothing")
