"""In which pit a table was. It moves only while it is closed, and the record says when, from where and to where."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Case, CharField, F, Value, When

from audit.models import Entry
from games.models import Facility
from tables.core.entries import COLUMNS, read
from tables.models import Table
from tables.setup.floor_plan import TABLE_MOVED


class PitMove(NamedTuple):
    """A move of a table: when, and the codes of the pits before and after it."""

    moment: dt.datetime
    before: str
    after: str


PitMoves = Mapping[str, Sequence[PitMove]]  # by the code of the table


class PitHistory(NamedTuple):
    """The pit of one table now (its code), and its moves from pit to pit in their order."""

    now: str
    moves: tuple[PitMove, ...] = ()

    def pit_at(self, moment: dt.datetime) -> str:
        """Return the code of the table's pit at a moment; at the moment of a move, the pit before it."""
        return next((move.before for move in self.moves if moment <= move.moment), self.now)


def pit_history(table: Table) -> PitHistory:
    """Return the history of one table, in one statement."""
    moves = pit_moves(table.facility).get(table.code, [])
    return PitHistory(moves[-1].after if moves else table.pit.code, tuple(moves))


def pit_moves(facility: Facility) -> dict[str, list[PitMove]]:
    """Return the moves from pit to pit by the code of the table. An entry that was changed is left out."""
    entries = Entry.objects.filter(stream__name=f"{facility.code}/setup", type=TABLE_MOVED.name)
    moves: dict[str, list[PitMove]] = {}
    for row in entries.order_by("seq").values_list(*COLUMNS):
        entry = read(row)
        before, after = entry.data.get("pit_before"), entry.data.get("pit")
        if entry.is_intact and isinstance(before, str) and isinstance(after, str) and before != after:
            move = PitMove(dt.datetime.fromisoformat(entry.at), before, after)
            moves.setdefault(str(entry.data.get("table")), []).append(move)
    return moves


def pit_by_moment(tables: Iterable[Table], moves: PitMoves, *, table: str, moment: str) -> Case:
    """Return an expression for `PitHistory.pit_at`: `table` and `moment` are the columns of the row."""
    whens = [
        When(**{table: row.pk, f"{moment}__lte": move.moment}, then=Value(move.before))
        for row in tables
        for move in moves.get(row.code, ())
    ]
    return Case(*whens, default=F(f"{table}__pit__code"), output_field=CharField())
