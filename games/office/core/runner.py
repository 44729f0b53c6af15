"""How acts of the rules office are executed (their stream is `facility/rules`), and who may see its pages."""

import re
from collections.abc import Callable, Iterable

from audit.factors import StepUp
from audit.models import Person
from audit.runner import ActOutcome, ActRequest, ActResponse, Do
from games.access import Pages
from games.engine.refusals import RefusalCode
from games.facility_runner import LockedStream, StreamContext, StreamRunner
from games.models import Facility
from games.office.core.floor import floor
from games.separation import acts as changes

NOT_A_DRAFT = RefusalCode(
    "not-a-draft",
    "This is no longer a draft (%(status)s). Draft a new version to change it.",
    "Already filed",
)
NOT_FILED = RefusalCode("not-filed", "No decision is pending here (%(status)s). File it first.", "Not filed")
ALREADY_ENDED = RefusalCode("already-ended", "This has already ended (%(status)s).", "Already ended")
ANOTHER_BODY_DECIDES = RefusalCode(
    "another-body-decides",
    "The %(body)s decides on this, not the body that you entered (%(named)s). Check the letter.",
    "Another body decides",
)


# Codes such as D-0001 and RS-0042. The caller holds the lock of the office's stream


NUMBERED = re.compile(r"-(\d+)\Z")


# Acts


__all__ = [
    "ACTS",
    "OFFICE_ROLES",
    "RUNNER",
    "ActOutcome",
    "ActRequest",
    "ActResponse",
    "OfficeContext",
    "execute",
    "office_act",
]

STREAM = "rules"
OFFICE_ROLES = frozenset(
    {"compliance", "games-administrator"}
)  # roles that file, record decisions and publish


class OfficeContext(StreamContext):
    """What an act of the office works with. The caller holds the lock of the stream `facility/rules`.

    No table shows such an act at once: the ticker records changed rules on the stream of each table.
    """


class OfficeRunner(StreamRunner[OfficeContext]):
    """Executes the acts of the office."""

    def stream_name(self, act: str) -> str:
        return STREAM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        return floor().is_on_duty(person, facility)

    def make_context(self, request: ActRequest, locked: LockedStream) -> OfficeContext:
        return OfficeContext(locked, request)

    def office_act(
        self, *, roles: Iterable[str] = OFFICE_ROLES, subject: str = "", step_up: StepUp = "never"
    ) -> Callable[[Do], Do]:
        """Register an act of the office under its function's name.

        `subject`: the row of the policy by which one person prepares the act and another approves it; `roles` do not
        count then.
        """
        return self.act(roles=roles, depends_on="nothing", subject=subject, step_up=step_up)


RUNNER = OfficeRunner()
changes.register(RUNNER)
ACTS = RUNNER.acts
office_act = RUNNER.office_act
execute = RUNNER.execute


# Pages


OFFICE_VIEWERS = OFFICE_ROLES | {
    "gaming-agent",
    "pit-manager",
    "shift-manager",
    "casino-supervisor",
    "surveillance",
}
OFFICE = Pages(OFFICE_VIEWERS)
person_and_facility = OFFICE.authorize
may_see_office = OFFICE.may_see


def may_act(person: Person) -> bool:
    """Return whether this person may use the office's buttons."""
    return person.role in OFFICE_ROLES
