"""The commands that anyone can script, run as anyone would."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[2]


def odds(*args):
    out = StringIO()
    call_command("odds", *args, stdout=out)
    return out.getvalue()


def test_odds_as_json():
    rows = json.loads(odds("pa-625a/A", "--json"))
    assert len(rows) == 50
    assert {
        "wager": "total:9",
        "outcomes": [{"probability": "25/216", "pays": "6 to 1"}],
        "house_advantage": "41/216",
    } in rows


def test_odds_for_people():
    assert (
        "total:9                 6 to 1      25/216        41/216 (18.9815%)"
        in odds("pa-625a/A").splitlines()
    )


def test_odds_with_payouts_above_the_floors(tmp_path):
    file = tmp_path / "payouts.json"
    file.write_text('{"total:4": "80 to 1"}')
    rows = {row["wager"]: row for row in json.loads(odds("nj-19-47-9", "--json", "--payouts", str(file)))}
    assert (rows["total:4"]["house_advantage"], rows["total:17"]["house_advantage"]) == ("-1/8", "7/24")
    assert "-12.5000%" in odds("nj-19-47-9", "--payouts", str(file))


@pytest.mark.parametrize(
    "text",
    [
        '{"total:4": "49 to 1"}',
        '{"total:4": "60 to 1", "total:4": "61 to 1"}',
        "[]",
        "{",
        '{"hop": "9 to 1"}',
    ],
)
def test_odds_refuses_bad_payouts(tmp_path, text):
    file = tmp_path / "payouts.json"
    file.write_text(text)
    with pytest.raises(CommandError):
        odds("pa-539", "--payouts", str(file))


def test_odds_refuses_payouts_of_no_file():
    with pytest.raises(CommandError):
        odds("pa-539", "--payouts", "")


@pytest.mark.parametrize("key", ["pa-625a", "pa-675a/A", "hop"])
def test_odds_refuses_unknown_rules(key):
    with pytest.raises(CommandError):
        odds(key)


def test_adjudicate_runs_without_a_database_and_says_by_its_status_whether_all_was_good():
    good = b'{"id": 1, "rules": "pa-539", "throws": [[1, 2, 3]], "wagers": []}\n'
    for lines, status in ((good, 0), (b"?\n" + good, 1)):
        done = subprocess.run(
            [sys.executable, "manage.py", "adjudicate"],
            input=lines,
            capture_output=True,
            cwd=ROOT,
            env={
                "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
                "DEMO": "1",
                "PATH": "",
                "DJANGO_SETTINGS_MODULE": "config.settings.local",
            },
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert json.loads(done.stdout.splitlines()[-1])["ending"] == "settled"


def test_adjudicate_ends_quietly_when_its_reader_has_gone():
    line = b'{"id": 1, "rules": "pa-539", "throws": [[1, 2, 3]], "wagers": []}\n'
    command = [sys.executable, "manage.py", "adjudicate"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin and running.stdout and running.stderr
        running.stdout.close()
        running.stdin.write(line)
        running.stdin.close()
        assert (running.stderr.read(), running.wait()) == (b"", 1)


def test_clauses_as_json():
    out = StringIO()
    call_command("clauses", "--json", stdout=out)
    report = json.loads(out.getvalue())
    (one,) = [clause for clause in report["clauses"] if clause["id"] == "PA-625a.3(6)"]
    assert one == {
        "id": "PA-625a.3(6)",
        "cite": "58 Pa. Code § 625a.3(6)",
        "kind": "compute",
        "tests": [
            "tests/games/test_sicbo_settlement.py::test_a_wager_wins_on_these_of_216_throws_and_no_others"
        ],
    }
    assert report["totals"]["all"]["all"]["clauses"] == 649


def test_a_reader_that_has_seen_enough_of_a_command_is_no_error_of_it():
    command = [sys.executable, "manage.py", "odds", "pa-625a/A", "--json"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as odds_process:
        odds_process.stdout.close()
        assert odds_process.stderr.read() == b""
    assert odds_process.returncode == 1
