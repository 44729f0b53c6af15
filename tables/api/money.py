"""Money: exact figures from the record, inventories, fills and credits, and drops. Amounts are whole cents.

People are named by their codes, as on the record; the names are in `people.py`.
"""

import datetime as dt
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from ninja import Query, Router
from pydantic import Field

from audit import clock
from games.models import Facility
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Problem, Shape
from tables.api.paging import ANY_TABLE, USUAL, Day, Limit, PlayQuery, TableCode
from tables.figures.round_figures import (
    FiguresLine,
    round_figures,
    round_line,
    table_lines,
    tables_that_dealt,
)
from tables.models import ChipTransfer, DropBox, TableInventory

router = Router(tags=["Money"])
MOST_DAYS = 31
FirstDay = Annotated[Day, Query(alias="from", description="the first gaming day")]
LastDay = Annotated[Day, Query(alias="to", description="the last gaming day")]
By = Annotated[str, Query(pattern="^(table|round)$", description="table or round: a row for each of these")]
Play = Annotated[str, Query(pattern="^(live|training|simulated)$", description="live is real play")]
Kind = Annotated[str, Query(pattern="^(|fill|credit)$", description="fill or credit; empty for both")]
MOST_LINES = 10**9
AfterLine = Annotated[
    int, Query(ge=0, le=MOST_LINES, description="`next` of the page before; 0 for the first")
]


# Figures


class FiguresShape(Shape):
    """A line of figures, as `manage.py figures` writes it (docs/figures.md). Nothing is rounded."""

    table: str
    round: int | None = Field(None, description="number of the round; null in the row of a table")
    gaming_day: dt.date | None = Field(None, description="null in the row of a table")
    game: str
    rounds: int | None = Field(None, description="settled rounds; null in the row of a round")
    wagers: int = Field(description="how many were won or lost")
    handle_cents: int
    taken_cents: int
    paid_cents: int
    win_cents: int
    fees_cents: int
    cut_cents: int = Field(description="what payout limits cut off payouts")
    expected_win: str | None = Field(description="in cents, as an exact fraction; null where it is not known")
    variance: str | None = Field(description="in cents squared, as an exact fraction")


@router.get("/facilities/{slug:facility}/figures", auth=needs("money"), response=Page[FiguresShape])
def list_figures(
    request: ApiRequest,
    facility: str,
    first_day: FirstDay,
    last_day: LastDay,
    table: TableCode = ANY_TABLE,
    play: Play = "live",
    by: By = "table",
    after: AfterLine = 0,
    limit: Limit = USUAL,
) -> object:
    """The figures of tables or rounds of some gaming days, 31 at most, from the entries of the record alone."""
    here, code = _one_table(request, facility, table)
    if not dt.timedelta(0) <= last_day - first_day < dt.timedelta(days=MOST_DAYS):
        raise Problem(
            422, "malformed", f"`from` and `to` are gaming days in this order, {MOST_DAYS} at most."
        )
    which = (here, first_day, min(last_day, here.gaming_day(clock.now())), code, play)
    lines: Iterator[FiguresLine]
    if by == "round":
        lines = map(round_line, round_figures(*which))
    else:
        lines = table_lines(
            round_figures(*which), ((row.code, row.game) for row in tables_that_dealt(*which))
        )
    page = list(islice(lines, after, after + limit + 1))
    items = [FiguresShape.model_validate(line) for line in page[:limit]]
    return Page[FiguresShape](items=items, next=after + limit if len(page) > limit else None)


def _one_table(request: ApiRequest, facility: str, table: str) -> tuple[Facility, str | None]:
    """The facility, and the code of the only table that is asked for or that the client serves."""
    caller = request.caller
    here = caller.at(facility)
    own = caller.device.place.partition("/")[2]
    code = table or own
    return here, caller.table_by_code(code).code if code else None


# Inventories, fills, credits and drops


class InventoryShape(Shape):
    """The chips of one table from an opener to its closer. Those of the closer are null while it is open."""

    table: str
    number: int = Field(description="from 1 at each table")
    gaming_day: dt.date = Field(description="of its opener")
    opened_at: dt.datetime
    opened_by: str
    opened_with: str
    opener_cents: int
    fills_cents: int
    credits_cents: int
    sold_cents: int = Field(description="chips sold for cash, which is in the drop boxes")
    taken_cents: int = Field(description="taken by its rounds; 0 until the closer")
    paid_cents: int = Field(description="paid by its rounds; 0 until the closer")
    corrected_cents: int = Field(description="changed by slips; 0 until the closer")
    closed_at: dt.datetime | None
    closed_by: str | None
    closed_with: str | None
    closer_cents: int | None


class TransferShape(Shape):
    """A fill (cage to table) or a credit (table to cage)."""

    table: str
    number: int = Field(description="number of the request, from 1 at each table")
    kind: str = Field(description="fill or credit")
    slip: str = Field(description="number of the slip, such as F-0131; empty before the cage has given it")
    status: str = Field(description="requested, preparing, on-the-way, received, void or canceled")
    cents: int = Field(description="its value, in cents")
    chips: dict[str, int] = Field(description="how many of each denomination, by its cents")
    gaming_day: dt.date
    requested_at: dt.datetime
    requested_by: str
    prepared_at: dt.datetime | None
    handed_at: dt.datetime | None
    received_at: dt.datetime | None
    ended_at: dt.datetime | None = Field(description="when it was voided or canceled")
    reason: str = Field(description="why it was voided or canceled")


class DropShape(Shape):
    """One drop box at a table."""

    table: str
    number: int = Field(description="from 1 at each table")
    box: str = Field(description="what is written on it")
    inventory: int = Field(description="number of the inventory that it belongs to")
    gaming_day: dt.date = Field(description="of the opener of its inventory")
    put_on_at: dt.datetime
    taken_off_at: dt.datetime | None
    counted_at: dt.datetime | None
    sold_cents: int = Field(description="the cash that the record says is in it")
    counted_cents: int | None = Field(description="the figure of the count room; null before")


@router.get("/facilities/{slug:facility}/inventories", auth=needs("money"), response=Page[InventoryShape])
def list_inventories(request: ApiRequest, facility: str, query: Query[PlayQuery]) -> object:
    """Inventories, those that are open included."""
    people = ("opened_by", "opened_with", "closed_by", "closed_with")
    rows = TableInventory.objects.select_related("table", *people)
    return query.page(request.caller, facility, rows, _inventory_shape)


@router.get("/facilities/{slug:facility}/transfers", auth=needs("money"), response=Page[TransferShape])
def list_transfers(request: ApiRequest, facility: str, query: Query[PlayQuery], kind: Kind = "") -> object:
    """Fills and credits, by the order of their requests."""
    rows = ChipTransfer.objects.select_related("table", "requested_by")
    return query.page(request.caller, facility, rows.filter(kind=kind) if kind else rows, _transfer_shape)


@router.get("/facilities/{slug:facility}/drops", auth=needs("money"), response=Page[DropShape])
def list_drops(request: ApiRequest, facility: str, query: Query[PlayQuery]) -> object:
    """Drop boxes, by the order in which they were put on."""
    rows = DropBox.objects.select_related("table", "inventory")
    return query.page(request.caller, facility, rows, _drop_shape, gaming_day="inventory__gaming_day")


def _inventory_shape(row: TableInventory) -> InventoryShape:
    return InventoryShape(
        table=row.table.code,
        number=row.number,
        gaming_day=row.gaming_day,
        opened_at=row.opened_at,
        opened_by=row.opened_by.code,
        opened_with=row.opened_with.code,
        opener_cents=row.opener_cents,
        fills_cents=row.fills_cents,
        credits_cents=row.credits_cents,
        sold_cents=row.sold_cents,
        taken_cents=row.taken_cents,
        paid_cents=row.paid_cents,
        corrected_cents=row.corrected_cents,
        closed_at=row.closed_at,
        closed_by=row.closed_by.code if row.closed_by else None,
        closed_with=row.closed_with.code if row.closed_with else None,
        closer_cents=row.closer_cents,
    )


def _transfer_shape(row: ChipTransfer) -> TransferShape:
    return TransferShape(
        table=row.table.code,
        number=row.number,
        kind=row.kind,
        slip=row.slip,
        status=row.status,
        cents=row.cents,
        chips=row.chips,
        gaming_day=row.gaming_day,
        requested_at=row.requested_at,
        requested_by=row.requested_by.code,
        prepared_at=row.prepared_at,
        handed_at=row.handed_at,
        received_at=row.received_at,
        ended_at=row.ended_at,
        reason=row.reason,
    )


def _drop_shape(row: DropBox) -> DropShape:
    return DropShape(
        table=row.table.code,
        number=row.number,
        box=row.box,
        inventory=row.inventory.number,
        gaming_day=row.inventory.gaming_day,
        put_on_at=row.put_on_at,
        taken_off_at=row.taken_off_at,
        counted_at=row.counted_at,
        sold_cents=row.sold_cents,
        counted_cents=row.counted_cents,
    )
