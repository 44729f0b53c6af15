"""The page of the rotation board."""

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from audit import clock
from tables.core.scope import scope_of
from tables.rotation.board import TIMES, board
from tables.runner.access import ROTATION, facility_page_for
from tables.views.facility import page_context

MAX_CODE = 60


@require_GET
def rotation(request: HttpRequest, facility: str) -> HttpResponse:
    """Who deals where and who comes next. `person`: the dealer picked; `in`: when, in minutes; `part`: what is live."""
    person, facility_row = facility_page_for(request, facility, ROTATION)
    now, scope = clock.now(), scope_of(person, facility_row)
    picked, typed = request.GET.get("person", "")[:MAX_CODE], request.GET.get("in", "")
    in_minutes = int(typed) if typed in map(str, TIMES) else None
    query = request.GET.copy()
    query["part"] = "1"
    context = page_context(person, facility_row, ROTATION, now) | {
        "board": board(facility_row, now, picked, in_minutes, scope=scope),
        "scope": scope,
        "in_minutes": typed if in_minutes is not None else "",
    }
    context["urls"] |= {"part": f"{request.path}?{query.urlencode()}", "board": request.path}
    if not request.GET.get("part"):
        return render(request, "tables/rotation/rotation.html", context)
    html = render_to_string("tables/rotation/part.html", context, request=request)
    tag = f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'
    unchanged = request.headers.get("If-None-Match") == tag
    response = HttpResponseNotModified() if unchanged else HttpResponse(html)
    response["ETag"] = tag
    return response
