"""The pages of chips and cash: the tray of a table, the cage, slips on paper, and the sheet of a gaming day.

The sheet reconciles the inventories of a gaming day. The figures, *Money* in the bar, are `tables.views.figures`.
"""

import datetime as dt
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Person
from games.access import opened_by
from games.kit.files import CSV, file_response
from games.kit.html import PageTable
from games.kit.searches import DaySearch, Flag, Number, Search, Words
from games.models import Facility
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.desk.desk import may_see_desk
from tables.figures.ranges import visible_tables
from tables.models import Table
from tables.money.cage import SlipPaper, cage_page, people_on_duty, transfer_of_slip, transfer_pdf
from tables.money.chips import ChipLine, denominations_of
from tables.money.drops import COUNT_WITNESSES, DROP_BOXES, buy_ins_of
from tables.money.inventories import INVENTORIES
from tables.money.reconciliation import (
    HEADLINE,
    LISTED,
    NOT_YET,
    InventoryPaper,
    Reconciliation,
    inventory_paper,
    inventory_pdf,
    last_inventories,
    reconcile,
)
from tables.money.tray import SECURITY, keeps_inventory
from tables.money.tray_page import tray_page
from tables.runner.access import (
    CAGE_PAGE,
    CONSOLE,
    FACILITY_PAGES,
    FIGURES,
    TABLE_MONEY,
    Denied,
    enrolled_device,
)
from tables.signing import waiting_at, waiting_for
from tables.views.facility import page_context, page_or_part, part_address, tagged


class TrayQuery(Search):
    """The tray with a count or a slip open; `part`: the part that is live."""

    count = Words(max_length=20)
    slip = Words(max_length=20)
    part = Flag()


class CageQuery(Search):
    """The cage with a slip open, or with all slips of the day; `part`: the part that is live."""

    slip = Words(max_length=20)
    all = Flag()
    part = Flag()


class InventoriesQuery(Search):
    """Inventories before a number."""

    before = Number()


@require_GET
@opened_by(TABLE_MONEY)
def tray(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """The tray of a table: its value, its tubes, the count, and the slips under way. `part`: the part that is live."""
    now = clock.displayed_moment(table.stream, clock.now())
    query = TrayQuery(request.GET).values
    page = tray_page(
        TableContext(table, person, None, None, now),
        person,
        query["count"],
        query["slip"],
    )
    context = {
        "tray": page,
        "signers": page.signers,
        "waiting": waiting_at(table, person),
        "denominations": [ChipLine(cents, 0) for cents in denominations_of(table.facility)],
        "seats": range(1, table.seats + 1),
        **_table_context(request, table, person, now),
    }
    return page_or_part(
        request, "tables/money/tray.html", "tables/money/tray_part.html", context, is_part=query["part"]
    )


@require_GET
@opened_by(TABLE_MONEY)
def tray_summary(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """The tray on the page of its table: the value, what is under way, and what restores its par. A fragment."""
    now = clock.displayed_moment(table.stream, clock.now())
    page = tray_page(TableContext(table, person, None, None, now), person, "", "")
    if not page.is_kept and page.last_closer is None:
        return HttpResponse()
    context = {
        "tray": page,
        "urls": {
            name: reverse(name, args=[table.facility.code, table.code]) for name in ("tray", "inventories")
        },
    }
    return tagged(request, render_to_string("tables/money/summary.html", context, request=request))


@require_GET
@opened_by(CONSOLE)
def buy_ins(request: HttpRequest, table: Table, _person: Person) -> HttpResponse:
    """The newest buy-ins of a table today, for the drawer of the console. A fragment."""
    log = buy_ins_of(table, table.facility.gaming_day(clock.now()))
    return render(request, "tables/console/buy_ins.html", {"log": log, "sales": log.newest})


@require_GET
@opened_by(FACILITY_PAGES[CAGE_PAGE])
def cage(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """The cage: what is requested, prepared and on the way, the slips of the day, and one of them open."""
    now, query = clock.now(), CageQuery(request.GET).values
    on_duty = people_on_duty(facility)
    page = cage_page(
        facility,
        person,
        now,
        query["slip"],
        tuple(signer for signer in on_duty if signer.role in SECURITY),
        all_rows=query["all"],
    )
    context = {
        "cage": page,
        "counters": [signer for signer in on_duty if signer.role in COUNT_WITNESSES and signer != person],
        "denominations": [ChipLine(cents, 0) for cents in denominations_of(facility)],
        **page_context(person, facility, CAGE_PAGE, now),
    }
    if page.selected is not None and page.selected.unsigned is not None:
        context["waiting"] = [waiting_for(page.selected.unsigned, facility, person)]
    context["urls"]["part"] = part_address(request)
    return page_or_part(
        request, "tables/money/cage.html", "tables/money/cage_part.html", context, is_part=query["part"]
    )


@require_GET
@opened_by(FACILITY_PAGES[CAGE_PAGE])
def slip_pdf(request: HttpRequest, _person: Person, facility: Facility, slip: str) -> HttpResponse:
    """A fill or credit slip on paper, for those who may open the cage's page."""
    transfer = transfer_of_slip(facility, slip)
    if transfer is None:
        raise Denied
    return file_response(transfer_pdf(SlipPaper(transfer)), f"{transfer.slip}.pdf", inline=True)


@require_GET
@opened_by(TABLE_MONEY)
def inventories(request: HttpRequest, table: Table, person: Person) -> HttpResponse:
    """The inventories of a table, the newest first, for who may open its page. `before`: those before a number."""
    before = InventoriesQuery(request.GET).values["before"]
    papers = last_inventories(table, before)
    context = {
        "table": table,
        "papers": papers,
        "waiting": [
            paper for paper in waiting_at(table, person) if paper.unsigned.paper in (INVENTORIES, DROP_BOXES)
        ],
        "is_earlier": before is not None,
        "before": papers[-1].inventory.number if len(papers) == LISTED else None,
        **page_context(person, table.facility, "floor", clock.now()),
    }
    return render(request, "tables/money/inventories.html", context)


@require_GET
@opened_by(TABLE_MONEY)
def inventory_slip(request: HttpRequest, table: Table, _person: Person, number: int) -> HttpResponse:
    """The slip of an inventory as a PDF, for those who may open the table's page."""
    paper = inventory_paper(table, number)
    if paper is None:
        raise Denied
    return file_response(inventory_pdf(paper), f"{table.code}-inventory-{number}.pdf", inline=True)


def _table_context(request: HttpRequest, table: Table, person: Person, now: dt.datetime) -> dict[str, Any]:
    device = enrolled_device(request)
    facility, code = table.facility.code, table.code
    at_tablet = device is not None and bool(device.place) and person.role in AT_THE_TABLE
    return {
        "me": {"name": person.name, "role_label": person.get_role_display()},
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "at_tablet": at_tablet,
        "urls": {
            "act": reverse("act", args=[facility, code, "__act__"]),
            "sign_in": reverse("sign-in"),
            "back": reverse("console" if at_tablet else "table", args=[facility, code]),
            "part": part_address(request),
        },
    }


# The sheet that reconciles a gaming day, as a page and as CSV


DAY = dt.timedelta(days=1)


class SheetQuery(DaySearch):
    """The sheet of a gaming day, with one line in full."""

    line = Words(max_length=60)


@require_GET
@opened_by(FACILITY_PAGES[FIGURES])
def reconciliation(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the sheet of a gaming day, the last one that is over unless another is named, and one line in full."""
    now = clock.now()
    today = facility.gaming_day(now)
    search = SheetQuery(request.GET, today)
    sheet = _sheet(person, facility, search)
    selected = _selected(search.values["line"], sheet)
    context = page_context(person, facility, FIGURES, now) | {
        "sheet": sheet,
        "refused": f"{search.problem} This is the last one that is over." if search.problem else "",
        "table": PageTable(sheet.table(selected)),
        "headline": [
            (column, NOT_YET if column.value(sheet.total) is None else column.text(sheet.total))
            for column in HEADLINE
        ],
        "selected": selected,
        "keeps": facility.keeps_inventory,
        "day_before": sheet.day - DAY,
        "day_after": sheet.day + DAY if sheet.day < today else None,
        "today": today,
        "report_url": reverse("record-report", args=[facility.code]) + f"?day={sheet.day}"
        if may_see_desk(person, enrolled_device(request))
        else "",
    }
    return render(request, "tables/money/reconciliation.html", context)


@require_GET
@opened_by(FACILITY_PAGES[FIGURES])
def reconciliation_csv(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Serve the sheet as CSV (RFC 4180, UTF-8): a line for each inventory and the total, amounts in dollars."""
    sheet = _sheet(person, facility, SheetQuery(request.GET, facility.gaming_day(clock.now())))
    return file_response(
        sheet.csv.encode("utf-8-sig"), f"{facility.code}-reconciliation-{sheet.day}.csv", CSV
    )


def _sheet(person: Person, facility: Facility, search: SheetQuery) -> Reconciliation:
    """The sheet of the day that was asked for, else of the last one that is over."""
    day = search.values["day"] or search.today - DAY
    tables = [table for table in visible_tables(person, facility, "live") if keeps_inventory(table)]
    return reconcile(tables, day)


def _selected(typed: str, sheet: Reconciliation) -> InventoryPaper | None:
    """The line that was tapped; else the one with the largest difference, else the first that waits for a count."""
    tapped = (line for line in sheet.lines if typed == f"{line.table.code}.{line.inventory.number}")
    return next(tapped, None) or next(iter(sheet.differing or sheet.waiting), None)
