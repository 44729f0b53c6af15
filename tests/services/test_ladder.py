"""A service comes from the first rung that works, and what was started is always ended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from script import checks, environment, ladder, services
from script.results import Results, Row, table


def works(stack: contextlib.ExitStack) -> str:
    return "there"


def lacks(stack: contextlib.ExitStack) -> str:
    raise ladder.Unavailable("not here")


def test_it_takes_the_first_rung_that_works():
    with contextlib.ExitStack() as stack:
        found = ladder.climb("redis", {"environment": lacks, "local": works, "Docker": lacks}, stack)
    assert found == ladder.Found("redis", "there", "local")


def test_it_tells_why_no_rung_holds():
    with contextlib.ExitStack() as stack:
        found = ladder.climb("redis", {"environment": lacks, "Docker": lacks}, stack)
    assert found == ladder.Found("redis", "", "environment: not here; Docker: not here")


def test_it_clears_up_a_rung_that_broke_half_way():
    ended: list[str] = []

    def breaks(stack: contextlib.ExitStack) -> str:
        stack.callback(ended.append, "cleared")
        raise ladder.Unavailable("half way")

    with contextlib.ExitStack() as stack:
        ladder.climb("redis", {"local": breaks}, stack)
        assert ended == ["cleared"]


def test_it_passes_by_an_address_where_nothing_answers(monkeypatch):
    monkeypatch.setenv("TEST_REDIS_URL", "redis://127.0.0.1:1")
    rung = ladder.from_environment(["TEST_REDIS_URL"], ("redis://",), lambda address: False)
    with pytest.raises(ladder.Unavailable, match="nothing answers at TEST_REDIS_URL"):
        rung(contextlib.ExitStack())


def test_it_ends_what_it_started():
    sleeper = ["sleep", "61.5"]
    with contextlib.ExitStack() as stack:
        ladder.keep_running(stack, sleeper, lambda: True)
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
    with contextlib.ExitStack() as stack, pytest.raises(ladder.Unavailable, match="ended at once"):
        ladder.keep_running(stack, ["true"], lambda: False)


DOCKER = """#!/bin/sh
echo "$@" >> "{log}"
case "$1" in
    info) exit {daemon} ;;
    run) echo c0ffee ;;
    port) echo 127.0.0.1:49153 ;;
esac
"""


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """A client of that name which answers as told and notes what it was asked."""
    log = tmp_path / "log"

    def answering(*, daemon: bool) -> Path:
        client = tmp_path / "docker"
        client.write_text(DOCKER.format(log=log, daemon=0 if daemon else 1))
        client.chmod(0o755)
        return log

    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return answering


def test_it_publishes_a_container_on_this_machine_alone_and_removes_it(docker):
    log = docker(daemon=True)
    with contextlib.ExitStack() as stack:
        rung = ladder.in_docker("redis:7", 6379, [], "redis://{where}/0", lambda address: True)
        assert rung(stack) == "redis://127.0.0.1:49153/0"
    asked = log.read_text().splitlines()
    assert asked[1] == "run --detach --rm --publish 127.0.0.1::6379 redis:7"
    assert asked[-1] == "rm --force c0ffee"


def test_it_knows_a_client_without_a_daemon(docker):
    docker(daemon=False)
    rung = ladder.in_docker("redis:7", 6379, [], "redis://{where}/0", lambda address: True)
    with contextlib.ExitStack() as stack, pytest.raises(ladder.Unavailable, match="daemon does not answer"):
        rung(stack)


def test_it_takes_packages_as_root_only_when_they_are_required(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(ladder.Unavailable, match="only when required"):
        ladder.wheels(asked_for=False)


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


def test_it_says_the_one_line_that_helps_where_venv_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(environment, "venv_is_missing", lambda: True)
    with pytest.raises(SystemExit, match=r"apt-get install python3\.\d+-venv"):
        environment.make_with_pip(tmp_path / ".venv", tmp_path / "lock", install_system=False)


def found(**addresses: str) -> dict[str, ladder.Found]:
    names = ("postgres", "redis", "browser", "node")
    return {name: ladder.Found(name, addresses.get(name, ""), "told") for name in names}


def test_a_missing_service_is_a_skip_that_is_told():
    row = checks.Tests(found(), set(), [], Path()).missing("browser")
    assert row is not None
    assert (row.outcome, "no browser (told)" in row.note) == ("skipped", True)


def test_a_missing_service_that_is_required_is_a_failure():
    row = checks.Tests(found(redis="there"), {"postgres"}, [], Path()).missing("services")
    assert row is not None
    assert row.outcome == "failed"


def test_a_leg_without_node_runs_and_skips_unless_node_is_required():
    assert checks.Tests(found(), set(), [], Path()).missing("sqlite") is None
    row = checks.Tests(found(), {"node"}, [], Path()).missing("sqlite")
    assert row is not None
    assert (row.outcome, "no node (told)" in row.note) == ("failed", True)


def test_the_package_of_node_is_missing_where_no_node_is(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert services.missing_packages({"node"}) == ["nodejs"]
    (tmp_path / "node").write_text("")
    (tmp_path / "node").chmod(0o755)
    assert services.missing_packages({"node"}) == []


def test_the_closing_table_tells_outcome_time_and_reason():
    lines = table([Row("lint", "passed", 1.25), Row("browser", "skipped", 0, "no browser")])
    assert lines[1].split() == ["browser", "skipped", "0.0", "s", "no", "browser"]


@pytest.mark.parametrize("signal_name", ["SIGTERM", "SIGINT"])
def test_an_interrupted_run_leaves_nothing_behind(tmp_path, signal_name):
    script = "from script.checks import main; import sys; sys.exit(main(['--only', 'types']))"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ladder.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as run:
        assert run.stdout
        run.stdout.readline()
        time.sleep(0.3)
        run.send_signal(getattr(signal, signal_name))
        run.communicate(timeout=20)
    assert run.returncode in (130, 143)


def test_legs_that_ran_beside_each_other_count_together():
    one = Results([Row("services", "passed", 2.0)], {"passed": ["[services] a"], "failed": []})
    other = Results([Row("sqlite", "failed", 1.0)], {"passed": ["[sqlite] a"], "failed": ["[sqlite] b"]})
    both = one.joined(other)
    assert [row.step for row in both.rows] == ["services", "sqlite"]
    assert both.tests == {"passed": ["[services] a", "[sqlite] a"], "failed": ["[sqlite] b"]}
