"""The floor plan of the floor page, as it is or while somebody arranges it."""

import json
from typing import Literal

from django.http import HttpRequest

from games.models import Facility
from games.snapshot_types import Snapshot
from tables.models import Pit
from tables.screens.floor_plan import FloorPlan, PitOnFloor, floor_plan
from tables.setup.arrange_acts import unsaved_items
from tables.setup.entry_types import FloorItem

Arranging = Literal["", "tables", "floor"]
ARRANGING: dict[str, Arranging] = {"1": "tables", "floor": "floor"}  # by what the address has


def plan_of(
    facility: Facility,
    by_pit: dict[str, list[Snapshot]],
    arranging: Arranging,
    changed: list[FloorItem] | None,
) -> FloorPlan:
    """Return the floor plan of the tables on the page, as saved or with unsaved changes.

    Somebody who arranges the floor sees pits without a table, too, so that they keep their places.
    """
    tables_of = {
        name: [(state["table"]["code"], state["table"]["game"]) for state in states]
        for name, states in by_pit.items()
    }
    pits = Pit.objects.filter(facility=facility).order_by("code")
    drawn = [pit for pit in pits if arranging == "floor" or pit.name in tables_of]
    return floor_plan(
        [PitOnFloor(pit.code, pit.name, tables_of.get(pit.name, []), pit.places) for pit in drawn],
        spare_columns=int(arranging == "tables"),
        declared=facility.floor_items if changed is None else changed,
    )


def items_in_address(request: HttpRequest, facility: Facility) -> list[FloorItem] | None:
    """Return the unsaved items in the page's address; None if they are missing or invalid."""
    try:
        sent = json.loads(request.GET["plan"])
    except (KeyError, ValueError, RecursionError):
        return None
    return unsaved_items(sent, Pit.objects.filter(facility=facility).values_list("code", flat=True))
