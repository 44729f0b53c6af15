"""Bookmarks of video from a surveillance system (`tables/cases/bookmarks.py`)."""

import datetime as dt

from django.http import HttpResponse
from ninja import Header, Router
from pydantic import AwareDatetime, Field

from tables.api.access import ApiRequest, needs
from tables.api.acts import ActAnswer, ActShape, answer_of, do_act
from tables.api.app import Page, Shape, Whole
from tables.api.paging import ANY_TABLE, USUAL, After, Limit, TableCode, page_of
from tables.api.people import note_read
from tables.cases.bookmarks import add_bookmark
from tables.models import Bookmark
from tables.runner import facility as facility_runner
from tables.views.acts import ActTarget

router = Router(tags=["Surveillance"])
SCOPE = "bookmarks"


class NewBookmark(Shape):
    """A moment on the video of a camera, by the clock of the surveillance system."""

    camera: str = Field(min_length=1, max_length=40, description="name of the camera")
    reference: str = Field(min_length=1, max_length=60, description="by which you find it again; sent once")
    moment: AwareDatetime = Field(description="when it was, by your clock")
    sent_at: AwareDatetime = Field(description="what your clock says now")
    table: str = Field("", max_length=20, description="code of the table; empty for none")
    round: Whole = Field(0, ge=0, le=2**31 - 1, description="number of the round, if you know it; else 0")
    case: str = Field("", max_length=20, description="code of the case, if it is about one")
    note: str = Field("", max_length=500)


class BookmarkShape(Shape):
    """A bookmark, with its moment by both clocks."""

    code: str
    camera: str
    reference: str
    system: str = Field(description="name of the machine that sent it")
    table: str | None
    round: int | None
    case: str | None
    note: str
    moment: dt.datetime = Field(description="by the clock of the surveillance system")
    offset_ms: int = Field(description="by how much that clock was behind this one when it was sent")
    at: dt.datetime = Field(description="the same moment by the clock of the record")


@router.post("/facilities/{slug:facility}/bookmarks", auth=needs(SCOPE), response=ActAnswer)
def send_bookmark(
    request: ApiRequest,
    response: HttpResponse,
    facility: str,
    body: NewBookmark,
    idempotency_key: str = Header("", alias="Idempotency-Key", description="the id of this act: a UUID"),
) -> object:
    """Mark a moment on the video of a camera. It is the act `add_bookmark`."""
    here = request.caller.whole(facility)
    target = ActTarget(facility_runner.RUNNER, here.code, "", add_bookmark.__name__)
    act = ActShape(params=body.model_dump(mode="json"), seen=None, witness=None)
    return answer_of(request, response, do_act(request, target, act, idempotency_key, scope=SCOPE), act)


@router.get("/facilities/{slug:facility}/bookmarks", auth=needs("cases", SCOPE), response=Page[BookmarkShape])
def list_bookmarks(
    request: ApiRequest, facility: str, table: TableCode = ANY_TABLE, after: After = 0, limit: Limit = USUAL
) -> object:
    """Bookmarks of video. The read is on record."""
    caller = request.caller
    rows = Bookmark.objects.filter(facility=caller.whole(facility)).select_related("table", "case", "device")
    if table:
        rows = rows.filter(table=caller.table_by_code(table))
    if "cases" not in caller.scopes:
        rows = rows.filter(device=caller.device)
    page = page_of(rows, _shape, after, limit)
    note_read(caller, "list_bookmarks", len(page.items), table)
    return page


def _shape(row: Bookmark) -> BookmarkShape:
    return BookmarkShape(
        code=row.code,
        camera=row.camera,
        reference=row.reference,
        system=row.device.name,
        table=row.table.code if row.table else None,
        round=row.round,
        case=row.case.code if row.case else None,
        note=row.note,
        moment=row.moment,
        offset_ms=row.offset_ms,
        at=row.at,
    )
