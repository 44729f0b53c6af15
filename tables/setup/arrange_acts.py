"""The acts that arrange the floor plan: the tables of a pit, and the pits and landmarks of the floor."""

from collections.abc import Collection

from games.engine import Refusal
from games.params import Params, malformed
from tables.core.permissions import STAFFERS
from tables.models import Pit, Table
from tables.models.floor import FLOOR_ITEMS, FLOOR_ROWS, LANDMARK_LENGTH, PLAN_COLUMNS, PLAN_ROWS
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.setup.entry_types import FLOOR_ARRANGED, PIT_ARRANGED, FloorItem
from tables.staffing.refusals import NO_SUCH_PLACE


@facility_act(SETUP, roles=STAFFERS)
def arrange_pit(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give the tables of a pit (by its name) their places on the floor plan, each another row and column.

    Only screens show the places. A table that is left out takes a free place. Raises `no-such-place` for a pit or table
    that is not there.
    """
    name = params.text("pit", max_length=60)
    pit = Pit.objects.filter(facility=ctx.facility, name=name).first()
    if pit is None:
        raise Refusal(NO_SUCH_PLACE, place=name)
    places = dict(params.objects("places", _place))
    codes = set(Table.objects.filter(pit=pit).values_list("code", flat=True))
    if unknown := sorted(places.keys() - codes):
        raise Refusal(NO_SUCH_PLACE, place=unknown[0])
    if len({tuple(place) for place in places.values()}) < len(places):
        raise malformed("places")
    pit.places = dict(sorted(places.items()))
    pit.save(update_fields=["places"])
    return ActOutcome(PIT_ARRANGED({"pit": pit.code, "places": pit.places}), {"pit": pit.code})


def _place(params: Params) -> tuple[str, list[int]]:
    """The code of a table, with its row and column."""
    return params.code("table"), [
        params.integer("row", 1, PLAN_ROWS),
        params.integer("column", 1, PLAN_COLUMNS),
    ]


@facility_act(SETUP, roles=STAFFERS)
def arrange_floor(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give the pits of the facility, and landmarks such as the cage, their rows on the floor plan, from left to right.

    Only screens show them. A pit that is left out follows the last row. Raises `no-such-place` for a pit that is not
    there.
    """
    codes = Pit.objects.filter(facility=ctx.facility).values_list("code", flat=True)
    ctx.facility.floor_items = sorted(_read_items(params, set(codes)), key=lambda item: item["row"])
    ctx.facility.save(update_fields=["floor_items"])
    return ActOutcome(FLOOR_ARRANGED({"items": ctx.facility.floor_items}), {})


def unsaved_items(sent: object, codes: Collection[str]) -> list[FloorItem] | None:
    """Return the items of an arrangement that nobody has saved yet; None for what the act would refuse."""
    try:
        return _read_items(Params({"items": sent}), codes)
    except Refusal:
        return None


def _read_items(params: Params, codes: Collection[str]) -> list[FloorItem]:
    """Return pits, each at most once, and landmarks. Raises `no-such-place` for a pit that is not among these codes."""
    items = list(params.objects("items", _item, max_items=FLOOR_ITEMS, optional=True))
    pits = [item["pit"] for item in items if item["pit"]]
    if unknown := [pit for pit in pits if pit not in codes]:
        raise Refusal(NO_SUCH_PLACE, place=unknown[0])
    if len(set(pits)) < len(pits) or any(bool(item["pit"]) == bool(item["landmark"]) for item in items):
        raise malformed("items")
    return items


def _item(params: Params) -> FloorItem:
    return {
        "row": params.integer("row", 1, FLOOR_ROWS),
        "pit": params.text("pit", default="", max_length=20),
        "landmark": params.text("landmark", default="", max_length=LANDMARK_LENGTH),
    }
