"""The act that arranges the tables of a pit on the floor plan."""

from games.engine import Refusal
from games.params import Params, malformed
from tables.core.permissions import STAFFERS
from tables.models import Pit, Table
from tables.models.floor import PLAN_COLUMNS, PLAN_ROWS
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.setup.entry_types import PIT_ARRANGED
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
