"""What a page of figures shows, as CSV, XLSX, JSON lines or PDF.

Except in the PDF, each exact fraction is beside its rounded value.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from xlsxwriter import Workbook

from audit.export import escape_formula
from tables.core.figure_sums import Sums
from tables.figures.hold import HoldSums
from tables.figures.page import FiguresPage, FiguresRow
from tables.figures.pdf import write_pdf
from tables.figures.query import BY

MONEY_FORMAT = '"$"#,##0.00;[Red]-"$"#,##0.00'


class Line(NamedTuple):
    """One line of a file: which table of the page it is from, its name, and its figures by name."""

    section: str
    name: str
    figures: dict[str, Any]


def lines_of(page: FiguresPage) -> Iterator[Line]:
    """Yield everything that the page shows: the main table, its total, the wagers, and the hours, days or months."""
    rows = page.group_rows()
    for row in rows:
        yield Line(
            BY[page.query.by].lower(), row.label, _figures(row.sums) | _target(row) | _money(row.money)
        )
    yield Line("total", page.range_words(), _figures(page.total) | _money(page.money))
    for family in page.family_rows():
        yield Line(
            "wagers",
            f"{family.label}, {family.game_name}" if family.game_name else family.label,
            {
                "wagers": family.sums.wagers,
                "handle_cents": family.sums.handle_cents,
                "fees_cents": family.sums.fees_cents,
                "expected_win": str(family.sums.expected.value),
                "expected_win_cents": round(family.sums.expected.value),
            },
        )
    for row in page.period_rows():
        yield Line(page.query.period, row.label, _figures(row.sums) | _money(row.money))


def _figures(sums: Sums) -> dict[str, Any]:
    """Return the figures with the names of `manage.py figures`, and those that the page computes from them."""
    is_known = sums.is_known
    return {
        "rounds": sums.rounds,
        "wagers": sums.wagers,
        "handle_cents": sums.handle_cents,
        "taken_cents": sums.taken_cents,
        "paid_cents": sums.paid_cents,
        "win_cents": sums.win_cents,
        "fees_cents": sums.fees_cents,
        "cut_cents": sums.cut_cents,
        "expected_win": str(sums.expected.value) if is_known else None,
        "variance": str(sums.variance.value) if is_known else None,
        "expected_win_cents": sums.expected_cents if is_known else None,
        "two_sigma_cents": sums.band_cents if is_known else None,
        "sigmas_from_expected": None if sums.z_tenths is None else sums.z_tenths / 10,
        "rounds_per_hour": sums.pace,
        "seats_wagering": sums.seats_wagering,
        "seats_offered": sums.seats_offered,
    }


def _target(row: FiguresRow) -> dict[str, Any]:
    return {} if row.target_pace is None else {"target_rounds_per_hour": row.target_pace}


def _money(money: HoldSums) -> dict[str, Any]:
    """Return sold, drop and hold of the inventories; nothing without one. Drop and hold wait for every count."""
    if not money.inventories:
        return {}
    return {
        "inventories": money.inventories,
        "sold_cents": money.sold_cents,
        "boxes_not_counted": money.uncounted,
        "drop_cents": money.counted_drop_cents,
        "inventory_win_cents": money.win_cents,
        "inventory_void_rounds_cents": money.void_cents,
        "hold": None if money.hold is None else str(money.hold),
        "hold_percent": None if money.hold is None else round(float(100 * money.hold), 2),
    }


NAMES = (*_figures(Sums()), "target_rounds_per_hour", *_money(HoldSums(inventories=1)))


def write_jsonl(page: FiguresPage) -> bytes:
    """Return one JSON object a line; the amounts are integer cents."""
    return "".join(
        json.dumps({"section": line.section, "name": line.name, **line.figures}) + "\n"
        for line in lines_of(page)
    ).encode()


def write_csv(page: FiguresPage) -> bytes:
    """Return one table (RFC 4180, UTF-8), with the section and the name first. Amounts are in dollars."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["Section", "Name", *(_heading(name) for name in NAMES)])
    for line in lines_of(page):
        cells = (_csv_cell(name, line.figures.get(name)) for name in NAMES)
        writer.writerow([line.section, escape_formula(line.name), *cells])
    return text.getvalue().encode("utf-8-sig")


def _heading(name: str) -> str:
    words = name.removesuffix("_cents").replace("_", " ")
    return (
        f"{words.capitalize()} (exact, cents)" if name in ("expected_win", "variance") else words.capitalize()
    )


def _csv_cell(name: str, figure: Any) -> str:
    if figure is None:
        return ""
    if name.endswith("_cents"):
        sign, units = "-" if figure < 0 else "", abs(figure)
        return f"{sign}{units // 100}.{units % 100:02d}"
    return str(figure)


def write_xlsx(page: FiguresPage) -> bytes:
    """Return a workbook with a sheet for each table of the page."""
    buffer = io.BytesIO()
    book = Workbook(buffer, {"constant_memory": True, "strings_to_urls": False})
    title = f"{page.facility.name}, figures of {page.range_words()}"
    book.set_properties({"title": title, "created": page.now.replace(tzinfo=None)})
    head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    money, text = book.add_format({"num_format": MONEY_FORMAT}), book.add_format({"num_format": "@"})
    sheets: dict[str, tuple[Any, int]] = {}
    for line in lines_of(page):
        if line.section not in sheets:
            sheet = book.add_worksheet(line.section.capitalize())
            sheet.freeze_panes(1, 1)
            sheet.set_column(0, 0, 28)
            sheet.set_column(1, len(NAMES), 14)
            sheet.write_string(0, 0, line.section.capitalize(), head)
            for column, name in enumerate(NAMES, start=1):
                sheet.write_string(0, column, _heading(name), head)
            sheets[line.section] = sheet, 0
        sheet, row = sheets[line.section][0], sheets[line.section][1] + 1
        sheets[line.section] = sheet, row
        sheet.write_string(row, 0, line.name, text)
        for column, name in enumerate(NAMES, start=1):
            figure = line.figures.get(name)
            if name.endswith("_cents") and figure is not None:
                sheet.write_number(row, column, figure / 100, money)
            elif isinstance(figure, int | float):
                sheet.write_number(row, column, figure)
            elif figure is not None:
                sheet.write_string(row, column, str(figure), text)
    book.close()
    return buffer.getvalue()


@dataclass(frozen=True)
class Format:
    """A kind of file: what the link is called, its media type, and what writes it."""

    label: str
    media: str
    write: Callable[[FiguresPage], bytes]


FORMATS = {
    "csv": Format("CSV", "text/csv; charset=utf-8", write_csv),
    "xlsx": Format("XLSX", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", write_xlsx),
    "jsonl": Format("JSON lines", "application/jsonl; charset=utf-8", write_jsonl),
    "pdf": Format("PDF", "application/pdf", write_pdf),
}
