"""How acts of the compliance desk are executed; their stream is `facility/exports`.

The desk changes nothing that it reads. It requests exports and verifications, and the record says who did.
"""

from collections.abc import Callable, Iterable

from audit.models import Person
from audit.runner import ActOutcome, ActRequest, ActResponse, Do
from audit.step_up import StepUp
from games.facility_runner import LockedStream, StreamContext, StreamRunner
from games.models import Facility
from tables.core.duty import is_on_duty_at_facility

__all__ = [
    "ACTS",
    "EXPORT_ROLES",
    "RUNNER",
    "ActOutcome",
    "ActRequest",
    "ActResponse",
    "DeskContext",
    "desk_act",
    "execute",
]

STREAM = "exports"
AGENT = "gaming-agent"
EXPORT_ROLES = frozenset({"compliance", AGENT})  # roles that may take a copy of the record out of the casino


class DeskContext(StreamContext):
    """What an act of the desk works with. The caller holds the lock of the stream `facility/exports`."""


class DeskRunner(StreamRunner[DeskContext]):
    """Executes the acts of the desk."""

    def stream_name(self, act: str) -> str:
        return STREAM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """The casino assigns duty to its own people; the regulator's agent needs no assignment."""
        return person.role == AGENT or is_on_duty_at_facility(person, facility)

    def needs_duty(self, act: str) -> bool:
        """Who may export takes a copy also off duty, as they may read it on the page."""
        return act != "take_export"

    def make_context(self, request: ActRequest, locked: LockedStream) -> DeskContext:
        return DeskContext(locked, request)

    def desk_act(
        self, *, roles: Iterable[str] = EXPORT_ROLES, step_up: StepUp = "never"
    ) -> Callable[[Do], Do]:
        """Register an act of the desk under its function's name."""
        return self.act(roles=roles, depends_on="nothing", step_up=step_up)


RUNNER = DeskRunner()
ACTS = RUNNER.acts
desk_act = RUNNER.desk_act
execute = RUNNER.execute
