"""A reading copy as a workbook: a sheet that describes it, then sheets of entries.

It is written row by row into a temporary folder beside its path and packed at the end, so memory does not grow with
the record. Every cell is text: no formula runs, and nothing is read as a number or a date.
"""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from audit import clock, export

ROWS_MAX = 1_048_576  # of a sheet, the heading included
CELL_CHARACTERS_MAX = 32_767
MARKUP = "<r>"  # XlsxWriter takes a text that starts like this for a rich string and writes it unescaped
WIDTHS = {"stream": 22, "seq": 9, "at": 29, "gaming_day": 12, "_type": 24, "data": 90, "hash": 66}
Progress = Callable[[int], None]


def write(
    path: Path, selection: export.Selection, progress: Progress = lambda completed: None
) -> dict[str, int]:
    """Write the workbook to a path. Returns the numbers of its `entries`, its `sheets` of entries, and its `cut`
    cells.

    `progress` is called with the number of entries written; if it raises, nothing is left on the disk. A text that is
    too long for a cell is cut, and the cell and the first sheet say so.
    """
    with tempfile.TemporaryDirectory(
        prefix=f".{path.name.lstrip('.')}.", suffix=".part", dir=path.parent
    ) as folder:
        # Not in a `with` of its own: that would pack an unfinished workbook when writing fails.
        options = {"constant_memory": True, "tmpdir": folder, "strings_to_urls": False}
        book = Workbook(str(path), options)
        sheets = _write_sheets(book, selection, progress)
        book.close()
    return {"cut": sheets.cut, "entries": sheets.entries, "sheets": sheets.count}


def _write_sheets(book: Workbook, selection: export.Selection, progress: Progress) -> "_Sheets":
    book.set_properties(
        {"title": "A reading copy of the record", "created": clock.now().replace(tzinfo=None)}
    )
    about = book.add_worksheet("About")
    sheets = _Sheets(book)
    for count, cells in enumerate(export.entry_cells(selection), start=1):
        sheets.add(cells)
        if count % 500 == 0:
            progress(count)
    _write_about(book, about, selection, sheets)
    progress(sheets.entries)
    return sheets


class _Sheets:
    """The sheets of entries. A new sheet begins when one is full."""

    def __init__(self, book: Workbook) -> None:
        self.book, self.text, self.heading = book, _as_text(book), book.add_format({"bold": True})
        self.count = self.entries = self.cut = 0
        self.row = ROWS_MAX

    def add(self, cells: list[Any]) -> None:
        if self.row == ROWS_MAX:
            self._begin()
        for column, cell in enumerate(cells):
            value, is_cut = fit_cell("" if cell is None else str(cell))
            self.cut += is_cut
            self.sheet.write_string(self.row, column, value, self.text)
        self.row += 1
        self.entries += 1

    def _begin(self) -> None:
        self.count += 1
        self.sheet = self.book.add_worksheet(f"Entries {self.count}")
        self.sheet.freeze_panes(1, 2)
        for column, name in enumerate(export.COLUMNS):
            self.sheet.set_column(column, column, WIDTHS.get(name, 14))
            self.sheet.write_string(0, column, name, self.heading)
        self.row = 1


def fit_cell(text: str) -> tuple[str, bool]:
    """Fit a text into a cell. Returns it, and whether it was cut: it then ends with its length and where to find it.

    A text that the library would take for its own markup gets a space before it.
    """
    if text.startswith(MARKUP):
        text = f" {text}"
    if _length(text) <= CELL_CHARACTERS_MAX:
        return text, False
    notice = f" … [cut: {len(text)} characters in all; the evidence bundle and the CSV have the full text]"
    prefix = text[: CELL_CHARACTERS_MAX - len(notice)]
    while _length(prefix) > CELL_CHARACTERS_MAX - len(notice):
        prefix = prefix[: len(prefix) - (_length(prefix) - CELL_CHARACTERS_MAX + len(notice) + 1) // 2]
    return prefix + notice, True


def _length(text: str) -> int:
    """The length as a spreadsheet counts it: a character beyond U+FFFF counts as two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _as_text(book: Workbook) -> Format:
    """A format that keeps a cell text when somebody edits it, whatever it begins with."""
    form = book.add_format({"num_format": "@"})
    form.set_quote_prefix()
    return form


def _write_about(book: Workbook, about: Worksheet, selection: export.Selection, sheets: _Sheets) -> None:
    """Write the first sheet: what the file is, its range, and the entries of each stream."""
    text, bold = _as_text(book), book.add_format({"bold": True})
    about.set_column(0, 0, 28)
    about.set_column(1, 3, 14)
    about.set_column(4, 4, 66)
    for row, cells in enumerate(_about_rows(selection, sheets)):
        for column, cell in enumerate(cells):
            about.write_string(row, column, cell, bold if column == 0 or row == 0 else text)


def _about_rows(selection: export.Selection, sheets: _Sheets) -> Iterator[list[str]]:
    since, until = selection.since, selection.until
    yield ["Pitside: a reading copy of the record"]
    yield ["What it is", "A copy for reading. It proves nothing; the evidence bundle of the same range does."]
    yield ["Written", clock.format_moment(clock.now())]
    yield ["From", clock.format_moment(since) if since else "the beginning"]
    yield ["To (not included)", clock.format_moment(until) if until else "the newest entry"]
    yield ["Entries", str(sheets.entries)]
    yield ["Sheets of entries", str(sheets.count)]
    yield ["Cells cut", f"{sheets.cut}: too long for a cell. Each says so and gives its full length."]
    yield []
    yield ["Stream", "First entry", "Last entry", "Entries", "Hash before the first entry"]
    for span in selection.spans:
        if span.entries:
            yield [span.name, str(span.first), str(span.last), str(span.entries), span.prior_head.hex()]
