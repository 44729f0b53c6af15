"""Who relieves whom at a table: in the dialog of the dealer's tablet, and on the page of the table at a podium."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from tables.models import PlannedMove, Table
from tables.runner.access import table_for
from tables.staffing.relief import dealers_on_duty, post_to_relieve, posts_in_relief

MOST_FREE, MOST_OTHERS = 30, 3


@require_GET
def relief(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """A fragment for the tablet: since when each dealer works here, when breaks are due, who may come, and the PIN."""
    context = _context(request, facility, table)
    return render(request, "tables/console/relief.html", {**context, "sign_in": reverse("sign-in")})


@require_GET
def relief_card(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """A fragment for the page of the table, for who may send a relief: who goes, who may come, and who may not."""
    context = _context(request, facility, table)
    plan = reverse("facility-act", args=[facility, "plan_move"])
    return render(request, "tables/table/relief_card.html", {**context, "plan": plan})


def _context(request: HttpRequest, facility: str, table: str) -> dict[str, Any]:
    permitted, _ = table_for(request, facility, table, "dealer")
    people = ("facility", "dealer", "dealer_left", "stickperson")
    row = Table.objects.select_related(*people).get(pk=permitted.pk)
    now = clock.now()
    dealers = dealers_on_duty(row, now)
    free = [dealer for dealer in dealers if not dealer.obstacle]
    moves = PlannedMove.objects.open_moves(row.facility).filter(table=row).select_related("person")
    in_relief = posts_in_relief(row, now)
    planned = [dealer for dealer in free if dealer.planned == row.code]
    return {
        "table": row,
        "moves": moves,
        "posts": in_relief,
        "post": post_to_relieve(in_relief, moves),
        "planned": planned,
        "free": free[len(planned) :][:MOST_FREE],
        "more_free": max(0, len(free) - len(planned) - MOST_FREE),
        "others": [dealer for dealer in dealers if dealer.obstacle][:MOST_OTHERS],
    }
