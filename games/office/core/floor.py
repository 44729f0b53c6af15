"""What the rules office asks of the floor, which it may not import; `tables/office_floor.py` answers."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from audit.models import Person
from games.models import Facility


@dataclass(frozen=True)
class DealtTable:
    """A table that deals under a submission: its minimum and maximum, with the highest that is announced."""

    table: str
    kind: str
    game: str
    submission: str
    min_cents: int
    max_cents: int
    highest_min_cents: int
    status: str
    shaker: str = ""  # its kind, where one stands there


class Floor(Protocol):
    """What the floor answers."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether the person is on duty anywhere in this facility."""

    def tables(self, facility: Facility) -> tuple[DealtTable, ...]:
        """Every table of the facility but the simulated ones, by code."""

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[object]:
        """Return the floor's deadlines: approvals that end, limits announced. Each is a `Deadline`."""


class UnconnectedFloor:
    """Before the floor has said who it is: nobody is on duty, and there is no table."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Nobody."""
        return False

    def tables(self, facility: Facility) -> tuple[DealtTable, ...]:
        """None."""
        return ()

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[object]:
        """None."""
        return ()


@dataclass
class FloorLink:
    """Holds the floor that introduced itself."""

    floor: Floor


link = FloorLink(UnconnectedFloor())


def floor() -> Floor:
    """The floor of this installation."""
    return link.floor
