"""The page of the dice watch, for staff: never on a display for patrons."""

import datetime as dt

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from games.models import Facility
from tables.core.permissions import FLOOR, SEES_EVERYTHING
from tables.core.typed_days import read_day
from tables.dice_watch.page import past_rows, period, watch_of, watched_rows
from tables.dice_watch.words import years_words
from tables.models import Shaker, Table, WatchedDice
from tables.runner.access import Denied, facility_page_for
from tables.runner.facility import DICE
from tables.views.facility import page_context

READERS = FLOOR | SEES_EVERYTHING
PERIOD_DAYS, MOST_DAYS = 30, 366
Kind = WatchedDice.Kind


@require_GET
def dice_watch(request: HttpRequest, facility: str) -> HttpResponse:
    """Every lot and shaker in use with its evidence, one of them in full, and the counts of a table or of some days."""
    person, facility_row = facility_page_for(request, facility, DICE)
    if person.role not in READERS:
        raise Denied
    now = clock.now()
    kind = Kind.SIMULATED if request.GET.get("play") == Kind.SIMULATED else Kind.LIVE
    lots, shakers = watched_rows(facility_row, kind)
    watched = _chosen(request, facility_row, kind) or (lots[0].watched if lots else None)
    first, last = _days(request, facility_row.gaming_day(now))
    of = {"table": request.GET.get("table", "")[:20], "shaker": request.GET.get("of_shaker", "")[:20]}
    context = page_context(person, facility_row, DICE, now) | {
        "watch": watch_of(_with_places(watched)) if watched else None,
        "lots": lots,
        "shakers": shakers,
        "past": past_rows(facility_row, kind),
        "kind": kind,
        "has_simulated": WatchedDice.objects.filter(facility=facility_row, kind=Kind.SIMULATED).exists(),
        "period": period(facility_row, kind, first, last, **of),
        "of": of,
        "tables": list(Table.objects.filter(facility=facility_row, kind=kind).values_list("code", flat=True)),
        "shaker_codes": list(Shaker.objects.filter(facility=facility_row).values_list("code", flat=True)),
        "years": years_words(),
        "withdraws": person.role in FLOOR,
    }
    return render(request, "tables/dice_watch/page.html", context)


def _chosen(request: HttpRequest, facility: Facility, kind: str) -> WatchedDice | None:
    """Return the lot that the address names, or the shaker in its newest year. Raises `Denied` for an unknown one."""
    lot, shaker = request.GET.get("lot"), request.GET.get("shaker")
    if not lot and not shaker:
        return None
    rows = WatchedDice.objects.filter(facility=facility)
    rows = rows.filter(lot__code=lot) if lot else rows.filter(lot=None, shaker__code=shaker, kind=kind)
    row = rows.order_by("-year").first()
    if row is None:
        raise Denied
    return row


def _with_places(watched: WatchedDice) -> WatchedDice:
    rows = WatchedDice.objects.select_related("lot", "shaker__table__stream", "table__stream", "facility")
    return rows.get(pk=watched.pk)


def _days(request: HttpRequest, today: dt.date) -> tuple[dt.date, dt.date]:
    """Return the first and the last gaming day of the address, else the last thirty."""
    last = read_day(request.GET.get("to", "")) or today
    first = read_day(request.GET.get("from", "")) or last - dt.timedelta(days=PERIOD_DAYS - 1)
    if first > last:
        first, last = last, first
    return max(first, last - dt.timedelta(days=MOST_DAYS - 1)), last
