"""Declared reports of figures: each period once, again after a failure, and never twice."""

import asyncio
import csv
import datetime as dt
import io
import json
import smtplib
from io import StringIO
from unittest import mock

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail.backends import locmem
from django.core.management import CommandError, call_command

from audit import clock
from audit.columns import check_columns
from audit.models import Entry
from tables import ticker
from tables.figures.declared_reports import deliver_due, ended_periods, read_declaration
from tables.models import FiguresReport, FiguresSchedule
from tests.desk.test_figures import at
from tests.tables.cast import PIN
from tests.tables.test_figures_pages import PAGE, play_two_hours, read

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
LOCMEM = "django.core.mail.backends.locmem.EmailBackend"


def run(*arguments):
    out = StringIO()
    with mock.patch("sys.stdin", StringIO(f"{PIN}\n" * 2)):  # of those who answer for a declaration
        call_command("figures_report", "larkfield", *arguments, "--pin-from-stdin", stdout=out)
    return out.getvalue()


def declare(tmp_path, **report):
    """Declare one report by a file, answered for by two departments. Lists become those of TOML."""
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in report.items())
    file = tmp_path / "reports.toml"
    file.write_text(f"[reports.evening]\n{lines}\n")
    return run("--declare", file, "--by", "system-administrator", "--with", "compliance")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "reports").mkdir()
    return tmp_path / "reports"


def test_a_day_is_written_once_with_what_the_page_shows(hands, scene, tmp_path, folder):
    assert "1 reports are declared" in declare(
        tmp_path, every="day", filters="by=game", formats=["csv", "xlsx", "pdf"], folder=str(folder)
    )
    entry = Entry.objects.get(type="figures.reports_declared")
    assert (entry.actor, entry.witness) == ("system-administrator", "compliance")
    [declared] = json.loads(bytes(entry.body))["data"]["reports"]
    assert (declared["name"], declared["every"], declared["folder"]) == ("evening", "day", str(folder))
    play_two_hours(hands, scene)
    hands.now = at(6, 9, day=22)
    assert "0 reports were delivered" in run()  # its last rounds have ten minutes to be counted
    hands.now = at(6, 10, day=22)
    assert "evening 2026-11-21: done" in run()
    assert sorted(path.name for path in folder.iterdir()) == [
        "larkfield-evening-2026-11-21.csv",
        "larkfield-evening-2026-11-21.pdf",
        "larkfield-evening-2026-11-21.xlsx",
    ]
    written = (folder / "larkfield-evening-2026-11-21.csv").read_bytes()
    client = scene.browser("podium", "shift-manager")
    address = f"{PAGE}export.csv?from=2026-11-21&to=2026-11-21&by=game"
    assert written == client.get(address).content
    first = next(csv.DictReader(io.StringIO(written.decode("utf-8-sig"))))
    assert (first["Name"], first["Rounds"], first["Win"]) == ("Sic Bo", "3", "55.00")
    assert deliver_due() == []
    assert "0 reports were delivered" in run()
    hands.now = at(6, 10, day=24)
    assert [report.period for report in deliver_due()] == ["2026-11-22", "2026-11-23"]  # also those it missed
    listed = run("--list")
    assert "evening: every gaming day, csv, xlsx, pdf to" in listed and "evening 2026-11-23: done" in listed


def test_a_failure_is_tried_again_until_it_works(hands, scene, tmp_path, folder):
    declare(tmp_path, every="day", folder=str(folder))
    folder.rmdir()
    hands.now = at(7, day=22)
    with pytest.raises(CommandError, match="1 of 1 reports were not delivered"):
        run()
    report = FiguresReport.objects.get()
    assert (report.status, report.attempts, report.next_try_at) == ("due", 1, at(7, 1, day=22))
    assert report.error.endswith("cannot be written: No such file or directory.")
    assert deliver_due() == []
    hands.now = at(7, 1, day=22)
    assert [tried.next_try_at for tried in deliver_due()] == [at(7, 3, day=22)]
    folder.mkdir()
    hands.now = at(7, 3, day=22)
    [report] = deliver_due()
    assert (report.status, report.attempts, report.error) == ("done", 3, "")
    assert [path.name for path in folder.iterdir()] == report.files == ["larkfield-evening-2026-11-21.csv"]


def test_the_page_says_what_was_delivered_and_what_was_not(hands, scene, tmp_path, folder):
    address = "/floor/larkfield/figure-reports/"
    assert "No report is declared." in read(scene, address)[0]
    declare(tmp_path, every="day", filters="by=game", folder=str(folder), formats=["csv", "pdf"])
    text, html = read(scene, address)
    assert "evening Every gaming day: by game" in text and f"as CSV, PDF, to {folder}" in text
    assert "No period has ended" in text and 'href="/floor/larkfield/figures/?by=game"' in html
    hands.now = at(7, day=22)
    deliver_due()
    assert "2026-11-21 Delivered larkfield-evening-2026-11-21.csv" in read(scene, address)[0]
    note = "1 declared report has not been delivered."
    assert note not in read(scene)[0]
    folder.rename(tmp_path / "elsewhere")
    hands.now = at(7, day=23)
    deliver_due()
    assert "2026-11-22 Not delivered in 1 attempt" in read(scene, address)[0]
    assert "again at 23 Nov 2026 07:01:00" in read(scene, address)[0]
    text, html = read(scene)
    assert note in text and html.count(f'href="{address}"') == 2  # beside the exports, too
    assert note not in read(scene, by="floorperson")[0]  # whose figures are those of their duty
    FiguresReport.objects.filter(period="2026-11-22").update(status="unsure", error="The server stopped.")
    text = read(scene, address)[0]
    assert "Not known whether the e-mail left The server stopped." in text and "again at" not in text
    declare(tmp_path, every="week", folder=str(tmp_path))
    assert note not in read(scene)[0]  # what is no longer declared is nobody's concern


def test_a_report_that_nothing_delivers_is_overdue_after_forty_minutes(hands, scene, tmp_path, folder):
    declare(tmp_path, every="day", folder=str(folder))
    for minute, is_overdue in ((39, False), (40, True)):
        hands.now = at(6, minute, day=22)
        assert ("2026-11-21 Overdue" in read(scene, "/floor/larkfield/figure-reports/")[0]) == is_overdue
        assert ("1 declared report has not been delivered" in read(scene)[0]) == is_overdue
    deliver_due()
    assert "Overdue" not in read(scene, "/floor/larkfield/figure-reports/")[0]
    assert "has not been delivered" not in read(scene)[0]


def test_an_e_mail_is_sent_once_and_never_twice(hands, scene, tmp_path, settings, monkeypatch):
    settings.EMAIL_BACKEND = LOCMEM
    declare(tmp_path, every="day", mail=["boss@example.com"], formats=["csv", "jsonl"])
    hands.now = at(7, day=22)

    def away(self):
        raise ConnectionRefusedError("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(locmem.EmailBackend, "open", away)
        [report] = deliver_due()
    assert (report.status, report.error) == ("due", "The mail server does not answer: connection refused")
    hands.now = at(8, day=22)
    [report] = deliver_due()
    [message] = mail.outbox
    assert (report.status, message.to) == ("done", ["boss@example.com"])
    assert message.subject == "Larkfield Casino: figures evening, 2026-11-21"
    assert [name for name, _content, _media in message.attachments] == report.files
    assert deliver_due() == [] and len(mail.outbox) == 1

    # The server stops after it asked the mail server: nobody knows whether the e-mail left.
    hands.now = at(7, day=23)
    deliver_due()
    FiguresReport.objects.filter(period="2026-11-22").update(status="sending", done_at=None)
    hands.now = at(9, day=23)
    assert deliver_due() == [] and len(mail.outbox) == 2
    assert "not known whether the e-mail left" in run("--list")
    assert "evening 2026-11-22: done" in run("--again", "evening", "2026-11-22")
    assert len(mail.outbox) == 3
    with pytest.raises(CommandError, match="no report evening 2026-11-30"):
        run("--again", "evening", "2026-11-30")

    # A refusal reached nobody and is tried again; a connection that breaks may have sent it.
    for error, status in (
        (smtplib.SMTPDataError(552, b"too large"), "due"),
        (TimeoutError("timed out"), "unsure"),
    ):
        hands.now += dt.timedelta(days=1)

        def fail(self, messages, error=error):
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(locmem.EmailBackend, "send_messages", fail)
            newest = max(deliver_due(), key=lambda report: report.first_day)
        assert newest.status == status, error


def test_of_two_processes_one_has_a_report_until_it_is_taken_for_dead(hands, scene, tmp_path, folder):
    declare(tmp_path, every="day", folder=str(folder))
    hands.now = at(7, day=22)
    deliver_due()
    FiguresReport.objects.update(status="writing", claimed_at=hands.now)
    hands.now += dt.timedelta(minutes=15)
    assert deliver_due() == []
    hands.now += dt.timedelta(seconds=1)
    assert [report.status for report in deliver_due()] == ["done"]


def test_shifts_and_weeks_are_periods_too(hands, scene, tmp_path, folder):
    declare(tmp_path, every="shift", folder=str(folder))
    hands.now = at(7, day=22)
    schedule = FiguresSchedule.objects.get(ended_at=None)
    keys = [period.key for period in ended_periods(schedule, clock.now())]
    assert keys == ["2026-11-21-day", "2026-11-21-swing", "2026-11-21-night"]
    declare(tmp_path, every="week", folder=str(folder))  # on Sunday the 22nd
    assert FiguresSchedule.objects.filter(ended_at=None).count() == 1
    hands.now = at(7, day=30)
    assert [report.period for report in deliver_due()] == ["2026-11-16-2026-11-22", "2026-11-23-2026-11-29"]
    declare(tmp_path, every="week", folder=str(folder))
    assert deliver_due() == []  # it stayed as it was


def test_rounds_that_are_not_counted_yet_hold_a_report_back(hands, scene, tmp_path, folder):
    declare(tmp_path, every="day", folder=str(folder))
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    hands.now = at(7, day=22)
    assert deliver_due() == []
    run()  # counts them
    written = (folder / "larkfield-evening-2026-11-21.csv").read_text("utf-8-sig")
    assert "T-01,1,1,30.00" in written


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ({"every": "hour", "folder": "/srv"}, "every must be shift, day or week."),
        ({"every": "day"}, "it needs a folder, or mail."),
        ({"every": "day", "folder": "reports"}, "folder must be an absolute path."),
        (
            {"every": "day", "folder": "/srv", "formats": ["ods"]},
            "formats must be some of csv, xlsx, jsonl, pdf.",
        ),
        (
            {"every": "day", "folder": "/srv", "formats": [["csv"]]},
            "formats must be some of csv, xlsx, jsonl, pdf.",
        ),
        ({"every": "shift", "folder": "/srv", "filters": "shift=day"}, "filters may have by, dealer, game"),
        ({"every": "day", "folder": "/srv", "filters": "by=x"}, "by is one of table"),
        ({"every": "day", "folder": "/srv", "filters": "pit=a b"}, "pit must be a code such as T-04"),
        ({"every": "day", "mail": ["boss"]}, "mail must be a list of e-mail addresses."),
        ({"every": "day", "mail": [5]}, "mail must be a list of e-mail addresses."),
        ({"every": "day", "mail": ["a@example.com\nBcc: b@example.com"]}, "mail must be a list of e-mail"),
        ({"every": "day", "mail": ["a@example.com"]}, "nothing can be sent"),
        ({"every": "day", "folder": "/srv", "to": 1}, "to is not known."),
    ],
)
def test_a_declaration_that_cannot_be_used_says_why(report, reason, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    with pytest.raises(ValidationError) as error:
        read_declaration({"reports": {"evening": report}})
    assert any(message.startswith(f"evening: {reason}") for message in error.value.messages)


def test_a_verification_finds_a_report_that_is_sent_elsewhere(scene, tmp_path, folder, settings):
    settings.EMAIL_BACKEND = LOCMEM
    declare(tmp_path, every="day", folder=str(folder), mail=["shift@casino.example"], formats=["pdf"])

    def findings() -> list[tuple[str, str | None]]:
        return [
            (finding.code, finding.where.get("column"))
            for finding in check_columns(lambda: None, [FiguresSchedule])
        ]

    assert findings() == []
    rows = FiguresSchedule.objects.all()
    changes = {
        "every": "week", "filters": "pit=p1", "folder": "/tmp", "formats": ["csv"], "mail": ["a@elsewhere.example"],
    }  # fmt: skip
    for column, value in changes.items():
        with scene.tried():
            rows.update(**{column: value})
            assert findings() == [("declared-report-differs", column)]
    rows.update(ended_at=clock.now())
    assert findings() == [("declared-report-differs", "ended_at")]
    rows.all().delete()
    assert findings() == [("declared-report-without-row", None)]


async def test_the_ticker_delivers_and_survives_a_failure(monkeypatch):
    tries, loop, delivered = [], asyncio.get_running_loop(), asyncio.Event()

    def deliver():
        tries.append(1)
        if len(tries) == 1:
            raise OSError("the disk is full")
        loop.call_soon_threadsafe(delivered.set)

    monkeypatch.setattr(ticker, "deliver_due", deliver)
    monkeypatch.setattr(ticker, "REPORTS_EVERY_SECONDS", 0.001)
    task = asyncio.create_task(ticker.run_ticker())
    await asyncio.wait_for(delivered.wait(), 5)
    task.cancel()


def test_two_departments_answer(scene, tmp_path):
    file = tmp_path / "reports.toml"
    file.write_text('[reports.evening]\nevery = "day"\nfolder = "/srv"\n')
    for by, witness, reason in (
        ("compliance", "system-administrator", "is not a system administrator"),
        ("system-administrator", "nobody", "There is nobody with the code nobody"),
    ):
        with pytest.raises(CommandError, match=reason):
            run("--declare", file, "--by", by, "--with", witness)
    assert not FiguresSchedule.objects.exists() and not Entry.objects.filter(type="figures.reports_declared")
