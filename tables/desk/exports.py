"""Exports of the record and its full verification: requested, written by a worker, watched and downloaded.

1. Whoever may export requests a copy of the record (`ask_export`): the evidence bundle, or a reading copy as CSV or
   XLSX. Readable exports with a row for each round and wager are requested by `tables.desk.sheets`. The full
   verification of the record is requested alike (`ask_verification`). The record holds the request.
2. A worker does it (audit/exporting/jobs.py), and its entries say how it ended.
3. The page (`exports`) is watched until then (`exports_list`). It lists every job with its range in words, its
   progress, why it failed, and who took its file.
4. The file is downloaded whole or in ranges (`exports_file`; RFC 9110, sections 13 and 14), with a fresh second factor.
   The record holds who took it (`take_export`): a person who downloads it again at the same device, or whose browser
   tries again, is there once. Any copy can be recognized by the SHA-256 on the record.
"""

import datetime as dt
import re
import stat
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict, cast, get_args

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_safe

from audit import clock, export, factors, findings, record
from audit.entries import EXPORT_FAILED, EXPORT_FINISHED, RECORD_VERIFIED, VERIFICATION_FAILED
from audit.entry_types import entry_type
from audit.exporting import jobs, output
from audit.identity import Denied, enrolled_device
from audit.models import Entry, Job, Person, Stream
from audit.record import STREAM_NAME
from audit.runner import ActRequest
from games.access import opened_by
from games.act_forms import text
from games.engine import Refusal, RefusalCode
from games.models import Facility
from games.params import YEARS, Params, malformed
from games.registry import GAMES, game_by_code
from games.templatetags.office import day as in_words
from tables.desk.desk import (
    DESK,
    EXPORT_ROLES,
    EXPORTING,
    STREAM,
    ActOutcome,
    DeskContext,
    desk_act,
    desk_context,
    execute,
    may_export,
)
from tables.desk.query import readings_of
from tables.models import Table
from tables.words import line, register
from tables.words.entries import data_of, device_of, names_of

if TYPE_CHECKING:
    from django.db.models import QuerySet

EXPORT_EMPTY = RefusalCode(
    "export-empty",
    "The record has no entries in this range. Choose another range, or more streams.",
    "No entries",
)
EXPORT_RANGE = RefusalCode(
    "export-range",
    "The range ends before it begins. Swap its beginning and end.",
    "Range",
)
EXPORT_TO_COME = RefusalCode(
    "export-to-come",
    "This range is in the future. Choose one that begins before now.",
    "Range",
)
EXPORT_TOO_LONG = RefusalCode(
    "export-too-long",
    "An export can hold at most %(most)s gaming days. Request it in parts.",
    "Range",
)
EXPORT_MIXED = RefusalCode(
    "export-mixed",
    "%(real)s is real play, which is kept apart from training. Request a separate export for each.",
)
NO_SUCH_EXPORT = RefusalCode(
    "no-such-export",
    "This casino has no finished export %(job)s. Choose one from the list.",
    "No such export",
)
NO_SUCH_STREAM = RefusalCode(
    "no-such-stream",
    "This casino's record has no stream %(stream)s. Choose one from the list.",
)
TOO_MANY_JOBS = RefusalCode(
    "too-many-jobs",
    "%(most)s exports are already waiting or running. Try again when one of them is done.",
    "Too many exports",
)
VERIFICATION_RUNS = RefusalCode(
    "verification-runs",
    "A full verification was requested at %(at)s and is still running. Wait until it is done.",
    "Already running",
)
ENTRY_MISSING = RefusalCode(
    "entry-missing",
    "Entry %(seq)s of %(stream)s is missing: the record was tampered with. Verify the whole record now.",
    "Entry missing",
)
ExportKind = Literal["evidence", "csv", "xlsx"]
SheetsKind = Literal["sheets-xlsx", "sheets-csv"]
KINDS: tuple[ExportKind, ...] = get_args(ExportKind)
SHEETS_KINDS: tuple[SheetsKind, ...] = get_args(SheetsKind)
KIND_WORDS = {
    "evidence": "Evidence bundle",
    "csv": "Reading copy, CSV",
    "xlsx": "Reading copy, XLSX",
    "sheets-xlsx": "Sheets, XLSX",
    "sheets-csv": "Sheets, CSV",
    "verification": "Full verification",
}
# Why a job failed, by the code that the worker stored
FAILURES = {
    "gave-up": "Its worker stopped several times. Request a smaller range.",
    "disk-full": "The server's disk is full. Free some space, then request the export again.",
    "not-written": (
        "The server could not write the file. Make its export folder writable, then request the export again."
    ),
    "missing-entry": "An entry is missing from the record. Verify the whole record.",
    "no-such-stream": "A stream in the request no longer exists. Verify the whole record.",
    "unexpected": "An unexpected error occurred. The server's log has the details.",
}
OPEN = (Job.Status.WAITING, Job.Status.RUNNING)
MAX_OPEN_JOBS = 6  # jobs of a facility that wait or run
MAX_DAYS = 366 * 3
MAX_JOB = 36
MAX_STREAMS = 2000
MAX_SHOWN = 40
PARTS = 1000  # width of a progress bar
CHUNK_BYTES = 256 * 1024
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)
SINGLE_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.ASCII)


# What the record says


# "from" is a keyword, so that this type has to be written as a call.
ExportSpan = TypedDict(
    "ExportSpan",
    {
        "day": Annotated[str | None, "the first gaming day; null for a range of moments"],
        "from": Annotated[str | None, "the beginning of the range, inclusive; null: from the first entry"],
        "last_day": Annotated[str | None, "the last gaming day; null for a range of moments"],
        "to": Annotated[str | None, "the end of the range, exclusive; null: to the newest entry"],
    },
)


class ExportSelection(ExportSpan):
    streams: Annotated[list[str], "names of the streams; empty for every stream of the facility"]
    training: Annotated[bool, "whether it is of training and simulation instead of real play"]


class ExportAsked(ExportSelection):
    job: str
    kind: Annotated[ExportKind | SheetsKind, "kind of export"]
    game: NotRequired[Annotated[str, "of a readable export: code of its only game; empty for every game"]]
    table: NotRequired[Annotated[str, "of a readable export: code of its only table; empty for every table"]]
    number: NotRequired[
        Annotated[int | None, "of a readable export: number of its only round; null for every round"]
    ]


EXPORT_ASKED = entry_type(
    "export.asked",
    ExportAsked,
    "An export of the record was requested.",
    lambda data: f"Asked for: {KIND_WORDS.get(data.get('kind', ''), '')}",
)


@entry_type("export.taken")
def EXPORT_TAKEN(
    *,
    job: str,
    kind: Annotated[ExportKind | SheetsKind, "kind of export"],
    filename: Annotated[str, "name of the file"],
    sha256: Annotated[str, "SHA-256 of the file, in hex"],
) -> str:
    """A person began to download the file of an export, for the first time at this device."""
    return f"{KIND_WORDS.get(kind, kind)} downloaded: {filename}"


@entry_type("verification.asked")
def VERIFICATION_ASKED(*, job: str) -> str:
    """A verification of the whole record was requested."""
    return "Asked for a full verification"


# What the worker's entries say
register(
    act_lines=[
        line(
            EXPORT_FINISHED,
            lambda data: (
                "%(kind)s written: %(entries)s %(unit)s"
                % {
                    "kind": KIND_WORDS.get(data.get("kind", ""), ""),
                    "entries": f"{data.get('entries', 0):,}",
                    "unit": "rows" if data.get("kind") in SHEETS_KINDS else "entries",
                }
            ),
        ),
        line(EXPORT_FAILED, lambda data: f"{KIND_WORDS.get(data.get('kind', ''), '')} not written"),
        line(VERIFICATION_FAILED, lambda data: "The full verification could not be done"),
        line(
            RECORD_VERIFIED,
            lambda data: (
                "Record verified: %(entries)s entries, all good" % {"entries": f"{data.get('entries', 0):,}"}
                if data.get("outcome") == "good"
                else "Record verified: %(bad)s faults found" % {"bad": data.get("bad", 0)}
            ),
        ),
    ]
)


# Requests


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
    return ActOutcome(VERIFICATION_ASKED(job=str(job.pk)), {"job": str(job.pk)})


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
        # An hour that occurs twice or never is wholly in the range.
        earliest, latest = readings_of(moment, ctx.facility)
        return latest if name == "to" else earliest
    except ValueError:
        raise malformed(name) from None


# The page


@require_GET
@opened_by(DESK)
def exports(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the exports, newest first, with the dialog to request one."""
    context = desk_context(person, facility, "exports") | _list(facility, may_export(person))
    if context["exports_here"]:
        context["sorts"] = _streams(facility)
        context |= _tables(facility)
    return render(request, "desk/exports.html", context)


@require_GET
@opened_by(DESK)
def exports_list(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Return only the list, for a page that watches it."""
    return render(
        request,
        "desk/exports_list.html",
        _list(facility, may_export(person)) | {"facility": facility},
    )


def _list(facility: Facility, may_download: bool) -> dict[str, Any]:
    jobs_ = Job.objects.filter(facility=facility.code).select_related("asked_by").order_by("-asked_at")
    takers = _takers(facility)
    rows = [
        _row(job, facility, may_download) | {"takers": takers.get(str(job.pk), [])}
        for job in jobs_[:MAX_SHOWN]
    ]
    newest = next((row for row in rows if row["is_kept"] and row["job"].kind == Job.Kind.EVIDENCE), None)
    if newest is not None:
        newest["check"] = f"python -I verify.py {newest['job'].filename}"
    return {
        "exports_here": may_download,
        "is_confirmed": settings.SECOND_FACTORS,
        "jobs": rows,
        "count": jobs_.count(),
        "listed_count": MAX_SHOWN,
        "list_url": reverse("record-exports-list", args=[facility.code]),
        "watched": any(row["job"].status in OPEN for row in rows),
    }


def _row(job: Job, facility: Facility, may_download: bool) -> dict[str, Any]:
    is_kept = bool(job.filename) and not job.results.get("removed_at")
    return {
        "job": job,
        "kind": KIND_WORDS[job.kind],
        "units": ("rounds", "rows") if job.kind in SHEETS_KINDS else ("entries", "entries"),
        "range": _range(job, facility),
        "where": _where(job),
        "parts": PARTS * job.entries_done // job.total if job.total else 0,
        "before": jobs.jobs_ahead(job) if job.status == Job.Status.WAITING else 0,
        "url": reverse("record-exports-file", args=[facility.code, job.pk])
        if is_kept and may_download
        else "",
        "is_kept": is_kept,
        "check": "",
        "why": FAILURES.get(job.failure_code, FAILURES["unexpected"])
        if job.status == Job.Status.FAILED
        else "",
        "first_bad": _first_bad(job),
    }


def _takers(facility: Facility) -> dict[str, list[tuple[str, dt.datetime]]]:
    """Who took which export, and when, by the job's id: each person at each device once."""
    entries = list(_taken_entries(facility))
    names = names_of({entry.actor for entry in entries})
    takers: dict[str, list[tuple[str, dt.datetime]]] = {}
    for entry in entries:
        takers.setdefault(data_of(entry).get("job", ""), []).append(
            (names.get(entry.actor, entry.actor), entry.at)
        )
    return takers


def _taken_entries(facility: Facility) -> "QuerySet[Entry]":
    return Entry.objects.filter(type=EXPORT_TAKEN.name, stream__name=f"{facility.code}/{STREAM}").order_by(
        "seq"
    )


def _first_bad(job: Job) -> str:
    finding = job.results.get("first_bad")
    return findings.say(finding) if finding else ""


def _range(job: Job, facility: Facility) -> str:
    """The range in words."""
    if job.kind == Job.Kind.VERIFICATION:
        return "the whole record of this casino"
    days = [job.params.get("day"), job.params.get("last_day")]
    if number := job.params.get("number"):
        return "round %(number)s and the slips about it" % {"number": number}
    if days[0]:
        first, last = (in_words(dt.date.fromisoformat(str(text))) for text in days)
        if first == last:
            return "gaming day %(day)s" % {"day": first}
        return "gaming days %(first)s to %(last)s" % {"first": first, "last": last}
    since, until = (_moment_text(job.params.get(edge), facility) for edge in ("from", "to"))
    if since and until:
        return "%(from)s to %(to)s" % {"from": since, "to": until}
    if since:
        return "from %(from)s on" % {"from": since}
    return "up to %(to)s" % {"to": until} if until else "everything up to then"


def _where(job: Job) -> str:
    """The streams in words."""
    if job.kind == Job.Kind.VERIFICATION:
        return ""
    names = [str(name).rpartition("/")[2] for name in job.params.get("streams", [])]
    game = job.params.get("game")
    names = [game_by_code(game).name] if game in GAMES and not job.params.get("table") else names
    sort = "training and simulation" if job.params.get("training") else "real play"
    if not names:
        what = "every table of" if job.kind in SHEETS_KINDS else "every stream of"
        return f"{what} {sort}"
    listed = ", ".join(names[:6]) + (
        " and %(more)s more" % {"more": len(names) - 6} if len(names) > 6 else ""
    )
    return f"{listed} · {sort}"


def _moment_text(text: Any, facility: Facility) -> str:
    if not text:
        return ""
    local = facility.local(dt.datetime.fromisoformat(text))
    return f"{in_words(local.date())} {local:%H:%M:%S}".removesuffix(":00")


def _streams(facility: Facility) -> list[dict[str, Any]]:
    """The existing streams by kind, for the list in the dialog."""
    names = Stream.objects.filter(name__startswith=f"{facility.code}/", seq__gt=0).order_by("name")
    streams: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for name, real in names.values_list("name", "real_play"):
        streams[real].append({"name": name, "label": name.rpartition("/")[2]})
    if Stream.objects.filter(name=record.INSTALLATION, seq__gt=0).exists():
        streams[True].append({"name": record.INSTALLATION, "label": "installation"})
    return [
        {"code": "real", "streams": streams[True]},
        *([{"code": "training", "streams": streams[False]}] if streams[False] else []),
    ]


def _tables(facility: Facility) -> dict[str, Any]:
    """The tables and games that a readable export may be narrowed to."""
    tables = Table.objects.filter(facility=facility).order_by("code").values_list("code", "game", "kind")
    games = {game: game_by_code(game).name for _code, game, _kind in tables if game in GAMES}
    return {
        "sheet_tables": [code for code, _game, _kind in tables],
        "sheet_games": sorted(games.items(), key=lambda pair: pair[1]),
        "has_training": any(kind != Table.Kind.LIVE for _code, _game, kind in tables),
    }


# The file of an export


@desk_act(roles=EXPORT_ROLES)
def take_export(ctx: DeskContext, *, job_code: Annotated[str, text(MAX_JOB)]) -> ActOutcome:
    """Record that a person takes the file of an export. The server serves it to nobody without this act.

    Raises `no-such-export`.
    """
    job = finished_export(ctx.facility.code, job_code)
    if job is None:
        raise Refusal(NO_SUCH_EXPORT, job=job_code)
    return ActOutcome(
        EXPORT_TAKEN(
            job=str(job.pk),
            kind=cast("ExportKind | SheetsKind", job.kind),
            filename=job.filename,
            sha256=job.sha256,
        ),
        {"job": str(job.pk)},
    )


def finished_export(facility: str, job: str) -> Job | None:
    """The export of a facility that has a file; None for another id."""
    try:
        key = uuid.UUID(job)
    except ValueError:
        return None
    done = Job.objects.filter(pk=key, facility=facility, status=Job.Status.DONE)
    return done.exclude(filename="").first()


@require_safe
@opened_by(EXPORTING)
def exports_file(
    request: HttpRequest, person: Person, facility: Facility, job: uuid.UUID
) -> HttpResponseBase:
    """Serve the file of an export, whole or in ranges, to those who may export, with a fresh second factor."""
    factors.verify_fresh(request)
    job_ = finished_export(facility.code, str(job))
    if job_ is None:
        raise Denied
    path_ = jobs.file_path(job_)
    if job_.results.get("removed_at") or not _is_intact(path_, job_):
        message = "This file is no longer available. Request the same range again: it holds the same entries."
        return HttpResponse(message, status=410, content_type="text/plain; charset=utf-8")
    response = file_response(request, path_, job_.filename, job_.sha256, output.MEDIA_TYPES[job_.kind])
    if request.method == "GET" and response.status_code in (200, 206):
        _record_taken(request, person, facility, job_)
    return response


def _record_taken(request: HttpRequest, person: Person, facility: Facility, job: Job) -> None:
    """Put on record that this person takes the file at this device, once. Raises Denied where they may not."""
    device = enrolled_device(request)
    if device is None:
        raise Denied
    of_person = _taken_entries(facility).filter(actor=person.code)
    if any(
        data_of(entry).get("job") == str(job.pk) and device_of(entry) == str(device.pk) for entry in of_person
    ):
        return
    params = {"job": str(job.pk)}
    try:
        execute(ActRequest(facility.code, STREAM, "take_export", uuid.uuid4(), 0, params, person, device))
    except Refusal:
        raise Denied from None


def _is_intact(path_: Path, job: Job) -> bool:
    """Whether the file is there as recorded, as far as a quick look tells: a regular file of the recorded size."""
    try:
        status = path_.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == job.size_bytes


# Downloads that can be resumed


class RangeNotSatisfiable(ValueError):
    """The range lies outside the file (416)."""


def file_response(request: HttpRequest, file: Path, name: str, sha256: str, media: str) -> HttpResponseBase:
    """Return the file, or the single range requested. Its SHA-256 in hex is its strong ETag.

    Answers 200, 206, 304 or 416; a request for several ranges gets the whole file. The file is an attachment, streamed
    in pieces, and nothing in it is executed.
    """
    size, etag = file.stat().st_size, f'"{sha256}"'
    if etag in _tags(request.headers.get("If-None-Match", "")):
        return _with_headers(HttpResponseNotModified(), etag)
    try:
        byte_range = _byte_range(request, etag, size)
    except RangeNotSatisfiable:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _with_headers(response, etag)
    first, last = byte_range or (0, size - 1)
    response_: HttpResponseBase = (
        HttpResponse() if request.method == "HEAD" else StreamingHttpResponse(_pieces(file, first, last))
    )
    if byte_range:
        response_.status_code = 206
        response_["Content-Range"] = f"bytes {first}-{last}/{size}"
    response_["Content-Type"] = media
    response_["Content-Length"] = str(last - first + 1)
    response_["Content-Disposition"] = f'attachment; filename="{name}"'
    return _with_headers(response_, etag)


def _with_headers(response: HttpResponseBase, etag: str) -> HttpResponseBase:
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    # A proxy that compressed it would serve other bytes under the same tag.
    response["Cache-Control"] = "private, no-cache, no-transform"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def _tags(header: str) -> list[str]:
    return [tag.strip().removeprefix("W/") for tag in header.split(",")]


def _byte_range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte requested; None for the whole file. Raises RangeNotSatisfiable."""
    match = SINGLE_RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or match is None or not any(match.groups()):
        return None
    if request.headers.get("If-Range", etag) != etag:  # a date, or the tag of another file
        return None
    begins, ends = match.groups()
    if not begins:
        first, last = max(0, size - int(ends)), size - 1
        if int(ends) == 0:
            raise RangeNotSatisfiable
    else:
        first, last = int(begins), min(int(ends), size - 1) if ends else size - 1
        if ends and int(ends) < int(begins):
            return None  # not a range: ignored
    if first >= size:
        raise RangeNotSatisfiable
    return first, last


def _pieces(file: Path, first: int, last: int) -> Iterator[bytes]:
    with file.open("rb") as opened:
        opened.seek(first)
        bytes_left = last - first + 1
        while bytes_left > 0 and (piece := opened.read(min(CHUNK_BYTES, bytes_left))):
            bytes_left -= len(piece)
            yield piece


urlpatterns = [
    path("record/<slug:facility>/exports/", exports, name="record-exports"),
    path("record/<slug:facility>/exports/list", exports_list, name="record-exports-list"),
    path("record/<slug:facility>/exports/<uuid:job>", exports_file, name="record-exports-file"),
]
