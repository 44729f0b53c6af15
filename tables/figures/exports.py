"""What a page of figures shows, as CSV, XLSX, JSON lines or PDF.

Except in the PDF, each exact fraction is beside its rounded value.
"""

from collections.abc import Callable
from dataclasses import dataclass

from games.kit.files import sections_csv, sections_jsonl, sections_xlsx
from tables.figures.figure_tables import sections_of_files
from tables.figures.page import FiguresPage
from tables.figures.pdf import write_pdf


def write_jsonl(page: FiguresPage) -> bytes:
    """Return one JSON object a line; the amounts are integer cents."""
    return sections_jsonl(sections_of_files(page))


def write_csv(page: FiguresPage) -> bytes:
    """Return one table (RFC 4180, UTF-8), with the section and the name first. Amounts are in dollars."""
    return sections_csv(sections_of_files(page))


def write_xlsx(page: FiguresPage) -> bytes:
    """Return a workbook with a sheet for each table of the page."""
    title = f"{page.facility.name}, figures of {page.range_words()}"
    return sections_xlsx(sections_of_files(page), title, page.now)


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
