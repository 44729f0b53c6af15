"""Tables of columns as files: CSV, XLSX and JSON lines. A text stays text, whatever it begins with.

CSV and XLSX have amounts in dollars and moments in local time, with the name of the zone; JSON lines have cents. An
exact fraction is written out.
"""

import csv
import datetime as dt
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit.export import escape_formula
from audit.exporting.output import fit_cell
from games.kit.tables import Cell, Column, Table

MONEY_FORMAT = '"$"#,##0.00;[Red]-"$"#,##0.00'
DAY_FORMAT = "yyyy-mm-dd"
UTC = ZoneInfo("UTC")
Sections: TypeAlias = Mapping[str, Table[Any]]


CSV = "text/csv; charset=utf-8"


def file_response(
    content: bytes | str,
    name: str,
    media: str = "application/pdf",
    *,
    inline: bool = False,
    is_foreign: bool = False,
) -> HttpResponse:
    """Serve a file under a name. `inline`: it is shown. `is_foreign`: others made it, so nothing in it runs."""
    response = HttpResponse(content, content_type=media)
    response["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{name}"'
    if is_foreign:
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response


def dollars_text(cents: int) -> str:
    """`12.50`, `-30.00`."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def moment_text(moment: dt.datetime, zone: ZoneInfo) -> str:
    """`2026-11-20 21:17:31 EST`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def csv_cell(column: Column[Any], value: Any, zone: ZoneInfo = UTC) -> str:
    """Return a cell of a CSV file; nothing for None."""
    if value is None:
        return ""
    match column.kind.cell:
        case Cell.TEXT:
            return str(escape_formula(value))
        case Cell.MONEY:
            return dollars_text(value)
        case Cell.MOMENT:
            return moment_text(value, zone)
    return str(value)


def csv_table(table: Table[Any], zone: ZoneInfo = UTC) -> str:
    """Return a table as CSV (RFC 4180)."""
    return csv_lines(
        [column.in_files for column in table.columns],
        ([csv_cell(column, column.value(row), zone) for column in table.columns] for row in table.rows),
    )


def csv_lines(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return lines of cells as CSV (RFC 4180)."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(headings)
    writer.writerows(lines)
    return text.getvalue()


class Book:
    """A workbook that is written row by row: its formats, and how it writes a cell."""

    def __init__(
        self,
        book: Workbook,
        title: str,
        created: dt.datetime,
        zone: ZoneInfo = UTC,
        *,
        quotes_texts: bool = False,
    ) -> None:
        self.book, self.zone = book, zone
        book.set_properties({"title": title, "created": created.replace(tzinfo=None)})
        self.head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self.money = book.add_format({"num_format": MONEY_FORMAT})
        self.numbers: dict[str, Any] = {"": None}
        self.day = book.add_format({"num_format": DAY_FORMAT})
        self.text = book.add_format({"num_format": "@"})
        if quotes_texts:
            self.text.set_quote_prefix()  # stays text when somebody edits it, whatever it begins with

    def write(self, tab: Worksheet, row: int, place: int, column: Column[Any], value: Any) -> None:
        """Write a cell; nothing for None."""
        cell = column.kind.cell
        if value is None:
            return
        if cell is Cell.MONEY:
            tab.write_number(row, place, value / 100, self.money)
        elif cell is Cell.DAY:
            tab.write_datetime(row, place, dt.datetime.combine(value, dt.time()), self.day)
        elif cell is Cell.MOMENT:
            tab.write_string(row, place, moment_text(value, self.zone), self.text)
        elif cell is Cell.NUMBER and isinstance(value, int | float):
            tab.write_number(row, place, value, self._number(column.kind.number_format))
        else:
            tab.write_string(row, place, fit_cell(str(value))[0], self.text)

    def _number(self, number_format: str) -> Any:
        if number_format not in self.numbers:
            self.numbers[number_format] = self.book.add_format({"num_format": number_format})
        return self.numbers[number_format]


# Figures: several tables in one file, each a section; a record is the name of a row and its fields. The first table has
# every field.


def records(table: Table[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each row, which is its first column, with its fields."""
    first, *others = table.columns
    for row in table.rows:
        yield (
            str(first.value(row)),
            {column.name: _written(column.value(row)) for column in others if column.has(row)},
        )


def _written(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value


def sections_jsonl(sections: Sections) -> bytes:
    """Return one JSON object a line; the amounts are integer cents."""
    return "".join(
        json.dumps({"section": section, "name": name, **fields}) + "\n"
        for section, table in sections.items()
        for name, fields in records(table)
    ).encode()


def _fields(sections: Sections) -> Sequence[Column[Any]]:
    return next(iter(sections.values())).columns[1:]


def sections_csv(sections: Sections) -> bytes:
    """Return one table with the section and the name first, in UTF-8 with its mark."""
    columns = _fields(sections)
    text = csv_lines(
        ["Section", "Name", *(column.in_files for column in columns)],
        (
            [
                section,
                str(escape_formula(name)),
                *(csv_cell(column, fields.get(column.name)) for column in columns),
            ]
            for section, table in sections.items()
            for name, fields in records(table)
        ),
    )
    return text.encode("utf-8-sig")


def sections_xlsx(sections: Sections, title: str, now: dt.datetime) -> bytes:
    """Return a workbook with a sheet for each section that has rows."""
    buffer, columns = io.BytesIO(), _fields(sections)
    workbook = Workbook(buffer, {"constant_memory": True, "strings_to_urls": False})
    book = Book(workbook, title, now)
    for section, table in sections.items():
        if not table.rows:
            continue
        name_column, tab = table.columns[0], workbook.add_worksheet(section.capitalize())
        tab.freeze_panes(1, 1)
        tab.set_column(0, 0, 28)
        tab.set_column(1, len(columns), 14)
        for place, heading in enumerate([section.capitalize(), *(column.in_files for column in columns)]):
            tab.write_string(0, place, heading, book.head)
        for number, (name, fields) in enumerate(records(table), start=1):
            book.write(tab, number, 0, name_column, name)
            for place, column in enumerate(columns, start=1):
                book.write(tab, number, place, column, fields.get(column.name))
    workbook.close()
    return buffer.getvalue()
