"""The road to the rooms of the house that are no table: the dice room, the equipment and the staff.

A room's stream is its lock (`facility/dice`, `facility/equipment`, `facility/staff`); an act here depends on no
version, for each asks the rows that it changes, locked, how they stand.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from audit import clock, record
from audit.models import Device, Person, Stream
from audit.road import Act, Answer, Call, Recorded, Road
from games.models import Facility
from games.office.road import Forbidden
from games.params import Params, malformed

from .models import Assignment, DiceLot, Table
from .reads import locked_table
from .steps import tell_steps

__all__ = [
    "ACTS", "DICE", "EQUIPMENT", "ROOMS", "STAFF", "Answer", "AtRoom", "Call", "Recorded", "room_act", "travel",
]  # fmt: skip

DICE, EQUIPMENT, STAFF = ROOMS = "dice", "equipment", "staff"
CHANGED = {EQUIPMENT: "equipment.changed", STAFF: "duty.changed"}  # what a table says of an act in a room


class AtRoom:
    """The room of one act with its people and its moment. The caller holds the room's stream for as long."""

    def __init__(self, facility: Facility, stream: Stream, call: Call) -> None:
        self.facility = facility
        self.stream = stream
        self.actor: Person = call.actor
        self.witness: Person | None = call.witness
        self.device: Device | None = call.device
        self.now: dt.datetime = clock.hold(self.stream, clock.now())
        self.lots: list[DiceLot] = []
        self.touched: dict[int, str] = {}

    @property
    def key(self) -> int:
        return self.facility.pk

    @property
    def gaming_day(self) -> dt.date:
        """The gaming day of this moment at this facility (from 06:00 local)."""
        return self.facility.gaming_day(self.now)

    @property
    def terms_sha256(self) -> str:
        """No rules of play stand behind what is done here."""
        return ""

    def save_changes(self, changes: str, seats: tuple[int, ...]) -> None:
        """Acts here save their own rows."""

    def touch(self, tables: Iterable[Table]) -> None:
        """These tables show what the act changes. A caller that locks assignments has locked them before."""
        self.touched |= {table.pk: table.code for table in tables}

    @property
    def shown_at(self) -> tuple[int, ...]:
        """Keys of the tables that show what the act changed."""
        return tuple(sorted(self.touched))

    def written(self, seq: int) -> None:
        """The entry is a step of every lot that it speaks of; and each table that shows what it changed says so on its
        own stream, whose number is the version of its screens.
        """
        tell_steps(self.lots, self.stream, seq)
        room = self.stream.name.partition("/")[2]
        for _, code in sorted(self.touched.items()):
            record.append(
                locked_table(self.facility.code, code).table.stream,
                type=CHANGED[room],
                data={"stream": self.stream.name, "entry": seq},
                at=self.now,
                gaming_day=self.gaming_day,
                actor=self.actor,
                witness=self.witness,
                device=self.device,
            )


@dataclass(frozen=True)
class LockedRoom:
    """A room's facility, and its stream locked until the transaction ends."""

    facility: Facility
    stream: Stream


class RoomRoad(Road[AtRoom, Params, LockedRoom]):
    """The road to the rooms. Which room an act is done in stands with the act."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms: dict[str, str] = {}

    def lock(self, call: Call) -> LockedRoom:
        facility = Facility.objects.get(code=call.facility)
        return LockedRoom(facility, record.locked_stream(f"{facility.code}/{self.rooms[call.act]}"))

    def key(self, locked: LockedRoom) -> int:
        return locked.facility.pk

    def verify_may(self, call: Call, act: Act[AtRoom, Params], locked: LockedRoom) -> None:
        if call.actor.role not in act.roles:
            raise Forbidden("role-may-not", act=act.name, role=call.actor.role)
        if call.device is None:
            raise Forbidden("device-not-enrolled")
        if call.device.facility != locked.facility.code or call.device.place:
            raise Forbidden("device-of-another-table", device=call.device.name)
        if not is_on_duty(call.actor, locked.facility):
            raise Forbidden("not-on-duty", facility=locked.facility.name)

    def enter(self, call: Call, locked: LockedRoom) -> AtRoom:
        if call.witness is not None and not is_on_duty(call.witness, locked.facility):
            raise Forbidden("witness-not-on-duty", witness=call.witness.name)
        return AtRoom(locked.facility, locked.stream, call)

    def is_stale(self, call: Call, act: Act[AtRoom, Params], at: AtRoom) -> bool:
        return False

    def read(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def finish(self, params: Params) -> None:
        params.done()

    def malformed(self, name: str) -> Exception:
        return malformed(name)

    def room_act(self, room: str, *, roles: Iterable[str], witness: bool = False) -> Callable:
        """Registers an act of this room under its function's name."""
        register = self.act(roles=roles, witness=witness, depends_on="nothing")

        def keep(do: Callable) -> Callable:
            self.rooms[do.__name__] = room
            return register(do)

        return keep


def is_on_duty(person: Person, facility: Facility) -> bool:
    """Whether any assignment of this person at this facility has not ended; the tables elsewhere are none."""
    return Assignment.objects.standing(facility).filter(person=person).exists()


ROAD = RoomRoad()
ACTS = ROAD.acts
room_act = ROAD.room_act
travel = ROAD.travel
