"""The floor as it is: facilities and tables."""

import datetime as dt

from ninja import Router
from pydantic import Field

from audit import clock
from games.registry import game_by_code
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Shape
from tables.models import Table

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
    dealer: str | None = Field(description="code of the person who deals; null at no post")
    floorperson: str | None = Field(description="code of the person who supervises; null without one")


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
        dealer=table.dealer.code if table.dealer else None,
        floorperson=table.floorperson.code if table.floorperson else None,
    )
