"""The record as an event log: its streams, its entries in order, as pages and as events, and the proof of an entry.

A reader gets the exact text that was hashed. It resumes from the `position` of the last entry that it has
(`audit/event_log.py`): each entry comes once, and each stream in its order. What a client reads here is on record once
a gaming day.
"""

import datetime as dt
import re
from collections.abc import Iterable
from typing import Annotated, Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from ninja import Header, Query, Router
from pydantic import Field

from audit import clients, event_log
from audit.event_log import BEGINNING, HORIZON, SETTLE_SECONDS, MalformedPosition, PositionGone
from audit.models import Entry, Stream
from audit.sealing.log import NotProven, proof_of
from tables.api.access import ApiRequest, Caller, needs
from tables.api.app import MOST_ROWS, USUAL_ROWS, Page, Problem, Shape, not_found
from tables.api.entry_events import Scope, entry_events, event_stream
from tables.desk.entries import is_short, proof_file, tlog_proof

router = Router(tags=["Record"])
NEWEST = "newest"
MOST_TYPES = 40
TYPE = re.compile(r"[a-z0-9._-]{1,60}")
LARGEST_NUMBER = 2**53


class StreamShape(Shape):
    """A stream of the record: what happens at one table, or in one office of the facility."""

    stream: str = Field(description="its name, facility/place")
    place: str = Field(description="its name without the facility: send it as `stream`")
    number: int = Field(description="number of its newest entry; 0 without any")
    hash: str = Field(description="SHA-256 of its newest entry, in hex")
    at: dt.datetime | None = Field(description="when its newest entry was written")
    is_real_play: bool = Field(
        description="false for training and simulated tables, which are no part of all entries"
    )
    continued_by: str | None = Field(description="the stream that continues it, where it was closed")


class EntryShape(Shape):
    """An entry of the record."""

    position: str = Field(description="where a reader resumes that has this entry: send it as `after`")
    stream: str
    number: int = Field(description="its number on the stream, from 1 without gaps")
    hash: str = Field(
        description="SHA-256 of `pitside/entry/v1` and a line feed, 32 bytes of `prev`, and `body`; hex"
    )
    prev: str = Field(description="hash of the entry before on the stream, in hex")
    body: str = Field(description="the exact text that was hashed: canonical JSON")
    entry: dict[str, Any] = Field(description="`body`, parsed")


class Entries(Shape):
    """Entries in order, and where to go on."""

    items: list[EntryShape]
    next: str = Field(description="send it as `after`, at once where there is more, else later")
    more: bool = Field(description="whether there are more now")


class ProofShape(Shape):
    """The proof that an entry is in the sealed record."""

    stream: str
    number: int
    origin: str = Field(description="name of the log, which is that of its key")
    proof: str = Field(description="a file for audit/verify.py: JSON lines")
    tlog_proof: str = Field(description="the proof of `seal` by c2sp.org/tlog-proof@v1")
    seal: str = Field(description="the leaf of the log: the heads of the streams that it seals")


After = Annotated[
    str, Query(max_length=40, description="`next` of the page before; 0 for the beginning, or newest")
]
Place = Annotated[
    str,
    Query(
        max_length=90,
        pattern=r"^[A-Za-z0-9._/-]*$",
        description="only this stream, such as T-04; `after` is a number then",
    ),
]
Types = Annotated[
    list[str],
    Query(
        max_length=MOST_TYPES,
        description="names of types such as round.settled, or beginnings that end in a dot such as round.",
    ),
]
NO_TYPES: list[str] = []  # nobody changes it


@router.get("/streams", auth=needs("entries"), response=Page[StreamShape])
def list_streams(request: ApiRequest) -> object:
    """The streams that the client may read, by name."""
    caller = request.caller
    streams = event_log.streams_of(caller.facility.code, with_training=True)
    shapes = [
        StreamShape(
            stream=stream.name,
            place=stream.name.partition("/")[2],
            number=stream.seq,
            hash=bytes(stream.head).hex(),
            at=stream.last_at,
            is_real_play=stream.real_play,
            continued_by=stream.continued_by.name if stream.continued_by else None,
        )
        for stream in streams
        if caller.device.place in ("", stream.name)
    ]
    return Page[StreamShape](items=shapes, next=None)


@router.get("/entries", auth=needs("entries"), response=Entries)
def list_entries(
    request: ApiRequest,
    after: After = BEGINNING,
    stream: Place = "",
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = USUAL_ROWS,
    type: Types = NO_TYPES,
) -> object:
    """Entries after a position, in one order over all streams; with `stream` those of one stream after a number."""
    caller = request.caller
    types = _types(type)
    note_reading(caller)
    if stream:
        row = _stream(caller, stream)
        number = _number(row, after)
        entries = event_log.entries_of(row, number, limit, types)
        end = str(entries[-1].seq if entries and entries[-1].seq > row.seq else row.seq)
        following = str(entries[-1].seq) if len(entries) == limit else end
    else:
        scope = _scope(caller)
        horizon = HORIZON.read(SETTLE_SECONDS)
        begin = _position(scope.streams(), after, horizon)
        entries = event_log.entries_between(scope.streams(), begin, horizon, limit, types)
        end = event_log.position_at(scope.streams(), max(begin, horizon))
        following = entries[-1].position if len(entries) == limit else end
    items = ",".join(entry.as_json() for entry in entries)
    more = "true" if len(entries) == limit and following != end else "false"
    body = f'{{"items":[{items}],"next":"{following}","more":{more}}}'
    return HttpResponse(body, content_type="application/json")


@router.get(
    "/entries/stream",
    auth=needs("entries"),
    openapi_extra={
        "responses": {
            200: {
                "description": "Server-Sent Events: `entry` with an entry as in a page, its position as id, and `end`",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            }
        }
    },
)
def stream_entries(
    request: ApiRequest,
    after: After = BEGINNING,
    stream: Place = "",
    type: Types = NO_TYPES,
    last_event_id: Annotated[str, Header(alias="Last-Event-ID", max_length=40)] = "",
) -> HttpResponseBase:
    """The same entries as they are written, after `Last-Event-ID`, or else `after`: a position, also for one stream."""
    caller = request.caller
    types = _types(type)
    name = _stream(caller, stream).name if stream else ""
    scope = _scope(caller) if not name else Scope(caller.facility.code, name)
    known = [*_scope(caller).streams(), *scope.streams()]
    name_of_position = "Last-Event-ID" if last_event_id else "after"
    begin = _position(known, last_event_id or after, HORIZON.read(SETTLE_SECONDS), name_of_position)
    note_reading(caller)
    return event_stream(entry_events(caller.secret, scope, begin, name, types))


@router.get("/entries/{code:place}/{int:number}/proof", auth=needs("entries"), response=ProofShape)
def prove_entry(request: ApiRequest, place: str, number: int) -> object:
    """The proof that an entry is in the sealed record. 404 `not-sealed-yet` for the first seconds."""
    stream = _stream(request.caller, place)
    entry = Entry.objects.filter(stream=stream, seq=number).select_related("stream").first()
    if entry is None:
        raise not_found("entry")
    note_reading(request.caller)  # a proof has the entry
    try:
        proof = proof_of(entry, request.caller.facility.code)
    except NotProven:
        detail = (
            "The log has lost a part of the proof. Tell compliance: a full verification says what is missing."
        )
        raise Problem(500, "proof-broken", detail) from None
    if proof is None:
        raise Problem(404, "not-sealed-yet", "No seal covers this entry yet. Ask again in a few seconds.")
    if not is_short(proof):
        raise Problem(
            404, "proof-too-long", "The next sealed entry is too far away. Ask for an evidence bundle."
        )
    checkpoint = proof.witnessed or proof.checkpoint
    return ProofShape(
        stream=stream.name,
        number=number,
        origin=checkpoint.note.partition("\n")[0],
        proof=proof_file(proof).decode(),
        tlog_proof=tlog_proof(proof),
        seal=bytes(proof.seal.body).decode(),
    )


def note_reading(caller: Caller) -> None:
    """Record that the client reads entries, which name people, once a gaming day."""
    clients.note_reading_of_entries(caller.client)


def _scope(caller: Caller) -> Scope:
    return Scope(caller.facility.code, caller.device.place)


def _stream(caller: Caller, place: str) -> Stream:
    """A stream that the client may read, by its name with or without the facility. Raises Problem 404."""
    name = place if "/" in place else f"{caller.facility.code}/{place}"
    stream = Stream.objects.filter(name=name).first()
    if stream is None or stream.facility != caller.facility.code or caller.device.place not in ("", name):
        raise not_found("stream")
    return stream


def _types(types: list[str]) -> list[str]:
    if any(not TYPE.fullmatch(type_) for type_ in types):
        detail = "A type has small letters, digits, dots, hyphens and underscores, at most 60."
        raise Problem(422, "malformed", detail)
    return types


def _number(stream: Stream, after: str) -> int:
    """The number on a stream after which a reader goes on. Raises Problem 422, and 409 for one beyond its head."""
    if after == NEWEST:
        return stream.seq
    if not after.isdecimal() or not after.isascii() or int(after) >= LARGEST_NUMBER:
        raise Problem(422, "malformed", "With `stream`, `after` is the number of an entry.")
    if int(after) > stream.seq:
        raise _went_back()
    return int(after)


def _position(streams: Iterable[Stream], text: str, horizon: int, name: str = "after") -> int:
    """The id of a position among these streams.

    Raises Problem 422 for what is no position, with its `name` in the request; 409 for one that the record lacks.
    """
    if text == NEWEST:
        return horizon
    try:
        return event_log.read_position(text, streams)
    except MalformedPosition:
        detail = (
            f"`{name}` is no position. Send one as it was given, such as `next` of a page or the id of an event, 0 for "
            "the beginning, or newest."
        )
        raise Problem(422, "malformed", detail, title="Malformed") from None
    except PositionGone:
        raise _went_back() from None


def _went_back() -> Problem:
    detail = (
        "The record has no entry at this position. If it had one before, a backup was restored: compare "
        "/api/v1/streams with what you have before you go on."
    )
    return Problem(409, "record-went-back", detail)
