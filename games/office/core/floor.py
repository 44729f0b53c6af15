"""What the rules office asks the floor, which it may not import. `tables/office_floor.py` implements it."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from audit.models import Person
from games.models import Facility


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


@dataclass
class FloorLink:
    """Holds the floor that has connected itself."""

    floor: Floor


link = FloorLink(UnconnectedFloor())


def floor() -> Floor:
    """Return the floor of this installation."""
    return link.floor
