"""The road to the rooms of a house that are no table. A room's stream is its lock, and an act there depends on no
version: it asks the rows that it changes, locked so, how they stand.
"""

import datetime as dt
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.runner import Act, Call, Road
from games.engine import Refusal
from games.models import Facility
from games.params import Params, malformed

P = TypeVar("P", bound="AtHouse")


class Forbidden(Refusal):
    """This person may not do this here (403)."""


@dataclass(frozen=True)
class LockedRoom:
    """A room's facility, and its stream locked until the transaction ends."""

    facility: Facility
    stream: Stream


class AtHouse:
    """A room of one facility with its person and its moment. The caller holds the room's stream for as long.

    `terms_sha256`: the terms that the entry speaks of, where it speaks of a submission; the act sets it.
    """

    def __init__(self, locked: LockedRoom, call: Call) -> None:
        self.facility = locked.facility
        self.stream = locked.stream
        self.actor: Person = call.actor
        self.witness: Person | None = call.witness
        self.device: Device | None = call.device
        self.attachment = call.attachment
        self.now: dt.datetime = clock.hold(locked.stream, clock.now())
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
    def shown_at(self) -> tuple[int, ...]:
        """No table's screen shows at once what is done here, unless a room says otherwise."""
        return ()

    def save_changes(self, changes: str, seats: tuple[int, ...]) -> None:
        """Acts here save their own rows."""

    def written(self, seq: int) -> None:
        """Nothing follows an entry, unless a room says otherwise."""


class HouseRoad(Road[P, Params, LockedRoom]):
    """The road to one sort of room."""

    @abstractmethod
    def room(self, act: str) -> str:
        """The room in which this act is done, as its stream is named."""

    @abstractmethod
    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether the person is on duty anywhere in this facility."""

    def lock(self, call: Call) -> LockedRoom:
        facility = Facility.objects.get(code=call.facility)
        return LockedRoom(facility, record.locked_stream(f"{facility.code}/{self.room(call.act)}"))

    def key(self, locked: LockedRoom) -> int:
        return locked.facility.pk

    def verify_may(self, call: Call, act: Act[P, Params], locked: LockedRoom) -> None:
        """The role, from a device of this house that serves no single table, while on duty. Raises `Forbidden`."""
        if call.actor.role not in act.roles:
            raise Forbidden("role-may-not", act=act.name, role=call.actor.role)
        if call.device is None:
            raise Forbidden("device-not-enrolled")
        if call.device.facility != locked.facility.code or call.device.place:
            raise Forbidden("device-of-another-table", device=call.device.name)
        if not self.is_on_duty(call.actor, locked.facility):
            raise Forbidden("not-on-duty", facility=locked.facility.name)

    def is_stale(self, call: Call, act: Act[P, Params], at: P) -> bool:
        return False

    def read(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def finish(self, params: Params) -> None:
        params.done()

    def malformed(self, name: str) -> Exception:
        return malformed(name)
