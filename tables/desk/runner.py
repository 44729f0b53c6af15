"""The road to the compliance desk; its stream is `facility/exports`.

What the desk does changes nothing that it reads: it asks for exports and verifications, and the record tells who asked.
"""

from collections.abc import Callable, Iterable

from audit.models import Person
from audit.runner import ActResponse, ActRequest, ActOutcome
from games.facility_runner import StreamContext, StreamRunner, LockedStream
from games.models import Facility
from tables.runner.facility import is_on_duty

__all__ = [
    "ACTS",
    "EXPORTS",
    "RUNNER",
    "ActResponse",
    "DeskContext",
    "ActRequest",
    "ActOutcome",
    "desk_act",
    "execute",
]

ROOM = "exports"
AGENT = "gaming-agent"
EXPORTS = frozenset({"compliance", AGENT})  # who may take a copy of the record out of the house


class DeskContext(StreamContext):
    """The desk of one facility with its person and its moment. The caller holds the stream `facility/exports`."""


class DeskRoad(StreamRunner[DeskContext]):
    """The road to the desk."""

    def room(self, act: str) -> str:
        return ROOM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """The house gives its own people their duties; the regulator's agent needs none."""
        return person.role == AGENT or is_on_duty(person, facility)

    def enter(self, request: ActRequest, locked: LockedStream) -> DeskContext:
        return DeskContext(locked, request)

    def desk_act(self, *, roles: Iterable[str] = EXPORTS) -> Callable:
        """Registers an act of the desk under its function's name."""
        return self.act(roles=roles, depends_on="nothing")


RUNNER = DeskRoad()
ACTS = RUNNER.acts
desk_act = RUNNER.desk_act
execute = RUNNER.execute
