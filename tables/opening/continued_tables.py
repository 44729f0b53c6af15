"""Make the table that continues one whose stream two people closed (`audit.closing`)."""

from typing import Any

from audit.models import Stream
from tables.models import Table
from tables.opening.new_tables import make_table


def continue_table(sender: Any, closed: Stream, stream: Stream, **_declared: Any) -> None:
    """Make a closed table on the new stream, in the transaction of the declaration (`stream_continued`).

    It has the pit, game, seats, submission and limits of the former one, and its code and a number: T-04-2. The former
    table keeps its rounds and takes no act any more, so its posts are left here. Tablets, people, dice and shakers come
    to the new one by the usual acts, and it opens by them.
    """
    former = Table.objects.select_related("facility", "pit").filter(stream=closed).first()
    if former is None:
        return
    roles = ("dealer", "dealer_left", "stickperson")
    moments = (f"{role}_{name}" for role in roles for name in ("since", "works_since"))
    Table.objects.filter(pk=former.pk).update(**dict.fromkeys((*roles, "floorperson", *moments)))
    make_table(
        former.facility,
        code=stream.name.partition("/")[2],
        pit=former.pit,
        submission=former.submission_code,
        kind=former.kind,
        seats=former.seats,
        min_cents=former.min_cents,
        max_cents=former.max_cents,
    )
