"""Exports of the record: asked for, watched, and fetched. The worker writes them (audit/exporting/jobs.py)."""

import datetime as dt
import stat
import uuid
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import path, reverse
from django.views.decorators.http import require_GET, require_safe

from audit import record, verification_words
from audit.doors import Denied
from audit.exporting import jobs, making
from audit.models import Job, Stream
from games.models import Facility
from games.templatetags.office import day as in_words
from tables.desk import export_words
from tables.desk.access import desk_of, may_export
from tables.desk.page import desk

from ..download import answer

SHOWN = 40
OPEN = (Job.Status.WAITING, Job.Status.RUNNING)
PARTS = 1000  # of a progress bar


@require_GET
def exports(request: HttpRequest, facility: str) -> HttpResponse:
    """What was exported here and what is being written, the newest first; and the dialog to ask for more."""
    person, house = desk_of(request, facility)
    context = desk(person, house, "exports") | _list(house, may_export(person))
    if context["exports_here"]:
        context["sorts"] = _streams(house)
    return render(request, "desk/exports.html", context)


@require_GET
def exports_list(request: HttpRequest, facility: str) -> HttpResponse:
    """The list alone, for a page that watches it."""
    person, house = desk_of(request, facility)
    return render(
        request,
        "desk/exports_list.html",
        _list(house, may_export(person)) | {"house": house},
    )


@require_safe
def exports_file(request: HttpRequest, facility: str, job: uuid.UUID) -> HttpResponseBase:
    """The file of an export of this house, whole or a range of its bytes; for those who may export."""
    person, house = desk_of(request, facility)
    if not may_export(person):
        raise Denied
    found = (
        Job.objects.filter(pk=job, facility=house.code, status=Job.Status.DONE).exclude(filename="").first()
    )
    if found is None:
        raise Denied
    place = jobs.place_of(found)
    if found.found.get("removed_at") or not _is_whole(place, found):
        said = "This file is no longer kept. Ask for the same range again: its entries are the same."
        return HttpResponse(said, status=410, content_type="text/plain; charset=utf-8")
    return answer(request, place, found.filename, found.sha256, making.MEDIA[found.kind])


def _is_whole(place: Path, job: Job) -> bool:
    """Whether the file lies there as it was recorded, as far as a look can tell: its own bytes, and as many."""
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size == job.size_bytes


def _list(house: Facility, may: bool) -> dict[str, Any]:
    asked = Job.objects.filter(facility=house.code).select_related("asked_by").order_by("-asked_at")
    rows = [_row(job, house, may) for job in asked[:SHOWN]]
    newest = next((row for row in rows if row["kept"] and row["job"].kind == Job.Kind.EVIDENCE), None)
    if newest is not None:
        newest["check"] = f"python -I verify.py {newest['job'].filename}"
    return {
        "exports_here": may,
        "jobs": rows,
        "count": asked.count(),
        "shown": SHOWN,
        "list_url": reverse("record-exports-list", args=[house.code]),
        "watched": any(row["job"].status in OPEN for row in rows),
    }


def _row(job: Job, house: Facility, may: bool) -> dict[str, Any]:
    kept = bool(job.filename) and not job.found.get("removed_at")
    return {
        "job": job,
        "kind": export_words.KINDS[job.kind],
        "range": _range(job, house),
        "where": _where(job),
        "parts": PARTS * job.done // job.total if job.total else 0,
        "before": jobs.waiting_before(job) if job.status == Job.Status.WAITING else 0,
        "url": reverse("record-exports-file", args=[house.code, job.pk]) if kept and may else "",
        "kept": kept,
        "check": "",
        "why": export_words.why(job.said) if job.status == Job.Status.FAILED else "",
        "first_bad": _first_bad(job),
    }


def _first_bad(job: Job) -> str:
    told = job.found.get("first_bad")
    return verification_words.say(told) if told else ""


def _range(job: Job, house: Facility) -> str:
    """The range as people say it."""
    if job.kind == Job.Kind.VERIFICATION:
        return "the whole record, of every house"
    days = [job.params.get("day"), job.params.get("last_day")]
    if days[0]:
        first, last = (in_words(dt.date.fromisoformat(str(text))) for text in days)
        if first == last:
            return "gaming day %(day)s" % {"day": first}
        return "gaming days %(first)s to %(last)s" % {"first": first, "last": last}
    since, until = (_at(job.params.get(edge), house) for edge in ("from", "to"))
    if since and until:
        return "%(from)s to %(to)s" % {"from": since, "to": until}
    if since:
        return "from %(from)s on" % {"from": since}
    return "up to %(to)s" % {"to": until} if until else "everything up to then"


def _where(job: Job) -> str:
    """The streams as people say them."""
    if job.kind == Job.Kind.VERIFICATION:
        return ""
    names = [str(name).rpartition("/")[2] for name in job.params.get("streams", [])]
    sort = "training and simulation" if job.params.get("training") else "real play"
    if not names:
        return "every stream of %(sort)s" % {"sort": sort}
    shown = ", ".join(names[:6]) + (" and %(more)s more" % {"more": len(names) - 6} if len(names) > 6 else "")
    return f"{shown} · {sort}"


def _at(text: Any, house: Facility) -> str:
    if not text:
        return ""
    there = house.local(dt.datetime.fromisoformat(text))
    return f"{in_words(there.date())} {there:%H:%M:%S}".removesuffix(":00")


def _streams(house: Facility) -> list[dict[str, Any]]:
    """The streams that there are, by their sort, for the list to pick from."""
    names = Stream.objects.filter(name__startswith=f"{house.code}/", seq__gt=0).order_by("name")
    found: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for name, real in names.values_list("name", "real_play"):
        found[real].append({"name": name, "label": name.rpartition("/")[2]})
    if Stream.objects.filter(name=record.INSTALLATION, seq__gt=0).exists():
        found[True].append({"name": record.INSTALLATION, "label": "installation"})
    return [
        {"code": "real", "streams": found[True]},
        *([{"code": "training", "streams": found[False]}] if found[False] else []),
    ]


urlpatterns = [
    path("record/<slug:facility>/exports/", exports, name="record-exports"),
    path("record/<slug:facility>/exports/list", exports_list, name="record-exports-list"),
    path("record/<slug:facility>/exports/<uuid:job>", exports_file, name="record-exports-file"),
]
