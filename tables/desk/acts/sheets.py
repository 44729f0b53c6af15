"""Requests for a readable export: one row a round, a wager, a slip, a sign-in, a dice lot."""

from typing import get_args

from audit.models import Job
from games.engine import Refusal
from games.params import Params
from tables.corrections.slips import NO_SUCH_ROUND
from tables.desk.acts.exports import verify_job_limit
from tables.desk.entry_types import EXPORT_ASKED, ExportAsked, SheetsKind
from tables.desk.query import MAX_NUMBER
from tables.desk.refusals import (
    EXPORT_EMPTY,
    EXPORT_RANGE,
    EXPORT_TO_COME,
    EXPORT_TOO_LONG,
    NO_TABLES_TO_EXPORT,
)
from tables.desk.runner import ActOutcome, DeskContext, desk_act
from tables.desk.sheets.jobs import query_of
from tables.desk.sheets.rows import count_rounds
from tables.models import Round

KINDS: tuple[SheetsKind, ...] = get_args(SheetsKind)
MAX_DAYS = 92
MAX_CODE = 30


@desk_act(step_up="always")
def ask_sheets(ctx: DeskContext, params: Params) -> ActOutcome:
    """Request a readable export as `sheets-xlsx`, or as `sheets-csv` (an archive of CSV files).

    `day` to `last_day` are gaming days, inclusive (one day without `last_day`); `game` and `table` (codes) narrow it;
    `training` selects training and simulation. With `number`, it is that round of the table and the slips about it.

    Raises `too-many-jobs`, `export-range`, `export-to-come`, `export-too-long`, `no-tables-to-export`, `no-such-round`
    and `export-empty`.
    """
    kind = params.choice("kind", KINDS)
    day, last = params.date("day", optional=True), params.date("last_day", optional=True)
    game, table = (params.text(name, default="", max_length=MAX_CODE) for name in ("game", "table"))
    number = params.integer("number", 0, MAX_NUMBER, default=0) or None
    training = params.boolean("training")
    verify_job_limit(ctx)
    if number is not None:
        played = Round.objects.filter(table__facility=ctx.facility, table__code=table, number=number).first()
        if played is None:
            raise Refusal(NO_SUCH_ROUND, table=table, round=number)
        day = last = played.gaming_day
    first = day or last or ctx.gaming_day
    last = last or first
    if last < first:
        raise Refusal(EXPORT_RANGE)
    if first > ctx.gaming_day:
        raise Refusal(EXPORT_TO_COME)
    if (last - first).days >= MAX_DAYS:
        raise Refusal(EXPORT_TOO_LONG, most=MAX_DAYS)
    data: ExportAsked = {
        "day": str(first), "last_day": str(last), "from": None, "to": None, "streams": [], "training": training,
        "job": "", "kind": kind, "game": game, "table": table, "number": number,
    }  # fmt: skip
    query = query_of(ctx.facility, dict(data))
    if not query.tables:
        raise Refusal(NO_TABLES_TO_EXPORT)
    total = count_rounds(query)
    if not total and not query.is_whole_facility:
        raise Refusal(EXPORT_EMPTY)
    data["streams"] = [] if query.is_whole_facility else [row.stream.name for row in query.tables]
    job_params = {name: value for name, value in data.items() if name not in ("job", "kind")}
    job = Job.objects.create(
        facility=ctx.facility.code,
        kind=kind,
        params=job_params,
        asked_by=ctx.actor,
        asked_at=ctx.now,
        device=ctx.device,
        total=total,
    )
    data["job"] = str(job.pk)
    return ActOutcome(EXPORT_ASKED(data), {"job": str(job.pk), "rounds": total})
