"""The files of a readable export: a workbook with a tab for each sheet, or an archive with a CSV for each.

Both are written row by row beside their path and packed at the end. A text stays text whatever it begins with; only
amounts, numbers and gaming days are numbers of a spreadsheet.
"""

import csv
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from xlsxwriter import Workbook
from xlsxwriter.worksheet import Worksheet

from audit import clock
from audit.exporting.workbook import ROWS_MAX
from games.kit.files import Book, csv_cell, moment_text
from games.kit.tables import MOMENT
from tables.desk.sheets.columns import ROUNDS, Sheet
from tables.desk.sheets.rows import SheetQuery, rows_of, sheets_of

Progress = Callable[[int], None]


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
    counter, zone = _Counter(progress), query.facility.zone
    with ExitStack() as stack:
        folder = Path(stack.enter_context(_folder_beside(path)))
        files: dict[str, TextIO] = {}
        for sheet in sheets_of(query):
            file: TextIO = (folder / sheet.file).open("w", encoding="utf-8-sig", newline="")
            files[sheet.name] = stack.enter_context(file)
            csv.writer(file).writerow(_headings(sheet, query))
        for sheet, row in rows_of(query):
            csv.writer(files[sheet.name]).writerow(
                csv_cell(column, column.value(row), zone) for column in sheet.columns
            )
            counter.count(sheet)
        for opened in files.values():
            opened.close()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("README.txt", "\r\n".join(": ".join(cells) for cells in _about(query)) + "\r\n")
            for sheet in sheets_of(query):
                archive.write(folder / sheet.file, sheet.file)
    return counter.rows


def _headings(sheet: Sheet, query: SheetQuery) -> list[str]:
    zone = query.facility.time_zone
    return [
        f"{column.heading} ({zone})" if column.kind is MOMENT else column.heading for column in sheet.columns
    ]


def write_xlsx(path: Path, query: SheetQuery, progress: Progress) -> int:
    """Write a workbook to a path. Returns the number of rows. A tab that is full is continued on another."""
    counter = _Counter(progress)
    with _folder_beside(path) as folder:
        # Not in a `with` of its own: that would pack an unfinished workbook when writing fails.
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_urls": False}
        title, zone = f"{query.facility.name}, sheets", query.facility.zone
        book = Book(Workbook(str(path), options), title, clock.now(), zone, quotes_texts=True)
        about = book.book.add_worksheet("About")
        about.set_column(0, 0, 24)
        about.set_column(1, 1, 100)
        for number, cells in enumerate(_about(query)):
            for column, text in enumerate(cells):
                about.write_string(number, column, text, book.text if column else book.head)
        tabs = {sheet.name: _Tab(book, sheet, query) for sheet in sheets_of(query)}
        for sheet, row in rows_of(query):
            tabs[sheet.name].add(row)
            counter.count(sheet)
        book.book.close()
    return counter.rows


class _Tab:
    """A sheet as tabs of the workbook: a new one begins when one is full."""

    def __init__(self, book: Book, sheet: Sheet, query: SheetQuery) -> None:
        self.book, self.sheet, self.headings = book, sheet, _headings(sheet, query)
        self.count = 0
        self._begin()

    def add(self, row: Any) -> None:
        if self.row == ROWS_MAX:
            self._begin()
        for place, column in enumerate(self.sheet.columns):
            self.book.write(self.tab, self.row, place, column, column.value(row))
        self.row += 1

    def _begin(self) -> None:
        self.count += 1
        name = self.sheet.name if self.count == 1 else f"{self.sheet.name} {self.count}"
        self.tab: Worksheet = self.book.book.add_worksheet(name)
        self.tab.freeze_panes(1, 0)
        for place, (column, heading) in enumerate(zip(self.sheet.columns, self.headings, strict=True)):
            self.tab.set_column(place, place, column.width or column.kind.width)
            self.tab.write_string(0, place, heading, self.book.head)
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
