"""What the lists of the API take and give: pages of rows by their keys, days, and codes of tables."""

import datetime as dt
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from django.db.models import Model, QuerySet
from ninja import Query

from tables.api.app import MOST_ROWS, USUAL_ROWS, Page

LAST_ID = 2**63 - 1  # that both databases hold
EARLIEST, LATEST = (
    dt.date(1900, 1, 1),
    dt.date(2199, 12, 31),
)  # so that what is computed stays in the calendar
After = Annotated[int, Query(ge=0, le=LAST_ID, description="`next` of the page before; 0 for the first page")]
Limit = Annotated[int, Query(ge=1, le=MOST_ROWS, description="how many rows at most")]
OneDay = Annotated[dt.date | None, Query(ge=EARLIEST, le=LATEST, description="only of this gaming day")]
TableCode = Annotated[
    str, Query(max_length=20, pattern=r"^[A-Za-z0-9._-]*$", description="only of this table, by its code")
]
ANY_TABLE = ""
USUAL = USUAL_ROWS

RowT = TypeVar("RowT", bound=Model)
ShapeT = TypeVar("ShapeT")


def page_of(
    rows: QuerySet[RowT], shape: Callable[[RowT], ShapeT], after: int, limit: int, key: str = "pk"
) -> Page[Any]:
    """The page of these rows after a key, in the order in which they were made."""
    found = list(rows.filter(**{f"{key}__gt": after}).order_by(key)[: limit + 1])
    shown = found[:limit]
    is_more = len(found) > limit
    return Page(items=[shape(row) for row in shown], next=getattr(shown[-1], key) if is_more else None)
