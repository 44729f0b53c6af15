"""The reading copy as a workbook: text in every cell, sheets that go on, and nothing cut in silence."""

import os
import time
import zipfile
from xml.etree import ElementTree

import pytest

from audit import export
from audit.exporting import jobs, output
from audit.exporting.output import write_workbook

from .conftest import MOMENT
from .test_record import SECOND

pytestmark = pytest.mark.django_db
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheets(path):
    """The sheets of a workbook by name: each a list of rows of (kind of cell, text). None has a formula."""
    found = {}
    with zipfile.ZipFile(path) as book:
        index = ElementTree.parse(book.open("xl/workbook.xml"))
        for number, one in enumerate(index.iter(f"{MAIN}sheet"), start=1):
            tree = ElementTree.parse(book.open(f"xl/worksheets/sheet{number}.xml"))
            assert not list(tree.iter(f"{MAIN}f"))
            found[one.get("name")] = [[cell_of(cell) for cell in row] for row in tree.iter(f"{MAIN}row")]
    return found


def cell_of(cell):
    return cell.get("t"), "".join(part.text or "" for part in cell.iter(f"{MAIN}t"))


def test_every_cell_is_text_and_no_formula_runs(write, tmp_path):
    write(data={"note": "=1+1"})
    written = write_workbook(tmp_path / "a.xlsx", export.select())
    assert written == {"cut": 0, "entries": 1, "sheets": 1}
    found = sheets(tmp_path / "a.xlsx")
    heading, row = found["Entries 1"]
    assert [text for _, text in heading] == list(export.COLUMNS)
    assert {kind for kind, _ in row} <= {"inlineStr", None} and ("inlineStr", '{"note":"=1+1"}') in row
    assert [text for _, text in row][:2] == ["larkfield/T-04", "1"]


def test_the_first_sheet_describes_the_file_and_the_head_of_each_stream(write, tmp_path):
    for number in range(3):
        write(data={"round": number}, moment=MOMENT + number * SECOND)
    selection = export.select(since=MOMENT + SECOND, until=MOMENT + 9 * SECOND)
    write_workbook(tmp_path / "a.xlsx", selection)
    about = [[text for _, text in row] for row in sheets(tmp_path / "a.xlsx")["About"]]
    assert ["From", "2026-11-21T13:05:10.123456Z"] in about
    assert ["To (not included)", "2026-11-21T13:05:18.123456Z"] in about
    assert ["Entries", "2"] in about
    assert "the evidence bundle of the same range does" in about[1][1]
    assert about[-1] == ["larkfield/T-04", "2", "3", "2", selection.spans[0].prior_head.hex()]


def test_a_full_sheet_is_followed_by_the_next(write, tmp_path, monkeypatch):
    for number in range(5):
        write(data={"round": number}, moment=MOMENT + number * SECOND)
    monkeypatch.setattr(output, "ROWS_MAX", 3)
    assert write_workbook(tmp_path / "a.xlsx", export.select())["sheets"] == 3
    found = sheets(tmp_path / "a.xlsx")
    rows = [row[1][1] for name in ("Entries 1", "Entries 2", "Entries 3") for row in found[name][1:]]
    assert rows == ["1", "2", "3", "4", "5"]
    assert [len(found[f"Entries {number}"]) for number in (1, 2, 3)] == [3, 3, 2]


def test_a_text_too_long_for_a_cell_is_marked_there_and_on_the_first_sheet(write, tmp_path):
    write(data={"note": "x" * 40_000})
    assert write_workbook(tmp_path / "a.xlsx", export.select())["cut"] == 1
    found = sheets(tmp_path / "a.xlsx")
    cell = found["Entries 1"][1][export.COLUMNS.index("data")][1]
    assert len(cell) == output.CELL_CHARACTERS_MAX and "[cut: 40011 characters in all" in cell
    assert any(row and row[0][1] == "Cells cut" and row[1][1].startswith("1:") for row in found["About"])


@pytest.mark.parametrize("text", ["x" * 32_767, "𝄞" * 16_383, "é" * 32_767])
def test_a_text_that_just_fits_is_not_cut(text):
    assert output.fit_cell(text) == (text, False)


@pytest.mark.parametrize("text", ["x" * 32_768, "𝄞" * 16_384, "é" + "𝄞" * 40_000])
def test_a_cut_cell_fits_as_a_spreadsheet_counts(text):
    said, is_cut = output.fit_cell(text)
    assert is_cut and len(said.encode("utf-16-le")) // 2 <= output.CELL_CHARACTERS_MAX
    assert f"[cut: {len(text)} characters" in said


class Stopped(Exception):
    pass


def test_a_workbook_that_is_broken_off_packs_nothing_and_leaves_nothing_behind(write, tmp_path, monkeypatch):
    packed = []
    monkeypatch.setattr(output.Workbook, "_store_workbook", lambda book: packed.append(book))
    write(data={"note": "whole"})

    def stop(done):
        assert any(tmp_path.iterdir())
        raise Stopped

    with pytest.raises(Stopped):
        write_workbook(tmp_path / "a.xlsx", export.select(), stop)
    assert (packed, list(tmp_path.iterdir())) == ([], [])


def test_rows_being_written_are_in_a_folder_that_is_removed_if_the_worker_is_killed(
    write, tmp_path, settings
):
    settings.EXPORTS_DIR = str(tmp_path)
    write(data={"note": "whole"})
    seen = []
    part = tmp_path / ".1.2.part"
    write_workbook(part, export.select(), lambda done: seen.extend(tmp_path.glob("*/*")))
    rows = seen[0]
    assert list(tmp_path.iterdir()) == [part]
    for age, is_kept in ((0, True), (jobs.LEFTOVER_SECONDS + 60, False)):
        rows.parent.mkdir(exist_ok=True)
        rows.touch()
        os.utime(rows.parent, (time.time() - age, time.time() - age))
        jobs.Worker().tidy()
        assert rows.exists() == rows.parent.exists() == is_kept


def test_no_text_is_taken_for_cells_of_its_own_making(monkeypatch, tmp_path, write):
    write()
    forged = '<r><t>x</t></r></is></c><c r="Z1"><f>1+1</f></c><c><is><r></r>'
    cells = ["larkfield/T-04", *[None] * (len(export.COLUMNS) - 2), forged]
    monkeypatch.setattr(export, "entry_cells", lambda selection: iter([cells]))
    write_workbook(tmp_path / "a.xlsx", export.select())
    row = sheets(tmp_path / "a.xlsx")["Entries 1"][1]
    assert [cell for cell in row if cell[1]] == [("inlineStr", "larkfield/T-04"), ("inlineStr", f" {forged}")]
