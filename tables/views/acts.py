"""The endpoints of acts, one for each road: from the POST to the road, and from its answer to the screens."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse, RawPostDataException
from django.views.decorators.http import require_POST

from audit import heads, people
from audit.errors import AuditRefusal
from audit.models import Person
from audit.runner import ActRunner
from games.engine import Refusal
from games.facility_runner import Forbidden, StreamRunner
from games.models import Facility
from games.office import documents
from games.office import runner as office
from games.params import malformed
from tables.desk import runner as desk
from tables.runner import facility as rooms
from tables.runner import halts
from tables.runner import table as road
from tables.runner.access import Denied, Locked, SignedOut, device_at, person_of, table_for
from tables.screens import fragments, push
from tables.words.sentences import say, short, title

from ..models import Table

MOST_BYTES = 256 * 1024
MOST_NAME, LONGEST_ENDING = 120, 10  # characters of a file's name
SCREENS = ("dealer", "table")


@dataclass(frozen=True)
class Way:
    """Which act is asked for, where, and by which road. `table` is empty on the road to the rooms."""

    road: ActRunner[Any, Any, Any]
    facility: str
    table: str
    act: str

    @property
    def place(self) -> str:
        """The place as the command's content names it: the table's code, or the room's."""
        return self.road.room(self.act) if isinstance(self.road, StreamRunner) else self.table


@require_POST
async def act(request: HttpRequest, facility: str, table: str, act: str) -> JsonResponse:
    """Takes one act. 200 with the answer and the fresh screen; 401, 403, 404, 409, 422 or 423 with a refusal."""
    way = Way(road.RUNNER, facility, table, act)
    status, body, shown = await sync_to_async(_take)(request, way)
    if status == 200:
        messages = await push.publish(shown[0])
        body["screen"] = _screen(messages, body.pop("station"))
    else:
        for table_id in shown:  # what a refusal changed: a table that was halted, an alert
            await push.publish(table_id)
    return JsonResponse(body, status=status)


@require_POST
async def room_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Takes one act in a room of the house."""
    return await _in_the_house(request, Way(rooms.RUNNER, facility, "", act))


@require_POST
async def office_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Takes one act of the rules office, as JSON or with a file as a form."""
    return await _in_the_house(request, Way(office.RUNNER, facility, "", act))


@require_POST
async def desk_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Takes one act of the compliance desk."""
    return await _in_the_house(request, Way(desk.RUNNER, facility, "", act))


async def _in_the_house(request: HttpRequest, way: Way) -> JsonResponse:
    """The same answers as at a table; no room has a screen of its own, so it is null. Tables that show what the act
    changed are published.
    """
    status, body, shown = await sync_to_async(_take)(request, way)
    if status == 200:
        for table_id in shown:
            await push.publish(table_id)
        body["screen"] = None
        del body["station"]
    return JsonResponse(body, status=status)


def _screen(messages: dict[str, dict[str, Any]], station: str) -> dict[str, Any]:
    message = messages[station]
    return {"version": message["version"], "html": message["html"]}


def _take(request: HttpRequest, way: Way) -> tuple[int, dict[str, Any], tuple[int, ...]]:
    """Runs in one thread with one connection: from the body to the committed act, and the tables whose screens show
    it. Publishes nothing.
    """
    station = "dealer"
    if way.act not in way.road.acts:
        return _refused(404, Refusal("unknown-act"))
    try:
        person = person_of(request)
        body, attachment = _form(request) if _has_file(request, way) else (_body(request), b"")
        station = body.get("station", "dealer") if body.get("station", "dealer") in SCREENS else "dealer"
        call = _call(request, body, person, way, attachment)
        answer = way.road.execute(call)
    except SignedOut:
        return _refused(401, Refusal("signed-out"))
    except Locked:
        return _refused(423, Refusal("locked"))
    except Forbidden as refusal:
        return _refused(403, refusal)
    except (Table.DoesNotExist, Facility.DoesNotExist):
        return _refused(404, Refusal("unknown-act"))
    except road.Stale:
        return _refused(409, Refusal("stale"), _fresh(request, way, station))
    except AuditRefusal as refusal:
        return _refused(refusal.status, refusal)
    except halts.HeadRefused as refusal:
        return _refused(refusal.status, refusal, _fresh(request, way, station), refusal.affected_table_ids)
    except Refusal as refusal:
        return _refused(422, refusal, _fresh(request, way, station))
    return (
        200,
        {"version": answer.version, "answer": answer.body, "again": answer.again, "station": station},
        (answer.key, *answer.affected_table_ids) if way.table else answer.affected_table_ids,
    )


def _refused(
    status: int,
    refusal: Refusal | AuditRefusal,
    screen: dict[str, Any] | None = None,
    shown_at: tuple[int, ...] = (),
) -> tuple[int, dict[str, Any], tuple[int, ...]]:
    said = {
        "code": refusal.code,
        "title": title(refusal),
        "message": say(refusal),
        "section": short(getattr(refusal, "section", "")),
    }
    return status, {"refusal": said, "screen": screen}, shown_at


def _fresh(request: HttpRequest, way: Way, station: str) -> dict[str, Any] | None:
    """The table as it stands, so that a refused screen is not left with what it believed; None for who may not open it.

    Much is refused before anybody asked whether this person has anything to do with the table.
    """
    if not way.table:
        return None
    try:
        table, _person = table_for(request, way.facility, way.table, station)
    except (Denied, SignedOut, Locked):
        return None
    return fragments.screen(station, table.pk)


def _body(request: HttpRequest) -> dict[str, Any]:
    if _sent_bytes(request) > MOST_BYTES:
        raise malformed("body")
    try:
        body = json.loads(request.body[: MOST_BYTES + 1])
    except (
        ValueError,
        RecursionError,
        RawPostDataException,
    ):  # the last: it came as a form, and was read as one
        raise malformed("body") from None
    if not isinstance(body, dict):
        raise malformed("body")
    return body


def _has_file(request: HttpRequest, way: Way) -> bool:
    return way.road is office.RUNNER and request.content_type == "multipart/form-data"


def _form(request: HttpRequest) -> tuple[dict[str, Any], bytes]:
    """An act that comes with a file, as the body of any other act, and the bytes. Where the browser could not count
    the file's SHA-256 before sending (it can over HTTPS alone) it is counted here.
    """
    if _sent_bytes(request) > documents.MOST_FORM_BYTES:  # before the form is read
        raise Refusal("document-too-large", name="The file", most=documents.MOST_BYTES // 2**20)
    sent = request.FILES.get("file")
    if sent is None:
        raise malformed("file")
    name = _short(str(sent.name or ""))
    if (sent.size or 0) > documents.MOST_BYTES:
        raise Refusal("document-too-large", name=name, most=documents.MOST_BYTES // 2**20)
    content = sent.read()
    told = {
        key: value for key, value in request.POST.items() if key not in ("command", "csrfmiddlewaretoken")
    }
    params = {"sha256": hashlib.sha256(content).hexdigest(), **told, "filename": name}
    return {"command": request.POST.get("command"), "params": params}, content


def _short(name: str) -> str:
    """A file's name of at most 120 characters; what is left out is not its ending."""
    stem, dot, ending = name.rpartition(".")
    return (
        name[:MOST_NAME]
        if len(ending) > LONGEST_ENDING
        else stem[: MOST_NAME - 1 - len(ending)] + dot + ending
    )


def _sent_bytes(request: HttpRequest) -> int:
    said = request.META.get("CONTENT_LENGTH") or "0"
    return int(said) if said.isdecimal() else 0


def _call(
    request: HttpRequest, body: dict[str, Any], person: Person, way: Way, attachment: bytes
) -> road.ActRequest:
    seen, params = body.get("seen") if way.table else 0, body.get("params", {})
    if not isinstance(seen, int) or isinstance(seen, bool) or not 0 <= seen < 2**53:
        raise malformed("seen")
    if not isinstance(params, dict):
        raise malformed("params")
    return road.ActRequest(
        facility=way.facility,
        place=way.place,
        act=way.act,
        command=_command(body.get("command")),
        seen=seen,
        params=params,
        actor=person,
        device=device_at(request),
        witness=_witness(request, body.get("witness"), way),
        attachment=attachment,
        head=_head(body.get("head")) if way.table else None,
    )


def _head(value: Any) -> heads.Claim | None:
    try:
        return heads.claimed(value)
    except ValueError:
        raise malformed("head") from None


def _command(value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except (ValueError, TypeError, AttributeError):
        raise malformed("command") from None


def _witness(request: HttpRequest, value: Any, way: Way) -> Person | None:
    """The second person by their own PIN, asked before the act's transaction. None when nobody signed."""
    if value is None or not way.road.acts[way.act].witness:
        return None
    if not isinstance(value, dict) or not (_is_typed(value.get("person")) and _is_typed(value.get("pin"))):
        raise malformed("witness")
    return people.verify_witness(request, value["person"], value["pin"])


def _is_typed(value: Any) -> bool:
    """Text that a person can have typed; half of a surrogate pair could be neither hashed nor looked up."""
    return isinstance(value, str) and value.isprintable()
