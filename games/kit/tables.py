"""Tables of columns: a column is declared once, and drawn on pages, on paper and in files.

A table is its rows and layouts: which columns each surface has, in order. A new column is one `Column` and its place
in a layout. Where a surface shows a column differently, its layout says so: `replace(NAME, heading="Game")`.
`games/kit/html.py` draws pages, `paper.py` PDF, `files.py` CSV, XLSX and JSON lines.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from games.formats import MEANINGS, NONE, about, money, percent, signed, signed_about
from games.kit.plots import Plot

RowT = TypeVar("RowT")


class Cell(Enum):
    """What a cell of a spreadsheet has. Amounts are cents here, and dollars there."""

    TEXT = "text"
    NUMBER = "number"
    MONEY = "money"
    DAY = "day"
    MOMENT = "moment"


@dataclass(frozen=True)
class Kind:
    """What a column has: how people read a value, whether it stands at the right, and its cell in a spreadsheet."""

    words: Callable[[Any], str] = str
    is_number: bool = True
    cell: Cell = Cell.NUMBER
    number_format: str = ""
    unit: str = ""
    width: int = 14  # of a cell, in characters


def grouped(count: int) -> str:
    """`12,345`."""
    return f"{count:,}"


TEXT = Kind(is_number=False, cell=Cell.TEXT)
COUNT = Kind(grouped)
NUMBER = Kind(number_format="0", width=9)
PLAIN = Kind()
EXACT_CENTS = Kind(unit="exact, cents")  # a fraction
MONEY, SIGNED = Kind(money, cell=Cell.MONEY, width=13), Kind(signed, cell=Cell.MONEY, width=13)
ABOUT, SIGNED_ABOUT = Kind(about, cell=Cell.MONEY), Kind(signed_about, cell=Cell.MONEY)  # no money that moved
SHARE, WHOLE_SHARE = Kind(percent), Kind(lambda share: percent(share, 0))
DAY, MOMENT = (
    Kind(is_number=False, cell=Cell.DAY, width=12),
    Kind(is_number=False, cell=Cell.MOMENT, width=25),
)


def _no_text(row: Any) -> str:
    return ""


def _no_texts(row: Any) -> Sequence[str]:
    return ()


def _no_link(row: Any, links: Any) -> str:
    return ""


def _never(row: Any) -> bool:
    return False


def _always(row: Any) -> bool:
    return True


@dataclass(frozen=True)
class Column(Generic[RowT]):
    """One column: its heading, what kind it is, and its value in a row; None is a dash on pages and paper.

    `name` is its field in JSON lines, and names it in the other files of figures. `has` says whether a row has the
    figure at all: otherwise there is a dash, and no field. A table leaves out a column that `shown_if` nowhere wants.

    `notes` are small lines under the value, `page_notes` more of them for which paper has no room; `warning` is one
    that stands out, as does the value itself if `is_warning`. `link` leads on from the value: it gets the `links` of
    the page. `short` is what the page shows of a long value. `template` draws the value on a page, from `row` and
    `text`; `paper` is what paper says in its place. `draw` draws all rows on one scale; such a column has no value.
    `list_part` says where the value stands if the page shows the table as a list: "title", "main" or, small, "note".
    """

    heading: str
    kind: Kind = TEXT
    value: Callable[[RowT], Any] = _no_text
    name: str = ""
    has: Callable[[RowT], bool] = _always
    shown_if: Callable[[RowT], bool] = _always
    notes: Callable[[RowT], Sequence[str]] = _no_texts
    page_notes: Callable[[RowT], Sequence[str]] = _no_texts
    warning: Callable[[RowT], str] = _no_text
    is_warning: Callable[[RowT], bool] = _never
    link: Callable[[RowT, Any], str] = _no_link
    short: Callable[[RowT], str] | None = None
    template: str = ""
    paper: Callable[[RowT], str] | None = None
    draw: Callable[[Sequence[RowT]], Sequence[Plot | None]] | None = None
    is_strong: bool = False
    is_figure: bool = True  # whether a heading that is in the glossary means that
    css_class: str = ""
    head: str = ""  # markup in place of the heading
    list_part: str = "note"
    width: int = 0  # in a spreadsheet, in characters, if not that of its kind

    @property
    def is_number(self) -> bool:
        return self.kind.is_number

    @property
    def meaning(self) -> str:
        """What the heading means, if it names a figure."""
        return MEANINGS.get(self.heading, "") if self.is_figure else ""

    @property
    def in_files(self) -> str:
        """The heading in files: that of a named figure is its name in words."""
        words = self.name.removesuffix("_cents").replace("_", " ").capitalize() or self.heading
        return f"{words} ({self.kind.unit})" if self.kind.unit else words

    def text(self, row: RowT) -> str:
        """What people read."""
        value = self.value(row) if self.has(row) else None
        return NONE if value is None else self.kind.words(value)

    def paper_text(self, row: RowT) -> str:
        """What paper says."""
        return self.paper(row) if self.paper else self.text(row)


@dataclass(frozen=True)
class Table(Generic[RowT]):
    """Rows with their columns; the first names its row. `total` is the row under the line.

    `code` names the table in addresses within its page. `paper` are the columns on paper, if they are others, and
    `is_on_paper` its rows. `row_class` is the class of a row on the page. `empty` is said where there is no row.
    """

    columns: Sequence[Column[RowT]]
    rows: Sequence[RowT]
    total: RowT | None = None
    code: str = ""
    heading: str = ""
    subtitle: str = ""
    count: int | None = None
    empty: str = "None."
    css_class: str = "grid"
    row_class: Callable[[RowT], str] = _no_text
    paper: Sequence[Column[RowT]] | None = None
    is_on_paper: Callable[[RowT], bool] = _always

    @property
    def rows_and_total(self) -> list[RowT]:
        return [*self.rows, *([] if self.total is None else [self.total])]

    @property
    def shown(self) -> list[Column[RowT]]:
        """The columns of the page that some row wants."""
        return wanted(self.columns, self.rows_and_total)

    @property
    def paper_rows(self) -> list[RowT]:
        """The rows of the PDF, the total last."""
        return [row for row in self.rows_and_total if self.is_on_paper(row)]

    @property
    def paper_columns(self) -> list[Column[RowT]]:
        """The columns of the PDF that some row wants."""
        return wanted(self.columns if self.paper is None else self.paper, self.paper_rows)


def wanted(columns: Iterable[Column[RowT]], rows: Sequence[RowT]) -> list[Column[RowT]]:
    """Return the columns that some row wants."""
    return [column for column in columns if any(map(column.shown_if, rows)) or column.shown_if is _always]
