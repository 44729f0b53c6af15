"""Requests to a worker: a copy of the record to take out of the casino, or its full verification.

The record holds the request, and who took the copy: a person who downloads it again at the same device, or whose
browser tries again, is there once. Any copy can be recognized by the SHA-256 on the record.
"""

import datetime as dt
import re
import uuid
from typing import Annotated, cast, get_args

from audit import clock, export
from audit.models import Job
from audit.record import STREAM_NAME
from games.act_forms import text
from games.engine import Refusal
from games.params import YEARS, Params, malformed
from tables.desk.entry_types import (
    EXPORT_ASKED,
    EXPORT_TAKEN,
    VERIFICATION_ASKED,
    ExportAsked,
    ExportKind,
    ExportSelection,
    ExportSpan,
    ExportTaken,
    SheetsKind,
)
from tables.desk.refusals import (
    ENTRY_MISSING,
    EXPORT_EMPTY,
    EXPORT_MIXED,
    EXPORT_RANGE,
    EXPORT_TO_COME,
    EXPORT_TOO_LONG,
    NO_SUCH_EXPORT,
    NO_SUCH_STREAM,
    TOO_MANY_JOBS,
    VERIFICATION_RUNS,
)
from tables.desk.runner import EXPORT_ROLES, ActOutcome, DeskContext, desk_act

KINDS: tuple[ExportKind, ...] = get_args(ExportKind)
MAX_OPEN_JOBS = 6  # jobs of a facility that wait or run
MAX_DAYS = 366 * 3
MAX_JOB = 36
MAX_STREAMS = 2000
OPEN = (Job.Status.WAITING, Job.Status.RUNNING)
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)


@desk_act(roles=EXPORT_ROLES, step_up="always")
def ask_export(ctx: DeskContext, params: Params) -> ActOutcome:
    """Request a copy of this facility's record: the `evidence` bundle, or a reading copy as `csv` or `xlsx`.

    The range is gaming days, `day` to `last_day` inclusive (one day without `last_day`), or moments, `from` inclusive
    and `to` exclusive, each optional; a moment without a zone is local time. `streams` are names such as `T-04` or
    `larkfield/T-04`; none means every stream. `training` selects training and simulation, which an export of real play
    never holds. Evidence of a range without entries is allowed, because its seals show that there were none.

    Raises `too-many-jobs`, `export-range`, `export-to-come`, `export-too-long`, `no-such-stream`, `export-mixed`,
    `export-empty` and `entry-missing`.
    """
    kind = params.choice("kind", KINDS)
    span = _span(ctx, params)
    training = params.boolean("training")
    names = sorted({_stream_name(ctx, name) for name in params.texts("streams", max_items=MAX_STREAMS)})
    verify_job_limit(ctx)
    selection = _select(ctx, names, span, training)
    if not selection.entries and (kind != "evidence" or not selection.spans):
        raise Refusal(EXPORT_EMPTY)
    job_params: ExportSelection = {**span, "streams": names, "training": training}
    job = Job.objects.create(
        facility=ctx.facility.code,
        kind=kind,
        params=job_params,
        asked_by=ctx.actor,
        asked_at=ctx.now,
        device=ctx.device,
        total=selection.entries,
    )
    data: ExportAsked = {
        "day": span["day"], "from": span["from"], "job": str(job.pk), "kind": kind, "last_day": span["last_day"],
        "streams": names, "to": span["to"], "training": training,
    }  # fmt: skip
    return ActOutcome(EXPORT_ASKED(data), {"job": str(job.pk), "entries": selection.entries})


@desk_act(roles=EXPORT_ROLES)
def take_export(ctx: DeskContext, *, job_code: Annotated[str, text(MAX_JOB)]) -> ActOutcome:
    """Record that a person takes the file of an export. The server serves it to nobody without this act.

    Raises `no-such-export`.
    """
    job = finished_export(ctx.facility.code, job_code)
    if job is None:
        raise Refusal(NO_SUCH_EXPORT, job=job_code)
    data: ExportTaken = {
        "job": str(job.pk),
        "kind": cast("ExportKind | SheetsKind", job.kind),
        "filename": job.filename,
        "sha256": job.sha256,
    }
    return ActOutcome(EXPORT_TAKEN(data), {"job": str(job.pk)})


def finished_export(facility: str, job: str) -> Job | None:
    """The export of a facility that has a file; None for another id."""
    try:
        key = uuid.UUID(job)
    except ValueError:
        return None
    done = Job.objects.filter(pk=key, facility=facility, status=Job.Status.DONE)
    return done.exclude(filename="").first()


@desk_act(roles=EXPORT_ROLES)
def ask_verification(ctx: DeskContext) -> ActOutcome:
    """Request the full verification of the facility's record. Raises `verification-runs`."""
    running = Job.objects.filter(
        facility=ctx.facility.code, kind=Job.Kind.VERIFICATION, status__in=OPEN
    ).first()
    if running is not None:
        raise Refusal(VERIFICATION_RUNS, at=f"{ctx.facility.local(running.asked_at):%H:%M}")
    job = Job.objects.create(
        facility=ctx.facility.code,
        kind=Job.Kind.VERIFICATION,
        asked_by=ctx.actor,
        asked_at=ctx.now,
        device=ctx.device,
    )
    return ActOutcome(VERIFICATION_ASKED({"job": str(job.pk)}), {"job": str(job.pk)})


def verify_job_limit(ctx: DeskContext) -> None:
    """Raise `too-many-jobs` where enough exports wait or run."""
    if Job.objects.filter(facility=ctx.facility.code, status__in=OPEN).count() >= MAX_OPEN_JOBS:
        raise Refusal(TOO_MANY_JOBS, most=MAX_OPEN_JOBS)


def _select(ctx: DeskContext, names: list[str], span: ExportSpan, training: bool) -> export.Selection:
    since, until = (dt.datetime.fromisoformat(edge) if edge else None for edge in (span["from"], span["to"]))
    try:
        selection = export.select(names, since, until, training=training, facility=ctx.facility.code)
    except export.UnknownStream as unknown:
        raise Refusal(NO_SUCH_STREAM, stream=str(unknown)) from None
    except export.MixedPlay as mixed:
        raise Refusal(EXPORT_MIXED, real=mixed.real) from None
    except export.MissingEntry as missing:
        stream, seq = missing.args
        raise Refusal(ENTRY_MISSING, stream=stream, seq=seq) from None
    return selection


def _stream_name(ctx: DeskContext, name: str) -> str:
    """The full name of a stream of this facility, or of one that belongs to no facility."""
    full_name = name if "/" in name else f"{ctx.facility.code}/{name}"
    if not STREAM_NAME.fullmatch(full_name):
        raise malformed("streams")
    return full_name


def _span(ctx: DeskContext, params: Params) -> ExportSpan:
    """Read the range as it is stored: `from` and `to` in the record's format or null, and its gaming days."""
    day, last = params.date("day", optional=True), params.date("last_day", optional=True)
    since, until = _moment(ctx, params, "from"), _moment(ctx, params, "to")
    if (day or last) and (since or until):
        raise malformed("from")
    if first := day or last:
        since, until = _of_days(ctx, first, last or first)
    if since and since > ctx.now:
        raise Refusal(EXPORT_TO_COME)
    if since and until and since >= until:
        raise Refusal(EXPORT_RANGE)
    return {
        "day": str(day or last) if day or last else None,
        "from": clock.format_moment(since) if since else None,
        "last_day": str(last or day) if day or last else None,
        "to": clock.format_moment(until) if until else None,
    }


def _of_days(ctx: DeskContext, first: dt.date, last: dt.date) -> tuple[dt.datetime, dt.datetime]:
    if last < first:
        raise Refusal(EXPORT_RANGE)
    if (last - first).days >= MAX_DAYS:
        raise Refusal(EXPORT_TOO_LONG, most=MAX_DAYS)
    return export.gaming_day_range(ctx.facility.code, first, last)


def _moment(ctx: DeskContext, params: Params, name: str) -> dt.datetime | None:
    text = params.text(name, default="")
    if not text:
        return None
    try:
        if not MOMENT.fullmatch(text):
            raise ValueError
        moment = dt.datetime.fromisoformat(text)
        if moment.year not in YEARS:
            raise ValueError
        if moment.tzinfo:
            return moment.astimezone(dt.UTC)
        # Where the clocks change, an hour that occurs twice or never is wholly in the range.
        zone = ctx.facility.zone
        candidates = [moment.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1)]
        return max(candidates) if name == "to" else min(candidates)
    except ValueError:
        raise malformed(name) from None
