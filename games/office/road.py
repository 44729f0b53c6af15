"""The road to the rules office. Its stream `facility/rules` is its lock; an act here asks the rows that it changes,
locked so, how they stand, and depends on no version.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.road import Act, Answer, Call, Recorded, Road
from games.engine import Refusal
from games.models import Facility
from games.params import Params, malformed

from .floor import floor

__all__ = [
    "ACTS",
    "OFFICE",
    "ROAD",
    "Answer",
    "AtOffice",
    "Call",
    "Forbidden",
    "Recorded",
    "office_act",
    "travel",
]

ROOM = "rules"
OFFICE = frozenset({"compliance", "games-administrator"})  # who files, records decisions and publishes


class Forbidden(Refusal):
    """This person may not do this here (403)."""


class AtOffice:
    """The office of one facility with its person and its moment. The caller holds the stream `facility/rules`.

    `terms_sha256`: the terms that the entry speaks of, where it speaks of a submission; the act sets it.
    """

    def __init__(self, facility: Facility, stream: Stream, call: Call) -> None:
        self.facility = facility
        self.stream = stream
        self.actor: Person = call.actor
        self.witness: Person | None = call.witness
        self.device: Device | None = call.device
        self.attachment = call.attachment
        self.now: dt.datetime = clock.hold(stream, clock.now())
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
        """No table at once: the ticker tells each table whose rules have changed, on its own stream."""
        return ()

    def save_changes(self, changes: str, seats: tuple[int, ...]) -> None:
        """Acts here save their own rows."""

    def written(self, seq: int) -> None:
        """Nothing follows an entry of the office."""


@dataclass(frozen=True)
class LockedOffice:
    """The office's facility, and its stream locked until the transaction ends."""

    facility: Facility
    stream: Stream


class OfficeRoad(Road[AtOffice, Params, LockedOffice]):
    """The road to the office."""

    def lock(self, call: Call) -> LockedOffice:
        facility = Facility.objects.get(code=call.facility)
        return LockedOffice(facility, record.locked_stream(f"{facility.code}/{ROOM}"))

    def key(self, locked: LockedOffice) -> int:
        return locked.facility.pk

    def verify_may(self, call: Call, act: Act[AtOffice, Params], locked: LockedOffice) -> None:
        if call.actor.role not in act.roles:
            raise Forbidden("role-may-not", act=act.name, role=call.actor.role)
        if call.device is None:
            raise Forbidden("device-not-enrolled")
        if call.device.facility != locked.facility.code or call.device.place:
            raise Forbidden("device-of-another-table", device=call.device.name)
        if not floor().is_on_duty(call.actor, locked.facility):
            raise Forbidden("not-on-duty", facility=locked.facility.name)

    def enter(self, call: Call, locked: LockedOffice) -> AtOffice:
        return AtOffice(locked.facility, locked.stream, call)

    def is_stale(self, call: Call, act: Act[AtOffice, Params], at: AtOffice) -> bool:
        return False

    def read(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def finish(self, params: Params) -> None:
        params.done()

    def malformed(self, name: str) -> Exception:
        return malformed(name)

    def office_act(self, *, roles: Iterable[str] = OFFICE) -> Callable:
        """Registers an act of the office under its function's name."""
        return self.act(roles=roles, depends_on="nothing")


ROAD = OfficeRoad()
ACTS = ROAD.acts
office_act = ROAD.office_act
travel = ROAD.travel
