"""The preview of an Error Notification Slip: what it would change and what each seat is owed. Changes nothing."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from games.engine import Refusal
from games.params import Params, malformed
from tables.core.context import TableContext
from tables.corrections.correction import read_correction
from tables.corrections.slip_view import slip_preview
from tables.rounds.settlement import settled_data
from tables.runner.access import Denied, table_for
from tables.words.sentences import say, short, title

from ..models import Round

MOST_SAID = 16 * 1024  # characters of a question


@require_GET
def preview(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """A fragment for the dialog; `said` is what `file_slip` would be sent, without reason and signatures.

    422 with the refusal where the slip could not be filed so.
    """
    found, person = table_for(request, facility, table, "table")
    asked = Round.objects.filter(table=found, number=number)
    round_ = asked.select_related("table__facility", "submission").first() if number < 2**31 else None
    if round_ is None:
        raise Denied
    at = TableContext(found, person, None, None, clock.displayed_moment(found.stream, clock.now()))
    try:
        params = _said(request)
        correction = read_correction(at, round_, params, "", settled_data)
        params.reject_unknown()
    except Refusal as refusal:
        said = {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
        return render(request, "tables/slips/preview.html", {"refusal": said}, status=422)
    return render(request, "tables/slips/preview.html", slip_preview(found, round_, correction))


def _said(request: HttpRequest) -> Params:
    text = request.GET.get("said", "")
    try:
        return Params(json.loads(text[: MOST_SAID + 1]))
    except (ValueError, RecursionError):
        raise malformed("said") from None
