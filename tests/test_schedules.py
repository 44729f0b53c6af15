"""Schedules with a seed: the same seed draws the same one, and of one that fails the shortest is found.

What schedules find is shown by `python -m script.schedules --plants`, which plants defects (docs/testing.md).
"""

import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from script import checks
from script.faults.report import write_counts
from script.schedules import runs
from script.schedules.draws import Draws
from script.schedules.pages import engine
from script.schedules.runs import Kind, Seeds, run_schedules
from script.schedules.schedule import Course, lacks
from script.schedules.shortest import shortest
from script.tablet import Claim


def test_a_seed_draws_the_same_and_a_fault_that_is_left_out_moves_no_draw_of_another_kind():
    def drawn(without=()):
        draws = Draws(7, without)
        lost = [draws.happens("lost", 0.5) for _ in range(20)]
        return lost, [draws.happens("late", 0.5) for _ in range(20)], draws.faults

    lost, late, faults = drawn()
    assert (lost, late, faults) == drawn()
    fewer, *others = drawn([0])
    assert (fewer.count(True), others) == (lost.count(True) - 1, [late, faults])


def test_nothing_goes_wrong_once_a_schedule_comes_to_rest():
    draws = Draws(7)
    draws.is_quiet = True
    assert not any(draws.happens("lost", 1.0) for _ in range(9))


def test_it_finds_the_shortest_schedule_that_fails():
    """One that fails by the fault with the number 3, from the twelfth tap on."""

    def run(seed, taps, without):
        draws = Draws(seed, without)
        draws.faults = [f"fault {number}" for number in range(9)]
        fails = taps >= 12 and 3 not in draws.without
        return Course(seed, taps, draws, problems=["an act is lost"] if fails else [])

    short = shortest(run(7, 40, ()), run)
    assert (short.taps, short.draws.without) == (12, frozenset({0, 1, 2, 4, 5, 6, 7, 8}))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_an_act_that_is_refused_without_a_line_has_not_the_command_of_one_that_waits():
    place = "larkfield/T-01"
    state = {"round": {"number": 7, "phase": "open"}}
    witness = {"person": "dana", "pin": "246810"}
    tap = {"place": place, "state": state, "params": {"transfer": 1}}
    with engine() as pages:
        pages.happens(
            "open", 0.0, offset=0, seed=7, person="cleo", place=None, shown={place: {"version": "5"}}
        )
        waiting = pages.happens("tap", 1.0, claim=0, act="prepare_transfer", witness=None, **tap)
        pages.happens("connect", 2.0, isLive=False)
        refused = pages.happens("tap", 3.0, claim=1, act="void_transfer", witness=witness, **tap)
    assert [sent.body["command"] for sent in waiting.sent] == [waiting.command]
    assert ([told.code for told in refused.told], refused.command) == (["no-line"], None)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_schedule_of_the_product_is_the_same_each_time_and_holds():
    """Also where each statement that is kept is compared with that of its query."""
    command = [sys.executable, "-m", "script.schedules", "--seed", "7", "--taps", "8", "--lines"]
    first, second = (
        subprocess.run([*command, *options], capture_output=True, text=True) for options in ((), ("--check",))
    )
    assert (first.returncode, second.returncode) == (0, 0), first.stdout + first.stderr + second.stderr
    lines = [[line for line in run.stdout.splitlines() if " s  " in line] for run in (first, second)]
    assert lines[0] == lines[1]
    assert sum("taps" in line for line in lines[0]) == 9  # and the line that says that nobody taps any more


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_run_in_two_processes_ends_what_it_has_begun_once_it_is_told_to_stop():
    command = [sys.executable, "-m", "script.schedules", "--seed", "7", "--taps", "1", "--minutes", "9"]
    run = subprocess.Popen([*command, "--lines", "--workers", "2"], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline().startswith("Seed 7, 1 taps in each schedule, commit ")
    assert run.stdout.readline()  # one has ended
    run.terminate()
    summary, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert summary.splitlines()[-3].count(" with violations, commit ") == 1
    assert summary.splitlines()[-1].startswith("Faults: ")


def test_a_process_that_gets_every_other_seed_renews_its_pages_and_collects_its_garbage(monkeypatch):
    begun: list[None] = []
    collected: list[None] = []

    @contextmanager
    def numbered_engine():
        begun.append(None)
        yield len(begun)

    @contextmanager
    def no_image(*, check):
        yield None

    monkeypatch.setattr(runs, "engine", numbered_engine)
    monkeypatch.setattr(runs, "made_image", no_image)
    monkeypatch.setattr(runs, "_run_schedule", lambda pages, _image, seed, *_: (pages, seed))
    monkeypatch.setattr(runs, "RENEWED_EACH", 3)
    monkeypatch.setattr(runs, "COLLECTED_EACH", 2)
    monkeypatch.setattr(runs.gc, "collect", lambda: collected.append(None))
    taken: list[object] = list(run_schedules(range(1, 14, 2), Kind(taps=1)))
    assert taken == [(1, 1), (1, 3), (1, 5), (2, 7), (2, 9), (2, 11), (3, 13)]
    assert len(collected) == 2


def test_a_backup_lacks_what_was_taken_or_refused_since_it_was_made():
    def claim(**fate):
        return Claim("", "larkfield/T-03", "shake", 9.0, **fate)

    numbers = {"larkfield/T-03": 30}
    assert lacks(15.6, numbers, claim(fate="taken", version=31))
    assert not lacks(15.6, numbers, claim(fate="taken", version=30, answered=16.7))
    assert lacks(15.6, numbers, claim(fate="refused", answered=16.7))
    assert not lacks(15.6, numbers, claim(fate="refused", answered=12.0))
    assert not lacks(15.6, numbers, claim())


def test_the_seeds_of_a_run_are_taken_once_until_their_end_or_a_stop():
    seeds = Seeds(7, 5, None)
    first, second = iter(seeds), iter(seeds)
    assert [next(first), next(second), next(first)] == [7, 8, 9]
    assert list(second) == [10, 11]
    endless = Seeds(7, None, None)
    taken = iter(endless)
    assert next(taken) == 7
    endless.stop()
    assert list(taken) == []


@pytest.mark.parametrize(("status", "outcome"), [(0, "passed"), (1, "failed"), (5, "failed")])
def test_each_schedule_counts_as_a_test(tmp_path, status, outcome):
    class Commands(checks.Commands):
        def run(self, command, *_, **__):
            write_counts(tmp_path / "schedules.xml", 7, 2)
            return status

    row = checks.run_schedules(Commands(), {"node"}, tmp_path)
    assert (row.step, row.outcome, row.counts["passed"], row.counts["failed"]) == ("schedules", outcome, 5, 2)
