"""Whether a sealer and an exporter are well, asked from outside: a sentence, and an exit status."""

import datetime as dt
import errno
import io
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from audit import clock, notes
from audit.models import Checkpoint, Job, SealerStatus
from audit.sealing import process, state
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.process import SealerSession
from audit.sealing.state import SealingProblem
from audit.sealing.status import LogReport, StatusWriter

from .conftest import MOMENT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def check(name: str, at: dt.datetime = MOMENT) -> str:
    out = io.StringIO()
    with clock.override(at):
        call_command(name, "--check", stdout=out)
    return out.getvalue()


def tell(at: dt.datetime, trouble: SealingProblem | None = None, status: StatusWriter | None = None) -> None:
    with clock.override(at):
        (status or StatusWriter()).update(LogReport(trouble))


def seconds(number: float) -> dt.timedelta:
    return dt.timedelta(seconds=number)


def test_the_check_reports_that_no_sealer_ever_ran():
    with pytest.raises(CommandError, match="No sealer has run yet"):
        check("sealer")


def test_a_sealer_is_well_for_twenty_seconds_after_it_was_heard():
    tell(MOMENT)
    assert check("sealer", MOMENT + seconds(20)) == "All is well.\n"
    with pytest.raises(CommandError, match=r"reported since 2026-11-21T13:05:09\.123456Z\. See"):
        check("sealer", MOMENT + seconds(20.1))


def test_a_beat_of_a_moment_to_come_is_none():
    tell(MOMENT + dt.timedelta(days=400))
    with pytest.raises(CommandError, match="No sealer has reported since 2027"):
        check("sealer")


def test_a_sealer_whose_clock_was_set_back_is_heard_again_at_once():
    told = StatusWriter()
    tell(MOMENT + dt.timedelta(days=400), status=told)
    tell(MOMENT, status=told)
    assert SealerStatus.objects.get().beat_at == MOMENT
    assert check("sealer") == "All is well.\n"


def test_a_sealer_with_a_problem_is_unhealthy_and_reports_the_reason():
    tell(MOMENT, SealingProblem("head-went-back", stream="larkfield/T-04", seq=7))
    with pytest.raises(
        CommandError, match="NOT SEALED: The record of larkfield/T-04 was rolled back: entry 7"
    ):
        check("sealer")
    tell(MOMENT)
    assert check("sealer") == "All is well.\n"


def test_a_sealer_on_a_full_disk_is_unhealthy_until_it_can_write_again(sealer, stream, monkeypatch):
    session = SealerSession(sealer.folder)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk, clock.override(MOMENT):
        disk.setattr(state.os, "fsync", full)
        session.run_once()
    with pytest.raises(
        CommandError, match=r"NOT SEALED: .* cannot write its folder: No space left on device"
    ):
        check("sealer")
    with clock.override(MOMENT):
        session.run_once()
    assert check("sealer") == "All is well.\n"
    assert Checkpoint.objects.exists()


def test_a_sealer_that_fails_says_so_at_once_and_logs_it_once(sealer, stream, monkeypatch, caplog):
    session = SealerSession(sealer.folder)
    monkeypatch.setattr(session.sealer, "seal_logs", lambda: 1 / 0)
    with clock.override(MOMENT):
        for _ in range(3):
            session.run_once()
    with pytest.raises(CommandError, match="NOT SEALED: The sealer failed with ZeroDivisionError"):
        check("sealer")
    assert caplog.text.count("Traceback") == 1


def test_the_end_of_a_problem_is_logged_too(sealer, caplog):
    session = SealerSession(sealer.folder)
    problems: list[dict[str, SealingProblem]] = [
        {"": SealingProblem("no-key"), "camber": SealingProblem("no-key")},
        {"camber": SealingProblem("no-key")},
        {},
        {},
    ]
    for current in problems:
        session._warn(current)
    lines = [record.getMessage() for record in caplog.records if "SEALED" in record.getMessage()]
    assert [line.partition(" The sealer")[0] for line in lines] == [
        "NOT SEALED:",
        "NOT SEALED: camber:",
        "SEALED AGAIN.",
        "SEALED AGAIN: camber",
    ]


def test_a_sealer_that_cannot_begin_logs_it_once(tmp_path, monkeypatch, caplog):
    stop, tries = threading.Event(), []

    def fail(_lock: object) -> bool:
        tries.append(1)
        if len(tries) == 3:
            stop.set()
        raise PermissionError("the folder")

    monkeypatch.setattr(LeaderLock, "acquire", fail)
    monkeypatch.setattr(process, "SECONDS", 0.001)
    process.run_sealer(stop, tmp_path)
    assert (len(tries), caplog.text.count("Traceback")) == (3, 1)


def test_a_disk_that_is_full_is_told_before_anything_has_to_be_sealed(settings, tmp_path, monkeypatch):
    tell(MOMENT)
    settings.SEALER_DIR = str(tmp_path)
    assert check("sealer") == "All is well.\n"
    monkeypatch.setattr("audit.sealing.status.FREE_BYTES_MIN", 10**18)
    with pytest.raises(CommandError, match=f"The disk of {tmp_path} is full"):
        check("sealer")


@pytest.mark.parametrize(("code", "patience"), [("key-not-known", 0), ("bad-answer", 0), ("unreachable", 60)])
def test_a_witness_that_does_not_cosign_is_told_and_one_that_is_silent_after_a_minute(code, patience):
    report = {"url": "https://w", "size": 1, "at": None, "said": code, "since": clock.format_moment(MOMENT)}
    for at in (MOMENT, MOMENT + seconds(61)):
        with clock.override(at):
            StatusWriter().update(LogReport(witnesses={"w1": report}))
        if at == MOMENT and patience:
            assert check("sealer", at) == "All is well.\n"
        else:
            with pytest.raises(CommandError, match=r"sealed, but not cosigned by w1\. The witness"):
                check("sealer", at)


def test_copies_that_cannot_be_written_are_told():
    with clock.override(MOMENT):
        StatusWriter().update(LogReport(copies={"copy_problem": "copy-failed"}))
    with pytest.raises(CommandError, match=r"not copied\. The folder of copies cannot be written"):
        check("sealer")


@pytest.mark.parametrize("name", ["sealer", "exporter"])
def test_a_database_that_does_not_answer_gives_a_sentence_and_no_traceback(monkeypatch, name):
    def refused(*_):
        raise DatabaseError("connection refused")

    monkeypatch.setattr(f"audit.management.commands.{name}.health_problem", refused)
    with pytest.raises(CommandError, match="The database does not answer: connection refused"):
        check(name)


def test_a_sealer_with_a_forbidden_witness_does_not_start(settings, tmp_path):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    vkey = notes.Signer("witness.example/w1", b"w" * 32, notes.COSIGNATURE).verifier.vkey
    settings.WITNESSES = f"http://witness:8700 {vkey}"
    with pytest.raises(CommandError, match="name witness in PITSIDE_WITNESSES_WITHOUT_TLS"):
        call_command("sealer")


def job(asked: float, beat: float | None = None) -> Job:
    """One that was asked for so many seconds ago; with `beat`, one whose worker was heard so many seconds ago."""
    return Job.objects.create(
        facility="larkfield",
        kind=Job.Kind.CSV,
        asked_at=MOMENT - seconds(asked),
        status=Job.Status.WAITING if beat is None else Job.Status.RUNNING,
        started_at=None if beat is None else MOMENT - seconds(asked),
        beat_at=None if beat is None else MOMENT - seconds(beat),
    )


@pytest.mark.parametrize("jobs", [(), ((59,),), ((900, 1),), ((900, 59), (800,)), ((900,), (30, 2))])
def test_an_exporter_is_well_while_somebody_works_or_nothing_waits_for_long(jobs):
    for one in jobs:
        job(*one)
    assert check("exporter") == "All is well.\n"


@pytest.mark.parametrize("jobs", [((61,),), ((900, 61),), ((900, 61), (5,)), ((900, 61), (61,))])
def test_work_that_waits_while_nobody_is_heard_is_not_well(jobs):
    for one in jobs:
        job(*one)
    oldest = clock.format_moment(MOMENT - seconds(jobs[0][0]))
    with pytest.raises(CommandError, match=f"A job from {oldest} is waiting and no exporter is running"):
        check("exporter")
