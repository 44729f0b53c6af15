"""How acts without a table are executed: in the rules office, on dice, equipment and staff, at the compliance desk.

Each kind of act has one stream in its facility, and that stream is the lock. Such an act is never stale: it checks
the rows that it changes under this lock.
"""

import datetime as dt
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.runner import Act, ActRequest, ActRunner, Changes
from games.engine import Refusal
from games.models import Facility
from games.params import Params, malformed
from games.refusals import DEVICE_NOT_ENROLLED, DEVICE_OF_ANOTHER_TABLE, NOT_ON_DUTY, ROLE_MAY_NOT

P = TypeVar("P", bound="StreamContext")


class Forbidden(Refusal):
    """This person may not do this here (403)."""


@dataclass(frozen=True)
class LockedStream:
    """A facility, and one of its streams, locked until the transaction ends."""

    facility: Facility
    stream: Stream


class StreamContext:
    """What an act without a table works with. The caller holds the lock of the stream while this object is used.

    `terms_sha256`: set by an act whose entry is about a rules submission.
    """

    def __init__(self, locked: LockedStream, request: ActRequest) -> None:
        self.facility = locked.facility
        self.stream = locked.stream
        self.actor: Person = request.actor
        self.witness: Person | None = request.witness
        self.device: Device | None = request.device
        self.attachment = request.attachment
        self.command = request.command
        self.now: dt.datetime = clock.never_before(locked.stream, clock.now())
        self.terms_sha256 = ""

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
    def appends_more(self) -> bool:
        """Whether further entries may follow on this stream: never, as `after_append` is for other streams."""
        return False

    def after_append(self, appended: record.Appended) -> None:
        """Do nothing, unless a subclass appends further entries."""


class StreamRunner(ActRunner[P, Params, LockedStream]):
    """Executes the acts of one kind of stream."""

    @abstractmethod
    def stream_name(self, act: str) -> str:
        """The name of the stream that records this act, without its facility."""

    @abstractmethod
    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether the person is on duty anywhere in this facility."""

    def lock(self, request: ActRequest) -> LockedStream:
        facility = Facility.objects.get(code=request.facility)
        return LockedStream(facility, record.lock_stream(f"{facility.code}/{self.stream_name(request.act)}"))

    def key(self, locked: LockedStream) -> int:
        return locked.facility.pk

    def verify_permission(self, request: ActRequest, act: Act[P, Params], locked: LockedStream) -> None:
        """Refuse a wrong role, a device of another facility or of a single table, and a person off duty.

        Raises `Forbidden`.
        """
        if request.actor.role not in act.roles:
            raise Forbidden(ROLE_MAY_NOT, act=act.name, role=request.actor.role)
        if request.device is None:
            raise Forbidden(DEVICE_NOT_ENROLLED)
        if request.device.facility != locked.facility.code or request.device.place:
            raise Forbidden(DEVICE_OF_ANOTHER_TABLE, device=request.device.name)
        if not self.is_on_duty(request.actor, locked.facility):
            raise Forbidden(NOT_ON_DUTY, facility=locked.facility.name)

    def is_stale(self, request: ActRequest, act: Act[P, Params], ctx: P) -> bool:
        return False

    def read_params(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def reject_unknown(self, params: Params) -> None:
        params.reject_unknown()

    def malformed(self, name: str) -> Exception:
        return malformed(name)
