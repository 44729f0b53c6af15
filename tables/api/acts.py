"""Acts of a machine, and of a person who has signed in at it: the same runner, rights, refusals and record as a tap.

`Idempotency-Key` is the command of the act. The same key with the same content gets the first answer, after the time in
which acts are repeated what its entry says, with `Idempotent-Replay: true`; with other content it is refused. `seen` is
the version of the table that the decision rests on; an act whose table has moved on since in a way that matters to it
is refused with 409.

An act whose roles name machines, such as `post_reading`, is done by the machine itself. Any other act is done by the
person who has signed in at the machine (`POST /api/v1/person`), as at a tablet, with the token that this sign-in gave:
another server of the same client, with a token of its own, does not act in their name. Without one the machine does it,
and is refused unless its role may. What is entered of a second person (`witness`) is their own PIN.
"""

import datetime as dt
import inspect
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Header, Router
from pydantic import Field

from audit import clients, clock, people
from audit.models import Device, Person
from audit.refusals import AuditRefusal
from audit.runner import Act, ActRunner
from games.act_forms import ActForm
from games.engine import Refusal
from games.refusals import MALFORMED
from tables.api.access import ApiRequest, Caller, needs
from tables.api.app import Page, Problem, Shape, Whole, malformed_act, not_found
from tables.core.duty import MACHINES
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tables.staffing.access import SUBJECT as PEOPLE
from tables.views.acts import ActReply, ActTarget, accepted_before, execute_request, publish
from tables.views.sign_in import end_work, start_work
from tables.words.sentences import say, title

router = Router(tags=["Acts"])

# The scope of an act that is not done by the scope `acts`.
SCOPE_OF_ACT = {
    "post_reading": "readings",
    "show_sign": "signs",
    "end_employment": "staff",
    "add_bookmark": "bookmarks",
}
SENTENCES = Path(__file__).parents[1] / "management" / "reference" / "parameters.toml"
MOVED_ON = "The table has moved on since version %s. Read it again, and decide again."
REPLAY = "Idempotent-Replay"
AGAIN = "whether an earlier try had no answer: a refusal then ends the key, and no earlier try is taken later"
NOTED_EVERY = dt.timedelta(seconds=5)  # that a machine was heard, and that its person acted


# Shapes


class SignatureShape(Shape):
    """A second person, who signs the act by their own PIN on the machine."""

    person: str = Field(description="code of the person", max_length=40)
    pin: str = Field(max_length=20)
    app_code: str = Field("", description="the code of their app, where a PIN is not enough", max_length=20)


class ActShape(Shape):
    """An act. Its parameters are those of `GET /api/v1/acts/{act}`."""

    params: dict[str, Any] = Field(default_factory=dict, description="the parameters of the act")
    seen: Whole | None = Field(
        None,
        description="the version of the table that was read; needed by acts that depend on anything",
        ge=0,
    )
    witness: SignatureShape | None = None


class ActAnswer(Shape):
    """What became of an act that was taken."""

    version: int = Field(description="the version of the table, or of the stream, after the act")
    answer: dict[str, Any] = Field(description="the type of its entry (`type`), and what the act answers")
    again: bool = Field(
        description="whether this key was taken before: this is its first answer, later its entry's type and number"
    )


class DescribedAct(Shape):
    """What may be sent with an act."""

    act: str
    address: str = Field(description="where it is posted")
    about: str
    roles: list[str] = Field(description="who may do it; a row of the policy may say more")
    scope: str
    depends_on: str = Field(
        description="phase, round, seats or nothing: after which changes it is refused as stale"
    )
    witness: bool = Field(description="whether a second person may sign it")
    params: dict[str, Any] | None = Field(
        description="JSON Schema of `params`; null for an act whose parameters depend on one another"
    )
    in_words: str = Field(description="what a schema does not say of them; may be empty")


# Acts


@router.get("/acts", auth=needs("acts", "readings", "signs"), response=Page[DescribedAct])
def list_acts(request: ApiRequest) -> object:
    """Every act at a table and of a facility, with the schema of its parameters."""
    return Page[DescribedAct](items=[*_described()], next=None)


@router.get("/acts/{slug:act}", auth=needs("acts", "readings", "signs"), response=DescribedAct)
def read_act(request: ApiRequest, act: str) -> object:
    """One act, with the schema of its parameters."""
    for described in _described():
        if described.act == act:
            return described
    raise not_found("act")


@router.post(
    "/facilities/{slug:facility}/tables/{code:table}/acts/{slug:act}",
    auth=needs("acts", "readings", "signs"),
    response=ActAnswer,
)
def act_at_table(
    request: ApiRequest,
    response: HttpResponse,
    facility: str,
    table: str,
    act: str,
    body: ActShape,
    idempotency_key: str = Header("", alias="Idempotency-Key", description="the id of this act: a UUID"),
    again: bool = Header(False, alias="Idempotency-Retry", description=AGAIN),
) -> object:
    """Do an act at a table."""
    here = request.caller.at(facility)
    if request.caller.device.place not in ("", f"{here.code}/{table}"):
        raise not_found("table")
    target = ActTarget(
        table_runner.RUNNER, here.code, table, act
    )  # its runner reads the table, under the lock
    return answer_of(request, response, do_act(request, target, body, idempotency_key, again=again), body)


@router.post("/facilities/{slug:facility}/acts/{slug:act}", auth=needs("acts"), response=ActAnswer)
def act_of_facility(
    request: ApiRequest,
    response: HttpResponse,
    facility: str,
    act: str,
    body: ActShape,
    idempotency_key: str = Header("", alias="Idempotency-Key", description="the id of this act: a UUID"),
    again: bool = Header(False, alias="Idempotency-Retry", description=AGAIN),
) -> object:
    """Do an act on the dice, the equipment, the staff or the setup of a facility."""
    here = request.caller.at(facility)
    target = ActTarget(facility_runner.RUNNER, here.code, "", act)
    return answer_of(request, response, do_act(request, target, body, idempotency_key, again=again), body)


def do_act(
    request: ApiRequest, target: ActTarget, body: ActShape, key: str, *, again: bool = False, scope: str = ""
) -> ActReply:
    """Run an act as a page's request would, publish what it changed, and return the reply.

    `scope`: the one by which the machine itself does it at an address of its own, instead of the act's. Raises Problem
    for a key that is no UUID, an act that nobody knows, a scope that the client lacks, and a locked machine.
    """
    act = _known(target.runner, target.act)
    caller = request.caller
    sent: dict[str, Any] = {"command": str(_command(key)), "params": body.params, "seen": body.seen}
    sent["retry"] = again
    if body.seen is None and act.depends_on == "nothing":
        sent["seen"] = 0
    if body.witness is not None:
        sent["witness"] = body.witness.model_dump()
    accepted = accepted_before(request, target, sent)
    if accepted is not None and accepted.person is not None:
        actor = accepted.person  # it gets its first answer, also where this person may not act any more
    else:
        actor = caller.person if scope else _actor(caller, act)
    scope = scope or _scope_of(act, actor)
    if scope not in caller.scopes:
        raise Problem(403, "insufficient-scope", f"This act takes a token with the scope {scope}.")
    request.user = actor
    note_heard(caller.device)
    reply = execute_request(request, target, sent)
    if request.user != caller.person and reply.status == 200 and not reply.body["again"]:
        _note_use(caller.device)
    publish(reply.table_ids, ctx=reply.ctx)
    return reply


def answer_of(request: ApiRequest, response: HttpResponse, reply: ActReply, body: ActShape) -> ActAnswer:
    """The answer to an act that was taken. Raises Problem with the refusal of one that was not."""
    if reply.status != 200:
        raise refused(reply, body.seen)
    if reply.body["again"]:
        response[REPLAY] = "true"
    return ActAnswer(version=reply.body["version"], answer=reply.body["answer"], again=reply.body["again"])


def refused(reply: ActReply, seen: int | None = None) -> Problem:
    """The problem that tells of an act that was refused."""
    if isinstance(reply.refusal, Refusal) and reply.refusal.code == MALFORMED:
        return malformed_act(reply.refusal)
    refusal = reply.body["refusal"]
    detail = MOVED_ON % seen if refusal["code"] == "stale" else refusal["message"]
    return Problem(_status(reply.status), refusal["code"], detail, refusal["section"], title=refusal["title"])


def _status(status: int) -> int:
    """The status of a refusal: 401 is about the token alone, so that nobody asks for another one after a wrong PIN."""
    return 403 if status == 401 else status


def _known(runner: ActRunner[Any, Any, Any], name: str) -> Act[Any, Any]:
    act = runner.acts.get(name)
    if act is None:
        raise not_found("act")
    return act


def _scope_of(act: Act[Any, Any], actor: Person) -> str:
    """The scope that an act takes. A machine that changes who has access is the system of a personnel office."""
    by_itself = actor.role in MACHINES and act.subject == PEOPLE
    return "staff" if by_itself else SCOPE_OF_ACT.get(act.name, "acts")


def _command(key: str) -> uuid.UUID:
    """The command of an act by its Idempotency-Key, with or without quotation marks."""
    text = key.strip().strip('"')
    if not text:
        detail = "Send an Idempotency-Key: a UUID of your own for each act, the same for each try of it."
        raise Problem(400, "idempotency-key-missing", detail, title="Key missing")
    try:
        return uuid.UUID(text)
    except ValueError:
        detail = "The Idempotency-Key is no UUID. Send one such as 0b6c1d5e-8a14-4f0e-9d2b-7c3f5a1e6b90."
        raise Problem(400, "idempotency-key-malformed", detail, title="No UUID") from None


def _actor(caller: Caller, act: Act[Any, Any]) -> Person:
    """Who does an act that this client sends: the machine itself, or the person signed in at it. Raises Problem 423."""
    person = None if act.roles == MACHINES else _person_of(caller)
    if person is None:
        return caller.person
    _verify_may_act(caller.device, person)
    return person


def _person_of(caller: Caller) -> Person | None:
    """Who signed in at the machine and got this token; None for a token of the machine.

    Raises Problem 423 where that sign-in is over.
    """
    if not caller.sign_in:
        return None
    device = caller.device
    if _sign_in_of(device) != caller.sign_in:
        raise Problem(
            423, "locked", f"This token's sign-in at {device.name} is over. Sign in again with the PIN."
        )
    return device.person


def _sign_in_of(device: Device) -> str:
    """Who is signed in at a machine, and since when, as a token names it; "" while nobody is."""
    if device.person is None or device.signed_on_at is None:
        return ""
    return f"{device.person.code} {clock.format_moment(device.signed_on_at)}"


def _verify_may_act(device: Device, person: Person) -> None:
    """Refuse the person of a locked machine, and one whose sign-in has ended. Raises Problem 423.

    Locks a machine at which its person has done nothing for as long as a tablet waits. What the machine itself asks
    does not count, as a tablet's polling does not, and neither does an act that was refused.
    """
    now = clock.now()
    idle = now - _used_at(device) > dt.timedelta(seconds=settings.DEVICE_IDLE_LOCK_SECONDS)
    if device.locked_at is None and idle:
        people.lock(device, reason="idle")
    if _is_locked(device, person):
        raise Problem(
            423, "locked", f"{device.name} is locked. {person.name} must sign in again with the PIN."
        )


def _is_locked(device: Device, person: Person) -> bool:
    return device.locked_at is not None or people.has_sign_in_ended(device, person, clock.now())


def _used_at(device: Device) -> dt.datetime:
    """When the person signed in at a machine did so, or last had an act taken there."""
    assert device.signed_on_at is not None
    return max(device.signed_on_at, device.acted_at or device.signed_on_at)


def _note_use(device: Device) -> None:
    """Save that the person at a machine had an act taken now, to five seconds."""
    now = clock.now()
    if now - _used_at(device) >= NOTED_EVERY:
        Device.objects.filter(pk=device.pk).update(acted_at=now)


def note_heard(device: Device) -> None:
    """Save that a machine was heard now, to five seconds."""
    now = clock.now()
    if device.heard_at is None or now - device.heard_at >= NOTED_EVERY:
        Device.objects.filter(pk=device.pk).update(heard_at=now)


@lru_cache(maxsize=1)
def _described() -> tuple[DescribedAct, ...]:
    sentences = tomllib.loads(SENTENCES.read_text("utf-8"))
    places = (
        (table_runner.RUNNER, "/api/v1/facilities/{facility}/tables/{table}/acts/"),
        (facility_runner.RUNNER, "/api/v1/facilities/{facility}/acts/"),
    )
    return tuple(
        _describe(runner.acts[name], address, str(sentences.get(name, "")))
        for runner, address in places
        for name in sorted(runner.acts)
    )


def _describe(act: Act[Any, Any], address: str, sentence: str) -> DescribedAct:
    form = act.do if isinstance(act.do, ActForm) else None
    return DescribedAct(
        act=act.name,
        address=address + act.name,
        about=(inspect.getdoc(form.do if form else act.do) or "").split("\n\n")[0].replace("\n", " "),
        roles=sorted(act.roles),
        scope=SCOPE_OF_ACT.get(act.name, "acts"),
        depends_on=act.depends_on,
        witness=act.witness,
        params=form.schema() if form else None,
        in_words=sentence,
    )


# The person at a machine


class SignInShape(Shape):
    """A person who signs in at the machine, as at a tablet."""

    person: str = Field(description="code of the person", max_length=40)
    pin: str = Field(max_length=20)


class PersonAtMachine(Shape):
    """Who is signed in at the machine. All are null while nobody is."""

    person: str | None = Field(description="code of the person")
    name: str | None
    role: str | None
    locked: bool = Field(description="whether they must sign in again before they act")
    token: str | None = Field(
        description="a token in which acts are theirs; for the one who signed in with it alone"
    )
    expires_in: int | None = Field(
        description="for how many seconds it is accepted: ask here for the next before"
    )


@router.get("/person", auth=needs("acts"), response=PersonAtMachine)
def read_person(request: ApiRequest, response: HttpResponse) -> object:
    """Who is signed in at this machine, and the next token for the one whose sign-in gave the one that asks."""
    return _person_at(request.caller, response, request.caller.sign_in)


@router.post("/person", auth=needs("acts"), response=PersonAtMachine)
def sign_in(request: ApiRequest, response: HttpResponse, body: SignInShape) -> object:
    """Sign a person in at this machine by their PIN, instead of who was signed in before.

    The same checks, lock-outs and record as at a tablet. A person who needs a password and a second factor signs in at
    a page. A dealer takes the table of the machine over. Their acts are sent with the token that is answered.
    """
    device = request.caller.device
    before = device.person
    try:
        with _without_session(request):
            person = people.sign_in(request, body.person, body.pin)
    except AuditRefusal as refusal:
        raise Problem(_status(refusal.status), refusal.code, say(refusal), title=title(refusal)) from None
    unable = start_work(request, device, before, person)
    if unable is not None:
        raise unable
    device.refresh_from_db()
    return _person_at(request.caller, response, _sign_in_of(device))


@router.delete("/person", auth=needs("acts"), response=PersonAtMachine)
def sign_off(request: ApiRequest, response: HttpResponse) -> object:
    """Sign the person off. A dealer leaves the table; with a shaker in their custody they must be relieved first.

    At a locked machine, and with another token, nobody signs somebody off: they sign in again first, or somebody else
    signs in.
    """
    device = request.caller.device
    if device.person is not None:
        if _person_of(request.caller) is None:
            raise Problem(
                423, "locked", f"{device.person.name} signed in with another token, and signs off with it."
            )
        _verify_may_act(device, device.person)
        request.user = device.person
        with _without_session(request):
            refusal = end_work(request, device, device.person)
        if refusal is not None:
            raise refusal
    return _person_at(request.caller, response, "")


@contextmanager
def _without_session(request: HttpRequest) -> Iterator[None]:
    """Leave nothing of the session that is begun or ended meanwhile: no browser is signed in."""
    try:
        yield
    finally:
        request.session.flush()
        request.META.pop("CSRF_COOKIE_NEEDS_UPDATE", None)


def _person_at(caller: Caller, response: HttpResponse, sign_in: str) -> PersonAtMachine:
    """Who is signed in at a machine now, with a token if they did in this sign-in and are not locked."""
    response["Cache-Control"] = "no-store"
    device = caller.device
    device.refresh_from_db()
    person = device.person
    if person is None:
        return PersonAtMachine(person=None, name=None, role=None, locked=False, token=None, expires_in=None)
    is_locked = _is_locked(device, person)
    is_theirs = bool(sign_in) and sign_in == _sign_in_of(device) and not is_locked
    return PersonAtMachine(
        person=person.code,
        name=person.name,
        role=person.role,
        locked=is_locked,
        token=clients.issue_token(caller.secret, caller.scopes, sign_in) if is_theirs else None,
        expires_in=int(clients.TOKEN_LIFETIME.total_seconds()) if is_theirs else None,
    )
