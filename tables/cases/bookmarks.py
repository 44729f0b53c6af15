"""Bookmarks of video: a surveillance system says which moment of which camera is worth a look.

The system sends the moment by its own clock, and what that clock says while it sends, so that the moment is known by
the server's clock, too, by which the record is. A case shows the bookmarks that name it or its round, and those of its
table while its round was played. A machine with the scope `bookmarks` sends them (`tables/api/bookmarks.py`).
"""

import datetime as dt
from typing import Annotated

from django.db.models import Q, QuerySet

from audit.clock import format_moment
from audit.columns import AT, DEVICE, FACILITY, Body, declare, moment, named, same
from audit.entry_types import entry_type
from games.act_forms import Moment, text, whole
from games.engine import Refusal, RefusalCode
from games.facility_runner import next_code
from tables.cases.case import case_by_code
from tables.core.duty import MACHINES
from tables.core.entries import RecordedEntry
from tables.models import Bookmark, Case, Table
from tables.runner.facility import CASES, ActOutcome, FacilityContext, facility_act
from tables.staffing.assignments import NO_SUCH_PLACE

AROUND_A_ROUND = dt.timedelta(
    minutes=2
)  # a hand goes to the dice before the first wager, and chips move after
MOST_APART = dt.timedelta(days=1)
MAX_ROUND = 2**31 - 1
BOOKMARK_KNOWN = RefusalCode(
    "bookmark-known", "%(device)s has sent %(reference)s before, as %(bookmark)s.", "Sent before"
)
CLOCK_TOO_FAR = RefusalCode(
    "clock-too-far",
    "The clock of %(device)s is more than a day from the server's. Set it by the server's time, and send again.",
    "Clock wrong",
)


@entry_type("bookmark.added")
def BOOKMARK_ADDED(
    *,
    bookmark: Annotated[str, "code of the bookmark, such as BM-0001"],
    camera: Annotated[str, "name of the camera, as the surveillance system has it"],
    case: Annotated[str | None, "code of the case that the system named; null for none"],
    moment: Annotated[str, "the moment on the video, by the clock of the surveillance system"],
    note: Annotated[str, "why, in words; may be empty"],
    offset_ms: Annotated[
        int, "by how many milliseconds that clock was behind the server's, the way included"
    ],
    reference: Annotated[str, "by which the surveillance system finds it again"],
    round: Annotated[int | None, "number of the round that the system named; null for none"],
    table: Annotated[str | None, "code of the table; null for none"],
) -> str:
    """A surveillance system marked a moment on the video of a camera."""
    return f"{bookmark}: camera {camera}{f' at {table}' if table else ''}"


def _by_server(body: Body) -> str:
    data = body["data"]
    moment_there = dt.datetime.fromisoformat(data["moment"])
    return format_moment(moment_there + dt.timedelta(milliseconds=data["offset_ms"]))


declare(
    Bookmark,
    "bookmark",
    key={"facility": FACILITY, "code": "bookmark"},
    created={
        BOOKMARK_ADDED: {
            **same("camera", "note", "offset_ms", "reference", "round", "table", "case"),
            "device": DEVICE,
            "moment": moment("moment"),
            "at": _by_server,
            "added_at": AT,
        }
    },
    readings={"case": named("case__code", "case")},
)


@facility_act(CASES, roles=MACHINES)
def add_bookmark(
    ctx: FacilityContext,
    *,
    camera: Annotated[str, text(40)],
    reference: Annotated[str, text(60)],
    moment: Moment,
    sent_at: Moment,
    table: Annotated[str, text(20)] = "",
    round: Annotated[int, whole(0, MAX_ROUND)] = 0,
    case: Annotated[str, text(20)] = "",
    note: Annotated[str, text(500)] = "",
) -> ActOutcome:
    """Keep a moment of the video of a camera. `moment` and `sent_at` are by the clock of the machine.

    Raises `bookmark-known`, `clock-too-far`, `no-such-place` or `no-such-case`.
    """
    device = ctx.device
    assert device is not None
    known = Bookmark.objects.filter(device=device, reference=reference).first()
    if known is not None:
        raise Refusal(BOOKMARK_KNOWN, device=device.name, reference=reference, bookmark=known.code)
    offset = ctx.now - sent_at
    if abs(offset) > MOST_APART:
        raise Refusal(CLOCK_TOO_FAR, device=device.name)
    here = Table.objects.filter(facility=ctx.facility, code=table).first() if table else None
    if table and here is None:
        raise Refusal(NO_SUCH_PLACE, place=table)
    offset_ms = int(offset / dt.timedelta(milliseconds=1))
    row = Bookmark.objects.create(
        facility=ctx.facility,
        code=next_code(Bookmark.objects.filter(facility=ctx.facility), "BM"),
        device=device,
        reference=reference,
        camera=camera,
        table=here,
        round=round or None,
        case=case_by_code(ctx.facility, case) if case else None,
        note=note,
        moment=moment,
        offset_ms=offset_ms,
        at=moment + dt.timedelta(milliseconds=offset_ms),
        added_at=ctx.now,
    )
    entry = BOOKMARK_ADDED(
        bookmark=row.code,
        camera=camera,
        case=case or None,
        moment=format_moment(moment),
        note=note,
        offset_ms=offset_ms,
        reference=reference,
        round=round or None,
        table=table or None,
    )
    answer = {"bookmark": row.code, "at": format_moment(row.at), "offset_ms": offset_ms}
    return ActOutcome(entry, answer, changes="nothing")


def bookmarks_of(case: Case, entries: list[RecordedEntry]) -> QuerySet[Bookmark]:
    """The bookmarks that name a case or its round, and those of its table while its round was played.

    `entries` are those of the round; empty for a case about none.
    """
    about_case = Q(case=case)
    if case.table_id and case.round:
        about_case |= Q(table=case.table_id, round=case.round)
    if case.table_id and entries:
        first, last = (dt.datetime.fromisoformat(entry.at) for entry in (entries[0], entries[-1]))
        about_case |= Q(table=case.table_id, at__range=(first - AROUND_A_ROUND, last + AROUND_A_ROUND))
    return (
        Bookmark.objects.filter(about_case, facility=case.facility_id)
        .select_related("device")
        .order_by("at", "pk")
    )
