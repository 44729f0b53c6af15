"""When the dice of a table changed, from its entries, for the plot of its win."""

import datetime as dt

from audit.models import Entry
from tables.core.entries import COLUMNS, read
from tables.dice.custody import DICE_LOT_PLACED
from tables.figures.plots import LotChange
from tables.models import Table

CHANGES_MAX = 60  # more lines than that hide the win


def lot_changes(table: Table, begins: dt.datetime, ends: dt.datetime) -> list[LotChange]:
    """Return each change to another lot between two moments, in order; nothing if there were too many to draw."""
    placed = Entry.objects.filter(stream=table.stream_id, type=DICE_LOT_PLACED.name)
    of_range = (
        placed.filter(at__gte=begins, at__lt=ends).order_by("seq").values_list(*COLUMNS)[: CHANGES_MAX + 1]
    )
    entries = [read((row[0], row[1], row[2], row[3])) for row in of_range]
    if not entries or len(entries) > CHANGES_MAX:
        return []
    earlier = placed.filter(seq__lt=entries[0].seq).order_by("-seq").values_list(*COLUMNS).first()
    before = str(read(earlier).data.get("lot", "")) if earlier else ""
    changes = []
    for entry in entries:
        lot = str(entry.data.get("lot", ""))
        if entry.is_intact and lot != before:
            changes.append(LotChange(dt.datetime.fromisoformat(entry.at), before, lot))
        before = lot
    return changes
