"""The sheet that reconciles a gaming day, as a page and as CSV."""

import csv
import datetime as dt
import io

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.export import escape_formula
from audit.models import Person
from games.formats import money, signed
from games.kit.files import dollars_text
from games.models import Facility
from tables.core.typed_days import read_day
from tables.desk.access import may_see_desk
from tables.figures.query import visible_tables
from tables.money.reconciliation import COLUMNS, InventoryPaper, Reconciliation, SheetColumn, reconcile
from tables.money.tray import keeps_inventory
from tables.runner.access import FIGURES, enrolled_device, facility_page_for
from tables.views.facility import page_context

DAY = dt.timedelta(days=1)
*AMOUNTS, DIFFERENCE = COLUMNS


@require_GET
def reconciliation(request: HttpRequest, facility: str) -> HttpResponse:
    """Show the sheet of a gaming day, the last one that is over unless another is named, and one line in full."""
    person, facility_row = facility_page_for(request, facility, FIGURES)
    sheet, refused = _sheet(request, person, facility_row)
    now = clock.now()
    today = facility_row.gaming_day(now)
    selected = _selected(request, sheet)
    context = page_context(person, facility_row, FIGURES, now) | {
        "sheet": sheet,
        "refused": refused,
        "columns": AMOUNTS,
        "difference": DIFFERENCE,
        "difference_total": _text(DIFFERENCE, sheet.total(DIFFERENCE)),
        "rows": [
            (line, [(column, _text(column, column.cents(line))) for column in AMOUNTS])
            for line in sheet.lines
        ],
        "totals": [(column, _text(column, sheet.total(column))) for column in AMOUNTS],
        "headline": [(column, _text(column, sheet.total(column))) for column in COLUMNS if column.is_strong],
        "selected": selected,
        "keeps": facility_row.keeps_inventory,
        "day_before": sheet.day - DAY,
        "day_after": sheet.day + DAY if sheet.day < today else None,
        "today": today,
        "report_url": reverse("record-report", args=[facility]) + f"?day={sheet.day}"
        if may_see_desk(person, enrolled_device(request))
        else "",
    }
    return render(request, "tables/money/reconciliation.html", context)


@require_GET
def reconciliation_csv(request: HttpRequest, facility: str) -> HttpResponse:
    """Serve the sheet as CSV (RFC 4180, UTF-8): a line for each inventory and the total, amounts in dollars."""
    person, facility_row = facility_page_for(request, facility, FIGURES)
    sheet, _refused = _sheet(request, person, facility_row)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["Table", "Inventory", *(column.heading for column in COLUMNS), "Missing"])
    for line in sheet.lines:
        cells = (_cell(column.cents(line)) for column in COLUMNS)
        code, number = escape_formula(line.table.code), line.inventory.number
        writer.writerow([code, number, *cells, escape_formula(line.missing)])
    writer.writerow(["Total", "", *(_cell(sheet.total(column)) for column in COLUMNS), ""])
    response = HttpResponse(text.getvalue().encode("utf-8-sig"), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{facility}-reconciliation-{sheet.day}.csv"'
    return response


def _sheet(request: HttpRequest, person: Person, facility: Facility) -> tuple[Reconciliation, str]:
    """The sheet of the day that was asked for, and a sentence about a day that could not be used."""
    today = facility.gaming_day(clock.now())
    typed = request.GET.get("day", "")
    day = read_day(typed) if typed else today - DAY
    refused = ""
    if day is None:
        day, refused = (
            today - DAY,
            "A gaming day is a date, such as 2026-11-21. This is the last one that is over.",
        )
    elif day > today:
        day, refused = today - DAY, "That gaming day has not begun. This is the last one that is over."
    tables = [table for table in visible_tables(person, facility, "live") if keeps_inventory(table)]
    return reconcile(tables, day), refused


def _selected(request: HttpRequest, sheet: Reconciliation) -> InventoryPaper | None:
    """The line that was tapped; else the one with the largest difference, else the first that waits for a count."""
    typed = request.GET.get("line", "")
    tapped = (line for line in sheet.lines if typed == f"{line.table.code}.{line.inventory.number}")
    return next(tapped, None) or next(iter(sheet.differing or sheet.waiting), None)


def _cell(cents: int | None) -> str:
    return "" if cents is None else dollars_text(cents)


def _text(column: SheetColumn, cents: int | None) -> str:
    if cents is None:
        return ""
    return signed(cents) if column.is_signed and cents else money(cents)
