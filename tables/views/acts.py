"""The endpoints of acts: read the POST, run the act, publish to the screens, answer; and how every request is refused.

* A person without access, at a locked device or signed out, gets the answer of `AccessMiddleware`.
* A refusal by the rules is the same sentence whether the act was wrong or only late. Topics declare the refusals of
  acts that come too late with the entries that left nothing to do for them (`overtaken_by`), so that the loser of two
  screens is told who did what on the other one; a game's own are `OVERTAKEN_BY` in the `words.py` of its folder.
* A server that is too busy says that nothing was begun, with 503. Only errors after which nothing is written count: no
  connection of the pool was free in time, or the lock was not, the database accepts no writes (a standby), or its disk
  has no space for them, so that the transaction ends. Of any other error nobody knows what became of the act, and the
  screen asks again by its id (static/js/acts.js).
"""

import datetime as dt
import hashlib
import json
import logging
import sys
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeGuard
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, RawPostDataException
from django.shortcuts import redirect, render
from django.template import loader
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_GET, require_POST

from audit import factors, identity, logs, metrics, people, record
from audit.identity import Sender
from audit.models import Command, Entry, Person
from audit.refusals import NOT_BEGUN, AuditRefusal, SecondFactorNeeded
from audit.rows import may_have_been_committed, says_nothing_was_begun
from audit.runner import (
    ActRequest,
    ActResponse,
    ActRunner,
    ClaimedTap,
    CommandLookup,
    Stale,
    find_command,
)
from games import registry
from games.access import decides_itself, opened_by
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden, StreamRunner
from games.models import Facility
from games.office import core as office_runner
from games.office import documents
from games.office.documents import DOCUMENT_TOO_LARGE
from games.params import malformed
from games.snapshot_types import ActLine
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, SEES_EVERYTHING
from tables.desk import desk as desk_runner
from tables.models import Table
from tables.runner import facility as facility_runner
from tables.runner import halts
from tables.runner import table as table_runner
from tables.runner.access import (
    STATIONS,
    TABLE_PAGE,
    Denied,
    Locked,
    SignedOut,
    enrolled_device,
    person_of,
    request_of_act,
    table_for,
)
from tables.runner.halts import HeadRefused, TableHalted
from tables.runner.signatures import signers_at_table
from tables.runner.table import RecordedRefusal, is_refused_on_record
from tables.screens import fragments, push, table_history
from tables.screens.parts import Screen
from tables.words import OVERTAKEN_BY
from tables.words.entries import device_of
from tables.words.sentences import say, short, title

# Where who and what cannot be said: to a person who may not open the screen, or of an act that is no longer listed
SOMEBODY_WAS_FIRST = "Someone else acted first."
STALE = RefusalCode(
    "stale",
    "%(first)s The screen now shows what comes next.",
    "The table has moved on",
)
UNKNOWN_ACT = RefusalCode("unknown-act", "There is no such act.")
LOCKED = RefusalCode("locked", "This tablet is locked. Sign in with your PIN.")
SIGNED_OUT = RefusalCode("signed-out", "You are signed out. Sign in with your PIN.")
LOCKED_SINCE = RefusalCode("locked-since", "This act is recorded. The tablet was locked since.", "Recorded")
SIGNED_OUT_SINCE = RefusalCode(
    "signed-out-since", "This act is recorded. You were signed out since.", "Recorded"
)


# Too busy


log = logging.getLogger(__name__)
RETRY_AFTER_SECONDS = 2


def busy_or_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: a worded 503 where nothing was begun, wherever in a request that happened.

    The pages are rendered without the request: what they would read for it may be what failed.
    """
    error = sys.exc_info()[1]
    refusal = _refusal_of_busy(error)
    if refusal is None:
        request_id = logs.about_the_request().get("request", "")
        response: HttpResponse = HttpResponse(
            loader.render_to_string("500.html", {"request_id": request_id}), status=500
        )
        response._has_been_logged = may_have_been_committed(error)  # type: ignore[attr-defined]
        return response
    if "application/json" in request.headers.get("Accept", ""):
        response = JsonResponse(_refused(503, refusal).body, status=503)
    else:
        page = loader.render_to_string("error.html", {"status": 503, "message": say(refusal)})
        response = HttpResponse(page, status=503)
    # Django would log the traceback of each request, and a busy server has many of them.
    response._has_been_logged = True  # type: ignore[attr-defined]
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _refusal_of_busy(error: BaseException | None) -> Refusal | None:
    """The refusal of a server that is too busy; None where not even that is known.

    Of a connection or a standby that is lost one line is logged: the traceback of each request would say nothing more.
    """
    reason = str(getattr(error, "__cause__", None) or error).partition("\n")[0]
    if says_nothing_was_begun(error):
        log.warning("Nothing was begun: %s", reason)
        return Refusal(NOT_BEGUN)
    if may_have_been_committed(error):
        log.error("The database did not say what became of a request: %s", reason)
    return None


# Overtaken by another screen


def who_was_first(table: Table, seen_version: int, device: str, entry: int | None) -> str:
    """Return the sentence for a stale act: who did what since the screen was drawn.

    `entry`: the number of the entry that made it stale; without it, the newest act of the table is named. `device`: the
    id of the device of the act.
    """
    since = [line for line in table_history.acts(table) if line["seq"] > seen_version]
    acts = [line for line in since if not line["type"].startswith("alert.")]
    line = next((line for line in since if line["seq"] == entry), acts[0] if acts else None)
    return _sentence(table, line, device) if line else SOMEBODY_WAS_FIRST


def who_left_nothing(table: Table, refusal: Refusal, seen_version: int, device: str) -> str:
    """Return who did on another screen what the refused act came too late for, as a sentence; "" if nobody did."""
    types = _overtaking_types(refusal.code)
    since = (line for line in table_history.acts(table) if line["seq"] > seen_version)
    line = next((line for line in since if line["type"] in types), None)
    if line is None or _is_of(table, line["seq"], device):
        return ""
    return _sentence(table, line, device)


def _overtaking_types(code: str) -> set[str]:
    """The types of the entries that leave nothing to do for an act so refused, by every topic and every game."""
    of_games = (getattr(module, "OVERTAKEN_BY", {}) for module in registry.parts("words").values())
    return {*OVERTAKEN_BY.get(code, ()), *(name for types in of_games for name in types.get(code, ()))}


def _sentence(table: Table, line: ActLine, device: str) -> str:
    if _is_of(table, line["seq"], device):
        return f"This tablet recorded it before: {line['text']}."
    return f"{line['who']} was first on another screen: {line['text']}."


def _is_of(table: Table, number: int, device: str) -> bool:
    """Whether an entry of the table was made at this device."""
    entry = Entry.objects.filter(stream=table.stream_id, seq=number).first()
    return entry is not None and device_of(entry) == device


# Refused access


NEVER_CACHED = "max-age=0, no-cache, no-store, must-revalidate, private"
STATUS = {SignedOut: 401, Locked: 423, Denied: 403}


def _and_back(request: HttpRequest) -> str:
    """The query of the sign-in that leads back to this page; empty for the first page and for a form."""
    path = request.get_full_path()
    return f"?{urlencode({'next': path})}" if request.method == "GET" and path != reverse("home") else ""


class AccessMiddleware:
    """Answer refused access with the sign-in page for a person, and with a plain status for a script."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # The Back button of a shared tablet must not show what the previous person saw.
        if request.user.is_authenticated and "Cache-Control" in response:
            add_never_cache_headers(response)
        elif request.user.is_authenticated:
            response["Cache-Control"] = NEVER_CACHED
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Redirect pages to the sign-in for 401 and 423; show 403 and refusals of the record in words."""
        if isinstance(exception, AuditRefusal):
            context = {"status": exception.status, "message": say(exception)}
            return render(request, "error.html", context, status=exception.status)
        status = STATUS.get(type(exception))
        if status is None:
            return None
        if status != 403 and request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate":
            return redirect(f"{reverse('sign-in')}{_and_back(request)}")
        return render(
            request,
            "error.html",
            {"status": status, "message": "You do not have access to this page."},
            status=status,
        )


# The endpoints


JUDGED_BY_RUNNER = decides_itself("the runner of an act judges who may do it, under its lock")
MAX_BODY_BYTES = 256 * 1024
MAX_FILE_NAME, MAX_EXTENSION = 120, 10  # characters
MOST_FOLLOWED = 50  # acts of the same tablet that an act names which waited behind them (static/js/acts.js)
WITH_FILE = frozenset(
    {"add_case_document"}
)  # acts without a table that come with a file, beside those of the office
SIGNATURE: tuple[tuple[str, Any], ...] = (("person", None), ("pin", None), ("app_code", ""))
FORM_FIELDS_OF_THE_REQUEST = ("command", "csrfmiddlewaretoken")


@dataclass(frozen=True)
class ActTarget:
    """The act that an address names, and the runner that executes it. `table` is empty for acts without a table."""

    runner: ActRunner[Any, Any, Any]
    facility: str
    table: str
    act: str

    @property
    def place(self) -> str:
        """The place as the command's content names it: the table's code, or the name of the stream."""
        return self.runner.stream_name(self.act) if isinstance(self.runner, StreamRunner) else self.table


@dataclass(frozen=True)
class ActReply:
    """What the endpoint answers. `table_ids`: tables to publish, the act's own first. `ctx`: `ActResponse.context`.

    `refusal`: why the act was not taken. `station`: whose screen goes into the answer; "" for none.
    `is_without_session`: nobody may act with the request's cookies, and it changed nothing.
    """

    status: int
    body: dict[str, Any]
    table_ids: tuple[int, ...] = ()
    station: str = ""
    ctx: TableContext | None = None
    is_without_session: bool = False
    refusal: Refusal | AuditRefusal | None = None


@require_POST
@identity.assumes_sender
@JUDGED_BY_RUNNER
def act(request: HttpRequest, facility: str, table: str, act: str) -> JsonResponse:
    """Execute one act at a table. 200 with the answer, or a refusal with its 4xx status.

    The fresh screen comes with it, unless the page says that pushes bring it its screens (`pushed`) and they do.
    """
    reply = _execute_at_table(request, facility, table, act)
    return JsonResponse(reply.body, status=reply.status)


def act_on_socket(scope: Mapping[str, Any], facility: str, table: str, act: str, body: bytes) -> ActReply:
    """Execute one act that came on a socket of its table: from here on as `act`, with the same answers.

    Status 0 is no answer: nothing was begun, and the page sends the same by POST. That alone says who may not act, by
    the cookies that the browser has now.
    """
    logs.begin(facility=facility, table=table, act=act)
    try:
        request = request_of_act(scope, body)
        if request is None:
            return ActReply(0, {})
        reply = _execute_at_table(request, facility, table, act)
    except Exception as error:
        refusal = _refusal_of_busy(error)
        if refusal is not None:
            return _refused(503, refusal)
        if not may_have_been_committed(error):
            log.exception("An act on a socket failed")
        return ActReply(500, {})
    return ActReply(0, {}) if reply.is_without_session else reply


def _execute_at_table(request: HttpRequest, facility: str, table: str, act: str) -> ActReply:
    """Execute an act, publish what it changed, and add the fresh screen to the answer."""
    reply = execute_request(request, ActTarget(table_runner.RUNNER, facility, table, act))
    if reply.status == 200:
        reply.body["screen"] = publish(reply.table_ids, reply.station, reply.ctx)
    else:
        publish(reply.table_ids)
    return reply


@require_GET
@opened_by(TABLE_PAGE)
def signers(request: HttpRequest, table: Table, person: Person, act: str) -> JsonResponse:
    """Who may sign an act beside the person at this page: {"signers": [{"code", "name", "role"}]}.

    404 for an act that no row of the policy lets others sign.
    """
    registered = table_runner.ACTS.get(act)
    if registered is None or not registered.subject:
        raise Http404
    people = signers_at_table(table, registered.subject, person)
    return JsonResponse(
        {
            "signers": [
                {"code": signer.code, "name": signer.name, "role": signer.get_role_display()}
                for signer in people
            ]
        }
    )


@require_POST
@JUDGED_BY_RUNNER
def facility_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Execute one act on the dice, the equipment or the staff of a facility."""
    return _execute_without_table(request, ActTarget(facility_runner.RUNNER, facility, "", act))


@require_POST
@JUDGED_BY_RUNNER
def office_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Execute one act of the rules office, sent as JSON, or as a form when a file comes along."""
    return _execute_without_table(request, ActTarget(office_runner.RUNNER, facility, "", act))


@require_POST
@JUDGED_BY_RUNNER
def desk_act(request: HttpRequest, facility: str, act: str) -> JsonResponse:
    """Execute one act of the compliance desk."""
    return _execute_without_table(request, ActTarget(desk_runner.RUNNER, facility, "", act))


def _execute_without_table(request: HttpRequest, target: ActTarget) -> JsonResponse:
    """Answer as at a table, with no screen, and publish the tables that show what the act changed."""
    reply = execute_request(request, target)
    if reply.status == 200:
        publish(reply.table_ids)
        reply.body["screen"] = None
    return JsonResponse(reply.body, status=reply.status)


def publish(table_ids: tuple[int, ...], station: str = "", ctx: TableContext | None = None) -> Screen | None:
    """Publish tables after the commit, and return the first one, the act's own, as this station shows it.

    Whatever fails here, the act is committed: it is logged, the answer has no screen, and a heartbeat brings it.
    """
    own_screen = None
    for position, table_id in enumerate(table_ids):
        try:
            state = push.publish_from_thread(table_id, ctx if position == 0 else None)
            if station and position == 0:
                own_screen = fragments.show(station, state.snapshot).screen
        except Exception:
            log.exception("a table was not published after its act; the heartbeat makes screens resync")
    return own_screen


def execute_request(request: HttpRequest, target: ActTarget, body: dict[str, Any] | None = None) -> ActReply:
    """Execute the act of a request, in one thread with one connection. Publishes nothing.

    `body`: what a machine sent, in the form in which a page sends it (`tables/api/acts.py`). It gets no screen.

    A refusal names its command if the record was searched for it first. Only such a refusal tells the screen that an
    act of which an earlier try had no answer was not taken (static/js/acts.js). Such a try, or a copy of this one, may
    still be on its way, so the refusal ends the command first, unless the screen may send it again: it says `once` of
    what it does not, and a server that has no time is asked again. If another try was accepted meanwhile, its answer is
    given.
    An act that was taken is never called not taken, also where its person may not act any more: who lost the right gets
    the first answer without a screen, and a device where nobody is signed in gets its refusal with `recorded`, the id.
    """
    try:
        reply = _execute_to_end(request, target, body)
    except Exception as error:
        outcome = "busy" if says_nothing_was_begun(error) else "error"
        metrics.ACTS.labels(target.runner.counted_as, outcome, "").inc()
        raise
    metrics.ACTS.labels(target.runner.counted_as, *_outcome(reply)).inc()
    return reply


def _outcome(reply: ActReply) -> tuple[str, str]:
    """What became of an act, and the code of its refusal, as metrics count it."""
    if reply.status == 200:
        return "repeated" if reply.body["again"] else "taken", ""
    code = reply.body["refusal"]["code"]
    return ("busy", "") if code == NOT_BEGUN else ("refused", code)


def _execute_to_end(request: HttpRequest, target: ActTarget, body: dict[str, Any] | None) -> ActReply:
    lookup = CommandLookup()
    reply = _execute_request(request, target, lookup, body)
    to_end = lookup.to_end if _is_about_command(reply, lookup) and _is_last_word(reply, lookup) else None
    if to_end is not None and not target.runner.end_command(to_end):
        reply = _execute_request(request, target, lookup, body)
    if _is_about_command(reply, lookup):
        reply.body["command"] = str(lookup.not_found)
    return reply


def _is_last_word(reply: ActReply, lookup: CommandLookup) -> bool:
    """Whether a page that gets this refusal does not send the command again: not with what it lacked, and not later."""
    refusal = reply.body["refusal"]["code"]
    return refusal != SecondFactorNeeded.code and (reply.status < 500 or lookup.retry)


def _is_about_command(reply: ActReply, lookup: CommandLookup) -> bool:
    """Whether a reply refuses a command for which the record was searched."""
    is_refusal = reply.status != 200 and reply.body["refusal"]["code"] != NOT_BEGUN
    return is_refusal and lookup.not_found is not None


def _execute_request(
    request: HttpRequest, target: ActTarget, lookup: CommandLookup, given: dict[str, Any] | None
) -> ActReply:
    station = "dealer" if given is None else ""
    if target.act not in target.runner.acts:
        return _refused(404, Refusal(UNKNOWN_ACT))
    try:
        person = person_of(request)
        body, attachment = _read_body(request, target) if given is None else (given, b"")
        if station and body.get("station") in STATIONS:
            station = body["station"]
        act_request = _act_request(request, body, person, target, attachment, lookup)
        if body.get("retry") is True:
            lookup.retry, act_request = True, act_request.of_rows()
        if lookup.retry or body.get("once") is True:
            lookup.to_end = act_request
        response = _perform(request, act_request, body, target)
    except (SignedOut, Locked) as reason:
        return _refused_without_session(request, target, reason)
    except Forbidden as refusal:
        return _refused(403, refusal)
    except (Table.DoesNotExist, Facility.DoesNotExist):
        return _refused(404, Refusal(UNKNOWN_ACT))
    except Stale:
        screen = _fresh_screen(request, target, station)
        first = _first_act(target, act_request) if screen else SOMEBODY_WAS_FIRST
        return _refused(409, Refusal(STALE, first=first), screen)
    except AuditRefusal as refusal:
        return _refused(refusal.status, refusal)
    except HeadRefused as refusal:
        screen = _fresh_screen(request, target, station)
        return _refused(refusal.status, refusal, screen, refusal.affected_table_ids)
    except RecordedRefusal as refusal:
        lookup.not_found = act_request.command  # also of a repetition: this is what became of the command
        affected = (refusal.response.key, *refusal.response.affected_table_ids)
        return _refused(422, refusal, _fresh_screen(request, target, station), affected)
    except Refusal as refusal:
        screen = _fresh_screen(request, target, station)
        reply = _refused(422, refusal, screen)
        if screen and _overtaking_types(refusal.code):  # so the act was tried
            first = _left_nothing(target, act_request, refusal)
            reply.body["refusal"]["message"] = f"{reply.body['refusal']['message']} {first}".strip()
        return reply
    if not response.is_repeat:
        metrics.committed(target.runner.counted_as, act_request.tap.waited_ms if act_request.tap else 0)
    own_table = (response.key,) if target.table else ()
    is_screen_needed = body.get("pushed") is not True or push.is_suspended()
    shows_table = (
        person.role in AT_THE_TABLE | SEES_EVERYTHING
    )  # the cage and security act without its screen
    return ActReply(
        200,
        {"version": response.version, "answer": response.body, "again": response.is_repeat},
        (*own_table, *response.affected_table_ids),
        station if shows_table and not response.is_forbidden and is_screen_needed else "",
        response.context if isinstance(response.context, TableContext) else None,
    )


def _perform(
    request: HttpRequest, act_request: ActRequest, body: dict[str, Any], target: ActTarget
) -> ActResponse:
    """Execute the act. A second person's PIN is hashed only once the act is known to be allowed, between two
    transactions, and not for a command that was accepted before.
    """
    signature = _signature(body, target)
    if signature is None:
        return target.runner.execute(act_request)
    act_request = act_request.of_rows()
    if accepted_before(request, target, body) is not None:
        return target.runner.execute(_with_claimed_witness(act_request, signature))  # its first answer
    code, pin, app_code = signature
    witness = people.claimed_witness(request, code, with_factor=bool(app_code))
    act_request = replace(act_request, witness=witness)
    if act_request.lookup.to_end is not None:
        act_request.lookup.to_end = act_request
    accepted = target.runner.rehearse(act_request, up_to_act=act_request.witness is None)
    if accepted is not None:
        return accepted
    act_request.lookup.not_found = None  # an earlier try may be accepted while this PIN is hashed
    witness = factors.verify_witness(request, code, pin, app_code)
    return target.runner.execute(replace(act_request, witness=witness))


def _refused_without_session(request: HttpRequest, target: ActTarget, reason: SignedOut | Locked) -> ActReply:
    """Refuse an act from a device where nobody may act, but judge the heads that it brings first.

    A restored backup lacks the session too, so the first act after it comes without one.
    """
    halted: list[TableHalted] = []
    if target.table:
        try:
            body = _json_body(request)
        except Refusal:
            body = {}
        heads = record.parse_stored(body.get("stored_heads")) + record.parse_stored([body.get("head")])
        claims = {f"{target.facility}/{target.table}": heads} if heads else {}
        halted = halts.halt_for_device(enrolled_device(request), claims)
    if halted:
        return _refused(halted[0].status, halted[0], None, halted[0].affected_table_ids)
    is_signed_out = isinstance(reason, SignedOut)
    status = 401 if is_signed_out else 423
    accepted = accepted_before(request, target)
    if accepted is None or is_refused_on_record(accepted.answer):
        reply = _refused(status, Refusal(SIGNED_OUT if is_signed_out else LOCKED))
    else:
        reply = _refused(status, Refusal(SIGNED_OUT_SINCE if is_signed_out else LOCKED_SINCE))
        reply.body.update(recorded=str(accepted.pk), version=accepted.seq)
    return replace(reply, is_without_session=True)


def accepted_before(
    request: HttpRequest, target: ActTarget, given: dict[str, Any] | None = None
) -> Command | None:
    """The accepted act of which a request is a repeat from the same device, no matter who is signed in there.

    Who sends it knows all that it says. `given`: as in `execute_request`. None says nothing: a try may be under way.
    """
    try:
        body, attachment = _read_body(request, target) if given is None else (given, b"")
        accepted = find_command(_command(body.get("command")))
        if accepted is None or accepted.person is None:
            return None
        act_request = _act_request(request, body, accepted.person, target, attachment, CommandLookup())
        repeat = _with_claimed_witness(act_request, _signature(body, target))
        if not target.runner.is_repeat(repeat, accepted):
            return None
        target.runner.confirm(repeat)
        return accepted
    except Refusal:
        return None


def _with_claimed_witness(act_request: ActRequest, signature: tuple[str, str, str] | None) -> ActRequest:
    """The act as it was said to be signed, with no PIN looked at: to compare what it says."""
    if signature is None:
        return act_request
    return replace(act_request, witness=people.person_by_code(signature[0]))


def _refused(
    status: int,
    refusal: Refusal | AuditRefusal,
    screen: Screen | None = None,
    table_ids: tuple[int, ...] = (),
) -> ActReply:
    worded = {
        "code": refusal.code,
        "title": title(refusal),
        "message": say(refusal),
        "section": short(getattr(refusal, "section", "")),
    }
    return ActReply(status, {"refusal": worded, "screen": screen}, table_ids, refusal=refusal)


def _fresh_screen(request: HttpRequest, target: ActTarget, station: str) -> Screen | None:
    """The table as it is now, so that a refused screen shows the truth; None for a person who may not open it.

    Also None for a machine, which has no station. Many refusals come before anybody checked whether the person works at
    this table.
    """
    if not target.table or not station:
        return None
    identity.read_again(request)
    try:
        table, _person = table_for(request, target.facility, target.table, station)
    except (Denied, SignedOut, Locked):
        return None
    return fragments.screen(station, table.pk)


def _first_act(target: ActTarget, act_request: ActRequest) -> str:
    """Return who did what on another screen that made the act stale. For a person who may open the table's screen."""
    return who_was_first(
        _table_of(target), act_request.seen_version, _device_id(act_request), act_request.lookup.overtaken_by
    )


def _left_nothing(target: ActTarget, act_request: ActRequest, refusal: Refusal) -> str:
    """Return who did on another screen what the act came too late for, or "". For whom `_first_act` is."""
    return who_left_nothing(_table_of(target), refusal, act_request.seen_version, _device_id(act_request))


def _table_of(target: ActTarget) -> Table:
    return Table.objects.get(facility__code=target.facility, code=target.table)


def _device_id(act_request: ActRequest) -> str:
    return str(act_request.device.pk) if act_request.device else ""


def _json_body(request: HttpRequest) -> dict[str, Any]:
    if _content_length(request) > MAX_BODY_BYTES:
        raise malformed("body")
    try:
        body = json.loads(request.body[: MAX_BODY_BYTES + 1])
    except (ValueError, RecursionError, RawPostDataException):  # the last: it was read as a form already
        raise malformed("body") from None
    if not isinstance(body, dict):
        raise malformed("body")
    return body


def _read_body(request: HttpRequest, target: ActTarget) -> tuple[dict[str, Any], bytes]:
    """What a page sent, and the bytes of the file that came with it."""
    return _form(request) if _has_file(request, target) else (_json_body(request), b"")


def _has_file(request: HttpRequest, target: ActTarget) -> bool:
    takes_files = target.runner is office_runner.RUNNER or target.act in WITH_FILE
    return takes_files and request.content_type == "multipart/form-data"


def _form(request: HttpRequest) -> tuple[dict[str, Any], bytes]:
    """Return an act that comes with a file as the body of any other act, and the bytes of the file.

    A browser can compute the file's SHA-256 over HTTPS alone; where it did not, it is computed here.
    """
    if _content_length(request) > documents.MOST_FORM_BYTES:  # checked before the form is read
        raise Refusal(DOCUMENT_TOO_LARGE, name="The file", most=documents.MOST_BYTES // 2**20)
    file = request.FILES.get("file")
    if file is None:
        raise malformed("file")
    name = _shortened(str(file.name or ""))
    if (file.size or 0) > documents.MOST_BYTES:
        raise Refusal(DOCUMENT_TOO_LARGE, name=name, most=documents.MOST_BYTES // 2**20)
    content = file.read()
    fields = {key: value for key, value in request.POST.items() if key not in FORM_FIELDS_OF_THE_REQUEST}
    params = {"sha256": hashlib.sha256(content).hexdigest(), **fields, "filename": name}
    return {"command": request.POST.get("command"), "params": params}, content


def _shortened(name: str) -> str:
    """A file's name cut to 120 characters; the extension stays."""
    stem, dot, extension = name.rpartition(".")
    if len(extension) > MAX_EXTENSION:
        return name[:MAX_FILE_NAME]
    return stem[: MAX_FILE_NAME - 1 - len(extension)] + dot + extension


def _content_length(request: HttpRequest) -> int:
    header = request.META.get("CONTENT_LENGTH") or "0"
    return int(header) if header.isdecimal() else 0


def _act_request(
    request: HttpRequest,
    body: dict[str, Any],
    person: Person,
    target: ActTarget,
    attachment: bytes,
    lookup: CommandLookup,
) -> ActRequest:
    seen_version, params = body.get("seen") if target.table else 0, body.get("params", {})
    if not isinstance(seen_version, int) or isinstance(seen_version, bool) or not 0 <= seen_version < 2**53:
        raise malformed("seen", "Input should be the version of the table that was read", path="seen")
    if not isinstance(params, dict):
        raise malformed("params", path="params")
    command = _command(body.get("command"))
    logs.note(command=str(command))
    sender: Sender | None = getattr(request, "sender", None)
    return ActRequest(
        facility=target.facility,
        place=target.place,
        act=target.act,
        command=command,
        seen_version=seen_version,
        params=params,
        actor=person,
        device=enrolled_device(request),
        attachment=attachment,
        head=_head(body.get("head")) if target.table else None,
        stored_heads=record.parse_stored(body.get("stored_heads")) if target.table else (),
        tap=_tap(body.get("tapped")) if target.table else None,
        factor_at=factors.factor_at(request.session),
        after=_after(body.get("after", [])) if target.table else frozenset(),
        sender=sender,
        reread=None if sender is None else partial(_reread, request),
        lookup=lookup,
    )


def _reread(request: HttpRequest, act_request: ActRequest) -> ActRequest:
    """The act with its sender as the rows say. Raises `SignedOut` or `Locked`."""
    identity.read_again(request)
    return replace(
        act_request,
        actor=person_of(request),
        device=enrolled_device(request),
        factor_at=factors.factor_at(request.session),
        sender=None,
        reread=None,
    )


def _after(value: Any) -> frozenset[uuid.UUID]:
    """The commands of the same tablet behind which the act waited."""
    if not isinstance(value, list) or len(value) > MOST_FOLLOWED:
        raise malformed("after")
    return frozenset(_command(command) for command in value)


def _tap(value: Any) -> ClaimedTap | None:
    """When the device says that the act was tapped; None where it does not say so."""
    if value is None:
        return None
    waited_ms = value.get("waited_ms") if isinstance(value, dict) else None
    if not isinstance(waited_ms, int) or isinstance(waited_ms, bool) or not 0 <= waited_ms < 2**53:
        raise malformed("tapped")
    try:
        return ClaimedTap(dt.datetime.fromisoformat(value["clock"]).astimezone(dt.UTC), waited_ms)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise malformed("tapped") from None


def _head(value: Any) -> record.ClaimedHead | None:
    try:
        return record.parse_head(value)
    except ValueError:
        raise malformed("head") from None


def _command(value: Any) -> uuid.UUID:
    try:
        return uuid.UUID(value)
    except (ValueError, TypeError, AttributeError):
        raise malformed("command") from None


def _signature(body: dict[str, Any], target: ActTarget) -> tuple[str, str, str] | None:
    """The code, the PIN, and the code of their app or "" that a second person typed; None where nobody signed."""
    value = body.get("witness")
    if value is None or not target.runner.acts[target.act].witness:
        return None
    if not isinstance(value, dict):
        raise malformed("witness", path="witness")
    person, pin, app_code = (value.get(name, default) for name, default in SIGNATURE)
    if not (_is_typed(person) and _is_typed(pin) and _is_typed(app_code)):
        raise malformed("witness", path="witness")
    return person, pin, app_code


def _is_typed(value: Any) -> TypeGuard[str]:
    """Text that a person can have typed. Half a surrogate pair could be neither hashed nor looked up."""
    return isinstance(value, str) and value.isprintable()
