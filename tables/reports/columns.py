"""The tables of the daily report: every column is declared once and drawn on the page and in the PDF.

`report_tables.py` declares the tables. A new column is one more `Column` in its table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from games.glossary import MEANINGS
from tables.reports.charts import Bar, Whisker
from tables.reports.links import ReportLinks

RowT = TypeVar("RowT")
Drawing: TypeAlias = Bar | Whisker


def _no_text(row: object) -> str:
    return ""


def _no_texts(row: object) -> Sequence[str]:
    return ()


def _no_url(row: object, links: ReportLinks) -> str:
    return ""


def _never(row: object) -> bool:
    return False


def _always(row: object) -> bool:
    return True


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column of a report table.

    `format` writes what `value` gives. `notes` are small lines under it, `page_notes` more of them for which paper has
    no room. `url` links the value to the record. `draw` gives a drawing for each row, in a column of its own beside
    this one. `short` is what the page shows in place of a long value. `list_part` says where the value stands when
    the page shows the table as a list: "title", "main" or, in small print, "note".
    """

    heading: str
    value: Callable[[RowT], Any]
    format: Callable[[Any], str] = str
    width: float = 60  # on paper, relative to the other columns
    is_number: bool = False
    is_strong: bool = False
    css_class: str = ""
    notes: Callable[[RowT], Sequence[str]] = _no_texts
    page_notes: Callable[[RowT], Sequence[str]] = _no_texts
    warning: Callable[[RowT], str] = _no_text
    is_warning: Callable[[RowT], bool] = _never
    url: Callable[[RowT, ReportLinks], str] = _no_url
    draw: Callable[[Sequence[RowT]], Sequence[Drawing]] | None = None
    has_whiskers: bool = False  # whether `draw` gives whiskers, which need more room than bars
    short: Callable[[RowT], str] | None = None
    list_part: str = "note"
    is_on_paper: bool = True

    @property
    def meaning(self) -> str:
        """What the heading means, if it names a figure."""
        return MEANINGS.get(self.heading, "")

    @property
    def has_drawings(self) -> bool:
        return self.draw is not None

    def text(self, row: RowT) -> str:
        """The formatted value."""
        return self.format(self.value(row))


@dataclass(frozen=True)
class PageCell:
    """One cell as the page shows it. `title` is the full value where the page shows a short one."""

    column: Column[Any]
    text: str
    notes: tuple[str, ...]
    warning: str
    is_warning: bool
    url: str
    title: str = ""
    drawing: Drawing | None = None

    @property
    def list_text(self) -> str:
        """The value within a list, where no heading explains a number."""
        return f"{self.column.heading.lower()} {self.text}" if self.column.is_number else self.text


@dataclass(frozen=True)
class PageRow:
    """One row as the page shows it."""

    cells: tuple[PageCell, ...]
    is_quiet: bool = False
    is_total: bool = False

    @property
    def list_title(self) -> str:
        return ", ".join(cell.list_text for cell in self._part("title"))

    @property
    def list_url(self) -> str:
        return next((cell.url for cell in self.cells if cell.url), "")

    @property
    def list_main(self) -> PageCell | None:
        return next(iter(self._part("main")), None)

    @property
    def list_note(self) -> str:
        return ", ".join(cell.list_text for cell in self._part("note"))

    def _part(self, part: str) -> list[PageCell]:
        return [cell for cell in self.cells if cell.column.list_part == part and cell.text]


def page_cell(
    column: Column[RowT], row: RowT, links: ReportLinks, drawing: Drawing | None = None
) -> PageCell:
    """A cell for the page."""
    text = column.text(row)
    return PageCell(
        column,
        column.short(row) if column.short else text,
        (*column.notes(row), *column.page_notes(row)),
        column.warning(row),
        column.is_warning(row),
        column.url(row, links),
        text.replace("\n", "") if column.short else "",
        drawing,
    )


@dataclass(frozen=True)
class ReportTable(Generic[RowT]):
    """A table of the report: its columns, and the rows to fill them with.

    `code` names it in addresses within the page. `total` is the row under the line. Quiet rows are faint on the page;
    `is_on_paper` leaves rows out of the PDF. `empty` is said where there is no row.
    """

    code: str
    heading: str
    columns: Sequence[Column[RowT]]
    rows: Sequence[RowT]
    subtitle: str = ""
    count: int | None = None
    empty: str = "None."
    total: RowT | None = None
    is_quiet: Callable[[RowT], bool] = _never
    is_on_paper: Callable[[RowT], bool] = _always

    @property
    def rows_and_total(self) -> list[RowT]:
        return [*self.rows, *([] if self.total is None else [self.total])]

    def page_rows(self, links: ReportLinks) -> list[PageRow]:
        """Every row for the page, the total last."""
        rows = self.rows_and_total
        drawings = [column.draw(rows) if column.draw else [None] * len(rows) for column in self.columns]
        return [
            PageRow(
                tuple(
                    page_cell(column, row, links, drawings_of_column[number])
                    for column, drawings_of_column in zip(self.columns, drawings, strict=True)
                ),
                self.is_quiet(row),
                self.total is not None and row is self.total,
            )
            for number, row in enumerate(rows)
        ]

    def paper_rows(self) -> list[RowT]:
        """Every row that the PDF prints, the total last."""
        return [row for row in self.rows_and_total if self.is_on_paper(row)]


@dataclass(frozen=True)
class PageTable:
    """A table with its rows, as the page's templates read it."""

    table: ReportTable[Any]
    rows: list[PageRow]


def page_table(table: ReportTable[Any], links: ReportLinks) -> PageTable:
    """A table for the page."""
    return PageTable(table, table.page_rows(links))
