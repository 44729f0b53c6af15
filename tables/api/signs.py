"""Signs of limits: what one shall show, and what it says that it shows (`tables/sign_displays.py`).

A sign follows a stream of what it shall show, or asks every two seconds with the `ETag` of what it has, which costs an
answer without content while nothing has changed. It posts what it shows after each change.
"""

import datetime as dt

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from ninja import Header, Router
from pydantic import Field

from tables.api.access import ApiRequest, needs
from tables.api.acts import ActAnswer, ActShape, answer_of, do_act, note_heard
from tables.api.app import Shape, Whole, json_of
from tables.api.entry_events import Scope, event_stream, state_events
from tables.limits import pending_change
from tables.models import Table
from tables.runner import table as table_runner
from tables.runner.access import patrons_see_rolls
from tables.screens.table_history import results
from tables.sign_displays import expected
from tables.views.acts import ActTarget

router = Router(tags=["Signs"])


class ComingLimits(Shape):
    """A change of the limits that players get notice of."""

    change: int = Field(description="number of the change at this table")
    min_cents: int
    max_cents: int
    posted_at: dt.datetime | None = Field(
        description="when its sign was posted; null while no sign has said so"
    )
    announced_at: dt.datetime | None
    effective_at: dt.datetime | None = Field(
        description="from the first round after this moment; null while the sign or the announcement is missing"
    )


class ResultShape(Shape):
    """A settled round, without anything of its wagers."""

    round: int
    ended_at: dt.datetime
    dice: list[int] = Field(description="of its last throw, after corrections")


class SignShape(Shape):
    """What a sign of limits shall show, and the results that it may."""

    table: str
    game: str
    open: bool = Field(description="whether the table is open")
    min_cents: int
    max_cents: int
    coming: ComingLimits | None
    results: list[ResultShape] | None = Field(
        description="the last settled rounds, newest first; null where patrons may not be shown earlier results"
    )


class ShownShape(Shape):
    """What a sign shows now, as it read it."""

    min_cents: Whole = Field(ge=1)
    max_cents: Whole = Field(ge=1)
    change: Whole = Field(0, ge=0, description="number of the coming change that it shows; 0 for none")


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}/sign", auth=needs("signs", "floor"), response=SignShape
)
def read_sign(request: ApiRequest, facility: str, table: str) -> object:
    """What a sign of this table shall show."""
    here = request.caller.table(facility, table)
    if "signs" in request.caller.scopes:
        note_heard(request.caller.device)
    return _shape(here)


@router.get(
    "/facilities/{slug:facility}/tables/{code:table}/sign/stream",
    auth=needs("signs", "floor"),
    openapi_extra={
        "responses": {
            200: {
                "description": "Server-Sent Events: `sign` with what the sign shall show, at once and whenever it "
                "changes, and `end`",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            }
        }
    },
)
def stream_sign(request: ApiRequest, facility: str, table: str) -> HttpResponseBase:
    """What a sign of this table shall show, as it changes. A sign that follows it sends heartbeats beside."""
    here = request.caller.table(facility, table)
    code = here.code

    def read() -> str:
        return json_of(_shape(request.caller.table_by_code(code)))

    events = state_events(request.caller.secret, Scope(facility, here.stream.name), "sign", read)
    return event_stream(events)


def _shape(here: Table) -> SignShape:
    change = pending_change(here)
    shall = expected(here, change)
    return SignShape(
        table=here.code,
        game=here.game,
        open=here.status == here.Status.OPEN,
        min_cents=shall.min_cents,
        max_cents=shall.max_cents,
        coming=None
        if change is None
        else ComingLimits(
            change=change.number,
            min_cents=change.min_cents,
            max_cents=change.max_cents,
            posted_at=change.posted_at,
            announced_at=change.announced_at,
            effective_at=change.effective_at,
        ),
        results=[
            ResultShape(round=result.number, ended_at=result.ended_at, dice=result.dice)
            for result in results(here)
        ]
        if patrons_see_rolls(here)
        else None,
    )


@router.post(
    "/facilities/{slug:facility}/tables/{code:table}/sign/shown",
    auth=needs("signs"),
    response=ActAnswer,
)
def say_shown(
    request: ApiRequest,
    response: HttpResponse,
    facility: str,
    table: str,
    body: ShownShape,
    idempotency_key: str = Header("", alias="Idempotency-Key", description="the id of this act: a UUID"),
) -> object:
    """Say what the sign shows now. It is the act `show_sign`: showing a change for the first time posts its sign."""
    here = request.caller.table(facility, table)
    target = ActTarget(table_runner.RUNNER, here.facility.code, here.code, "show_sign")
    act = ActShape(params=body.model_dump(), seen=None, witness=None)
    return answer_of(request, response, do_act(request, target, act, idempotency_key), act)
