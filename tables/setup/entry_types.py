"""Entries about a facility, its pits, and where its tables belong."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type
from audit.models.people import StationCode
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


class PitArranged(TypedDict):
    pit: Annotated[str, "code of the pit"]
    places: Annotated[dict[str, list[int]], "row and column of each table by its code"]


PIT_ARRANGED = entry_type(
    "pit.arranged", PitArranged, "The tables of a pit have other places on the floor plan."
)


class FloorItem(TypedDict):
    row: Annotated[int, "row of the floor plan, 1 at the top"]
    pit: Annotated[str, "code of the pit; empty for a landmark"]
    landmark: Annotated[str, "what stands there, such as Cage; empty for a pit"]


class FloorArranged(TypedDict):
    items: Annotated[list[FloorItem], "pits and landmarks, from left to right in each row"]


FLOOR_ARRANGED = entry_type(
    "floor.arranged", FloorArranged, "The pits and landmarks of the floor plan have other places."
)


class FloorDeclared(TypedDict):
    """Figures of the house, from a file on the server."""

    floor_items: Annotated[list[FloorItem] | None, "pits and landmarks, from left to right in each row"]
    places: Annotated[dict[str, dict[str, list[int]]], "row and column of each table by its code, by pit"]
    shifts: Annotated[dict[str, str], "local time at which each shift begins, by its code"]
    target_paces: Annotated[dict[str, int], "rounds an hour that the house aims at, by game"]


FLOOR_DECLARED = entry_type(
    "floor.declared",
    FloorDeclared,
    "A command of the server declared target paces, shifts and places on the floor plan.",
)


class DeviceNamed(TypedDict):
    device: Annotated[str, "name of the device"]


class DeviceAdded(DeviceNamed):
    station: Annotated[StationCode, "where it is used"]
    table: Annotated[str | None, "code of the only table that it serves; null for the whole facility"]


DEVICE_ADDED = entry_type(
    "device.added", DeviceAdded, "A device was added. A browser becomes it by its enrollment token."
)


class TokenMade(DeviceNamed):
    ends_at: Annotated[str, "until when the token can be used, once"]


TOKEN_MADE = entry_type(
    "device.token_made",
    TokenMade,
    "An enrollment token was made, and could be read for ten minutes by the person who made it.",
)


class DeviceMoved(DeviceNamed):
    table: Annotated[str | None, "code of the table that it serves now; null for the whole facility"]
    table_before: Annotated[str | None, "code of the table that it served; null for the whole facility"]


DEVICE_MOVED = entry_type("device.moved", DeviceMoved, "A device was given another table to serve.")


class DeviceRenamed(DeviceNamed):
    before: Annotated[str, "the name before"]


DEVICE_RENAMED = entry_type("device.renamed", DeviceRenamed, "A device was given another name.")


WhyEnded = Literal["revoked", "lost"]


class DeviceEnded(DeviceNamed):
    person: Annotated[str | None, "code of the person who was signed off there; null without one"]
    why: Annotated[WhyEnded, "whether it was lost"]


DEVICE_ENDED = entry_type(
    "device.ended", DeviceEnded, "A device was revoked at once, and its person signed off."
)
