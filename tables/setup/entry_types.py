"""Entries about a facility, its pits, and where its tables belong."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from tables.opening.entry_types import TableMade


class FacilityMade(TypedDict):
    code: str
    gaming_day_start: Annotated[str, "local time at which the gaming day begins, such as 06:00"]
    jurisdiction: Annotated[str, "code of the jurisdiction"]
    name: str
    time_zone: str


FACILITY_MADE = entry_type("facility.made", FacilityMade, "The facility was created on the server.")


class PitMade(TypedDict):
    name: str
    pit: Annotated[str, "code of the pit"]


PIT_MADE = entry_type("pit.made", PitMade, "A pit was added to the facility.")


class TableAdded(TableMade):
    table: str


TABLE_ADDED = entry_type("table.added", TableAdded, "A table was added to the facility.")


class TableMoved(TypedDict):
    pit: Annotated[str, "code of the pit to which the table belongs now"]
    pit_before: str
    submission: Annotated[str, "code of the rules submission that the table deals under now"]
    submission_before: str
    table: str


TABLE_MOVED = entry_type(
    "table.moved", TableMoved, "A closed table was moved to another pit, or to another rules submission."
)
