"""The relief view of the dealer's tablet."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from tables.models import PlannedMove, Table
from tables.runner.access import table_for
from tables.staffing.relief import dealers_on_duty, posts_in_relief

MOST_NEXT = 3


@require_GET
def relief(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """A fragment for the dialog: since when each dealer works here, when breaks are due, and who comes next."""
    permitted, _ = table_for(request, facility, table, "dealer")
    people = ("facility", "dealer", "dealer_left", "stickperson")
    row = Table.objects.select_related(*people).get(pk=permitted.pk)
    now = clock.now()
    dealers = dealers_on_duty(row, now)
    free = [dealer for dealer in dealers if not dealer.obstacle]
    moves = PlannedMove.objects.open_moves(row.facility).filter(table=row).select_related("person")
    context = {
        "table": row,
        "planned": moves,
        "is_first_planned": bool(free) and free[0].planned == row.code,
        "posts": posts_in_relief(row, now),
        "free": free[:MOST_NEXT],
        "more_free": len(free[MOST_NEXT:]),
        "sign_in": reverse("sign-in"),
    }
    return render(request, "tables/console/relief.html", context)
