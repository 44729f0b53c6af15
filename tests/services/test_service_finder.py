"""A service comes from the first source that has it, and what was started is always ended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from script import checks, environment, service_finder, services
from script.checks import SUITES, Row, counted, last_line, table
from script.service_finder import Service, Unavailable
from tests.services import examples as examples_of_tests
from tests.services import suites
from tests.services.examples import examples, is_of_today


def works(stack: contextlib.ExitStack) -> str:
    return "there"


def lacks(stack: contextlib.ExitStack) -> str:
    raise Unavailable("not here")


def test_it_takes_the_first_source_that_works():
    with contextlib.ExitStack() as stack:
        found = service_finder.find("redis", {"environment": lacks, "local": works, "wheels": lacks}, stack)
    assert found == Service("redis", "there", "local")


def test_it_tells_why_no_source_holds():
    with contextlib.ExitStack() as stack:
        found = service_finder.find("redis", {"environment": lacks, "wheels": lacks}, stack)
    assert found == Service("redis", "", "environment: not here; wheels: not here")


def test_it_clears_up_a_source_that_broke_half_way():
    ended: list[str] = []

    def breaks(stack: contextlib.ExitStack) -> str:
        stack.callback(ended.append, "cleared")
        raise Unavailable("half way")

    with contextlib.ExitStack() as stack:
        service_finder.find("redis", {"local": breaks}, stack)
        assert ended == ["cleared"]


def test_it_passes_by_an_address_where_nothing_answers(monkeypatch):
    monkeypatch.setenv("TEST_REDIS_URL", "redis://127.0.0.1:1")
    source = service_finder.from_environment(["TEST_REDIS_URL"], ("redis://",), lambda address: False)
    with pytest.raises(Unavailable, match="nothing answers at TEST_REDIS_URL"):
        source(contextlib.ExitStack())


def test_it_ends_what_it_started():
    sleeper = ["sleep", "61.5"]
    with contextlib.ExitStack() as stack:
        service_finder.run_until_the_end(stack, sleeper, lambda: True)
        started = children(sleeper[-1])
        assert len(started) == 1
    assert children(sleeper[-1]) == []


def children(word: str) -> list[str]:
    """This process's children whose command line holds a word."""
    listed = subprocess.run(
        ["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    ).stdout
    return [line for line in listed.splitlines() if word in line]


def test_it_says_when_a_service_ends_at_once():
    with contextlib.ExitStack() as stack, pytest.raises(Unavailable, match="ended at once"):
        service_finder.run_until_the_end(stack, ["true"], lambda: False)


def test_it_takes_packages_as_root_only_when_they_are_required(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(Unavailable, match="only when required"):
        service_finder.packaged(required=False)


def test_it_makes_the_environment_once(tmp_path, monkeypatch):
    lock = tmp_path / "lock.txt"
    lock.write_text("nothing==1\n")
    made = []
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "is_sound", lambda venv, with_pip: True)
    monkeypatch.setattr(environment, "make_with_uv", lambda venv, lock: made.append("uv"))
    monkeypatch.setattr(environment, "make_with_pip", lambda venv, lock, install_system: made.append("pip"))
    (tmp_path / ".venv").mkdir()
    assert environment.make(tmp_path / ".venv", lock)
    assert not environment.make(tmp_path / ".venv", lock)
    lock.write_text("nothing==2\n")
    assert environment.make(tmp_path / ".venv", lock)
    assert len(made) == 2


def test_it_deals_out_every_locked_requirement_with_its_hashes_once():
    lock = (environment.ROOT / "requirements" / "dev.txt").read_text()
    parts = environment.parts_of(lock, 2)
    assert len(parts) == 2
    for start in ("==", "--hash="):
        assert sum(part.count(start) for part in parts) == lock.count(start)


def test_it_says_the_one_line_that_helps_where_venv_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "venv_is_missing", lambda: True)
    with pytest.raises(SystemExit, match=r"apt-get install python3\.\d+-venv"):
        environment.make_with_pip(tmp_path / ".venv", tmp_path / "lock", install_system=False)


def found(**addresses: str) -> dict[str, Service]:
    names = ("postgres", "redis", "browser", "node")
    return {name: Service(name, addresses.get(name, ""), "told") for name in names}


def test_a_missing_service_is_a_skip_that_is_told():
    row = checks.Tests(found(), set(), []).missing(SUITES["browser"])
    assert row is not None
    assert (row.outcome, "no browser (told)" in row.note) == ("skipped", True)


def test_a_missing_service_that_is_required_is_a_failure():
    row = checks.Tests(found(redis="there"), {"postgres"}, []).missing(SUITES["services"])
    assert row is not None
    assert row.outcome == "failed"


def test_a_suite_without_node_runs_and_skips_unless_node_is_required():
    assert checks.Tests(found(), set(), []).missing(SUITES["sqlite"]) is None
    row = checks.Tests(found(), {"node"}, []).missing(SUITES["sqlite"])
    assert row is not None
    assert (row.outcome, "no node (told)" in row.note) == ("failed", True)


@pytest.mark.parametrize(
    ("choice", "suites", "address", "is_left_out"),
    [
        ("", ["sqlite", "services"], "there", True),
        ("", ["sqlite", "services"], "", False),
        ("", ["sqlite"], "there", False),
        ("all", ["sqlite", "services"], "there", False),
        ("fast", ["sqlite", "services"], "there", False),
    ],
)
def test_what_takes_seconds_on_both_databases_runs_on_postgresql_where_that_runs(
    choice, suites, address, is_left_out
):
    tests = checks.Tests(
        found(postgres=address), set(), [], choice=choice, suites=[SUITES[name] for name in suites]
    )
    assert tests.marks(SUITES["sqlite"]).endswith(" and not (both_databases and long)") is is_left_out
    assert "long" not in tests.marks(SUITES["services"])


@pytest.mark.parametrize(("choice", "tried"), [("", 100), ("fast", 100), ("all", 300)])
def test_all_tries_every_example_and_other_runs_a_third(choice, tried, monkeypatch):
    for name, value in checks.Tests(found(), set(), [], choice=choice).variables(SUITES["sqlite"]).items():
        monkeypatch.setenv(name, value)
    assert examples(300) == tried


def test_each_state_is_looked_at_on_one_of_three_days(monkeypatch):
    monkeypatch.delenv(examples_of_tests.VARIABLE, raising=False)
    for name in ("bets open", "dice awaited", "lit"):
        looks = []
        for day in range(6):
            monkeypatch.setenv(examples_of_tests.DAY, str(day))
            looks.append(is_of_today(name))
        assert (sum(looks), looks[:3]) == (2, looks[3:])
    monkeypatch.setenv(examples_of_tests.VARIABLE, "1")
    assert is_of_today("lit") and is_of_today("bets open")


class NamedTest:
    """A test as collected: its file, its name and its marks."""

    def __init__(self, file, name, *marks):
        self.path, self.nodeid, self.marks = Path("tests/e2e") / file, f"{file}::{name}", marks

    def get_closest_marker(self, name):
        return name in self.marks


def test_stories_take_turns_and_what_every_day_needs_does_not(monkeypatch):
    daily: list[Any] = [
        NamedTest("test_main_job.py", "test_a", "browser"),
        NamedTest("test_record.py", "test_b", "both_databases", "long"),
        NamedTest("test_record.py", "test_c", "both_databases", "postgres"),
        NamedTest("test_layer.py", "test_d", "redis"),
    ]
    in_turn: list[Any] = [
        NamedTest("test_rooms.py", "test_e", "browser"),
        NamedTest("test_rooms.py", "test_f[1280]", "browser"),
        NamedTest("test_record.py", "test_g", "both_databases"),
    ]
    monkeypatch.delenv(examples_of_tests.VARIABLE, raising=False)
    monkeypatch.delenv(suites.IN_TURN, raising=False)
    assert suites.of_another_day(in_turn) == []
    monkeypatch.setenv(suites.IN_TURN, "1")
    days: list[Any] = []
    for day in range(3):
        monkeypatch.setenv(examples_of_tests.DAY, str(day))
        assert not set(suites.of_another_day(daily))
        days += [item for item in in_turn if item not in suites.of_another_day(in_turn)]
    assert sorted(days, key=id) == sorted(in_turn, key=id)


@pytest.mark.parametrize(
    ("choice", "arguments", "turns"), [("", [], "1"), ("all", [], ""), ("", ["tests/e2e"], "")]
)
def test_only_a_plain_run_of_everything_takes_turns(choice, arguments, turns):
    tests = checks.Tests(found(), set(), arguments, choice=choice)
    assert tests.variables(SUITES["browser"])[suites.IN_TURN] == turns
    assert tests.variables(SUITES["sqlite"])[suites.IN_TURN] == ""


def test_the_package_of_node_is_missing_where_no_node_is(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert services.missing_packages({"node"}) == ["nodejs"]
    (tmp_path / "node").write_text("")
    (tmp_path / "node").chmod(0o755)
    assert services.missing_packages({"node"}) == []


@pytest.mark.parametrize(
    ("known", "installed"), [({"this", "that"}, "this"), ({"that"}, "that"), (set(), "that")]
)
def test_the_first_of_the_alternatives_that_debian_has_is_installed(known, installed, monkeypatch):
    monkeypatch.setattr(environment, "is_available", lambda package: package in known)
    assert environment.first_available("this | that") == installed


def test_the_closing_table_tells_outcome_time_and_reason():
    lines = table([Row("lint", "passed", 1.25), Row("browser", "skipped", 0, "no browser")], 2)
    assert lines[1].split() == ["browser", "skipped", "0.0", "s", "no", "browser"]


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path, signal_name):
    script = "from script.checks import main; import sys; sys.exit(main(['--only', 'types']))"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=service_finder.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A shell lets its background jobs ignore Ctrl-C, and they hand that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as run:
        assert run.stdout
        run.stdout.readline()
        time.sleep(0.3)
        run.send_signal(getattr(signal, signal_name))
        run.communicate(timeout=20)
    assert run.returncode in (130, 143)


def test_the_last_line_counts_every_suite_and_each_failed_check():
    rows = [
        Row("types", "failed", 9.0),
        Row("sqlite", "failed", 2.0, counts=Counter(passed=2, failed=1)),
        Row("services", "passed", 1.0, counts=Counter(passed=3, skipped=1)),
    ]
    assert last_line(rows, 12.5).strip("= ") == "1 failed, 5 passed, 1 skipped, 1 error in 12.50s"


def test_tests_are_counted_from_the_report_of_pytest(tmp_path):
    report = tmp_path / "sqlite.xml"
    report.write_text(
        '<testsuites><testsuite tests="9" failures="2" errors="1" skipped="3"></testsuite></testsuites>'
    )
    assert counted(report) == Counter(passed=3, failed=2, skipped=3, error=1)
    assert counted(tmp_path / "none.xml") == Counter()


@pytest.mark.parametrize("suite", SUITES)
def test_what_is_fast_or_usual_is_a_part_of_all(suite):
    """A mark that is taken from one selection is seen here: nothing runs in a smaller choice alone."""
    marks = SUITES[suite].marks_of_all.split(" and ")
    for choice in (SUITES[suite].marks, SUITES[suite].marks_of_fast or SUITES[suite].marks):
        assert suite == "services" or choice.split(" and ")[: len(marks)] == marks
