"""The output of a job: the file of an export, or the findings of a verification.

A reading copy as a workbook has a sheet that describes it, then sheets of entries (`write_workbook`). It is written row
by row into a temporary folder beside its path and packed at the end, so memory does not grow with the record. Every
cell is text: no formula runs, and nothing is read as a number or a date.
"""

import datetime as dt
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from audit import clock, export, verification
from audit.entries import VerificationFigures
from audit.exporting import bundle
from audit.models import Job

ROWS_MAX = 1_048_576  # of a sheet, the heading included
CELL_CHARACTERS_MAX = 32_767
MARKUP = "<r>"  # XlsxWriter takes a text that starts like this for a rich string and writes it unescaped
WIDTHS = {"stream": 22, "seq": 9, "at": 29, "gaming_day": 12, "_type": 24, "data": 90, "hash": 66}
Progress = Callable[[int], None]


def write_workbook(
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


# Output by the kind of a job


EXTENSIONS = {"evidence": "zip", "csv": "csv", "xlsx": "xlsx"}
MEDIA_TYPES = {
    "evidence": "application/zip",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
PROGRESS_ENTRIES = 500  # between two calls of `beat`
EXTENSION_MEDIA_TYPES = {"zip": MEDIA_TYPES["evidence"], "xlsx": MEDIA_TYPES["xlsx"]}


class Heartbeat(Protocol):
    """Reports progress in entries. Raises if the job must stop."""

    def __call__(self, completed: int | None = None, total: int | None = None) -> None: ...


@dataclass(frozen=True)
class JobOutput:
    """The result of a job: figures for its row and its entry, and a file's name, size and SHA-256 (hex)."""

    entries: int
    details: dict[str, Any] = field(default_factory=dict)
    filename: str = ""
    size_bytes: int = 0
    sha256: str = ""
    figures: VerificationFigures | None = None  # of a verification


@dataclass(frozen=True)
class FileWriter:
    """How a kind of export is written that another app knows.

    `write` writes the file and returns figures for the job's row, among them `entries` and `streams`. `name` is the
    last part of the file's name.
    """

    extension: str
    write: Callable[[Job, Path, Heartbeat], dict[str, Any]]
    name: Callable[[Job], str]


FILE_WRITERS: dict[str, FileWriter] = {}


def register_writer(kind: str, writer: FileWriter) -> None:
    """Add a kind of export, at startup. Raises ValueError for a kind that has a writer."""
    if kind in FILE_WRITERS or kind in WRITERS:
        raise ValueError(f"registered twice: {kind}")
    FILE_WRITERS[kind] = writer
    EXTENSIONS[kind], MEDIA_TYPES[kind] = writer.extension, EXTENSION_MEDIA_TYPES[writer.extension]


def produce(job: Job, path: Path, beat: Heartbeat) -> JobOutput:
    """Do a job. An export is written to `path`. Raises what `beat` raises, and OSError."""
    if job.kind == Job.Kind.VERIFICATION:
        return _verification(job, beat)
    if writer := FILE_WRITERS.get(job.kind):
        figures = writer.write(job, path, beat)
        size, sha256 = _sync_and_hash(path)
        return JobOutput(figures["entries"], figures, filename(job), size, sha256)
    selection = job_selection(job)
    beat(0, selection.entries)
    details = WRITERS[job.kind](path, selection, beat)
    size, sha256 = _sync_and_hash(path)
    details |= {"entries": selection.entries, "streams": len(selection.spans)}
    return JobOutput(selection.entries, details, filename(job), size, sha256)


def job_selection(job: Job) -> export.Selection:
    """The entries that a job exports, as the record is now. Raises UnknownStream, MixedPlay and MissingEntry."""
    since, until = (_moment(job.params.get(edge)) for edge in ("from", "to"))
    names, training = job.params.get("streams", []), bool(job.params.get("training"))
    return export.select(names, since, until, training=training, facility=job.facility)


def filename(job: Job) -> str:
    """The name of the downloaded file: facility, stream, gaming days, and the kind of export."""
    names = [str(name).rpartition("/")[2] for name in job.params.get("streams", [])]
    writer = FILE_WRITERS.get(job.kind)
    parts = [
        job.facility,
        *(names if len(names) == 1 and writer is None else []),
        *(["training"] if job.params.get("training") else []),
        "-to-".join(dict.fromkeys(_days(job))),
        writer.name(job) if writer else "evidence" if job.kind == Job.Kind.EVIDENCE else "reading-copy",
    ]
    return f"{'-'.join(parts)}.{EXTENSIONS[job.kind]}"


def _days(job: Job) -> list[str]:
    """The gaming days on which the job's range begins and ends; if it has no end, the day of the request."""
    if job.params.get("day"):
        return [job.params["day"], job.params["last_day"]]
    since, until = (_moment(job.params.get(edge)) for edge in ("from", "to"))
    last = until - dt.timedelta(microseconds=1) if until else job.asked_at
    return [str(clock.gaming_day(job.facility, moment)) for moment in (since, last) if moment]


def _moment(text: Any) -> dt.datetime | None:
    return dt.datetime.fromisoformat(text) if text else None


def _evidence(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    bundle.wait_for_seals(selection, beat)
    with path.open("wb") as out:
        written = bundle.write(out, selection, beat)
    return {"record_sha256": written.record_sha256, "unsealed": written.unsealed}


def _csv(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    with path.open("wb") as out:
        for count, row in enumerate(export.csv_lines(selection)):
            out.write(row)
            if count % PROGRESS_ENTRIES == 0:
                beat(count)
    return {}


def _xlsx(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    return {"cut": write_workbook(path, selection, beat)["cut"]}


WRITERS: dict[str, Callable[[Path, export.Selection, Heartbeat], dict[str, Any]]] = {
    "evidence": _evidence,
    "csv": _csv,
    "xlsx": _xlsx,
}


def _sync_and_hash(path: Path) -> tuple[int, str]:
    """Flush a file to the disk. Returns its size and SHA-256."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _verification(job: Job, beat: Heartbeat) -> JobOutput:
    verified = verification.verify(beat, job.facility)
    figures = verified.as_data()
    return JobOutput(verified.entries, dict(figures), figures=figures)
