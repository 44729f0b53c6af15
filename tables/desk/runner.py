"""The road to the compliance desk; its stream is `facility/exports`.

What the desk does changes nothing that it reads: it asks for exports and verifications, and the record tells who asked.
"""

from collections.abc import Callable, Iterable

from audit.models import Person
from audit.runner import Answer, Call, Recorded
from games.facility_runner import AtHouse, HouseRoad, LockedRoom
from games.models import Facility
from tables.runner.facility import is_on_duty

__all__ = ["ACTS", "EXPORTS", "ROAD", "Answer", "AtDesk", "Call", "Recorded", "desk_act", "travel"]

ROOM = "exports"
AGENT = "gaming-agent"
EXPORTS = frozenset({"compliance", AGENT})  # who may take a copy of the record out of the house


class AtDesk(AtHouse):
    """The desk of one facility with its person and its moment. The caller holds the stream `facility/exports`."""


class DeskRoad(HouseRoad[AtDesk]):
    """The road to the desk."""

    def room(self, act: str) -> str:
        return ROOM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """The house gives its own people their duties; the regulator's agent needs none."""
        return person.role == AGENT or is_on_duty(person, facility)

    def enter(self, call: Call, locked: LockedRoom) -> AtDesk:
        return AtDesk(locked, call)

    def desk_act(self, *, roles: Iterable[str] = EXPORTS) -> Callable:
        """Registers an act of the desk under its function's name."""
        return self.act(roles=roles, depends_on="nothing")


ROAD = DeskRoad()
ACTS = ROAD.acts
desk_act = ROAD.desk_act
travel = ROAD.travel
