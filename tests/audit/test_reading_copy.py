"""The reading copy as CSV: it can be opened anywhere, and no cell of it is a formula."""

import csv
import io
import json

import pytest

from audit import export

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_the_reading_copy_starts_no_formula(write):
    write(actor=None, data={"note": '=1+1, "quoted"\nand more'})
    raw = b"".join(export.csv_lines(export.select()))
    header, row = csv.reader(io.StringIO(raw.decode(), newline=""))
    assert dict(zip(header, row, strict=True))["data"] == '{"note":"=1+1, \\"quoted\\"\\nand more"}'
    assert raw.endswith(b"\r\n")
    assert [export.escape_formula(text) for text in ("=1", "+1", "-1", "@a", "\ta", "\ra", "\0a", "a=1", None)] == [
        "'=1", "'+1", "'-1", "'@a", "'\ta", "'\ra", "'\0a", "a=1", "",
    ]  # fmt: skip


def test_the_reading_copy_has_no_semicolon_at_which_a_spreadsheet_could_split_it(write):
    note = 'he said: "x";=HYPERLINK("http://x");\\;'
    write(data={"note": note})
    raw = b"".join(export.csv_lines(export.select())).decode()
    assert [len(cells) for cells in csv.reader(io.StringIO(raw, newline=""), delimiter=";")] == [1, 1]
    header, row = csv.reader(io.StringIO(raw, newline=""))
    assert json.loads(dict(zip(header, row, strict=True))["data"]) == {"note": note}
    assert export.escape_formula("dev;=1+1") == "dev,=1+1"
