"""The one road of an act. There is no other way to change anything that the record tells of.

1. The device is enrolled and the person signed in at it.
2. One transaction: lock the place, ask role and assignment, look the command up, ask whether the act is stale, let
   the act ask the rules and write, append to the record, keep the answer.
3. After commit, the caller publishes.

A `Road` leads to one sort of place (a table, a room of the house); it says how such a place is locked, who may act
there and when an act is stale. Its acts register themselves with it.
"""

import datetime as dt
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from django.db import transaction

from audit import chain, commands, record
from audit.heads import Claim
from audit.models import Device, Person, Stream


@dataclass(frozen=True)
class ActRequest:
    """One act as a screen sent it. `seen` is the version that the screen showed when the finger came down.

    `attachment`: the bytes of a file that came along; the parameters name its SHA-256, which is what the act says.
    `head`: the head that the screen showed when it sent the act, where it showed one.
    """

    facility: str
    place: str
    act: str
    command: uuid.UUID
    seen: int
    params: dict[str, Any]
    actor: Person
    device: Device | None
    witness: Person | None = None
    attachment: bytes = b""
    head: Claim | None = None


@dataclass(frozen=True)
class ActOutcome:
    """What an act did: the entry's type and data, the answer to keep, and what later acts may find changed.

    `changes`: `table` (status, equipment, or the end of a round), `phase` (phase or throw of the live round), or
    `nothing` that a later act could depend on. `seats`: seats whose wagers changed.
    """

    type: str
    data: dict[str, Any]
    answer: dict[str, Any] = field(default_factory=dict)
    changes: str = "table"
    seats: tuple[int, ...] = ()


@dataclass(frozen=True)
class ActResponse:
    """The answer that was kept, and the key of its place. `again` tells a repeated command from the first one.

    `shown_at`: keys of tables elsewhere whose screens show what the act changed.
    """

    key: int
    version: int
    body: dict[str, Any]
    again: bool = False
    affected_table_ids: tuple[int, ...] = ()


class ActContext(Protocol):
    """What an act finds where it is done, under its lock."""

    stream: Stream
    now: dt.datetime

    @property
    def key(self) -> int: ...
    @property
    def gaming_day(self) -> dt.date: ...
    @property
    def terms_sha256(self) -> str: ...
    def save_changes(self, changes: str, seats: tuple[int, ...]) -> None: ...
    def after_append(self, seq: int) -> None:
        """After the act's own entry, `seq`: whatever else belongs to it, further entries of streams among it."""

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """Keys of tables elsewhere whose screens show what the act changed, and whose streams say so."""


P = TypeVar("P", bound=ActContext)
Q = TypeVar("Q")  # an act's parameters, read by name and kind
L = TypeVar("L")  # what locking the place found


@dataclass(frozen=True)
class Act(Generic[P, Q]):
    """An act as registered: its name in the address, who may do it, and what makes it stale."""

    name: str
    do: Callable[[P, Q], ActOutcome]
    roles: frozenset[str]
    witness: bool
    depends_on: str


class Stale(Exception):
    """What this act depends on has changed since the screen was drawn (409 with the fresh state)."""


class ActRunner(ABC, Generic[P, Q, L]):
    """The road to one sort of place."""

    def __init__(self) -> None:
        self.acts: dict[str, Act[P, Q]] = {}

    @abstractmethod
    def lock(self, request: ActRequest) -> L:
        """Locks the place until the transaction ends."""

    @abstractmethod
    def key(self, locked: L) -> int:
        """What the caller publishes by."""

    @abstractmethod
    def verify_may(self, request: ActRequest, act: Act[P, Q], locked: L) -> None:
        """Raises a refusal unless this person may do this act here from this device."""

    @abstractmethod
    def enter(self, request: ActRequest, locked: L) -> P:
        """The place for this act and its moment. Raises a refusal for a witness who does not belong here."""

    @abstractmethod
    def is_stale(self, request: ActRequest, act: Act[P, Q], at: P) -> bool:
        """Whether what the act depends on has changed since the screen was drawn."""

    @abstractmethod
    def read(self, params: dict[str, Any]) -> Q:
        """The act's parameters, to be read by name and kind."""

    @abstractmethod
    def finish(self, params: Q) -> None:
        """Raises a refusal when something was sent that the act does not know."""

    @abstractmethod
    def malformed(self, name: str) -> Exception:
        """The refusal of something that no screen of ours sends."""

    def act(self, *, roles: Iterable[str], witness: bool = False, depends_on: str = "phase") -> Callable:
        """Registers an act under its function's name. `depends_on`: `phase`, `round`, `seats` or `nothing`.

        `witness`: a second person may (and, where the act says so, must) sign in with the act.
        """

        def register(do: Callable[[P, Q], ActOutcome]) -> Callable[[P, Q], ActOutcome]:
            self.acts[do.__name__] = Act(do.__name__, do, frozenset(roles), witness, depends_on)
            return do

        return register

    def execute(self, request: ActRequest) -> ActResponse:
        """Takes one act all the way. Publishing is the caller's, after this returns.

        Raises what the rules or the house refuse with, `Stale`, `audit.errors.CommandChanged`, the `DoesNotExist` of
        the place, or `KeyError` for an act that does not exist. Nothing is changed then.
        """
        doing = self.acts[request.act]
        content = self._content_hash(request)
        with transaction.atomic(durable=True):
            locked = self.lock(request)
            self.verify_may(request, doing, locked)
            kept = commands.recall(request.command, content)
            if kept is not None:
                return ActResponse(self.key(locked), kept.seq, kept.answer, again=True)
            at = self.enter(request, locked)
            if self.is_stale(request, doing, at):
                raise Stale
            params = self.read(request.params)
            recorded = doing.do(at, params)
            self.finish(params)
            return _write_down(request, content, at, recorded)

    def _content_hash(self, request: ActRequest) -> bytes:
        """What the act says. The version and head that were seen are no part of it: a retry may have seen others."""
        said = {
            "act": request.act,
            "params": request.params,
            "person": request.actor.code,
            "place": f"{request.facility}/{request.place}",
            "witness": request.witness.code if request.witness else None,
        }
        try:
            return commands.content_hash(said)
        except chain.NotCanonical:
            raise self.malformed("params") from None


def _write_down(request: ActRequest, content: bytes, ctx: ActContext, recorded: ActOutcome) -> ActResponse:
    ctx.save_changes(recorded.changes, recorded.seats)
    appended = record.append(
        ctx.stream,
        type=recorded.type,
        data=recorded.data,
        at=ctx.now,
        gaming_day=ctx.gaming_day,
        actor=request.actor,
        witness=request.witness,
        device=request.device,
        command=request.command,
        terms=ctx.terms_sha256,
    )
    ctx.after_append(appended.seq)
    version = ctx.stream.seq  # an act may have written further entries after its own
    answer = {"type": recorded.type, **recorded.answer}
    commands.keep(
        request.command,
        content=content,
        stream=ctx.stream,
        seq=version,
        answer=answer,
        at=ctx.now,
        actor=request.actor,
        device=request.device,
    )
    return ActResponse(ctx.key, version, answer, affected_table_ids=ctx.affected_table_ids)
