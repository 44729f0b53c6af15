"""Error Notification Slips: the preview of what one would change, and one as a PDF."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from games.engine import Refusal
from games.params import Params, malformed
from tables.core.context import TableContext
from tables.corrections.settlements import read_correction
from tables.corrections.slip_page import slip_pdf, slip_preview
from tables.rounds.settlement import settled_data
from tables.runner.access import Denied, table_for
from tables.words.sentences import say, short, title

from ..models import Round, Slip
from .replay import table_of

MAX_PARAMS_CHARACTERS = 16 * 1024
SIGNERS = ("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")


@require_GET
def preview(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """A fragment for the dialog. `said` holds the params of `file_slip`, without reason and signatures.

    422 with the refusal where the slip could not be filed. Changes nothing.
    """
    row, person = table_for(request, facility, table, "table")
    rounds = Round.objects.filter(table=row, number=number)
    round_ = rounds.select_related("table__facility", "submission").first() if number < 2**31 else None
    if round_ is None:
        raise Denied
    ctx = TableContext(row, person, None, None, clock.displayed_moment(row.stream, clock.now()))
    try:
        params = _params(request)
        correction = read_correction(ctx, round_, params, "", settled_data)
        params.reject_unknown()
    except Refusal as refusal:
        refused = {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
        return render(request, "tables/slips/preview.html", {"refusal": refused}, status=422)
    return render(request, "tables/slips/preview.html", slip_preview(row, round_, correction))


@require_GET
def as_pdf(request: HttpRequest, facility: str, table: str, number: int) -> HttpResponse:
    """A slip of this table on paper, for those who may read the table's rounds."""
    row, _person = table_of(request, facility, table)
    slips = Slip.objects.filter(table=row, number=number) if number < 2**31 else Slip.objects.none()
    slip = slips.select_related("table__facility", "round__submission", *SIGNERS).first()
    if slip is None:
        raise Denied
    response = HttpResponse(slip_pdf(slip), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{row.code}-{slip.code}.pdf"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _params(request: HttpRequest) -> Params:
    text = request.GET.get("said", "")
    try:
        return Params(json.loads(text[: MAX_PARAMS_CHARACTERS + 1]))
    except (ValueError, RecursionError):
        raise malformed("said") from None
