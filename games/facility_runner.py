"""The road to the rooms of a house that are no table. A room's stream is its lock, and an act there depends on no
version: it asks the rows that it changes, locked so, how they stand.
"""

import datetime as dt
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.runner import Act, ActRequest, ActRunner
from games.engine import Refusal
from games.models import Facility
from games.params import Params, malformed

P = TypeVar("P", bound="StreamContext")


class Forbidden(Refusal):
    """This person may not do this here (403)."""


@dataclass(frozen=True)
class LockedStream:
    """A room's facility, and its stream locked until the transaction ends."""

    facility: Facility
    stream: Stream


class StreamContext:
    """A room of one facility with its person and its moment. The caller holds the room's stream for as long.

    `terms_sha256`: the terms that the entry speaks of, where it speaks of a submission; the act sets it.
    """

    def __init__(self, locked: LockedStream, request: ActRequest) -> None:
        self.facility = locked.facility
        self.stream = locked.stream
        self.actor: Person = request.actor
        self.witness: Person | None = request.witness
        self.device: Device | None = request.device
        self.attachment = request.attachment
        self.now: dt.datetime = clock.never_before(locked.stream, clock.now())
        self.terms_sha256 = ""

    @property
    def key(self) -> int:
        return self.facility.pk

    @property
    def today(self) -> dt.date:
        """The calendar's day here: letters and forms are dated by it."""
        return self.facility.local(self.now).date()

    @property
    def gaming_day(self) -> dt.date:
        """The gaming day of this moment at this facility (from 06:00 local)."""
        return self.facility.gaming_day(self.now)

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """No table's screen shows at once what is done here, unless a room says otherwise."""
        return ()

    def save_changes(self, changes: str, seats: tuple[int, ...]) -> None:
        """Acts here save their own rows."""

    def after_append(self, seq: int) -> None:
        """Nothing follows an entry, unless a room says otherwise."""


class StreamRunner(ActRunner[P, Params, LockedStream]):
    """The road to one sort of room."""

    @abstractmethod
    def room(self, act: str) -> str:
        """The room in which this act is done, as its stream is named."""

    @abstractmethod
    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether the person is on duty anywhere in this facility."""

    def lock(self, request: ActRequest) -> LockedStream:
        facility = Facility.objects.get(code=request.facility)
        return LockedStream(facility, record.locked_stream(f"{facility.code}/{self.room(request.act)}"))

    def key(self, locked: LockedStream) -> int:
        return locked.facility.pk

    def verify_may(self, request: ActRequest, act: Act[P, Params], locked: LockedStream) -> None:
        """The role, from a device of this house that serves no single table, while on duty. Raises `Forbidden`."""
        if request.actor.role not in act.roles:
            raise Forbidden("role-may-not", act=act.name, role=request.actor.role)
        if request.device is None:
            raise Forbidden("device-not-enrolled")
        if request.device.facility != locked.facility.code or request.device.place:
            raise Forbidden("device-of-another-table", device=request.device.name)
        if not self.is_on_duty(request.actor, locked.facility):
            raise Forbidden("not-on-duty", facility=locked.facility.name)

    def is_stale(self, request: ActRequest, act: Act[P, Params], at: P) -> bool:
        return False

    def read(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def finish(self, params: Params) -> None:
        params.done()

    def malformed(self, name: str) -> Exception:
        return malformed(name)
