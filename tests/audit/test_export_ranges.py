"""What an export holds: a house, a range, a gaming day; and the command that writes it."""

import io
import zipfile

import pytest
from django.core.management import CommandError, call_command

from audit import chain, export, rows, verify
from audit.models import Entry, Stream
from audit.rows import BATCH_BYTES, entry_batches

from .conftest import MOMENT
from .test_record import SECOND

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def check(data):
    return verify.verify(io.BytesIO(data))


@pytest.fixture
def record_of_two(write):
    """Two tables: three entries and two, a second apart."""
    for number in range(3):
        write("larkfield/T-04", data={"round": number}, moment=MOMENT + number * SECOND)
    for number in range(2):
        write("larkfield/T-05", moment=MOMENT + number * SECOND)


def test_one_facility_is_exported_with_the_streams_of_the_installation(write):
    for name in ("larkfield/T-04", "Larkfield/T-04", "larkfield2/T-04", "installation/system"):
        write(name)
    names = [span.name for span in export.select(facility="larkfield").spans]
    assert names == ["installation/system", "larkfield/T-04"]
    assert [span.name for span in export.select(["larkfield/T-04"], facility="larkfield").spans] == names[1:]
    with pytest.raises(export.UnknownStream):
        export.select(["larkfield2/T-04"], facility="larkfield")


def test_the_bounds_of_many_streams_are_found_in_few_statements(write, django_assert_max_num_queries):
    for stream in range(12):
        for number in range(8):
            write(
                f"larkfield/T-{stream:02}", data={"round": number}, moment=MOMENT + (number + stream) * SECOND
            )
    with django_assert_max_num_queries(12):
        selection = export.select(since=MOMENT + 5 * SECOND, until=MOMENT + 9 * SECOND)
    for span in selection.spans:
        inside = Entry.objects.filter(
            stream__name=span.name, at__gte=MOMENT + 5 * SECOND, at__lt=MOMENT + 9 * SECOND
        )
        assert list(inside.order_by("seq").values_list("seq", flat=True)) == [
            *range(span.first, span.last + 1)
        ]


def test_batches_of_long_bodies_are_small(write):
    for number in range(4):
        write(data={"round": number, "note": "x" * 10_000}, moment=MOMENT + number * SECOND)
    stream = Stream.objects.get()
    batches_ = list(entry_batches(stream.pk, 1, 4, "seq, body"))
    assert [len(batch) for batch in batches_] == [4]
    assert rows._batch_size([(b"x" * (BATCH_BYTES // 3),)]) == 3
    assert rows._batch_size([(b"x" * (2 * BATCH_BYTES),)]) == 1


@pytest.mark.parametrize("note", ['","device":"', '","data":{"', "§ é 𝄞", '\\",\\"device\\":'])
def test_the_data_of_a_reading_copy_is_parted_where_it_ends(write, note):
    write(data={"note": note, "deep": {"data": {"device": note}}})
    (cells,) = export.entry_cells(export.select())
    said = dict(zip(export.COLUMNS, cells, strict=True))
    assert said["data"].encode() == chain.canonical({"note": note, "deep": {"data": {"device": note}}})
    assert (said["stream"], said["seq"], said["device"]) == ("larkfield/T-04", 1, None)


def test_the_command_writes_each_format_to_a_new_file(record_of_two, tmp_path):
    for form, ending in (("jsonl", "jsonl"), ("csv", "csv"), ("xlsx", "xlsx"), ("bundle", "zip")):
        path = tmp_path / f"it.{ending}"
        call_command("audit_export", "--format", form, "--output", str(path), "--facility", "larkfield")
        with pytest.raises(CommandError, match="already exists"):
            call_command("audit_export", "--format", form, "--output", str(path))
    assert check((tmp_path / "it.jsonl").read_bytes())[2][0].entries == 3
    assert len((tmp_path / "it.csv").read_text().splitlines()) == 6
    with zipfile.ZipFile(tmp_path / "it.zip") as bundle:
        assert check(bundle.read("record.jsonl"))[2][1].entries == 2
    assert zipfile.is_zipfile(tmp_path / "it.xlsx")


def test_the_command_exports_a_gaming_day_of_a_facility(record_of_two, capsysbinary):
    call_command("audit_export", "--facility", "larkfield", "--day", "2026-11-21")
    assert sum(stream.entries for stream in check(capsysbinary.readouterr().out)[2]) == 5
    call_command("audit_export", "--facility", "larkfield", "--day", "2026-11-19", "--last-day", "2026-11-20")
    assert sum(stream.entries for stream in check(capsysbinary.readouterr().out)[2]) == 0
    for wrong in (
        ["--day", "2026-11-21"],
        ["--format", "xlsx"],
        ["--day", "soon", "--facility", "larkfield"],
    ):
        with pytest.raises(CommandError):
            call_command("audit_export", *wrong)


def test_a_file_that_could_not_be_finished_is_removed(record_of_two, tmp_path, monkeypatch):
    def broken(selection):
        yield b"half"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "lines", broken)
    with pytest.raises(CommandError, match="No space left"):
        call_command("audit_export", "--output", str(tmp_path / "it.jsonl"))
    assert list(tmp_path.iterdir()) == []
