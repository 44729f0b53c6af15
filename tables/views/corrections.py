"""Preview a correction of the round in play, before a floorperson signs."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from audit import clock
from games.engine import Refusal
from games.params import Params, malformed
from tables.core.context import TableContext
from tables.corrections.before_money import CORRECTION_ACTS, AreaChange, preview
from tables.runner.access import table_for
from tables.screens.layout import result_chips
from tables.words.sentences import say, short, title

MAX_PARAMS_CHARACTERS = 2 * 1024


class DrawnChange(AreaChange):
    """An area that changes, with its chips as HTML."""

    chips: SafeString
    struck_chips: SafeString


@require_GET
def correction(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """A fragment for the dialog: `act`, and the params of that act in `params`, without reason and signature.

    422 with the refusal where the correction is not possible. Changes nothing.
    """
    row, person = table_for(request, facility, table, "dealer")
    ctx = TableContext(row, person, None, None, clock.displayed_moment(row.stream, clock.now()))
    try:
        act = Params({"act": request.GET.get("act", "")}).choice("act", CORRECTION_ACTS)
        params = _params(request)
        changes = preview(ctx, act, params)
        params.reject_unknown()
    except Refusal as refusal:
        refused = {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
        return render(request, "tables/corrections/preview.html", {"refusal": refused}, status=422)
    context = {"changes": changes, "areas": [_drawn(ctx, area) for area in changes["areas"]]}
    return render(request, "tables/corrections/preview.html", context)


def _drawn(ctx: TableContext, area: AreaChange) -> DrawnChange:
    """Draw the chips of an area as the felt draws them."""
    game, family = ctx.table.game, area["wager"].partition(":")[0]
    return {
        **area,
        "chips": result_chips(game, family, area["owners"]),
        "struck_chips": result_chips(game, family, area["struck"]),
    }


def _params(request: HttpRequest) -> Params:
    text = request.GET.get("params", "")
    try:
        return Params(json.loads(text[: MAX_PARAMS_CHARACTERS + 1]))
    except (ValueError, RecursionError):
        raise malformed("params") from None
