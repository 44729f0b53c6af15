"""Exports of the record: requested, watched and downloaded. The worker writes them (audit/exporting/jobs.py)."""

import datetime as dt
import stat
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_safe

from audit import factors, findings, record
from audit.access import Denied, enrolled_device
from audit.exporting import jobs, output
from audit.models import Entry, Job, Person, Stream
from audit.runner import ActRequest
from games.engine import Refusal
from games.models import Facility
from games.registry import GAMES, game_by_code
from games.templatetags.office import day as in_words
from tables.desk import export_words
from tables.desk.access import authorize_desk, may_export
from tables.desk.acts.exports import finished_export
from tables.desk.entry_types import EXPORT_TAKEN
from tables.desk.page import desk_context
from tables.desk.runner import STREAM, execute
from tables.models import Table
from tables.words.entries import data_of, device_of, names_of

from ..download import file_response

if TYPE_CHECKING:
    from django.db.models import QuerySet

MAX_SHOWN = 40
OPEN = (Job.Status.WAITING, Job.Status.RUNNING)
PARTS = 1000  # width of a progress bar


@require_GET
def exports(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show the exports, newest first, with the dialog to request one."""
    person, facility = authorize_desk(request, facility_code)
    context = desk_context(person, facility, "exports") | _list(facility, may_export(person))
    if context["exports_here"]:
        context["sorts"] = _streams(facility)
        context |= _tables(facility)
    return render(request, "desk/exports.html", context)


@require_GET
def exports_list(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Return only the list, for a page that watches it."""
    person, facility = authorize_desk(request, facility_code)
    return render(
        request,
        "desk/exports_list.html",
        _list(facility, may_export(person)) | {"facility": facility},
    )


@require_safe
def exports_file(request: HttpRequest, facility_code: str, job: uuid.UUID) -> HttpResponseBase:
    """Serve the file of an export, whole or in ranges, to those who may export, with a fresh second factor."""
    person, facility = authorize_desk(request, facility_code)
    if not may_export(person):
        raise Denied
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


def _taken_entries(facility: Facility) -> "QuerySet[Entry]":
    return Entry.objects.filter(type=EXPORT_TAKEN.name, stream__name=f"{facility.code}/{STREAM}").order_by(
        "seq"
    )


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


def _is_intact(path_: Path, job: Job) -> bool:
    """Whether the file is there as recorded, as far as a quick look tells: a regular file of the recorded size."""
    try:
        status = path_.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == job.size_bytes


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
        "kind": export_words.KINDS[job.kind],
        "units": ("rounds", "rows") if job.kind in export_words.SHEETS else ("entries", "entries"),
        "range": _range(job, facility),
        "where": _where(job),
        "parts": PARTS * job.entries_done // job.total if job.total else 0,
        "before": jobs.jobs_ahead(job) if job.status == Job.Status.WAITING else 0,
        "url": reverse("record-exports-file", args=[facility.code, job.pk])
        if is_kept and may_download
        else "",
        "is_kept": is_kept,
        "check": "",
        "why": export_words.why(job.failure_code) if job.status == Job.Status.FAILED else "",
        "first_bad": _first_bad(job),
    }


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
        what = "every table of" if job.kind in export_words.SHEETS else "every stream of"
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


urlpatterns = [
    path("record/<slug:facility_code>/exports/", exports, name="record-exports"),
    path("record/<slug:facility_code>/exports/list", exports_list, name="record-exports-list"),
    path("record/<slug:facility_code>/exports/<uuid:job>", exports_file, name="record-exports-file"),
]
