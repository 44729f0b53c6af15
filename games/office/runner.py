"""The road to the rules office; its stream is `facility/rules`."""

from collections.abc import Callable, Iterable

from audit.models import Person
from audit.runner import Answer, Call, Recorded
from games.facility_runner import AtHouse, HouseRoad, LockedRoom
from games.models import Facility
from games.office.floor import floor

__all__ = [
    "ACTS",
    "OFFICE",
    "ROAD",
    "Answer",
    "AtOffice",
    "Call",
    "Recorded",
    "office_act",
    "travel",
]

ROOM = "rules"
OFFICE = frozenset({"compliance", "games-administrator"})  # who files, records decisions and publishes


class AtOffice(AtHouse):
    """The office of one facility with its person and its moment. The caller holds the stream `facility/rules`.

    No table shows at once what is done here: the ticker tells each one whose rules have changed, on its own stream.
    """


class OfficeRoad(HouseRoad[AtOffice]):
    """The road to the office."""

    def room(self, act: str) -> str:
        return ROOM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        return floor().is_on_duty(person, facility)

    def enter(self, call: Call, locked: LockedRoom) -> AtOffice:
        return AtOffice(locked, call)

    def office_act(self, *, roles: Iterable[str] = OFFICE) -> Callable:
        """Registers an act of the office under its function's name."""
        return self.act(roles=roles, depends_on="nothing")


ROAD = OfficeRoad()
ACTS = ROAD.acts
office_act = ROAD.office_act
travel = ROAD.travel
