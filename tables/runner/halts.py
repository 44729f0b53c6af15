"""A table that is halted: a screen came back with a head that was ours and that the record does not know.

Then a backup was restored, or a tail was cut, or what was settled was rewritten. Nothing is taken at that table any
more, by anybody, until two people have declared a new incarnation of the record. A head whose MAC is not ours halts
nothing, because anybody can send one: its act is refused and the floor is told.
"""

from typing import Any

from django.db import transaction

from audit import clock, heads, record
from audit.heads import Verdict
from audit.models import Incarnation
from audit.runner import ActRequest, Stale
from audit.sealing.incarnations import current_number
from games.engine import Refusal
from tables.core.alerts import Level, end_alert, raise_alert
from tables.core.context import TableContext
from tables.core.permissions import verify_device
from tables.core.reads import Locked, locked_table
from tables.core.signals import table_changed
from tables.models import Table

WENT_BACK, NOT_OURS = "record-went-back", "head-not-ours"  # kinds of alerts, and their keys
HALTED = 423


class HeadRefused(Refusal):
    """An act that was refused for the head that came with it, or for one that came before. `status` is the HTTP
    answer; `shown_at` the keys of tables whose screens show what the refusal changed.
    """

    status = 422

    def __init__(self, code: str, *shown_at: int, **params: Any) -> None:
        super().__init__(code, **params)
        self.affected_table_ids = shown_at


class TableHalted(HeadRefused):
    """Nothing is taken at this table before the record is declared."""

    status = HALTED


class RollbackDetected(Exception):
    """A head that was ours and is not on the record. Nothing is written yet: `halt` does, in its own transaction."""


class ForgedHead(Exception):
    """A head whose MAC is not ours. `tell` says so, in its own transaction."""


def verify_head(request: ActRequest, locked: Locked) -> None:
    """Raises `NotOurs` or `WentBack` for the head that came with an act, before anything else is asked of it. No
    head is no reason: other programs may post. Raises `Forbidden` for one that is not ours from a device that does not
    serve this table: nobody elsewhere writes on its stream and calls its floor.
    """
    if request.head is None:
        return
    verdict = heads.judge(locked.table.stream, locked.incarnation, request.head)
    if verdict is Verdict.FORGED:
        verify_device(request.device, locked.table)
        raise ForgedHead
    if verdict is Verdict.UNKNOWN:
        raise RollbackDetected


def verify_goes_on(request: ActRequest, locked: Locked) -> None:
    """Raises `TableHalted` at a halted table, and `Stale` for a screen of an incarnation that is over."""
    if locked.table.halted_at is not None:
        raise TableHalted("table-halted", table=locked.table.code)
    if request.head is None or request.head.incarnation >= locked.incarnation:
        return
    if heads.judge(locked.table.stream, locked.incarnation, request.head) is Verdict.OLD:
        raise Stale


def halt(request: ActRequest) -> HeadRefused:
    """Halts the table at which this head came back, in a transaction of its own, and returns the refusal.

    Asked anew under the lock, with the incarnation as it is now: another screen may have been first, or the record
    may have been declared while this act waited. Raises `Stale` where nothing went back any more.
    """
    assert request.head is not None
    with transaction.atomic(durable=True):
        locked = locked_table(request.facility, request.place, request.actor)
        table, claim = locked.table, request.head
        if table.halted_at is not None:
            return TableHalted("table-halted", table=table.code)
        if heads.judge(table.stream, current_number(), claim) is not Verdict.UNKNOWN:
            raise Stale
        at = _at(request, locked)
        said = {
            "seen": claim.seq,
            "seen_head": claim.head,
            "seen_incarnation": claim.incarnation,
            "found_head": heads.hash_on_record(table.stream, claim.seq),
            "last": table.stream.seq,
        }
        at.change_table(halted_at=at.now)
        at.save_changes("table", ())
        _append(at, "table.halted", said)
        raise_alert(at, WENT_BACK, WENT_BACK, Level.STOP, seen=claim.seq, last=said["last"])
        at.append_extra_entries()
        return TableHalted(WENT_BACK, table.pk, table=table.code, seen=claim.seq)


def tell(request: ActRequest) -> HeadRefused:
    """Raises the alert about a head that is not ours, unless it stands already, and returns the refusal."""
    with transaction.atomic(durable=True):
        locked = locked_table(request.facility, request.place, request.actor)
        at = _at(request, locked)
        device = request.device.name if request.device else ""
        raised = raise_alert(at, NOT_OURS, NOT_OURS, Level.WARN, device=device)
        at.append_extra_entries()
        return HeadRefused(NOT_OURS, *([locked.table.pk] if raised else []), table=locked.table.code)


def go_on(sender: Any, incarnation: Incarnation, **_declared: Any) -> None:
    """Lets every halted table go on, in the transaction that declares this incarnation (`incarnation_declared`).

    Their screens are told after the commit. Locks them in the order of their streams' names.
    """
    halted = Table.objects.filter(halted_at__isnull=False).order_by("stream__name")
    for facility, code in list(halted.values_list("facility__code", "code")):
        _resume(facility, code, incarnation)


def _resume(facility: str, code: str, incarnation: Incarnation) -> None:
    locked = locked_table(facility, code)
    table, now = locked.table, clock.not_before(locked.table.stream, locked.now)
    at = TableContext(table, incarnation.opened_by, None, incarnation.opened_with, now)
    assert table.halted_at is not None
    said = {"incarnation": incarnation.number, "halted_at": clock.written(table.halted_at)}
    at.change_table(halted_at=None)
    at.save_changes("table", ())
    _append(at, "table.resumed", said)
    end_alert(at, WENT_BACK)
    at.append_extra_entries()
    # A push that fails is repaired by the heartbeat, and takes nothing back.
    transaction.on_commit(lambda: table_changed.send(Table, table_id=table.pk), robust=True)


def _append(ctx: TableContext, type_: str, data: dict[str, Any]) -> None:
    record.append(
        ctx.stream,
        type=type_,
        data=data,
        at=ctx.now,
        gaming_day=ctx.gaming_day,
        actor=ctx.actor,
        witness=ctx.witness,
        device=ctx.device,
    )


def _at(request: ActRequest, locked: Locked) -> TableContext:
    """The table as this act found it; a clock that went back as well hinders nobody from saying so."""
    now = clock.not_before(locked.table.stream, locked.now)
    return TableContext(locked.table, request.actor, request.device, None, now)
