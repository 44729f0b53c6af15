"""How acts without a table are executed: in the rules office, on dice, equipment and staff, at the compliance desk.

Each kind of act has one stream in its facility, and that stream is the lock. Such an act is never stale: it checks
the rows that it changes under this lock.

An act with a `subject` is prepared by one person and approved by another (games/separation): it is done, rolled back
and stored as a change; `approve_change` does it for good.
"""

import datetime as dt
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import QuerySet

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.runner import Act, ActOutcome, ActRequest, ActRunner, Changes
from games import jurisdictions
from games.act_forms import form_of
from games.engine import Refusal
from games.jurisdictions import SeparationRow
from games.models import ChangeNotice, Facility, PreparedChange
from games.params import NOT_ON_RECORD, Params, malformed
from games.refusals import DEVICE_NOT_ENROLLED, DEVICE_OF_ANOTHER_TABLE, NOT_ON_DUTY, ROLE_MAY_NOT
from games.separation import policy
from games.separation.changes import (
    CHANGE_APPROVED,
    CHANGE_PREPARED,
    CHANGE_WAITS,
    MAY_NOT_APPROVE,
    MAY_NOT_PREPARE,
    NOT_TOLD,
)

P = TypeVar("P", bound="StreamContext")
# games/separation/acts.py
CHANGE_ACTS = ("approve_change", "send_back_change", "take_back_change", "acknowledge_change")


class Forbidden(Refusal):
    """This person may not do this here (403)."""


@dataclass(frozen=True)
class LockedStream:
    """A facility, and one of its streams, locked until the transaction ends."""

    facility: Facility
    stream: Stream


class StreamContext:
    """What an act without a table works with. The caller holds the lock of the stream while this object is used.

    `terms_sha256`: set by an act whose entry is about a rules submission. `makers`: an act that is approved by a second
    person adds the codes of the people who made what it is about. `approving`: the change that this act approves.
    """

    def __init__(self, locked: LockedStream, request: ActRequest) -> None:
        self.locked, self.request = locked, request
        self.facility = locked.facility
        self.stream = locked.stream
        self.actor: Person = request.actor
        self.witness: Person | None = request.witness
        self.device: Device | None = request.device
        self.attachment = request.attachment
        self.command = request.command
        self.now: dt.datetime = clock.never_before(locked.stream, clock.now())
        self.terms_sha256 = ""
        self.makers: set[str] = set()
        self.approving: PreparedChange | None = None

    @property
    def key(self) -> int:
        return self.facility.pk

    @property
    def today(self) -> dt.date:
        """The calendar day at this facility, by which letters and forms are dated."""
        return self.facility.local(self.now).date()

    @property
    def gaming_day(self) -> dt.date:
        """The gaming day of this moment at this facility (from 06:00 local)."""
        return self.facility.gaming_day(self.now)

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """No table's screen changes at once, unless a subclass says so."""
        return ()

    def save_changes(self, changes: Changes, seats: tuple[int, ...]) -> None:
        """Do nothing: these acts save their own rows."""

    @property
    def asked_by(self) -> Person:
        """Who asks for this: who prepared the change that is approved, else who acts."""
        return self.approving.prepared_by if self.approving else self.actor

    def add_makers(self, *people: Person | None) -> None:
        """Note who made what this act is about. None of them may approve it."""
        self.makers |= {person.code for person in people if person is not None}

    def after_append(self, appended: record.Appended) -> None:
        """Append that a change was approved, and note who is told. A subclass may append entries on other streams."""
        if self.approving is None:
            return
        change = self.approving
        departments = policy.departments_told(policy.row_of(self.facility.law, change.subject))
        ChangeNotice.objects.bulk_create(
            ChangeNotice(change=change, department=department) for department in departments
        )
        change.status, change.decided_by, change.decided_at = change.Status.APPROVED, self.actor, self.now
        change.save(update_fields=["status", "decided_by", "decided_at"])
        record.append(
            self.stream,
            entry=CHANGE_APPROVED(
                change=change.code,
                subject=change.subject,
                act=change.act,
                prepared_by=change.prepared_by.code,
                prepared_entry=change.prepared_seq,
                entry=appended.seq,
                told=departments,
            ),
            moment=self.now,
            gaming_day=self.gaming_day,
            actor=self.actor,
            device=self.device,
        )


class StreamRunner(ActRunner[P, Params, LockedStream]):
    """Executes the acts of one kind of stream."""

    forbidden = Forbidden
    subjects = frozenset(policy.changed(policy.practice()))

    @abstractmethod
    def stream_name(self, act: str) -> str:
        """The name of the stream that records this act, without its facility."""

    @abstractmethod
    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether the person is on duty anywhere in this facility."""

    def needs_duty(self, act: str) -> bool:
        """Whether only somebody on duty does this act."""
        return True

    def lock(self, request: ActRequest) -> LockedStream:
        facility = Facility.objects.get(code=request.facility)
        return LockedStream(facility, record.lock_stream(f"{facility.code}/{self.place_of(request)}"))

    def place_of(self, request: ActRequest) -> str:
        """The name of the stream on which this request's act is recorded: of a change, the stream of its act."""
        if request.act in CHANGE_ACTS:
            change = PreparedChange.objects.filter(
                facility__code=request.facility, code=str(request.params.get("change"))[:20]
            ).first()
            if change is not None and change.act in self.acts:
                return change.stream
        return self.stream_name(request.act)

    def stream_of(self, locked: LockedStream) -> Stream:
        return locked.stream

    def key(self, locked: LockedStream) -> int:
        return locked.facility.pk

    def verify_permission(self, request: ActRequest, act: Act[P, Params], locked: LockedStream) -> None:
        """Refuse a wrong role, a device of another facility or of a single table, and a person off duty.

        Where a second person approves the act, the policy of the jurisdiction says who may prepare it. Raises
        `Forbidden`.
        """
        if act.subject:
            _verify_may_prepare(policy.row_of(locked.facility.law, act.subject), request.actor)
        elif act.name in CHANGE_ACTS:
            _verify_may_decide(locked.facility, act.name, request.actor)
        elif request.actor.role not in act.roles:
            raise Forbidden(ROLE_MAY_NOT, act=act.name, role=request.actor.role)
        if request.device is None:
            raise Forbidden(DEVICE_NOT_ENROLLED)
        if request.device.facility != locked.facility.code or request.device.place:
            raise Forbidden(DEVICE_OF_ANOTHER_TABLE, device=request.device.name)
        if self.needs_duty(act.name) and not self.is_on_duty(request.actor, locked.facility):
            raise Forbidden(NOT_ON_DUTY, facility=locked.facility.name)

    def is_stale(self, request: ActRequest, act: Act[P, Params], ctx: P) -> bool:
        return False

    def do(self, act: Act[P, Params], ctx: P, params: Params) -> ActOutcome:
        """Do the act, or prepare it where a second person approves it."""
        return self._prepare(act, ctx, params) if act.subject else act.do(ctx, params)

    def _prepare(self, act: Act[P, Params], ctx: P, params: Params) -> ActOutcome:
        """Try the act, undo it, and store it as a change. Raises what the act refuses, and `change-waits`."""
        trial = self.make_context(ctx.request, ctx.locked)
        with transaction.atomic():
            outcome = act.do(trial, params)
            self.reject_unknown(params)
            transaction.set_rollback(True)
        waiting = PreparedChange.objects.filter(
            facility=ctx.facility,
            act=act.name,
            params=ctx.request.params,
            status=PreparedChange.Status.WAITING,
        ).first()
        if waiting is not None:
            raise Refusal(CHANGE_WAITS, change=waiting.code)
        row = policy.row_of(ctx.facility.law, act.subject)
        ctx.terms_sha256 = trial.terms_sha256
        change = PreparedChange.objects.create(
            facility=ctx.facility,
            code=next_code(PreparedChange.objects.filter(facility=ctx.facility), "CH"),
            subject=act.subject,
            stream=ctx.stream.name.partition("/")[2],
            act=act.name,
            params=ctx.request.params,
            entry_type=outcome.entry.type,
            entry_data=outcome.entry.data,
            makers=sorted(trial.makers | {ctx.actor.code}),
            prepared_by=ctx.actor,
            prepared_at=ctx.now,
            prepared_seq=ctx.stream.seq + 1,
            due_at=ctx.now + row.time,
        )
        entry = CHANGE_PREPARED(
            change=change.code,
            subject=change.subject,
            act=change.act,
            params=ctx.request.params,
            makers=change.makers,
            due_at=clock.format_moment(change.due_at),
            does={"type": change.entry_type, "sha256": policy.sha256_of(change.entry_data)},
        )
        return ActOutcome(entry, {"change": change.code}, changes="nothing")

    def form_of(self, do: Callable[..., ActOutcome]) -> Callable[[P, Params], ActOutcome]:
        return form_of(do)

    def read_params(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def reject_unknown(self, params: Params) -> None:
        params.reject_unknown()

    def malformed(self, name: str) -> Exception:
        return malformed(name, NOT_ON_RECORD, path="params" if name == "params" else "")


def _verify_may_decide(facility: Facility, act: str, person: Person) -> None:
    """Refuse somebody who approves nothing here; who prepares nothing, or is told of nothing, for those acts."""
    rows = policy.changed(policy.rows_of(facility.law)).values()
    post = _post_of(person)
    if act == "acknowledge_change":
        if not any(policy.is_told(row, person) for row in rows):
            who = policy.roles_in_words(dict.fromkeys(role for row in rows for role in row.told))
            raise Forbidden(NOT_TOLD, change="any change", who=who, **post)
        return
    takes_back = act == "take_back_change"
    signers = (row for subject in jurisdictions.CHANGES for row in facility.law.further_signers(subject))
    if not takes_back and any(person.role in signer.roles for signer in signers):
        return
    if any(
        policy.may_prepare(row, person) if takes_back else policy.may_approve(row, person) for row in rows
    ):
        return
    lists = [row.prepare if takes_back else row.approve for row in rows]
    raise Forbidden(
        MAY_NOT_PREPARE if takes_back else MAY_NOT_APPROVE,
        title="Approvals",
        who=policy.in_words({role: place for roles in lists for role, place in roles.items()}),
        **post,
    )


def _verify_may_prepare(row: SeparationRow, person: Person) -> None:
    if not policy.may_prepare(row, person):
        raise may_not_prepare(row, person)


def may_not_prepare(row: SeparationRow, person: Person) -> Forbidden:
    """The refusal of somebody who does not prepare what a row of the policy covers."""
    who = policy.in_words(row.prepare)
    return Forbidden(MAY_NOT_PREPARE, row.section, title=row.title, who=who, **_post_of(person))


def may_not_approve(row: SeparationRow, person: Person) -> Forbidden:
    """The refusal of somebody who does not approve it."""
    who = policy.in_words(row.approve)
    return Forbidden(MAY_NOT_APPROVE, row.section, title=row.title, who=who, **_post_of(person))


def _post_of(person: Person) -> dict[str, str]:
    return {"role": person.get_role_display().lower(), "department": person.get_department_display().lower()}


# Codes


NUMBERED = re.compile(r"-(\d+)\Z")


def next_code(rows: QuerySet[Any], prefix: str, promised: Iterable[str] = ()) -> str:
    """Return the code that follows the highest one with this prefix, such as RS-0042. The caller holds the lock.

    `promised`: codes with this prefix that no row has yet, but that prepared changes show to who approves them.
    """
    codes = rows.filter(code__startswith=f"{prefix}-").values_list("code", flat=True)
    numbers = [int(match.group(1)) for code in (*codes, *promised) if (match := NUMBERED.search(code))]
    return f"{prefix}-{max(numbers, default=0) + 1:04d}"
