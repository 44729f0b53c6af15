"""The road to the rooms of the floor that are no table: the dice room, the equipment and the staff.

Their streams are `facility/dice`, `facility/equipment` and `facility/staff`.
"""

from collections.abc import Callable, Iterable

from audit import record
from audit.models import Person
from audit.runner import ActResponse, ActRequest, ActOutcome
from games.facility_runner import StreamContext, Forbidden, StreamRunner, LockedStream
from games.models import Facility
from tables.core.lot_steps import tell_steps
from tables.core.reads import locked_table
from tables.models import Assignment, DiceLot, Table

__all__ = [
    "ACTS", "DICE", "EQUIPMENT", "ROOMS", "STAFF", "ActResponse", "FacilityContext", "ActRequest", "ActOutcome", "facility_act", "execute",
]  # fmt: skip

DICE, EQUIPMENT, STAFF = ROOMS = "dice", "equipment", "staff"
CHANGED = {EQUIPMENT: "equipment.changed", STAFF: "duty.changed"}  # what a table says of an act in a room


class FacilityContext(StreamContext):
    """A room with the lots that an act speaks of, and the tables that it touches."""

    def __init__(self, locked: LockedStream, request: ActRequest) -> None:
        super().__init__(locked, request)
        self.lots: list[DiceLot] = []
        self.touched: dict[int, str] = {}

    def touch(self, tables: Iterable[Table]) -> None:
        """These tables show what the act changes. A caller that locks assignments has locked them before."""
        self.touched |= {table.pk: table.code for table in tables}

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """Keys of the tables that show what the act changed."""
        return tuple(sorted(self.touched))

    def after_append(self, seq: int) -> None:
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


class FacilityRunner(StreamRunner[FacilityContext]):
    """The road to the rooms. Which room an act is done in stands with the act."""

    def __init__(self) -> None:
        super().__init__()
        self.rooms: dict[str, str] = {}

    def room(self, act: str) -> str:
        return self.rooms[act]

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        return is_on_duty(person, facility)

    def enter(self, request: ActRequest, locked: LockedStream) -> FacilityContext:
        if request.witness is not None and not is_on_duty(request.witness, locked.facility):
            raise Forbidden("witness-not-on-duty", witness=request.witness.name)
        return FacilityContext(locked, request)

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


RUNNER = FacilityRunner()
ACTS = RUNNER.acts
facility_act = RUNNER.room_act
execute = RUNNER.execute
