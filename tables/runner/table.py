"""The road to a table: how it is locked, who may act at it, and when an act is stale (docs/road.md)."""

from typing import Any

from audit.runner import Act, Answer, Call, Recorded, Road, Stale
from games.params import Params, malformed
from tables.core.context import AtTable
from tables.core.permissions import verify_may, verify_may_sign
from tables.core.reads import Locked, locked_table
from tables.runner import halts

__all__ = ["ACTS", "Act", "Answer", "Call", "Recorded", "Stale", "act", "travel"]


class TableRoad(Road[AtTable, Params, Locked]):
    """The table's row and its stream are the lock; the table's version is its stream's number."""

    def lock(self, call: Call) -> Locked:
        return locked_table(call.facility, call.place, call.actor)

    def key(self, locked: Locked) -> int:
        return locked.table.pk

    def travel(self, call: Call) -> Answer:
        """As every road, and what a head that came back tells is written although its act is refused."""
        try:
            return super().travel(call)
        except halts.WentBack:
            raise halts.halt(call) from None
        except halts.NotOurs:
            raise halts.tell(call) from None

    def verify_may(self, call: Call, act: Act[AtTable, Params], locked: Locked) -> None:
        halts.verify_head(call, locked)
        verify_may(call.actor, act, locked.table, call.device, assigned=locked.on_duty)

    def enter(self, call: Call, locked: Locked) -> AtTable:
        halts.verify_goes_on(call, locked)
        verify_may_sign(call.witness, locked.table)
        return AtTable(locked.table, call.actor, call.device, call.witness, locked.now)

    def is_stale(self, call: Call, act: Act[AtTable, Params], at: AtTable) -> bool:
        if call.seen > at.stream.seq:
            return True
        return call.seen < max(_last_changes(call, act, at), default=0)

    def read(self, params: dict[str, Any]) -> Params:
        return Params(params)

    def finish(self, params: Params) -> None:
        params.done()

    def malformed(self, name: str) -> Exception:
        return malformed(name)


def _last_changes(call: Call, act: Act[AtTable, Params], at: AtTable) -> list[int]:
    """The numbers at which whatever this act depends on last changed."""
    if act.depends_on == "nothing":
        return []
    if at.round is None or act.depends_on == "round":
        return [at.table.status_seq]
    if act.depends_on == "seats":
        return [at.table.status_seq, *(at.round.seat_seqs.get(seat, 0) for seat in _seats(call))]
    return [at.table.status_seq, at.round.phase_seq]


def _seats(call: Call) -> list[str]:
    wagers = call.params.get("wagers")
    items = wagers if isinstance(wagers, list) else []
    return sorted({str(item.get("seat")) for item in items if isinstance(item, dict)})


ROAD = TableRoad()
ACTS = ROAD.acts
act = ROAD.act
travel = ROAD.travel
