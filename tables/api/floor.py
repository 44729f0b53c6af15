"""The floor as it is: facilities and tables, limits with their pending changes, and dice lots."""

import datetime as dt

from ninja import Router
from pydantic import Field

from audit import clock
from games.registry import game_by_code
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Shape
from tables.api.paging import ANY_TABLE, USUAL, After, Limit, TableCode, page_of
from tables.models import DiceLot, LimitsChange, Table

router = Router(tags=["Floor"])


class FacilityShape(Shape):
    """A casino."""

    code: str
    name: str
    jurisdiction: str = Field(description="code of the state whose rules hold")
    time_zone: str = Field(description="its time zone, by its name at IANA")
    gaming_day: dt.date = Field(description="the gaming day of now")


class TableShape(Shape):
    """A gaming table as it is now."""

    code: str
    pit: str
    game: str = Field(description="code of the game")
    game_name: str
    kind: str = Field(description="live, training or simulated")
    status: str = Field(description="closed, open or ceased")
    seats: int
    version: int = Field(
        description="number of the newest entry on its stream: send it as `seen` with an act"
    )
    stream: str = Field(description="name of its stream on the record")
    submission: str = Field(description="code of the rules submission that is dealt here")
    min_cents: int
    max_cents: int
    round: int = Field(description="number of the newest round")


@router.get("/facilities", auth=needs("floor"), response=Page[FacilityShape])
def list_facilities(request: ApiRequest) -> object:
    """The facility of the client."""
    here = request.caller.facility
    row = FacilityShape(
        code=here.code,
        name=here.name,
        jurisdiction=here.jurisdiction,
        time_zone=here.time_zone,
        gaming_day=here.gaming_day(clock.now()),
    )
    return Page[FacilityShape](items=[row], next=None)


@router.get("/facilities/{slug:facility}/tables", auth=needs("floor"), response=Page[TableShape])
def list_tables(request: ApiRequest, facility: str) -> object:
    """The tables of the facility, by code."""
    request.caller.at(facility)
    return Page[TableShape](items=[table_shape(table) for table in request.caller.tables()], next=None)


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}", auth=needs("floor", "acts"), response=TableShape
)
def read_table(request: ApiRequest, facility: str, table: str) -> object:
    """One table."""
    return table_shape(request.caller.table(facility, table))


def table_shape(table: Table) -> TableShape:
    """A table as the API shows it."""
    return TableShape(
        code=table.code,
        pit=table.pit.code,
        game=table.game,
        game_name=game_by_code(table.game).name,
        kind=table.kind,
        status=table.status,
        seats=table.seats,
        version=table.stream.seq,
        stream=table.stream.name,
        submission=table.submission_code,
        min_cents=table.min_cents,
        max_cents=table.max_cents,
        round=table.last_round,
    )


# Limits


class LimitsChangeShape(Shape):
    """A change of the limits of a table. It holds from the first round that begins after `effective_at`."""

    table: str
    number: int = Field(description="from 1 at each table")
    status: str = Field(description="pending, done or cancelled")
    was_min_cents: int
    was_max_cents: int
    min_cents: int
    max_cents: int
    nobody_played: bool = Field(description="whether it took effect at once, because nobody played")
    asked_at: dt.datetime
    posted_at: dt.datetime | None = Field(description="when the sign was posted; null before")
    announced_at: dt.datetime | None
    effective_at: dt.datetime | None = Field(description="null until it was posted and announced")
    took_effect_at: dt.datetime | None


class LimitsShape(Shape):
    """The limits of a table now, and the change that is pending."""

    table: str
    min_cents: int
    max_cents: int
    pending: LimitsChangeShape | None


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}/limits", auth=needs("floor"), response=LimitsShape
)
def read_limits(request: ApiRequest, facility: str, table: str) -> object:
    """The limits of a table, with the change that is pending."""
    row = request.caller.table(facility, table)
    pending = LimitsChange.objects.filter(table=row, status=LimitsChange.Status.PENDING).first()
    return LimitsShape(
        table=row.code,
        min_cents=row.min_cents,
        max_cents=row.max_cents,
        pending=limits_change_shape(pending, row.code) if pending else None,
    )


@router.get(
    "/facilities/{slug:facility}/limits-changes", auth=needs("floor"), response=Page[LimitsChangeShape]
)
def list_limits_changes(
    request: ApiRequest, facility: str, table: TableCode = ANY_TABLE, after: After = 0, limit: Limit = USUAL
) -> object:
    """Every change of limits."""
    rows = request.caller.of_tables(LimitsChange.objects.select_related("table"), facility, table)
    return page_of(rows, lambda row: limits_change_shape(row, row.table.code), after, limit)


def limits_change_shape(row: LimitsChange, table: str) -> LimitsChangeShape:
    """A change of limits as the API shows it."""
    return LimitsChangeShape(
        table=table,
        number=row.number,
        status=row.status,
        was_min_cents=row.was_min_cents,
        was_max_cents=row.was_max_cents,
        min_cents=row.min_cents,
        max_cents=row.max_cents,
        nobody_played=row.nobody_played,
        asked_at=row.asked_at,
        posted_at=row.posted_at,
        announced_at=row.announced_at,
        effective_at=row.effective_at,
        took_effect_at=row.took_effect_at,
    )


# Dice


class DiceLotShape(Shape):
    """Dice that are received, used and destroyed together."""

    code: str
    status: str = Field(description="received, rejected, stored, issued, placed, removed or destroyed")
    dice: int = Field(description="how many")
    size_um: int = Field(description="nominal side of a die, in micrometers")
    maker: str
    serial: str
    training: bool = Field(description="whether they are for training tables only")
    table: str | None = Field(description="code of the table that they were issued to")
    shaker: str | None = Field(description="code of the shaker that they are in or were in last")
    placed_at: dt.datetime | None
    expires_at: dt.datetime | None = Field(
        description="until when they may be used; null before they are placed"
    )
    removed_at: dt.datetime | None
    removed_why: str


@router.get("/facilities/{slug:facility}/dice-lots", auth=needs("floor"), response=Page[DiceLotShape])
def list_dice_lots(
    request: ApiRequest, facility: str, table: TableCode = ANY_TABLE, after: After = 0, limit: Limit = USUAL
) -> object:
    """The dice lots of the facility, or of one table."""
    rows = DiceLot.objects.select_related("table", "shaker")
    if table or request.caller.device.place:
        rows = request.caller.of_tables(rows, facility, table)
    else:
        rows = rows.filter(facility=request.caller.at(facility))
    return page_of(rows, _dice_lot_shape, after, limit)


def _dice_lot_shape(row: DiceLot) -> DiceLotShape:
    return DiceLotShape(
        code=row.code,
        status=row.status,
        dice=row.dice,
        size_um=row.size_um,
        maker=row.maker,
        serial=row.serial,
        training=row.training,
        table=row.table.code if row.table else None,
        shaker=row.shaker.code if row.shaker else None,
        placed_at=row.placed_at,
        expires_at=row.expires_at,
        removed_at=row.removed_at,
        removed_why=row.removed_why,
    )
