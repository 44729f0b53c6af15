"""Readable exports: one row a round, a wager, a slip, a sign-in and a lot; what a cell holds, and who may ask."""

import csv
import datetime as dt
import io
import json
import uuid
import zipfile

import pytest

from audit import clock
from audit.exporting import jobs
from audit.models import Entry, Job
from audit.runner import ActRequest
from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Refusal
from games.facility_runner import Forbidden
from tables.desk import desk
from tables.models import Slip
from tables.money.chips import change_chips
from tests.services.restore import restored_later
from tests.services.workbooks import cells
from tests.tables.cast import make_scene
from tests.tables.slip_scene import file

pytestmark = pytest.mark.django_db
DAY = "2026-11-21"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)
    return tmp_path


@restored_later
def two_rounds_and_a_slip():
    scene = make_scene()
    change_chips(scene.fresh.facility, KNOWN_CHIPS_CENTS)
    scene.play((2, "big", 10_000), (2, "total:10", 1_250), dice=[2, 2, 6])
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "=1+1"}, witness="floorperson")
    scene.finish()
    later = clock.now() + dt.timedelta(minutes=1)
    with clock.override(lambda: later):
        scene.play((3, "small", 3_000), dice=[1, 2, 3])
        scene.finish()
        file(
            scene, "payment", reason="@cmd|' /C calc'!A0",
            payments=[{"seat": 2, "paid_cents": 0, "taken_cents": 10_000}],
        )  # fmt: skip
    return scene


@pytest.fixture
def played(db, hands):
    scene = two_rounds_and_a_slip()
    hands.now += dt.timedelta(minutes=2)
    return scene


def ask(scene, by="compliance", **params):
    call = ActRequest(
        facility="larkfield", place=desk.STREAM, act="ask_sheets", command=uuid.uuid4(), seen_version=0,
        params={"kind": "sheets-csv", **params}, actor=scene.people[by], device=scene.podium,
    )  # fmt: skip
    return desk.execute(call)


def written(scene, **params):
    answer = ask(scene, **params)
    jobs.Worker().run_next()
    job = Job.objects.get(pk=answer.body["job"])
    assert job.status == "done", job.failure_code
    return job


def csv_rows(job):
    """The rows of each CSV file as dictionaries."""
    with zipfile.ZipFile(jobs.file_path(job)) as archive:
        return {
            name: list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8-sig"), newline="")))
            for name in archive.namelist()
            if name.endswith(".csv")
        }


def test_csv_has_one_row_a_round_a_wager_a_slip_a_sign_in_and_a_lot(played):
    played.browser("podium", "compliance")
    files = csv_rows(written(played, day=DAY))
    assert {name: len(rows) for name, rows in files.items()} == {
        "rounds.csv": 2, "wagers.csv": 3, "slips.csv": 1, "sign-ins.csv": 1, "dice-lots.csv": 1,
    }  # fmt: skip
    first = files["rounds.csv"][0]
    assert {name: first[name] for name in ("Table", "Round", "Dice", "Staked, $", "Taken, $", "Win, $")} == {
        "Table": "T-01", "Round": "1", "Dice": "2 2 5", "Staked, $": "112.50", "Taken, $": "112.50", "Win, $": "112.50",
    }  # fmt: skip
    assert (first["Opened (America/New_York)"], first["How it ended"]) == (
        "2026-11-21 10:00:00 EST",
        "settled",
    )
    assert (first["Settled again by the rules"], first["Slips"]) == ("no difference", "ENS-0001")
    wager = files["wagers.csv"][0]
    assert (wager["Wager"], wager["Stake, $"], wager["Outcome"], wager["Won or lost by the player, $"]) == (
        "Total 10", "12.50", "lost", "-12.50",
    )  # fmt: skip
    assert wager["Section"].startswith("58 Pa. Code § 625a.") and wager["What the section says"]
    assert files["sign-ins.csv"][0]["Code"] == "compliance"


def test_no_cell_is_a_formula(played):
    files = csv_rows(written(played, day=DAY))
    assert files["slips.csv"][0]["Reason"].startswith("'@cmd")
    (slip,) = cells(jobs.file_path(written(played, kind="sheets-xlsx", day=DAY)), "Slips")[1:]
    assert ("s" in slip["G"][0] or slip["G"][0] == "inlineStr") and slip["G"][2].startswith("@cmd")
    with zipfile.ZipFile(jobs.file_path(Job.objects.filter(kind="sheets-xlsx").get())) as archive:
        sheets = [archive.read(name) for name in archive.namelist() if "worksheets" in name]
    assert not any(b"<f>" in sheet for sheet in sheets)


def test_amounts_of_the_workbook_are_numbers_in_dollars_and_days_are_days(played):
    rows = cells(jobs.file_path(written(played, kind="sheets-xlsx", day=DAY)), "Rounds")
    headings = {cell[2]: column for column, cell in rows[0].items()}
    staked, day, opened = (
        rows[1][headings[name]] for name in ("Staked, $", "Gaming day", "Opened (America/New_York)")
    )
    assert (staked[0], float(staked[2])) == ("n", 112.5) and '"$"#,##0.00' in staked[1]
    assert (day[0], day[1]) == ("n", "yyyy-mm-dd")
    assert opened[2] == "2026-11-21 10:00:00 EST"


def test_this_round_has_its_wagers_and_the_slips_about_it_alone(played):
    job = written(played, table="T-01", number=1)
    files = csv_rows(job)
    assert {name: len(rows) for name, rows in files.items()} == {
        "rounds.csv": 1, "wagers.csv": 2, "slips.csv": 1, "dice-lots.csv": 1,
    }  # fmt: skip
    assert files["slips.csv"][0]["Slip"] == Slip.objects.get().code
    assert job.filename == "larkfield-2026-11-21-T-01-R1-sheets.zip"


def test_the_request_and_the_file_are_on_the_record_like_any_export(played):
    job = written(played, day=DAY, game="sic-bo")
    asked, finished = (
        json.loads(
            bytes(Entry.objects.filter(stream__name="larkfield/exports", type=type_).latest("seq").body)
        )
        for type_ in ("export.asked", "export.finished")
    )
    assert (asked["actor"], asked["data"]["kind"], asked["data"]["game"]) == (
        "compliance",
        "sheets-csv",
        "sic-bo",
    )
    assert asked["data"]["streams"] == ["larkfield/T-01"]
    assert finished["data"]["sha256"] == job.sha256 and finished["data"]["entries"] == 7
    page = played.browser("podium", "compliance").get("/record/larkfield/exports/").content.decode()
    assert "Sheets, CSV" in page and "Download" in page


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"day": "2026-11-22"}, "export-to-come"),
        ({"day": DAY, "last_day": "2026-11-20"}, "export-range"),
        ({"day": "2026-06-01", "last_day": DAY}, "export-too-long"),
        ({"day": DAY, "table": "T-99"}, "no-tables-to-export"),
        ({"table": "T-01", "number": 9}, "no-such-round"),
        ({"day": "2026-11-20", "table": "T-01"}, "export-empty"),
    ],
)
def test_a_request_that_has_nothing_to_say_is_refused(played, params, code):
    with pytest.raises(Refusal) as refusal:
        ask(played, **params)
    assert (refusal.value.code, Job.objects.count()) == (code, 0)


def test_those_who_may_not_export_get_no_sheets(played):
    with pytest.raises(Forbidden):
        ask(played, by="shift-manager", day=DAY)
