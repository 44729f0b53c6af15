"""Tables of columns on pages, as HTML. It is written here because a template for each cell takes twice the time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from games.kit.plots import Plot
from games.kit.tables import Column, RowT, Table

EMPTY = SafeString()


@dataclass(frozen=True)
class Figure:
    """One value with its heading, where a page shows figures without a table."""

    column: Column[Any]
    text: str
    notes: tuple[str, ...]
    link: str


def figures(columns: Iterable[Column[RowT]], row: RowT, links: Any = None) -> list[Figure]:
    """Return what the columns say of one row."""
    return [
        Figure(
            column, column.text(row), (*column.notes(row), *column.page_notes(row)), column.link(row, links)
        )
        for column in columns
    ]


@dataclass(frozen=True)
class PageTable:
    """A table as a page shows it; `links` is what the page knows of addresses, for `Column.link`."""

    table: Table[Any]
    links: Any = None

    @property
    def rows(self) -> int:
        """How many rows there are, the total included."""
        return len(self.table.rows_and_total)

    @property
    def html(self) -> SafeString:
        """The table; the first cell of a row is its heading."""
        table, columns = self.table, self.table.shown
        drawings = {
            place: column.draw(table.rows_and_total) for place, column in enumerate(columns) if column.draw
        }
        rows = [
            self._row(
                columns,
                row,
                [drawings[place][number] if place in drawings else None for place in range(len(columns))],
            )
            for number, row in enumerate(table.rows_and_total)
        ]
        body, foot = (rows, []) if table.total is None else (rows[:-1], rows[-1:])
        return format_html(
            '<table class="{}"><thead><tr>{}</tr></thead><tbody>{}</tbody>{}</table>',
            table.css_class,
            _joined(map(_head, columns)),
            _joined(body),
            format_html("<tfoot>{}</tfoot>", _joined(foot)) if foot else EMPTY,
        )

    def _row(self, columns: list[Column[Any]], row: Any, plots: list[Plot | None]) -> SafeString:
        (first, *others), (_none, *beside) = columns, plots
        cells = (
            format_html(
                "<td{}>{}</td>",
                _class("num" if column.is_number and not column.draw else "", column.css_class),
                (plot.svg() if plot else EMPTY) if column.draw else self._cell(column, row),
            )
            for column, plot in zip(others, beside, strict=True)
        )
        return format_html(
            '<tr{}><th scope="row">{}</th>{}</tr>',
            _class(self.table.row_class(row)),
            self._name(first, row),
            _joined(cells),
        )

    def _name(self, column: Column[Any], row: Any) -> SafeString:
        """The first cell: a heading, so it is never set in bold; with notes, all of it is the link."""
        text, link = column.text(row), column.link(row, self.links)
        notes = _small((*column.notes(row), *column.page_notes(row)))
        if column.template or (link and not notes):
            return self._cell(column, row)
        if link:
            return format_html('<a class="report-of" href="{}"><span>{}</span>{}</a>', link, text, notes)
        return format_html("{}{}", text, notes)

    def _cell(self, column: Column[Any], row: Any) -> SafeString:
        if column.template:
            context = {"row": row, "text": column.text(row)}
            return SafeString(render_to_string(column.template, context).strip())
        text, link = column.text(row), column.link(row, self.links)
        if link:
            written = format_html('<a class="lot-link" href="{}">{}</a>', link, text)
        elif column.short:
            written = format_html('<code title="{}">{}</code>', text.replace("\n", ""), column.short(row))
        elif column.is_warning(row):
            written = format_html('<b class="warns">{}</b>', text)
        elif column.is_strong:
            written = format_html("<b>{}</b>", text)
        else:
            written = format_html("{}", text)
        warning = column.warning(row)
        return format_html(
            "{}{}{}",
            written,
            _small((*column.notes(row), *column.page_notes(row))),
            format_html('<small class="warns">{}</small>', warning) if warning else EMPTY,
        )

    @property
    def items(self) -> SafeString:
        """The rows as items of a list."""
        return _joined(map(self._item, self.table.rows))

    def _item(self, row: Any) -> SafeString:
        columns = self.table.shown
        link = next(filter(None, (column.link(row, self.links) for column in columns)), "")
        title = ", ".join(_in_list(columns, row, "title"))
        main = next((column for column in columns if column.list_part == "main" and column.text(row)), None)
        text = main.text(row) if main else ""
        note = ", ".join(_in_list(columns, row, "note"))
        small = format_html("<small>{}</small>", note) if note else EMPTY
        return format_html(
            "<li>{}{}</li>",
            format_html('<a class="lot-link" href="{}">{}</a>', link, title)
            if link
            else format_html("<span>{}</span>", title),
            format_html('<b class="num">{}</b>{}', text, small)
            if main and main.is_number
            else format_html('<span class="why">{}{}</span>', text, small),
        )


def _in_list(columns: list[Column[Any]], row: Any, part: str) -> Iterator[str]:
    """The values of a part; a number has its heading, since none stands above it."""
    for column in columns:
        if column.list_part == part and not column.draw and (text := column.text(row)):
            yield f"{column.heading.lower()} {text}" if column.is_number else text


def _head(column: Column[Any]) -> SafeString:
    """A heading. That of a drawing is heard only; without one the cell is hidden altogether."""
    if column.draw:
        if not column.heading:
            return format_html('<td{} aria-hidden="true"></td>', _class(column.css_class))
        heading = column.head or format_html('<span class="hush">{}</span>', column.heading)
        return format_html('<th scope="col"{}>{}</th>', _class(column.css_class), heading)
    meaning = format_html(' title="{}"', column.meaning) if column.meaning else EMPTY
    return format_html(
        '<th scope="col"{}{}>{}</th>', _class("num" if column.is_number else ""), meaning, column.heading
    )


def _joined(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))


def _class(*names: str) -> SafeString:
    words = " ".join(filter(None, names))
    return format_html(' class="{}"', words) if words else EMPTY


def _small(notes: tuple[str, ...]) -> SafeString:
    return format_html_join("", "<small>{}</small>", ((note,) for note in notes))
