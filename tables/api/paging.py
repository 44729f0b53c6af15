"""What the lists of the API take and give: pages of rows by their keys, days, and codes of tables."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from django.db.models import Model, QuerySet
from ninja import Query, Schema
from pydantic import AfterValidator, BeforeValidator

from games.params import YEARS
from tables.api.access import Caller
from tables.api.app import MOST_ROWS, USUAL_ROWS, Page

LAST_ID = 2**63 - 1  # that both databases hold
After = Annotated[int, Query(ge=0, le=LAST_ID, description="`next` of the page before; 0 for the first page")]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="how many rows at most")]
WRITTEN_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _verify_written(day: object) -> object:
    """Refuse a number, which would be read as seconds since 1970."""
    if isinstance(day, str) and not WRITTEN_DAY.fullmatch(day):
        raise ValueError("a day is written as 2026-11-29")
    return day


def _verify_in_calendar(day: dt.date) -> dt.date:
    """Refuse a day of which what is computed could leave the calendar."""
    if day.year not in YEARS:
        raise ValueError(f"a year is from {YEARS[0]} to {YEARS[-1]}")
    return day


Day = Annotated[dt.date, BeforeValidator(_verify_written), AfterValidator(_verify_in_calendar)]
OneDay = Annotated[Day | None, Query(description="only of this gaming day")]
TableCode = Annotated[
    str, Query(max_length=20, pattern=r"^[A-Za-z0-9._-]*$", description="only of this table, by its code")
]
ANY_TABLE = ""
USUAL = USUAL_ROWS

RowT = TypeVar("RowT", bound=Model)
ShapeT = TypeVar("ShapeT")


class PlayQuery(Schema):
    """What a list of what happened at tables takes: of which table and gaming day, and which page."""

    table: TableCode = ANY_TABLE
    gaming_day: OneDay = None
    after: After = 0
    limit: Limit = USUAL

    def page(
        self,
        caller: Caller,
        facility: str,
        rows: QuerySet[RowT],
        shape: Callable[[RowT], ShapeT],
        *,
        table: str = "table",
        gaming_day: str = "gaming_day",
    ) -> Page[Any]:
        """The page of these rows that the client may know of. `table`, `gaming_day`: how a row names them."""
        rows = caller.of_tables(rows, facility, self.table, path=table)
        if self.gaming_day is not None:
            rows = rows.filter(**{gaming_day: self.gaming_day})
        return page_of(rows, shape, self.after, self.limit)


def page_of(
    rows: QuerySet[RowT], shape: Callable[[RowT], ShapeT], after: int, limit: int, key: str = "pk"
) -> Page[Any]:
    """The page of these rows after a key, in its order. A row whose transaction took longer may appear behind it."""
    found = list(rows.filter(**{f"{key}__gt": after}).order_by(key)[: limit + 1])
    shown = found[:limit]
    is_more = len(found) > limit
    return Page(items=[shape(row) for row in shown], next=getattr(shown[-1], key) if is_more else None)
