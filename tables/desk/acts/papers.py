"""Printing the report of a round: a copy that leaves the casino, so the record says who took which bytes."""

import hashlib
from typing import Annotated

from games.act_forms import text, whole
from games.engine import Refusal
from tables.corrections.slips import NO_SUCH_ROUND
from tables.desk.entry_types import ROUND_PRINTED, RoundPrinted
from tables.desk.query import MAX_NUMBER
from tables.desk.round_paper import printed_by, round_paper
from tables.desk.round_pdf import round_pdf
from tables.desk.runner import ActOutcome, DeskContext, desk_act
from tables.models import Table

MAX_CODE = 20
MAX_SEAT = 99


@desk_act(step_up="always")
def print_round(
    ctx: DeskContext,
    *,
    table_code: Annotated[str, text(MAX_CODE)],
    number: Annotated[int, whole(1, MAX_NUMBER)],
    seat: Annotated[int, whole(0, MAX_SEAT)] = 0,
) -> ActOutcome:
    """Make the report of a round as a PDF for download, and record its SHA-256.

    `table` and `number` name a round; with a `seat` (0: every seat) the report has the wagers of that seat alone.

    Raises `no-such-round`.
    """
    table = (
        Table.objects.select_related("facility", "stream")
        .filter(facility=ctx.facility, code=table_code)
        .first()
    )
    paper = (
        round_paper(table, number, seat or None, moment=ctx.now, printed_by=printed_by(ctx.actor))
        if table
        else None
    )
    if paper is None:
        raise Refusal(NO_SUCH_ROUND, table=table_code, round=number)
    content = round_pdf(paper)
    data: RoundPrinted = {
        "bytes": len(content),
        "last": paper.newest.seq,
        "number": number,
        "seat": seat or None,
        "sha256": hashlib.sha256(content).hexdigest(),
        "table": table_code,
    }
    return ActOutcome(ROUND_PRINTED(data), {"sha256": data["sha256"]})
