"""The one road of an act (docs/structure.md). There is no other way to change anything on the floor.

1. The device is enrolled and the person signed in at it.
2. One transaction: lock the table, look the command up, ask whether the act is stale, ask role and assignment,
   let the act ask the rules and write, append to the record, keep the answer.
3. After commit, the caller publishes (`tables.live`).
"""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from audit import chain, commands, record
from audit.models import Device, Person

from .at_table import AtTable
from .params import Params, malformed
from .permissions import verify_may, verify_may_sign
from .reads import locked_table


@dataclass(frozen=True)
class Call:
    """One act as a screen sent it. `seen` is the version that the screen showed when the finger came down."""

    facility: str
    table: str
    act: str
    command: uuid.UUID
    seen: int
    params: dict[str, Any]
    actor: Person
    device: Device | None
    witness: Person | None = None


@dataclass(frozen=True)
class Recorded:
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
class Answer:
    """The answer that was kept. `again` tells a repeated command from the first one."""

    table_id: int
    version: int
    body: dict[str, Any]
    again: bool = False


@dataclass(frozen=True)
class Act:
    """An act as registered: its name in the address, who may do it, and what makes it stale."""

    name: str
    do: Callable[[AtTable, Params], Recorded]
    roles: frozenset[str]
    witness: bool
    depends_on: str


class Stale(Exception):
    """What this act depends on has changed since the screen was drawn (409 with the fresh state)."""


ACTS: dict[str, Act] = {}


def act(*, roles: Iterable[str], witness: bool = False, depends_on: str = "phase") -> Callable:
    """Registers an act under its function's name. `depends_on`: `phase`, `round`, `seats` or `nothing`.

    `witness`: a second person may (and, where the act says so, must) sign in with the act.
    """

    def register(do: Callable[[AtTable, Params], Recorded]) -> Callable[[AtTable, Params], Recorded]:
        ACTS[do.__name__] = Act(do.__name__, do, frozenset(roles), witness, depends_on)
        return do

    return register


def travel(call: Call) -> Answer:
    """Takes one act all the way. Publishing is the caller's, after this returns.

    Raises `games.engine.Refusal` (the rules or the house say no; `Forbidden` is one), `Stale`,
    `audit.errors.CommandChanged`, `Table.DoesNotExist`, or `KeyError` for an act that does not exist. Nothing is
    changed then.
    """
    doing = ACTS[call.act]
    content = _content_hash(call)
    with transaction.atomic(durable=True):
        locked = locked_table(call.facility, call.table, call.actor)
        table = locked.table
        verify_may(call.actor, doing, table, call.device, assigned=locked.on_duty)
        kept = commands.recall(call.command, content)
        if kept is not None:
            return Answer(table.pk, kept.seq, kept.answer, again=True)
        verify_may_sign(call.witness, table)
        at = AtTable(table, call.actor, call.device, call.witness, locked.now)
        if _is_stale(doing, call, at):
            raise Stale
        params = Params(call.params)
        recorded = doing.do(at, params)
        params.done()
        return _write_down(call, content, at, recorded)


def _content_hash(call: Call) -> bytes:
    """What the act says. The version that was seen is no part of it: a retry may have seen another."""
    said = {
        "act": call.act,
        "params": call.params,
        "person": call.actor.code,
        "table": f"{call.facility}/{call.table}",
        "witness": call.witness.code if call.witness else None,
    }
    try:
        return commands.content_hash(said)
    except chain.NotCanonical:
        raise malformed("params") from None


def _is_stale(doing: Act, call: Call, at: AtTable) -> bool:
    if call.seen > at.stream.seq:
        return True
    return call.seen < max(_last_changes(doing, call, at), default=0)


def _last_changes(doing: Act, call: Call, at: AtTable) -> list[int]:
    """The numbers at which whatever this act depends on last changed."""
    if doing.depends_on == "nothing":
        return []
    if at.round is None or doing.depends_on == "round":
        return [at.table.status_seq]
    if doing.depends_on == "seats":
        return [at.table.status_seq, *(at.round.seat_seqs.get(seat, 0) for seat in _seats(call))]
    return [at.table.status_seq, at.round.phase_seq]


def _seats(call: Call) -> list[str]:
    wagers = call.params.get("wagers")
    items = wagers if isinstance(wagers, list) else []
    return sorted({str(item.get("seat")) for item in items if isinstance(item, dict)})


def _write_down(call: Call, content: bytes, at: AtTable, recorded: Recorded) -> Answer:
    at.save_changes(recorded.changes, recorded.seats)
    appended = record.append(
        at.stream,
        type=recorded.type,
        data=recorded.data,
        at=at.now,
        gaming_day=at.gaming_day,
        actor=call.actor,
        witness=call.witness,
        device=call.device,
        command=call.command,
        terms=at.terms_sha256,
    )
    answer = {"type": recorded.type, **recorded.answer}
    commands.keep(
        call.command,
        content=content,
        stream=at.stream,
        seq=appended.seq,
        answer=answer,
        at=at.now,
        actor=call.actor,
        device=call.device,
    )
    return Answer(at.table.pk, appended.seq, answer)
