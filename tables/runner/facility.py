"""How acts on the dice, the equipment, the staff and the tables of a facility are executed.

Their streams are `facility/dice`, `facility/equipment`, `facility/staff`, `facility/setup` and `facility/sign-in`; that
of compliance is `facility/cases`, and that of rated players `facility/players`.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, TypedDict

from audit import record
from audit.entry_types import EntryType, entry_type
from audit.factors import StepUp
from audit.models import Person, Stream
from audit.runner import ActOutcome, ActRequest, Do
from games.engine.refusals import RefusalCode
from games.facility_runner import Forbidden, LockedStream, StreamContext, StreamRunner
from games.models import Facility
from games.separation import acts as changes
from tables.core.context import locked_table, write_lot_steps
from tables.core.duty import MACHINES, is_on_duty_at_facility
from tables.models import DiceLot, Table

__all__ = [
    "ACTS",
    "CASES",
    "DICE",
    "EQUIPMENT",
    "PLAYERS",
    "SETUP",
    "SIGN_INS",
    "STAFF",
    "STREAMS",
    "ActOutcome",
    "ActRequest",
    "FacilityContext",
    "execute",
    "facility_act",
]  # fmt: skip

SIGN_INS = "sign-in"  # of the sign-ins themselves, which acts about them share
DICE, EQUIPMENT, STAFF, CASES, SETUP, PLAYERS = STREAMS = (
    *("dice", "equipment", "staff", "cases", "setup"),
    "players",
)

WITNESS_NOT_ON_DUTY = RefusalCode("witness-not-on-duty", "%(witness)s is not on duty here and cannot sign.")


# Entries on the streams of tables


class ChangeElsewhere(TypedDict):
    entry: Annotated[int, "number of the entry about the act"]
    stream: Annotated[str, "name of the stream that has that entry"]


DUTY_CHANGED = entry_type(
    "duty.changed",
    ChangeElsewhere,
    "An act on the staff stream changed what this table shows.",
    lambda data: "A duty changed",
)
EQUIPMENT_CHANGED = entry_type(
    "equipment.changed",
    ChangeElsewhere,
    "An act on the equipment stream changed what this table shows.",
    lambda data: "Approvals or shakers changed",
)
TABLE_CHANGED = entry_type(
    "table.changed",
    ChangeElsewhere,
    "An act on the setup stream moved this table to another pit or submission.",
    lambda data: "Moved to another pit or submission",
)
# The entry on the stream of each table whose screens show what such an act changed.
TABLE_ENTRY_TYPES: dict[str, EntryType[ChangeElsewhere]] = {
    EQUIPMENT: EQUIPMENT_CHANGED,
    STAFF: DUTY_CHANGED,
    SETUP: TABLE_CHANGED,
}


class FacilityContext(StreamContext):
    """What an act on dice, equipment or staff works with: the lots of its entry, and the tables that it affects."""

    def __init__(self, locked: LockedStream, request: ActRequest) -> None:
        super().__init__(locked, request)
        self.lots: list[DiceLot] = []
        self.affected_tables: dict[int, str] = {}  # codes by id
        self.changed_tables: set[int] = set()  # ids of tables on whose streams the act itself has written

    def affect(self, tables: Iterable[Table]) -> None:
        """Note tables whose screens show what the act changes. Locks on assignments are taken before."""
        self.affected_tables |= {table.pk: table.code for table in tables}

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """Ids of the tables that show what the act changed."""
        return tuple(sorted({*self.affected_tables, *self.changed_tables}))

    def after_append(self, appended: record.Appended) -> None:
        """Link the entry to its lots, and append an entry to the stream of each affected table.

        The number of a table's stream is the version of its screens, so whatever changes them must be on it.
        """
        super().after_append(appended)
        write_lot_steps(self.lots, self.stream, appended.seq)
        for _, code in sorted(self.affected_tables.items()):
            stream = locked_table(self.facility.code, code).table.stream
            if stream.closed_at is not None:  # another table continues it
                continue
            record.append(
                stream,
                entry=_table_entry_type(self.stream)({"stream": self.stream.name, "entry": appended.seq}),
                moment=self.now,
                gaming_day=self.gaming_day,
                actor=self.actor,
                witness=self.witness,
                device=self.device,
            )


def _table_entry_type(stream: Stream) -> EntryType[ChangeElsewhere]:
    """The type of the entry on a table's stream about an act on this stream, or on one that it continues."""
    place = stream.name.partition("/")[2]
    return next(type_ for name, type_ in TABLE_ENTRY_TYPES.items() if place.startswith(name))


class FacilityRunner(StreamRunner[FacilityContext]):
    """Executes acts on dice, equipment and staff; each act is registered with its stream."""

    counted_as = "facility"

    def __init__(self) -> None:
        super().__init__()
        self.streams: dict[str, str] = {}
        self.off_duty: set[str] = set()

    def stream_name(self, act: str) -> str:
        return self.streams.get(act, STAFF)  # the acts on changes: `place_of` says which stream

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """A machine has no duty: its device says where it acts."""
        return person.role in MACHINES or is_on_duty_at_facility(person, facility)

    def needs_duty(self, act: str) -> bool:
        return act not in self.off_duty

    def make_context(self, request: ActRequest, locked: LockedStream) -> FacilityContext:
        if request.witness is not None and not is_on_duty_at_facility(request.witness, locked.facility):
            raise Forbidden(WITNESS_NOT_ON_DUTY, witness=request.witness.name)
        return FacilityContext(locked, request)

    def facility_act(
        self,
        stream: str,
        *,
        roles: Iterable[str],
        witness: bool = False,
        subject: str = "",
        step_up: StepUp = "never",
        off_duty: bool = False,
        is_personal: bool = False,
    ) -> Callable[[Do], Do]:
        """Register an act, recorded on this stream, under its function's name.

        `subject`: the row of the policy by which one person prepares the act and another approves it; `roles` do not
        count then. `off_duty`: somebody who is not on duty may do it. `is_personal`: its parameters are personal data.
        """
        register_act = self.act(
            roles=roles,
            witness=witness,
            depends_on="nothing",
            subject=subject,
            step_up=step_up,
            is_personal=is_personal,
        )

        def register(do: Do) -> Do:
            self.streams[do.__name__] = stream
            if off_duty:
                self.off_duty.add(do.__name__)
            return register_act(do)

        return register


RUNNER = FacilityRunner()
changes.register(RUNNER)
ACTS = RUNNER.acts
facility_act = RUNNER.facility_act
execute = RUNNER.execute
