"""The files of a readable export: a workbook with a tab for each sheet, or an archive with a CSV for each.

Both are written row by row beside their path and packed at the end. A text stays text whatever it begins with; only
amounts, numbers and gaming days are numbers of a spreadsheet.
"""

import csv
import datetime as dt
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from audit import clock
from audit.export import escape_formula
from audit.exporting.workbook import ROWS_MAX, fit_cell
from tables.desk.sheets.columns import (
    ROUNDS,
    Cell,
    Kind,
    Row,
    Sheet,
    dollars_text,
    moment_text,
)
from tables.desk.sheets.rows import SheetQuery, rows_of, sheets_of

Progress = Callable[[int], None]
MONEY_FORMAT = '"$"#,##0.00;[Red]-"$"#,##0.00'
DAY_FORMAT = "yyyy-mm-dd"


class _Counter:
    """Counts the rounds written, and reports them."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.rounds, self.rows = progress, 0, 0

    def count(self, sheet: Sheet) -> None:
        self.rows += 1
        self.rounds += sheet is ROUNDS
        if self.rows % 100 == 0:
            self.progress(self.rounds)


def write_csv(path: Path, query: SheetQuery, progress: Progress) -> int:
    """Write an archive of CSV files (RFC 4180, UTF-8) to a path. Returns the number of rows."""
    counter = _Counter(progress)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(_folder_beside(path)))
        files: dict[str, TextIO] = {}
        for sheet in sheets_of(query):
            file: TextIO = (folder / sheet.file).open("w", encoding="utf-8-sig", newline="")
            files[sheet.name] = stack.enter_context(file)
            csv.writer(file).writerow(_csv_headings(sheet, query))
        for sheet, row in rows_of(query):
            csv.writer(files[sheet.name]).writerow(_csv_cells(sheet, row, query))
            counter.count(sheet)
        for opened in files.values():
            opened.close()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", "\r\n".join(": ".join(cells) for cells in _about(query)) + "\r\n")
            for sheet in sheets_of(query):
                archive.write(folder / sheet.file, sheet.file)
    return counter.rows


def _csv_headings(sheet: Sheet, query: SheetQuery) -> list[str]:
    return [_heading(sheet, place, query) for place in range(len(sheet.columns))]


def _heading(sheet: Sheet, place: int, query: SheetQuery) -> str:
    column = sheet.columns[place]
    return f"{column.heading} ({query.facility.time_zone})" if column.kind is Kind.MOMENT else column.heading


def _csv_cells(sheet: Sheet, row: Row, query: SheetQuery) -> Iterator[str]:
    for column, cell in zip(sheet.columns, row, strict=True):
        if cell is None:
            yield ""
        elif column.kind is Kind.MONEY and isinstance(cell, int):
            yield dollars_text(cell)
        elif column.kind is Kind.MOMENT and isinstance(cell, dt.datetime):
            yield moment_text(cell, query.facility.zone)
        elif column.kind is Kind.TEXT:
            yield escape_formula(cell)
        else:
            yield str(cell)


def write_xlsx(path: Path, query: SheetQuery, progress: Progress) -> int:
    """Write a workbook to a path. Returns the number of rows. A tab that is full is continued on another."""
    counter = _Counter(progress)
    with _folder_beside(path) as folder:
        # Not in a `with` of its own: that would pack an unfinished workbook when writing fails.
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_urls": False}
        book = Workbook(str(path), options)
        book.set_properties(
            {"title": f"{query.facility.name}, sheets", "created": clock.now().replace(tzinfo=None)}
        )
        looks = _Looks(book)
        about = book.add_worksheet("About")
        about.set_column(0, 0, 24)
        about.set_column(1, 1, 100)
        for number, cells in enumerate(_about(query)):
            for column, text in enumerate(cells):
                about.write_string(number, column, text, looks.text if column else looks.head)
        tabs = {sheet.name: _Tab(book, sheet, query, looks) for sheet in sheets_of(query)}
        for sheet, row in rows_of(query):
            tabs[sheet.name].add(row)
            counter.count(sheet)
        book.close()
    return counter.rows


class _Looks:
    """The formats of the workbook's cells."""

    def __init__(self, book: Workbook) -> None:
        self.head: Format = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self.money: Format = book.add_format({"num_format": MONEY_FORMAT})
        self.number: Format = book.add_format({"num_format": "0"})
        self.day: Format = book.add_format({"num_format": DAY_FORMAT})
        self.text: Format = book.add_format({"num_format": "@"})
        self.text.set_quote_prefix()  # stays text when somebody edits it, whatever it begins with


class _Tab:
    """A sheet as tabs of the workbook: a new one begins when one is full."""

    def __init__(self, book: Workbook, sheet: Sheet, query: SheetQuery, looks: _Looks) -> None:
        self.book, self.sheet, self.query, self.looks = book, sheet, query, looks
        self.count = 0
        self._begin()

    def add(self, row: Row) -> None:
        if self.row == ROWS_MAX:
            self._begin()
        for place, (column, cell) in enumerate(zip(self.sheet.columns, row, strict=True)):
            if cell is not None:
                self._write(place, column.kind, cell)
        self.row += 1

    def _write(self, place: int, kind: Kind, cell: Cell) -> None:
        tab, looks = self.tab, self.looks
        if kind is Kind.MONEY and isinstance(cell, int):
            tab.write_number(self.row, place, cell / 100, looks.money)
        elif kind is Kind.NUMBER and isinstance(cell, int):
            tab.write_number(self.row, place, cell, looks.number)
        elif kind is Kind.DAY and isinstance(cell, dt.date):
            tab.write_datetime(self.row, place, dt.datetime.combine(cell, dt.time()), looks.day)
        elif kind is Kind.MOMENT and isinstance(cell, dt.datetime):
            tab.write_string(self.row, place, moment_text(cell, self.query.facility.zone), looks.text)
        else:
            tab.write_string(self.row, place, fit_cell(str(cell))[0], looks.text)

    def _begin(self) -> None:
        self.count += 1
        name = self.sheet.name if self.count == 1 else f"{self.sheet.name} {self.count}"
        self.tab: Worksheet = self.book.add_worksheet(name)
        self.tab.freeze_panes(1, 0)
        for place, column in enumerate(self.sheet.columns):
            self.tab.set_column(place, place, column.width)
            self.tab.write_string(0, place, _heading(self.sheet, place, self.query), self.looks.head)
        self.row = 1


def _folder_beside(path: Path) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix=f".{path.name.lstrip('.')}.", suffix=".part", dir=path.parent)


def _about(query: SheetQuery) -> Sequence[tuple[str, str]]:
    """What the file is, in pairs of a heading and a sentence."""
    if query.round is not None:
        what = f"Round {query.round} at table {query.table}, and the slips about it"
    else:
        days = f"{query.first}" if query.first == query.last else f"{query.first} to {query.last}"
        what = f"Gaming days {days}"
    tables, sort = query.table or "every table", "training" if query.training else "real play"
    return (
        (query.facility.name, "Readable export of the record"),
        ("What it is", "A copy for reading. It proves nothing; the evidence bundle of the same range does."),
        ("What it has", what),
        ("Tables", ", ".join(filter(None, (tables, query.game, sort)))),
        ("Written", moment_text(clock.now(), query.facility.zone)),
        ("Amounts", "In dollars. Negative where the casino, or the player in their column, loses."),
        ("Times", f"Local to the facility ({query.facility.time_zone}), each with the name of its zone."),
        ("Source", "Rounds, wagers, sign-ins: entries. Slips and lots: rows checked by a full verification."),
        ("Corrections", "Rounds and wagers are as settled at the table. What changed later is in Slips."),
        ("Settled again", "Each round is settled again by the rules that it pinned; a difference is named."),
    )  # fmt: skip
