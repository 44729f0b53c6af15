"""The floor plan of the floor page, as it is or while somebody arranges it."""

import json
from typing import Literal

from django.http import HttpRequest

from games.models import Facility
from games.snapshot_types import Snapshot
from tables.models import Pit, Table
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
    """Return the floor plan of the tables on the page; for somebody who arranges the floor, that of every pit."""
    tables_of: dict[str, list[tuple[str, str]]] = {
        name: [(state["table"]["code"], state["table"]["game"]) for state in states]
        for name, states in by_pit.items()
    }
    if arranging == "floor":
        rest = Table.objects.filter(facility=facility, stream__closed_at=None).exclude(
            pit__name__in=tables_of
        )
        for name, code, game in rest.order_by("pit__code", "code").values_list("pit__name", "code", "game"):
            tables_of.setdefault(name, []).append((code, game))
    pits = {pit.name: pit for pit in Pit.objects.filter(facility=facility, name__in=tables_of)}
    return floor_plan(
        [PitOnFloor(pits[name].code, name, of_pit, pits[name].places) for name, of_pit in tables_of.items()],
        spare_columns=int(arranging == "tables"),
        declared=facility.floor_items if changed is None else changed,
    )


def items_in_address(request: HttpRequest, facility: Facility) -> list[FloorItem] | None:
    """Return the places that the address of the page has for pits and landmarks; None without any that can be used."""
    try:
        sent = json.loads(request.GET["plan"])
    except (KeyError, ValueError, RecursionError):
        return None
    return unsaved_items(sent, Pit.objects.filter(facility=facility).values_list("code", flat=True))
