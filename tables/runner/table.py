"""How an act at a table is executed: the lock, who may act, and when an act is stale (docs/acts.md).

A refused act leaves no trace, because its transaction is rolled back. Where a try is itself evidence, such as a count
that differs, the act returns `refuse_on_record(…)`: the act is refused, and an entry says that somebody tried. The
entry is appended and the command is answered as for any act; then `execute` raises the refusal. A repeated command gets
the same refusal.

The system does what it does at tables without a person at each table under its own lock, in a transaction of its own.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from audit import clock, runner
from audit.clock import format_moment, never_before
from audit.entry_types import ENTRY_TYPES, EntryBody
from audit.logs import OutageLog
from audit.models import Command, Stream
from audit.refusals import RefusalCode
from audit.rows import may_have_been_committed, says_nothing_was_begun, use_kept
from audit.runner import (
    Act,
    ActOutcome,
    ActRequest,
    ActResponse,
    ActRunner,
    ClaimedTap,
    DependsOn,
    Do,
    Stale,
)
from games.act_forms import form_of
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.game_acts import ActedFor, DeviceClaim
from games.jurisdictions import AT_ONCE
from games.params import NOT_ON_RECORD, Params, malformed
from games.separation import policy
from tables.core import posts
from tables.core.context import Locked, TableContext, locked_table, read_play
from tables.core.duty import verify_at_post, verify_may, verify_may_sign
from tables.models import Round, Table, Throw, Wager
from tables.runner import copies, halts
from tables.runner.signatures import verify_signed_at_table

__all__ = [
    "ACTS",
    "ActOutcome",
    "ActRequest",
    "ActResponse",
    "Stale",
    "act",
    "act_without_post",
    "execute",
    "signed_act",
]

log = logging.getLogger(__name__)


class TableRunner(ActRunner[TableContext, Params, Locked]):
    """Executes acts at tables. The table's row and its stream are the lock; the stream's number is the version."""

    counted_as = "table"
    forbidden = Forbidden
    # The rows of the policy by which an act at a table is signed; nothing waits at a table for a second person.
    subjects = frozenset(subject for subject, row in policy.practice().items() if row.control in AT_ONCE)

    def __init__(self) -> None:
        super().__init__()
        self.acts_without_post: set[str] = set()

    def signed_act(self, subject: str, *, depends_on: DependsOn) -> Callable[[Do], Do]:
        """Register an act that is done and signed by the people whom the row of a subject names: alone, or two of
        them. Another row in the file of a jurisdiction is all that it takes to let others sign.
        """
        roles = policy.roles_of(subject, "prepare", "approve")
        return self.act(roles=roles, witness=True, depends_on=depends_on, subject=subject)

    def act_without_post(self, do: Do) -> Do:
        """Mark an act that a dealer may do at no post of the table: to come to one, or about what is past."""
        self.acts_without_post.add(do.__name__)
        return do

    def lock(self, request: ActRequest) -> Locked:
        if request.copy is not None:
            return copies.lock(request.copy, request)
        return locked_table(request.facility, request.place, request.actor)

    def key(self, locked: Locked) -> int:
        return locked.table.pk

    def execute(self, request: ActRequest) -> ActResponse:
        """Execute the act. A wrong head is recorded in a transaction of its own, although its act is refused.

        It runs on the worker's copy of the table, if there is one (`tables.runner.copies`). Unless it succeeds there,
        it runs again from the rows. Raises `RecordedRefusal` after the commit of an act that is refused on the record.
        """
        response, unknown = self._execute_on_copy(request)
        if response is None:
            try:
                request = request.of_rows()
                with _recorded_heads(request):
                    response = super().execute(request)
            except Exception as error:
                # Nobody has looked for the command since: it may have been committed on the copy.
                if unknown is not None and request.lookup.not_found is None:
                    raise unknown from error
                raise
        if isinstance(response.context, TableContext):
            copies.keep(response.context)
        raise_recorded(response)
        return response

    def _execute_on_copy(self, request: ActRequest) -> tuple[ActResponse | None, Exception | None]:
        """Execute the act on the worker's copy of the table; None unless that was possible and has succeeded.

        With it the error after which nobody knows whether it was committed. Raises that of a busy database: the rows
        would wait for the same again.
        """
        copy = copies.take(request, self.acts[request.act])
        if copy is None:
            copies.acts_run["no copy"] += 1
            return None, None
        try:
            response = super().execute(replace(request, copy=copy))
        except Exception as reason:  # else the rows decide, under their lock and with the same command
            request.lookup.not_found = None  # no record was searched for it
            if says_nothing_was_begun(reason):
                raise
            copies.acts_run[f"{request.act}: {type(reason).__name__}"] += 1
            log.debug("Not on the copy: %s %r", request.act, reason)
            return None, reason if may_have_been_committed(reason) else None
        copies.acts_run["copy"] += 1
        return response, None

    def rehearse(self, request: ActRequest, *, up_to_act: bool = False) -> ActResponse | None:
        """Execute the act and roll it back. A wrong head is recorded as by `execute`."""
        with _recorded_heads(request):
            response = super().rehearse(request, up_to_act=up_to_act)
        raise_recorded(response)
        return response

    def verify_record(self, request: ActRequest, locked: Locked) -> None:
        halts.verify_record_has_heads(request, locked)

    def verify_permission(self, request: ActRequest, act: Act[TableContext, Params], locked: Locked) -> None:
        verify_may(request.actor, act, locked.table, request.device, assigned=locked.on_duty)
        if act.name not in self.acts_without_post:
            verify_at_post(request.actor, locked.table)
        halts.verify_head_is_ours(request, locked)

    def accepted_command(self, request: ActRequest, locked: Locked) -> Command | None:
        if request.copy is not None:
            return None  # the answer of a command that was accepted before cannot be saved again
        locked.play, command = read_play(locked.table, request.command)
        return command

    def stream_of(self, locked: Locked) -> Stream:
        return locked.table.stream

    def make_context(self, request: ActRequest, locked: Locked) -> TableContext:
        halts.verify_not_halted(request, locked)
        verify_may_sign(request.witness, locked.table)
        now = never_before(locked.table.stream, locked.now)
        ctx = TableContext(locked.table, request.actor, request.device, request.witness, now, locked.play)
        if self.acts[request.act].is_all_in_context and locked.play is not None:
            ctx.shaker, ctx.lot = locked.play.shaker, locked.play.lot
            if copies.are_kept():
                ctx.locked = locked
                use_kept((Round, Throw, Wager), locked.ids, locked.reads)
        if (copy := request.copy) is not None:
            if copy.wagers is not None:
                ctx.all_wagers = copy.wagers
            if copy.throws is not None:
                ctx.throws = copy.throws
        ctx.tap = request.tap
        return ctx

    def is_stale(self, request: ActRequest, act: Act[TableContext, Params], ctx: TableContext) -> bool:
        """Whether something has changed that the screen did not show, except by the acts behind which this one waited.

        Such an act was not stale itself. So before it, nothing had changed that this one depends on either: both were
        tapped on the same screen, and acts that depend on nothing change nothing that others depend on.
        """
        if request.seen_version > ctx.stream.seq:
            return True
        unseen = {number for number in _last_changes(request, act, ctx) if number > request.seen_version}
        if unseen and request.after:
            unseen -= runner.entries_of_commands(request.after, request.device, ctx.stream, unseen)
        request.lookup.overtaken_by = max(unseen, default=None)
        return bool(unseen)

    def form_of(self, do: Callable[..., ActOutcome]) -> Callable[[TableContext, Params], ActOutcome]:
        return form_of(do)

    def read_params(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def do(self, act: Act[TableContext, Params], ctx: TableContext, params: Params) -> ActOutcome:
        """Do the act if it belongs to a post of the person, or of the one who signs for a lost tablet."""
        acted_for = posts.verify_post(ctx, act.name, params)
        if act.subject:
            verify_signed_at_table(ctx, act.subject)
        outcome = super().do(act, ctx, params)
        entry = outcome.entry
        added: dict[str, ActedFor | DeviceClaim] = {}
        if acted_for is not None:
            added["acted_for"] = acted_for
        if ctx.tap is not None and _may_wait(entry):
            added["device_claim"] = _device_claim(ctx.tap)
        return replace(outcome, entry=EntryBody(entry.type, {**entry.data, **added})) if added else outcome

    def reject_unknown(self, params: Params) -> None:
        params.reject_unknown()

    def malformed(self, name: str) -> Exception:
        return malformed(name, NOT_ON_RECORD, path="params" if name == "params" else "")


def _may_wait(entry: EntryBody) -> bool:
    """Whether the type of the entry declares that its act may have waited at a tablet without a connection."""
    return "device_claim" in ENTRY_TYPES[entry.type].data.__optional_keys__


def _device_claim(tap: ClaimedTap) -> DeviceClaim:
    return {"tapped_at": format_moment(tap.moment), "waited_ms": tap.waited_ms}


@contextmanager
def _recorded_heads(request: ActRequest) -> Iterator[None]:
    try:
        yield
    except halts.RollbackDetected as rollback:
        raise halts.halt(request, rollback.claim) from None
    except halts.ForgedHead:
        raise halts.report_forged_head(request) from None


def _last_changes(request: ActRequest, act: Act[TableContext, Params], ctx: TableContext) -> list[int]:
    """The entry numbers at which what this act depends on last changed."""
    if act.depends_on == "nothing":
        return []
    if ctx.round is None or act.depends_on == "round":
        return [ctx.table.status_seq]
    if act.depends_on == "seats":
        return [ctx.table.status_seq, *(ctx.round.seat_seqs.get(seat, 0) for seat in _seats(request))]
    return [ctx.table.status_seq, ctx.round.phase_seq]


def _seats(request: ActRequest) -> list[str]:
    wagers = request.params.get("wagers")
    items = wagers if isinstance(wagers, list) else []
    return sorted({str(item.get("seat")) for item in items if isinstance(item, dict)})


RUNNER = TableRunner()
ACTS = RUNNER.acts
act = RUNNER.act
act_without_post = RUNNER.act_without_post
signed_act = RUNNER.signed_act
execute = RUNNER.execute


# Refusals that are on the record


REFUSAL = "refusal"  # its key in the stored answer


class RecordedRefusal(Refusal):
    """A refusal whose entry is committed. `response` says which tables show it."""

    def __init__(
        self, response: ActResponse, code: RefusalCode, section: str, params: dict[str, Any]
    ) -> None:
        super().__init__(code, section, **params)
        self.response = response


def refuse_on_record(entry: EntryBody, refusal: Refusal) -> ActOutcome:
    """Return the outcome of an act that is refused and whose entry says so. The refusal's params are JSON."""
    stored = {"code": str(refusal.code), "section": refusal.section, "params": refusal.params}
    return ActOutcome(entry, {REFUSAL: stored}, changes="nothing")


def is_refused_on_record(answer: Any) -> bool:
    """Whether the stored answer of a command is that of an act that was refused on the record."""
    return isinstance(answer, dict) and REFUSAL in answer


def raise_recorded(response: ActResponse | None) -> None:
    """Raise the refusal of an act that was refused on the record, now or when its command came first."""
    stored = response.body.get(REFUSAL) if response is not None else None
    if response is not None and stored is not None:
        code = RefusalCode.declared[stored["code"]]
        raise RecordedRefusal(response, code, stored["section"], stored["params"])


# What the system does

Change = Callable[[TableContext], bool]
_outages: dict[tuple[str, str], OutageLog] = {}
# Tables (ids) whose past a program of this process still deals: an entry of now would leave that past no time.
DEALT_IN_THE_PAST: set[int] = set()


def for_each_table(tables: QuerySet[Table], change: Change) -> list[int]:
    """Run `change` on every table, each under its own lock and in its own transaction.

    A failure at one table is logged, once until it works again, and does not stop the others. `change` returns whether
    it changed anything. Tables that are dealt in the past are left alone. Returns the ids of the tables that changed.
    """
    rows = list(
        tables.filter(stream__closed_at=None).order_by("pk").values_list("pk", "facility__code", "code")
    )
    return [
        pk
        for pk, facility, code in rows
        if pk not in DEALT_IN_THE_PAST and _change_table(facility, code, change)
    ]


def system_context(locked: Locked) -> TableContext:
    """The context of a locked table without a person.

    If the table's record is ahead of the clock, the moment is that of its last entry.
    """
    return TableContext(
        locked.table, None, None, None, clock.displayed_moment(locked.table.stream, locked.now)
    )


def _change_table(facility: str, code: str, change: Change) -> bool:
    outage = _outage(f"{facility}/{code}", change)
    try:
        with transaction.atomic(durable=True):
            is_changed = change(system_context(locked_table(facility, code)))
    except Exception as error:
        outage.failed(error)
        return False
    outage.worked()
    return is_changed


def _outage(place: str, change: Change) -> OutageLog:
    """The log of this change's failures at this table."""
    function = change.func if isinstance(change, partial) else change
    name = str(getattr(function, "__name__", function))
    outage = OutageLog(log, f"{name} at {place}", "It is tried again.", traceback=True)
    return _outages.setdefault((place, name), outage)
