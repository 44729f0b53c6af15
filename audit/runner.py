"""The pipeline of every act: the only code that changes what the record covers.

1. The caller has checked that the device is enrolled and that the person is signed in at it. If a second person signs,
   it rehearses the act, and checks that person's PIN outside of any transaction.
2. One transaction: lock the target, check permission, return the saved response of a repeated command, refuse a stale
   act, let the act apply its rules and write, append its entry, save its response. Who may not act any more gets the
   saved response all the same: nobody is told that an act was not taken that was.
3. After the commit, the caller publishes the new state.

A subclass of `ActRunner` serves one kind of target (a table, or a stream of a facility). It says how the target is
locked, who may act on it and when an act is stale. Acts register themselves with it.

Accepted acts are kept by the id that their screen created (`Command`), so that a repeated request gets the first
answer. A refused retry is kept too: it ends its command, so that no earlier try, which may still wait somewhere, is
accepted after the screen was told that the act was not taken.
"""

import datetime as dt
import hashlib
import json
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload

from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction

from audit import chain, clock, record
from audit.answers import answer_of
from audit.entry_types import EntryBody
from audit.factors import StepUp, verify_step_up
from audit.identity import Sender
from audit.models import Command, Device, Entry, Person, Stream
from audit.record import ClaimedHead
from audit.refusals import CommandChanged, CommandEnded, LeaveHasBegun, LicenseHasEnded
from audit.rows import collected_writes, insert, make_instance, one_flush, read

# Acts that were accepted, by the id of their command


ENDED = {"ended": True}  # the answer of a command that a refused retry ended


def content_hash(content: dict[str, Any]) -> bytes:
    """Hash (SHA-256, 32 bytes) what an act says: person, place, act and parameters, as one canonical object.

    The version and head that the screen showed are not part of it. Raises chain.NotCanonical, as the record would.
    """
    return hashlib.sha256(chain.canonical(content)).digest()


def find_command(command_id: uuid.UUID) -> Command | None:
    """The accepted act with this id, or None. Without the lock of the stream it acts on, None says nothing about tries
    that are under way.
    """
    rows = read((("c", Command),), "FROM audit_command c WHERE c.id = %s", [command_key(command_id)])
    return next((command for (command,), _ in rows), None)


def command_key(command_id: uuid.UUID | None) -> Any:
    """The id as a statement compares it with `audit_command.id`."""
    return Command._meta.pk.get_db_prep_value(command_id, connection)


def entries_of_commands(
    ids: Collection[uuid.UUID], device: Device | None, stream: Stream, numbers: Collection[int]
) -> set[int]:
    """Those of these entries that acts with these ids wrote at this device. An unreadable entry is of none."""
    origins = {(str(id_), str(device.pk) if device else None) for id_ in ids}
    rows = Entry.objects.filter(stream=stream, seq__in=numbers).values_list("seq", "body")
    return {number for number, body in rows if _origin(bytes(body)) in origins}


def _origin(body: bytes) -> tuple[Any, Any]:
    """The command and the device of an entry."""
    try:
        body_fields = json.loads(body)
        return str(body_fields["command"]), body_fields["device"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, None


def verify_same_command(command: Command, content: bytes) -> None:
    """Raise CommandChanged if the accepted act has another `content_hash`."""
    if bytes(command.content_sha256) != content:
        raise CommandChanged(command=str(command.pk))


def has_ended(command: Command) -> bool:
    """Whether a refused retry ended this command, so that it was not accepted and never will be."""
    return bool(command.answer == ENDED)


COMMAND_COLUMNS = ("id", "seq", "at", "stream_id", "person_id", "device_id", "content_sha256", "answer")


def save_command(
    command_id: uuid.UUID,
    *,
    content: bytes,
    stream: Stream,
    seq: int,
    answer: Any,
    moment: dt.datetime,
    actor: Person | None = None,
    device: Device | None = None,
) -> Command:
    """Save the answer of an accepted act, in the act's transaction.

    `seq` is the last entry that the act wrote on the stream: the version in its answer. `content` is its
    `content_hash`.
    """
    person_id, device_id = actor.pk if actor else None, device.pk if device else None
    values = (command_id, seq, moment, stream.pk, person_id, device_id, content, answer)
    command = make_instance(Command, COMMAND_COLUMNS, values)
    insert(command)
    return command


# The pipeline


Changes: TypeAlias = Literal["table", "phase", "nothing"]
DependsOn: TypeAlias = Literal["phase", "round", "seats", "nothing"]


_in_one_transaction: ContextVar[bool] = ContextVar("in_one_transaction", default=False)


@contextmanager
def one_transaction() -> Iterator[None]:
    """Execute the acts inside in one transaction, all or nothing. Seeding uses it; a request never does."""
    token = _in_one_transaction.set(True)
    try:
        with transaction.atomic():
            yield
    finally:
        _in_one_transaction.reset(token)


def is_one_transaction() -> bool:
    """Whether acts are executed in a block of `one_transaction`, which may still roll them back."""
    return _in_one_transaction.get()


@contextmanager
def _transaction() -> Iterator[None]:
    """A transaction whose writes are sent together with its end."""
    with collected_writes(), transaction.atomic(durable=not _in_one_transaction.get()):
        yield


@dataclass(frozen=True)
class ClaimedTap:
    """When an act was tapped, by the clock of the device, and how many milliseconds it waited there."""

    moment: dt.datetime
    waited_ms: int


@dataclass
class CommandLookup:
    """The command that the record was searched for, under the lock of its target, and not found; None before that.

    A refusal that comes afterward is an answer about this command: no earlier try of it was accepted. A refusal that
    comes before says nothing about earlier tries. `to_end`: the request, if its refusal is an answer only once it has
    ended the command: who is told that an act was not taken does not send it again, but a copy of it may still come.
    `retry`: whether earlier tries of it had no answer, so that a server that has no time for it ends it, too.
    `overtaken_by`: the number of the entry that made the act stale.
    """

    not_found: uuid.UUID | None = None
    to_end: "ActRequest | None" = None
    retry: bool = False
    overtaken_by: int | None = None


@dataclass(frozen=True)
class ActRequest:
    """One act as a screen sent it.

    `seen_version`: the version that the screen showed when the person tapped. `after`: the commands of this tablet that
    were accepted while the act waited behind them.
    `attachment`: the bytes of an uploaded file. The parameters hold its SHA-256, so the command's content covers it.
    `head`: the head that the screen showed, if it showed one. `stored_heads`: others that the device has stored.
    `tap`: what the device says about when the act was tapped, if it waited. A retry says something else.
    `factor_at`: when the actor last gave a second factor in this session. `lookup`: set by the runner.
    `copy`: set by a runner that lets the act run on what a worker kept, instead of the target's rows. `sender`: what
    the worker remembered of device, session and person, which only such an act may assume; None where they were read
    for this request. `reread`: with a sender, returns the request as its rows are.
    """

    facility: str
    place: str
    act: str
    command: uuid.UUID
    seen_version: int
    params: dict[str, Any]
    actor: Person
    device: Device | None
    witness: Person | None = None
    attachment: bytes = b""
    head: ClaimedHead | None = None
    stored_heads: tuple[ClaimedHead, ...] = ()
    tap: ClaimedTap | None = None
    factor_at: dt.datetime | None = None
    copy: Any = None
    sender: Sender | None = None
    reread: "Callable[[ActRequest], ActRequest] | None" = None
    after: frozenset[uuid.UUID] = frozenset()
    lookup: CommandLookup = field(default_factory=CommandLookup, compare=False)

    def of_rows(self) -> "ActRequest":
        """The same act with its sender read for it. Raises what refuses a sender."""
        return self if self.reread is None else self.reread(self)


@dataclass(frozen=True)
class ActOutcome:
    """What an act did: its entry, the answer for the screen, and what it makes stale.

    `changes`: `table` (status, equipment, or the end of a round), `phase` (phase or throw of the live round), or
    `nothing` that a later act could depend on. `seats`: the seats whose wagers changed.
    """

    entry: EntryBody
    answer: dict[str, Any] = field(default_factory=dict)
    changes: Changes = "table"
    seats: tuple[int, ...] = ()


@dataclass(frozen=True)
class ActResponse:
    """The saved answer to an act, with the primary key of its target.

    `is_repeat`: the command had been accepted before. `is_forbidden`: by a person who may not do it any more, and who
    sees no screen. `affected_table_ids`: other tables whose screens show the change. `context`: that of an act whose
    context has all that the act wrote (`Act.is_all_in_context`).
    """

    key: int
    version: int
    body: dict[str, Any]
    is_repeat: bool = False
    is_forbidden: bool = False
    affected_table_ids: tuple[int, ...] = ()
    context: "ActContext | None" = None


class ActContext(Protocol):
    """What an act works on: its locked target, and the moment at which it happens."""

    stream: Stream
    now: dt.datetime

    @property
    def key(self) -> int: ...
    @property
    def gaming_day(self) -> dt.date: ...
    @property
    def terms_sha256(self) -> str: ...
    def save_changes(self, changes: Changes, seats: tuple[int, ...]) -> None: ...
    def after_append(self, appended: record.Appended) -> None:
        """Write what belongs to the act after its own entry. May append further entries, also to other streams."""

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """Primary keys of other tables whose streams record the change and whose screens show it."""


ContextT = TypeVar("ContextT", bound=ActContext)
ParamsT = TypeVar("ParamsT")
LockedT = TypeVar("LockedT")
Do = TypeVar("Do", bound=Callable[..., ActOutcome])


@dataclass(frozen=True)
class Act(Generic[ContextT, ParamsT]):
    """A registered act: its name in the URL, the function that does it, who may do it, and what makes it stale.

    `is_all_in_context`: after the act, its context has everything that the act wrote, so its table is shown without a
    further read. `step_up`: where it needs a second factor again (`audit/factors.py`). `subject`: the row of the
    policy by which one person prepares it and another approves it, or by which it is signed. `is_personal`: its
    parameters are personal data, of which nothing may stay once they are erased.
    """

    name: str
    do: Callable[[ContextT, ParamsT], ActOutcome]
    roles: frozenset[str]
    witness: bool
    depends_on: DependsOn
    is_all_in_context: bool = False
    step_up: StepUp = "never"
    subject: str = ""
    is_personal: bool = False


class Stale(Exception):
    """Something that the act depends on has changed since the screen was drawn (409 with the current state)."""


class ActRunner(ABC, Generic[ContextT, ParamsT, LockedT]):
    """Executes acts on one kind of target."""

    counted_as: str  # the kind of target, as metrics count its acts
    forbidden: type[Exception]  # the refusal of a person who may not do an act here
    # The rows of the policy by which this kind of act is prepared and approved, or signed; none at most places.
    subjects: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.acts: dict[str, Act[ContextT, ParamsT]] = {}

    @abstractmethod
    def lock(self, request: ActRequest) -> LockedT:
        """Lock the target until the transaction ends."""

    @abstractmethod
    def key(self, locked: LockedT) -> int:
        """The primary key by which the caller publishes."""

    def verify_record(self, request: ActRequest, locked: LockedT) -> None:
        """Raise unless the record has what the request brings of it."""

    @abstractmethod
    def verify_permission(self, request: ActRequest, act: Act[ContextT, ParamsT], locked: LockedT) -> None:
        """Raise `forbidden` unless this person may do this act here from this device."""

    def is_repeat(self, request: ActRequest, accepted: Command) -> bool:
        """Whether a request is that of an accepted act once more: from the same device, by the same person, with the
        same content.
        """
        device = request.device
        if device is None or accepted.device_id != device.pk or has_ended(accepted):
            return False
        return bytes(accepted.content_sha256) == self._content_hash(request)

    def confirm(self, request: ActRequest) -> None:
        """Wait until what was accepted at a target is at the synchronous standby, too.

        A read waits for nothing, and sees what a failover may still lose. A lock is written, so that its commit waits.
        """
        with _transaction():
            self.lock(request)

    def accepted_command(self, request: ActRequest, locked: LockedT) -> Command | None:
        """The accepted act with the request's id, if there is one. A subclass may read more with it."""
        return find_command(request.command)

    @abstractmethod
    def stream_of(self, locked: LockedT) -> Stream:
        """The stream of a locked target."""

    @abstractmethod
    def make_context(self, request: ActRequest, locked: LockedT) -> ContextT:
        """Build the act's context. Raise a refusal for a witness who may not sign here."""

    @abstractmethod
    def is_stale(self, request: ActRequest, act: Act[ContextT, ParamsT], ctx: ContextT) -> bool:
        """Whether something that the act depends on has changed since the screen was drawn."""

    def form_of(self, do: Callable[..., ActOutcome]) -> Callable[[ContextT, ParamsT], ActOutcome]:
        """What is called with an act's context and parameters. A subclass may read the function's signature."""
        return do

    @abstractmethod
    def read_params(self, params: dict[str, Any]) -> ParamsT:
        """Wrap the act's parameters, which it reads by name and kind."""

    def do(self, act: Act[ContextT, ParamsT], ctx: ContextT, params: ParamsT) -> ActOutcome:
        """Do the act: apply its rules, and write. A subclass may check more before, and add to the entry."""
        return act.do(ctx, params)

    @abstractmethod
    def reject_unknown(self, params: ParamsT) -> None:
        """Raise a refusal for parameters that the act did not read."""

    @abstractmethod
    def malformed(self, name: str) -> Exception:
        """The refusal of a value that none of our screens sends."""

    def act(
        self,
        *,
        roles: Iterable[str],
        witness: bool = False,
        depends_on: DependsOn = "phase",
        is_all_in_context: bool = False,
        step_up: StepUp = "never",
        subject: str = "",
        is_personal: bool = False,
    ) -> Callable[[Do], Do]:
        """Register the decorated function as an act under its own name.

        `witness`: a second person may sign the act; the act itself refuses where one must. `is_all_in_context`: the
        act changes rows only by what the context offers for it. `step_up`: where it needs a second factor again.
        Raises ImproperlyConfigured for a `subject` by which nothing is done here: the act would say that a second
        person controls it, and run without one.
        """
        if subject and subject not in self.subjects:
            raise ImproperlyConfigured(
                f"No act is done here by the row {subject}. An act at a table is signed by a row of `signature` or "
                "`alone`; one at the facility or the office is prepared and approved by a row of `change`."
            )

        def register(do: Do) -> Do:
            self.acts[do.__name__] = Act(
                do.__name__,
                self.form_of(do),
                frozenset(roles),
                witness,
                depends_on,
                is_all_in_context,
                step_up,
                subject,
                is_personal,
            )
            return do

        return register

    def execute(self, request: ActRequest) -> ActResponse:
        """Execute one act in a transaction of its own. The caller publishes afterward.

        Raises the refusal of a rule or a permission, `Stale`, `audit.refusals.CommandChanged`, the target's
        `DoesNotExist`, or `KeyError` for an unknown act. Then nothing has changed.
        """
        with one_flush() if request.copy is not None else _transaction():
            return self._perform(request)

    def rehearse(self, request: ActRequest, *, up_to_act: bool = False) -> ActResponse | None:
        """Execute an act whose second person has not proven their PIN yet, and roll it back.

        So an act that is refused is refused before anybody's PIN is hashed, and cannot lock out the person whom it
        names. Returns the first answer of a repeated command, otherwise None. Raises as `execute`. `up_to_act`: check
        permission and staleness only, for a request that names nobody who exists.
        """
        with _transaction():
            response = self._perform(request, up_to_act=up_to_act)
            transaction.set_rollback(True)
        return response if response is not None and response.is_repeat else None

    def end_command(self, request: ActRequest) -> bool:
        """End a command that was refused, so that no other try or copy of it is accepted afterward.

        Returns whether it is ended; False where another try was accepted since the refusal. In a transaction of its
        own, under the lock of the target.
        """
        with _transaction():
            locked = self.lock(request)
            accepted = find_command(request.command)
            if accepted is not None:
                return has_ended(accepted)
            stream = self.stream_of(locked)
            save_command(
                request.command,
                content=self._content_hash(request),
                stream=stream,
                seq=stream.seq,
                answer=ENDED,
                moment=clock.now(),
                actor=request.actor,
                device=request.device,
            )
            return True

    @overload
    def _perform(self, request: ActRequest) -> ActResponse: ...
    @overload
    def _perform(self, request: ActRequest, *, up_to_act: bool) -> ActResponse | None: ...
    def _perform(self, request: ActRequest, *, up_to_act: bool = False) -> ActResponse | None:
        """Do one act in the caller's transaction. Returns None where it stops before the act."""
        act = self.acts[request.act]
        content = self._content_hash(request)
        request.lookup.not_found = None
        locked = self.lock(request)
        accepted = self.accepted_command(request, locked)
        not_found = request.command if accepted is None else None
        if not request.lookup.retry:  # what an earlier try did may be among what the record lost
            request.lookup.not_found = not_found
        self.verify_record(request, locked)
        request.lookup.not_found = not_found
        try:
            self.verify_permission(request, act, locked)
        except self.forbidden:
            if accepted is None or not self.is_repeat(request, accepted):
                raise
            return ActResponse(
                self.key(locked), accepted.seq, answer_of(accepted), is_repeat=True, is_forbidden=True
            )
        if accepted is not None:
            verify_same_command(accepted, content)
            if has_ended(accepted):
                request.lookup.not_found = request.command
                raise CommandEnded
            return ActResponse(self.key(locked), accepted.seq, answer_of(accepted), is_repeat=True)
        ctx = self.make_context(request, locked)
        if not request.actor.has_license(ctx.gaming_day):
            raise LicenseHasEnded(on=request.actor.license_end_in_words)
        if request.actor.is_on_leave(ctx.gaming_day):
            raise LeaveHasBegun(until=request.actor.leave_end_in_words)
        if self.is_stale(request, act, ctx):
            raise Stale
        if not _in_one_transaction.get():
            verify_step_up(act.step_up, request.device, request.factor_at, ctx.now)
        if up_to_act:
            return None
        params = self.read_params(request.params)
        outcome = self.do(act, ctx, params)
        self.reject_unknown(params)
        answer = _record(request, content, ctx, outcome)
        return ActResponse(
            ctx.key,
            ctx.stream.seq,
            answer,
            affected_table_ids=ctx.affected_table_ids,
            context=ctx if act.is_all_in_context else None,
        )

    def _content_hash(self, request: ActRequest) -> bytes:
        """The hash of what the act says. A retry may show another version and head, so they are left out.

        Of personal data the hash has the names of the parameters alone: values that are few could be guessed by it.
        """
        is_personal = self.acts[request.act].is_personal
        content = {
            "act": request.act,
            "params": sorted(request.params) if is_personal else request.params,
            "person": request.actor.code,
            "place": f"{request.facility}/{request.place}",
            "witness": request.witness.code if request.witness else None,
        }
        try:
            if is_personal:
                chain.canonical(request.params)
            return content_hash(content)
        except chain.NotCanonical:
            raise self.malformed(_not_canonical(request.params)) from None


def _not_canonical(params: dict[str, Any]) -> str:
    """The name of the first parameter that the record could not hold; `params` where it is none alone."""
    for name, value in params.items():
        try:
            chain.canonical({name: value})
        except chain.NotCanonical:
            return name
    return "params"


def _record(request: ActRequest, content: bytes, ctx: ActContext, outcome: ActOutcome) -> dict[str, Any]:
    """Append the act's entry and save its answer, both in the act's transaction: no act without its entry.

    Returns the answer.
    """
    ctx.save_changes(outcome.changes, outcome.seats)
    answer = {"type": outcome.entry.type, **outcome.answer}
    appended = record.append(
        ctx.stream,
        entry=outcome.entry,
        moment=ctx.now,
        gaming_day=ctx.gaming_day,
        actor=request.actor,
        witness=request.witness,
        device=request.device,
        command=request.command,
        terms=ctx.terms_sha256,
    )
    ctx.after_append(appended)
    save_command(
        request.command,
        content=content,
        stream=ctx.stream,
        seq=ctx.stream.seq,  # of the last entry
        answer=answer,
        moment=ctx.now,
        actor=request.actor,
        device=request.device,
    )
    return answer
