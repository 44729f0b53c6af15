"""Real play and training are exported apart, and never in one file."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from audit import export, record, verify
from audit.refusals import RecordRefused

from .conftest import MOMENT
from .test_record import SECOND

pytestmark = pytest.mark.django_db


def checked(data):
    """The streams of an export that verifies."""
    return verify.verify(io.BytesIO(data))[2]


def exported(*names, **how):
    return b"".join(export.lines(export.select(names, **how)))


@pytest.fixture
def two_sorts(write):
    """A table of real play with two entries, and places of training and simulation with one each."""
    write("larkfield/T-04")
    write("larkfield/T-04", moment=MOMENT + SECOND)
    for name in ("larkfield/T-24", "larkfield/SIM-01"):
        record.open_stream(name, real_play=False)
        write(name)


def test_real_play_is_exported_without_any_training_and_verifies(two_sorts):
    assert [(one.name, one.seq) for one in checked(exported())] == [("larkfield/T-04", 2)]
    assert b"larkfield/T-24" not in exported() and b"larkfield/SIM-01" not in exported()
    assert b"T-24" not in b"".join(export.csv_lines(export.select()))


def test_training_is_exported_apart_and_verifies(two_sorts):
    data = exported(training=True)
    assert [one.name for one in checked(data)] == ["larkfield/SIM-01", "larkfield/T-24"]
    assert b"larkfield/T-04" not in data
    for alone in (exported("larkfield/T-24"), exported("larkfield/T-24", training=True)):
        assert [(one.name, one.seq) for one in checked(alone)] == [("larkfield/T-24", 1)]


APART = "larkfield/T-04 is real play and larkfield/T-24 is not: export them separately."


@pytest.mark.parametrize(
    ("names", "training", "said"),
    [
        (["larkfield/T-04", "larkfield/T-24"], False, APART),
        (["larkfield/T-24", "larkfield/T-04"], True, APART),
        (["larkfield/T-04"], True, "larkfield/T-04 is real play: leave out --training to export it."),
    ],
)  # fmt: skip
def test_no_export_mixes_real_play_with_training(two_sorts, capsysbinary, names, training, said):
    with pytest.raises(export.MixedPlay):
        export.select(names, training=training)
    arguments = [word for name in names for word in ("--stream", name)] + ["--training"] * training
    with pytest.raises(CommandError) as refused:
        call_command("audit_export", *arguments)
    assert str(refused.value) == said
    assert capsysbinary.readouterr().out == b""


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_the_command_exports_real_play_or_training_and_never_both(two_sorts, capsysbinary, format):
    call_command("audit_export", "--format", format)
    real = capsysbinary.readouterr().out
    call_command("audit_export", "--format", format, "--training")
    other = capsysbinary.readouterr().out
    assert b"larkfield/T-04" in real and b"larkfield/T-24" not in real and b"SIM-01" not in real
    assert b"larkfield/T-04" not in other and b"larkfield/T-24" in other and b"SIM-01" in other


@pytest.mark.parametrize("first", [True, False])
def test_a_stream_never_changes_between_real_play_and_training(db, first):
    assert record.open_stream("larkfield/T-24", real_play=first).real_play is first
    with pytest.raises(RecordRefused):
        record.open_stream("larkfield/T-24", real_play=not first)
    with transaction.atomic():
        assert record.lock_stream("larkfield/T-24").real_play is first
