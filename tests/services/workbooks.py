"""Reads a workbook (XLSX) as a spreadsheet does: the cells of a tab with their type, number format and value."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

MAIN = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def cells(path: Path, tab: str) -> list[dict[str, tuple[str, str, str]]]:
    """The cells of a tab, in rows, by the letter of their column: (type, number format, value)."""
    with zipfile.ZipFile(path) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        names = [sheet.get("name") for sheet in book.iterfind("m:sheets/m:sheet", MAIN)]
        sheet = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{names.index(tab) + 1}.xml"))
        styles = ElementTree.fromstring(archive.read("xl/styles.xml"))
    formats = {
        number.get("numFmtId"): number.get("formatCode")
        for number in styles.iterfind("m:numFmts/m:numFmt", MAIN)
    }
    of_style = [formats.get(xf.get("numFmtId")) or "" for xf in styles.iterfind("m:cellXfs/m:xf", MAIN)]
    return [
        {
            re.sub("[0-9]", "", cell.get("r", "")): (
                cell.get("t") or "n",
                of_style[int(cell.get("s") or 0)],
                "".join(cell.itertext()),
            )
            for cell in row
        }
        for row in sheet.iterfind("m:sheetData/m:row", MAIN)
    ]


def rows(path: Path, tab: str) -> list[dict[str, tuple[str, str, str]]]:
    """The rows of a tab after its first, by the heading of their column."""
    first, *others = cells(path, tab)
    headings = {column: cell[2] for column, cell in first.items()}
    return [{headings[column]: cell for column, cell in row.items()} for row in others]
