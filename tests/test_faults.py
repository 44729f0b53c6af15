"""The fault suite can fail: each of its invariants notices what it is for. Real play, then one fact is changed.

What the faults do to real processes is `script/test --faults` (docs/testing.md).
"""

import itertools
import json
import os
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from script import checks
from script.faults import report
from script.faults.__main__ import of_today
from script.faults.disk import Disk, Failure
from script.faults.faults import BY_NAME, FAULTS
from script.faults.ground import Ground
from script.faults.invariants import (
    Facts,
    PlayedRound,
    RecordedAct,
    acts_are_in_the_order_of_time,
    money_balances,
    read_facts,
    violations,
)
from script.faults.processes import LogLine
from script.faults.trial import Trial, log_problems
from script.tablet import Claim, Fragment
from tables.screens import fragments
from tests.tables.cast import make_scene


@pytest.fixture
def facts(db):
    """A round that was played, and what its tablet was told of two acts: one was taken, one refused."""
    scene = make_scene()
    taken = uuid.uuid4()
    response = scene.act(
        "place_wagers", {"wagers": [{"seat": 2, "wager": "big", "cents": 5_000}]}, command=taken
    )
    scene.play((1, "small", 2_500), dice=[2, 5, 6])
    scene.finish()
    place = scene.table.stream.name
    claims = (
        Claim(str(taken), place, "place_wagers", 0.0, "taken", 200, "", response.version),
        Claim(str(uuid.uuid4()), place, "shake", 0.0, "refused", 422, "not-now"),
    )
    return read_facts(claims)


def entry_of(facts, kind):
    return next(entry for entry in facts.entries if entry.type == kind)


def changed(facts, kind, **data):
    """The facts with other data in an entry."""
    old = entry_of(facts, kind)
    entries = [replace(old, data={**old.data, **data}) if entry is old else entry for entry in facts.entries]
    return replace(facts, entries=tuple(entries))


def test_it_finds_nothing_wrong_with_play(facts):
    assert entry_of(facts, "round.settled").data["paid_cents"] == 5_000
    assert violations(facts) == []


def test_it_notices_a_round_that_was_settled_twice(facts):
    settled = entry_of(facts, "round.settled")
    doubled = replace(facts, entries=(*facts.entries, replace(settled, seq=99, command=str(uuid.uuid4()))))
    assert any("was settled 2 times" in sentence for sentence in violations(doubled))


def test_it_notices_a_seat_that_was_paid_twice(facts):
    paid = entry_of(facts, "winners.paid")
    doubled = replace(facts, entries=(*facts.entries, replace(paid, seq=99, command=str(uuid.uuid4()))))
    assert [sentence for sentence in violations(doubled) if "paid the seats [2] twice" in sentence]


def test_it_notices_a_fill_that_was_received_twice(facts):
    fill = replace(entry_of(facts, "losers.taken"), type="transfer.received", data={"transfer": 3})
    twice = replace(facts, entries=(*facts.entries, fill, replace(fill, seq=99, command=str(uuid.uuid4()))))
    assert [words for words in violations(twice) if "received transfer 3 2 times" in words]
    steps = [
        replace(fill, seq=90 + place, type=f"transfer.{name}", command=str(uuid.uuid4()))
        for place, name in enumerate(("handed_over", "voided", "received"))
    ]
    void = replace(facts, entries=(*facts.entries, *steps))
    assert [
        words
        for words in violations(void)
        if "transfer 3 went through handed_over, voided, received" in words
    ]


def test_it_notices_money_that_does_not_balance(facts):
    assert any(
        "sums of paid_cents" in words for words in violations(changed(facts, "round.settled", paid_cents=1))
    )
    row = replace(facts.rounds[0], taken_cents=0)
    assert any("say different sums" in words for words in violations(replace(facts, rounds=(row,))))
    row = replace(facts.rounds[0], wagered_cents=1)
    assert any("not all taken or returned" in words for words in violations(replace(facts, rounds=(row,))))


def test_it_notices_an_acknowledged_act_that_is_lost(facts):
    taken = facts.claims[0]
    commands = {key: value for key, value in facts.commands.items() if key != taken.command}
    for lost in (
        replace(facts, commands=commands),
        replace(facts, entries=tuple(entry for entry in facts.entries if entry.command != taken.command)),
    ):
        assert any("acknowledged and is not in the record" in sentence for sentence in violations(lost))
    other = replace(taken, version=taken.version + 1)
    assert any("was answered version" in words for words in violations(replace(facts, claims=(other,))))


def test_its_tablets_say_what_a_real_one_says_after_the_same_answers():
    """The real ones say it in tests/js/acts.test.mjs."""
    for case in json.loads((Path(__file__).parent / "js" / "answers.json").read_text()):
        claim = Claim(str(uuid.uuid4()), "larkfield/T-01", "no_more_bets", 0.0)
        for answer in case["answers"]:
            body: dict[str, Any] = {"refusal": {"code": answer["code"]}} if "code" in answer else {}
            if answer.get("about"):
                body["command"] = claim.command
            if answer.get("recorded"):
                body |= {"recorded": claim.command, "version": 11}
            if answer.get("status") == 200:
                body = {"version": 11, "answer": {}}
            claim.tries += 1
            claim.judge(answer.get("status", 0), body)
        says = claim.fate if claim.is_over else "waits"
        assert says == case["says"], case["name"]


def test_it_notices_an_act_that_was_taken_and_called_not_taken(facts):
    taken = replace(facts.claims[0], fate="refused", status=503, code="not-begun")
    assert any(
        "was called not taken (503 not-begun)" in words
        for words in violations(replace(facts, claims=(taken,)))
    )


def test_it_notices_a_command_with_two_entries(facts):
    placed = entry_of(facts, "wagers.placed")
    doubled = replace(facts, entries=(*facts.entries, replace(placed, seq=99)))
    assert any("has 2 entries" in sentence for sentence in violations(doubled))


@pytest.mark.both_databases
def test_it_notices_acts_that_overtook_an_answer_and_a_number_that_two_acts_got(facts):
    first, *others = facts.claims
    begun, answered = replace(first, started=1.0, answered=2.0, version=5), {"fate": "taken", "act": "shake"}
    beside = replace(first, **answered, started=1.9, answered=3.0, version=4)
    after = replace(first, **answered, started=2.1, answered=3.0, version=4)
    assert list(acts_are_in_the_order_of_time(replace(facts, claims=(begun, beside, *others)))) == []
    assert list(acts_are_in_the_order_of_time(replace(facts, claims=(after, begun, *others)))) == [
        "place_wagers at larkfield/T-01 was answered number 5 before shake was sent, which has 4"
    ]
    twice = replace(facts, claims=(begun, replace(after, version=5)))
    assert "larkfield/T-01 acknowledged number 5 to 2 acts" in violations(twice)


def test_it_notices_a_record_that_was_changed(facts):
    from django.db import connection

    from audit.models import Entry
    from tests.services.emptying import guards_aside

    with guards_aside(connection):
        Entry.objects.filter(type="round.settled").update(actor="somebody")
    assert any(sentence.startswith("verify_record: ") for sentence in violations(read_facts()))


def test_a_screen_is_read_as_its_page_reads_it(db):
    scene = make_scene()
    scene.place((1, "small", 2_500))
    shown = Fragment.read(fragments.screen("dealer", scene.table.pk)["html"])
    stream = scene.table.stream.__class__.objects.get(pk=scene.table.stream_id)
    assert (shown.version, shown.head, shown.incarnation) == (stream.seq, bytes(stream.head).hex(), 1)
    assert shown.state["round"]["wagers"][0]["cents"] == 2_500
    assert not shown.is_halted
    assert Fragment(3, incarnation=2).is_newer(Fragment(9, incarnation=1))
    assert not Fragment(3).is_newer(Fragment(3))


def test_every_fault_has_a_name_of_its_own():
    assert len(BY_NAME) == len(FAULTS)
    quick = [fault for fault in FAULTS if fault.is_quick]
    assert {of_today(quick, day * 86_400.0).name for day in range(len(quick))} == {
        fault.name for fault in quick
    }


def test_faults_and_scenes_of_the_bench_start_without_an_installation():
    """They make the database first that Django is then set up for."""
    modules = ("faults.faults", "bench", "bench_acts", "bench_floor", "bench_dashboard", "installation")
    words = "; ".join(f"import script.{name}" for name in modules)
    environment = {name: text for name, text in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    started = subprocess.run([sys.executable, "-c", words], env=environment, capture_output=True, text=True)
    assert started.returncode == 0, started.stderr


def test_a_failure_says_how_to_run_its_fault_again(capsys):
    trial = Trial(FAULTS[0], ["a reason"])
    assert "FAILED" in report.headline(trial)
    assert report.how_to_repeat(trial, 7).endswith("script/test --faults -- --seed 7 --only worker-killed")
    assert "**no**: a reason" in report.page(report.run_of([trial], 7))


def test_a_fault_that_did_not_happen_fails_its_trial():
    ground = Ground(None, None, None)
    ground.needs(True, "no session was there to end")
    assert ground.problems == []
    ground.needs(False, "no session was there to end")
    assert ground.problems == ["no session was there to end, so the fault showed nothing"]


def test_a_disk_without_a_compiler_says_so_and_changes_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr("script.faults.disk.shutil.which", lambda name: None)
    disk = Disk(tmp_path)
    assert (disk.lacking, disk.environment) == ("there is no C compiler here (cc, gcc, clang)", {})


FILE_STORY = """
import errno, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
def attempt(step):
    try:
        step()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
steps = (
    lambda: os.pwrite(file, b"four", 0),
    lambda: os.pwrite(file, b"five", 4),
    lambda: os.write(file, b"eleven bytes"),
    lambda: os.posix_fallocate(file, 0, 90),
    lambda: os.fsync(file),
    lambda: os.fdatasync(file),
)
print(*map(attempt, steps))
"""


@pytest.mark.parametrize(
    ("failure", "fates"),
    [
        (Failure.NONE, "done done done done done done"),
        (Failure.FULL, "done ENOSPC ENOSPC ENOSPC done done"),
        (Failure.SYNC, "done done done done EIO EIO"),
    ],
)
def test_a_disk_fails_as_it_is_told(tmp_path, failure, fates):
    disk, file = Disk(tmp_path), tmp_path / "file"
    if disk.lacking:
        pytest.skip(disk.lacking)
    file.write_bytes(b"1234")
    with disk.failing(failure):
        ran = subprocess.run(
            [sys.executable, "-c", FILE_STORY, file],
            env={**os.environ, **disk.environment},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert ran.stdout.strip() == fates, ran.stderr


def test_the_page_of_a_run_names_the_run_before(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "FILE", tmp_path / "faults.json")
    report.write([Trial(FAULTS[0])], 7)
    report.write([Trial(FAULTS[0]), Trial(FAULTS[1], ["a | reason"])], 8, {"disk": "there is no compiler"})
    page = report.page(report.read())
    assert "Seed 8: 1 of 2 faults held. " in page and "Run before: Seed 7: 1 of 1 faults held." in page
    assert "Not tried: `disk`, because there is no compiler." in page
    assert f"| `{FAULTS[1].name}`: {FAULTS[1].title} | **no**: a / reason | 0.0 | 0, 0, 0 | 0.0 | 0 |" in page


def test_the_committed_run_is_of_every_fault():
    run = report.read()
    assert {result["fault"] for result in run["trials"]} | run["skipped"].keys() == {
        fault.name for fault in FAULTS
    }


def test_it_notices_a_log_that_nobody_can_read():
    assert log_problems([LogLine(0.0, "web-1", '{"level": "error", "message": "a reason"}')]) == []
    text, long = (
        LogLine(0.0, "web-1", "Traceback (most recent call last):"),
        LogLine(0.0, "ticker", "x" * 70_000),
    )
    assert log_problems([text, long]) == [
        "web-1 logged what is not JSON: Traceback (most recent call last):",
        "ticker logged 70 kB",
    ]


@pytest.mark.parametrize(("status", "outcome"), [(0, "passed"), (1, "failed"), (5, "skipped")])
def test_script_test_runs_it_as_a_step_whose_faults_count_as_tests(tmp_path, status, outcome):
    class Commands(checks.Commands):
        def run(self, command, *_, **__):
            ran.append(command)
            report.write_results([Trial(FAULTS[0]), Trial(FAULTS[1], ["a reason"])], tmp_path / "faults.xml")
            return status

    ran: list[list[str]] = []
    row = checks.run_faults(Commands(), {"redis"}, ["--quick"], tmp_path)
    assert (row.step, row.outcome) == ("faults", outcome)
    assert (row.counts["passed"], row.counts["failed"]) == (1, 1)
    assert ran[0][1:] == ["-m", "script.faults", f"--results={tmp_path}/faults.xml", "--quick", "--required"]


def test_the_report_says_what_an_operator_read():
    lines = itertools.repeat('{"level": "warning", "message": "a heartbeat failed at 0x7f"}', 3)
    log = [LogLine(0.0, "web-1", text) for text in (*lines, '{"level": "info", "message": "all is well"}')]
    assert report.operator_lines(Trial(FAULTS[0], log=log)) == ["3 × web warning: a heartbeat failed"]


def test_it_adds_what_each_throw_of_a_round_settled():
    def line(wager, returned, paid):
        money = {"cents": 1_000, "returned_cents": returned, "paid_cents": paid}
        return {"seat": 1, "wager": wager, "outcome": "win" if returned else "lose", **money}

    def throw(type_, seq, *lines):
        sums = {name: sum(wager[name] for wager in lines) for name in ("returned_cents", "paid_cents")}
        taken = sum(wager["cents"] - wager["returned_cents"] for wager in lines)
        data = {"round": 1, "taken_cents": taken, **sums, "settled": list(lines)}
        return RecordedAct("larkfield/T-41", seq, type_, "", data)

    first = throw("throw.settled", 1, line("penalty", 0, 0))
    last = throw("round.settled", 2, line("touchdown", 1_000, 3_000))
    row = PlayedRound("larkfield/T-41", 1, True, wagered_cents=2_000, taken_cents=1_000, paid_cents=3_000)
    facts = Facts((first, last), rounds=(row,))
    assert list(money_balances(facts)) == []
    assert any("different sums" in words for words in money_balances(replace(facts, entries=(last,))))
    less = replace(facts, rounds=(replace(row, wagered_cents=1_000),))
    assert any("not all taken or returned" in words for words in money_balances(less))
