"""What every room of the rules office uses: what it asks the floor, how its acts are executed, who sees its pages.

The office may not import the floor: `tables/office_floor.py` implements `Floor` and connects itself. The stream of the
acts is `facility/rules`.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from audit.factors import StepUp
from audit.models import Person
from audit.runner import ActOutcome, ActRequest, Do
from games.access import Pages
from games.facility_runner import LockedStream, StreamContext, StreamRunner
from games.models import Facility
from games.separation import acts as changes

__all__ = [
    "ACTS",
    "OFFICE_ROLES",
    "RUNNER",
    "ActOutcome",
    "ActRequest",
    "OfficeContext",
    "execute",
    "office_act",
]

# The floor


@dataclass(frozen=True)
class DealtTable:
    """A table that deals under a submission, with its minimum and maximum and the highest minimum that is announced."""

    table: str
    kind: str
    game: str
    submission: str
    min_cents: int
    max_cents: int
    highest_min_cents: int
    status: str
    shaker: str = ""  # the kind of the shaker at the table, if there is one


class Floor(Protocol):
    """The questions that the floor answers."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Return whether the person is on duty anywhere in this facility."""

    def tables(self, facility: Facility) -> tuple[DealtTable, ...]:
        """Return every table of the facility except the simulated ones, ordered by code."""

    def words_of(self, type_: str, data: dict[str, Any]) -> str:
        """Return the line of the record for an entry of this type with these data."""

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[object]:
        """Return the floor's deadlines: approvals that end, limits announced. Each is a `Deadline`."""


class UnconnectedFloor:
    """Used until the floor connects itself: nobody is on duty and there are no tables."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Return False."""
        return False

    def tables(self, facility: Facility) -> tuple[DealtTable, ...]:
        """Return no tables."""
        return ()

    def words_of(self, type_: str, data: dict[str, Any]) -> str:
        """Return the name of the type."""
        return type_

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[object]:
        """Return no deadlines."""
        return ()


class FloorLink:
    """Holds the floor that has connected itself."""

    floor: Floor = UnconnectedFloor()


link = FloorLink()


def floor() -> Floor:
    """Return the floor of this installation."""
    return link.floor


# Acts


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

    counted_as = "office"

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
may_see_office = OFFICE.may_see


def may_act(person: Person) -> bool:
    """Return whether this person may use the office's buttons."""
    return person.role in OFFICE_ROLES
