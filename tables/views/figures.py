"""The pages of figures, *Money* in the bar: of a floor, of one table, as files, and the declared reports."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person
from games.access import Pages, opened_by
from games.kit.files import file_response
from games.kit.html import PageTable
from games.models import Facility
from games.registry import game_by_code
from tables.core.duty import SEES_EVERYTHING, STAFFERS, scope_of
from tables.dice_watch import lots_at
from tables.figures.declared_reports import missing_count, schedule_rows
from tables.figures.figure_tables import FORMATS, families_table, main_table, periods_table, seats_table
from tables.figures.page import FiguresPage
from tables.figures.ranges import read_query
from tables.runner.access import FACILITY_PAGES, FIGURES, Denied
from tables.views.facility import page_context

TABLE_DAYS = 30
DECLARED_REPORTS = Pages(STAFFERS | SEES_EVERYTHING)  # a declared report has the figures of every table


@require_GET
@opened_by(FACILITY_PAGES[FIGURES])
def figures(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the figures of the tables that the person may see: today's, or those of a range."""
    page, context = _figures_page(request, person, facility)
    return render(
        request,
        "tables/figures/figures.html",
        context
        | {
            "filters": page.filters(),
            "main": PageTable(main_table(page)),
            "by_options": page.by_options(),
        },
    )


@require_GET
@opened_by(FACILITY_PAGES[FIGURES])
def table_figures(request: HttpRequest, person: Person, facility: Facility, table: str) -> HttpResponse:
    """Show the figures of one table: thirty days, or a range."""
    page, context = _figures_page(request, person, facility, table)
    if page.query.table != table or not page.tables:  # a code that no table can have is no filter
        raise Denied
    (table_row,) = page.tables
    return render(
        request,
        "tables/figures/table.html",
        context
        | {
            "filters": page.filters(of_table=True),
            "table": table_row,
            "game": game_by_code(table_row.game),
            "seats": PageTable(seats_table(page)),
            "lots": lots_at(table_row, page.query.first, page.query.last),
            "all_tables_url": reverse("figures", args=[facility.code]) + page.query.parameters(table=""),
        },
    )


@require_GET
@opened_by(FACILITY_PAGES[FIGURES])
def export(request: HttpRequest, person: Person, facility: Facility, form: str) -> HttpResponse:
    """Serve what the page with the same filters shows, in one of `FORMATS`."""
    if form not in FORMATS:
        raise Denied
    page, _context = _figures_page(request, person, facility)
    write: Callable[[FiguresPage], bytes] = FORMATS[form].write
    days = page.query.first.isoformat() + ("" if page.query.is_one_day else f"-{page.query.last.isoformat()}")
    return file_response(write(page), f"{facility.code}-figures-{days}.{form}", FORMATS[form].media)


@require_GET
@opened_by(DECLARED_REPORTS)
def reports(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the declared reports of the facility, and whether each reached its folder and its addresses."""
    now = clock.now()
    context = page_context(person, facility, FIGURES, now) | {"schedules": schedule_rows(facility, now)}
    return render(request, "tables/figures/reports.html", context)


def _figures_page(
    request: HttpRequest, person: Person, facility: Facility, table: str = ""
) -> tuple[FiguresPage, dict[str, Any]]:
    """Return the page of a request, and what both templates need."""
    now = clock.now()
    parameters = {name: request.GET.get(name, "") for name in request.GET}
    if table:
        parameters |= {"table": table, "pit": "", "game": "", "by": ""}
        if not parameters.get("play"):
            parameters["play"] = _play_of(facility, table)
    days = TABLE_DAYS if table else 1
    query, refused = read_query(facility, parameters, facility.gaming_day(now), days)
    page = FiguresPage(query, person, now)
    total = page.total
    context = page_context(person, facility, FIGURES, now) | {
        "query": query,
        "scope": scope_of(person, facility),
        "refused": refused,
        "range_words": page.range_words(),
        "total": page.total_row([]),
        "sums": total,
        "money": page.money,
        "plots": page.plots(),
        "period_plots": page.period_plots(),
        "families": PageTable(families_table(page)),
        "periods": PageTable(periods_table(page)),
        "uncounted": page.uncounted,
        "missing_reports": missing_count(facility, now) if person.role in DECLARED_REPORTS.roles else 0,
        "reads_reports": person.role in DECLARED_REPORTS.roles,
        "counted_at": facility.local(now),
        "exports": [
            {
                "label": export_format.label,
                "url": reverse("figures-export", args=[facility.code, form]) + query.parameters(),
            }
            for form, export_format in FORMATS.items()
        ],
    }
    return page, context


def _play_of(facility: Facility, code: str) -> str:
    """Return what kind of play a table has: its page needs no filter for it."""
    kinds = facility.tables.filter(code=code).values_list("kind", flat=True)
    return next(iter(kinds), "live")
