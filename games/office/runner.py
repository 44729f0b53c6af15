"""The road to the rules office; its stream is `facility/rules`."""

from collections.abc import Callable, Iterable

from audit.models import Person
from audit.runner import ActResponse, ActRequest, ActOutcome
from games.facility_runner import StreamContext, StreamRunner, LockedStream
from games.models import Facility
from games.office.floor import floor

__all__ = [
    "ACTS",
    "OFFICE",
    "RUNNER",
    "ActResponse",
    "OfficeContext",
    "ActRequest",
    "ActOutcome",
    "office_act",
    "execute",
]

ROOM = "rules"
OFFICE = frozenset({"compliance", "games-administrator"})  # who files, records decisions and publishes


class OfficeContext(StreamContext):
    """The office of one facility with its person and its moment. The caller holds the stream `facility/rules`.

    No table shows at once what is done here: the ticker tells each one whose rules have changed, on its own stream.
    """


class OfficeRunner(StreamRunner[OfficeContext]):
    """The road to the office."""

    def room(self, act: str) -> str:
        return ROOM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        return floor().is_on_duty(person, facility)

    def enter(self, request: ActRequest, locked: LockedStream) -> OfficeContext:
        return OfficeContext(locked, request)

    def office_act(self, *, roles: Iterable[str] = OFFICE) -> Callable:
        """Registers an act of the office under its function's name."""
        return self.act(roles=roles, depends_on="nothing")


RUNNER = OfficeRunner()
ACTS = RUNNER.acts
office_act = RUNNER.office_act
execute = RUNNER.execute
