"""Two machines: the files of `deploy/ha`, the network of namespaces, and what a run of faults says of itself.

The run is `script/test --faults -- --machines` (docs/testing.md).
"""

import contextlib
import shutil
import subprocess
import sys
import time
import tomllib

import pytest
import yaml

from config.settings.base import database_from, redis_addresses
from deploy.ha import configure
from deploy.ha.configure import NotComplete, Property
from script import environment
from script.faults import machines, machines_report
from script.faults.__main__ import NOT_HERE
from script.faults.__main__ import main as run_faults
from script.faults.ground import MachineFault
from script.faults.invariants import INVARIANTS
from script.faults.network import Network
from script.faults.price import Latency, Price
from script.faults.report import how_to_repeat
from script.faults.trial import Trial, longest_pause
from script.faults.two_machine_faults import TWO_MACHINE_FAULTS
from script.service_finder import ROOT, Unavailable
from script.tablet import Claim

EXAMPLE = ROOT / "deploy" / "ha" / "property.toml.example"


def told(**passwords: str) -> dict:
    """What the example tells, with passwords."""
    example = tomllib.loads(EXAMPLE.read_text())
    return example | {"passwords": {name: name[:8] for name in example["passwords"]} | passwords}


# The files


@pytest.mark.parametrize("machine", ["a", "b"])
def test_both_machines_have_every_file_and_each_names_its_own_address(machine):
    files = Property.of(told()).files(machine)
    assert set(files) == {path.name for path in configure.FILES.iterdir()}
    own, other = ("10.77.0.1", "10.77.0.2") if machine == "a" else ("10.77.0.2", "10.77.0.1")
    patroni = yaml.safe_load(files["patroni.yml"])
    assert patroni["postgresql"]["listen"] == f"{own}:5432"
    assert len(patroni["etcd3"]["hosts"]) == 3
    assert f"ETCD_ADVERTISE_CLIENT_URLS=http://{own}:2379" in files["etcd.env"]
    assert (
        f"unicast_src_ip {own}" in files["keepalived.conf"] and f"\t\t{other}\n" in files["keepalived.conf"]
    )
    assert all("${" not in text for text in files.values())


def test_the_third_machine_only_votes():
    assert set(Property.of(told()).files("c")) == {"etcd.env"}


def test_a_primary_is_never_replaced_by_a_database_that_lacks_what_was_acknowledged():
    patroni = yaml.safe_load(Property.of(told()).files("a")["patroni.yml"])["bootstrap"]["dcs"]
    assert (patroni["synchronous_mode"], patroni["synchronous_mode_strict"]) == (True, False)
    assert patroni["check_timeline"] is True
    lock = (ROOT / "requirements" / "patroni.txt").read_text()
    version = next(line for line in lock.splitlines() if line.startswith("patroni=="))
    assert int(version.split("==")[1].split(".")[0]) >= 4


def test_every_process_asks_for_the_database_that_leads_and_knows_both_redis():
    files = Property.of(told(application="p@ss:word/1")).files("b")
    variables = dict(
        line.split("=", 1) for line in files["pitside.env"].splitlines() if not line.startswith("#")
    )
    database = database_from(variables["DATABASE_URL"])
    assert (database["HOST"], database["PORT"]) == ("10.77.0.2,10.77.0.1", "5432,5432")
    assert (database["USER"], database["PASSWORD"]) == ("pitside_app", "p@ss:word/1")
    assert database["OPTIONS"]["target_session_attrs"] == "read-write"
    first, second = redis_addresses(variables["REDIS_URL"])
    assert "@10.77.0.1:" in first and "@10.77.0.2:" in second
    assert (
        "target_session_attrs=read-write" in files["sealer.env"] and "SECRET_KEY" not in files["sealer.env"]
    )


@pytest.mark.parametrize("password", sorted(told()["passwords"]))
def test_no_file_is_written_without_each_password(tmp_path, password):
    with pytest.raises(NotComplete, match=password):
        Property.of(told(**{password: ""}))


def test_the_command_writes_files_that_only_their_owner_reads(tmp_path):
    text = EXAMPLE.read_text()
    for name in told()["passwords"]:
        text = text.replace(f'{name} = ""', f'{name} = "{name[:8]}"')
    (tmp_path / "property.toml").write_text(text)
    command = [sys.executable, "deploy/ha/configure.py", tmp_path / "property.toml", "b", tmp_path / "b"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    written = sorted(path.name for path in (tmp_path / "b").iterdir())
    assert written == sorted(Property.read(text).files("b"))
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "b").iterdir()} == {0o600}
    (tmp_path / "property.toml").write_text(EXAMPLE.read_text())
    refused = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert refused.returncode == 1 and "the password superuser is empty" in refused.stderr


@pytest.mark.skipif(shutil.which("haproxy", path=machines.PATH) is None, reason="no haproxy")
def test_haproxy_accepts_its_file(tmp_path):
    given = told()
    given["front"]["bind"] = ":8443"
    (tmp_path / "haproxy.cfg").write_text(Property.of(given).files("a")["haproxy.cfg"])
    command = [shutil.which("haproxy", path=machines.PATH), "-c", "-q", "-f", tmp_path / "haproxy.cfg"]
    assert subprocess.run(command, check=False, capture_output=True, text=True).stderr == ""


# The network


@pytest.mark.skipif(bool(machines.lacking()), reason=machines.lacking() or "two machines can be made")
def test_a_machine_that_is_cut_off_answers_nothing_and_one_without_power_has_no_process(tmp_path):
    (tmp_path / "index.html").write_text("here")
    ask = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=2).read().decode())"
    with contextlib.ExitStack() as stack:
        network = Network(stack, {"a": "10.78.0.1", "b": "10.78.0.2"})
        serve = network.command("a", [sys.executable, "-m", "http.server", "80", "--bind", "10.78.0.1"])
        server = subprocess.Popen(serve, cwd=tmp_path, stderr=subprocess.DEVNULL)
        question = network.command("b", [sys.executable, "-c", ask, "http://10.78.0.1"])

        def answers() -> bool:
            return subprocess.run(question, check=False, capture_output=True, text=True).stdout == "here\n"

        deadline = time.monotonic() + 20
        while not answers():
            assert time.monotonic() < deadline
        network.cut("a")
        assert not answers() and server.poll() is None
        network.join("a")
        assert answers() and network.has("a", "10.78.0.1") and not network.has("a", "10.78.0.2")
        network.power_off("a")
        assert server.wait(10) < 0 and network.pids("a") == []
        network.power_on("a")
        assert network.has("a", "10.78.0.1")
    assert (
        "10.78"
        not in subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    )


def test_where_two_machines_cannot_be_made_it_is_said_why(monkeypatch):
    monkeypatch.setattr(machines, "PROGRAMS", ("a-program-that-nobody-has",))
    monkeypatch.setattr(machines.os, "geteuid", lambda: 0)
    monkeypatch.setattr(machines.sys, "platform", "linux")
    assert machines.lacking().startswith("no a-program-that-nobody-has (Debian: apt-get install ")
    monkeypatch.setattr(machines.os, "geteuid", lambda: 1_000)
    with pytest.raises(Unavailable, match="root"):
        machines.TwoMachines(contextlib.ExitStack(), None)


def test_what_is_missing_is_installed_where_that_is_asked_for(monkeypatch, capsys):
    installed: list[str] = []
    monkeypatch.setattr(machines, "lacking", lambda: "no etcd")
    monkeypatch.setattr(environment, "is_debian_root", lambda: True)
    monkeypatch.setattr(environment, "install_packages", installed.extend)
    assert run_faults(["--machines"]) == NOT_HERE and installed == []
    assert run_faults(["--machines", "--install-system"]) == NOT_HERE and "etcd-server" in installed
    assert "Faults cannot be injected: no etcd." in capsys.readouterr().err


# What a run says


def trial(**facts) -> Trial:
    fault = MachineFault("machine-lost", "a machine loses its power", TWO_MACHINE_FAULTS[0].inject)
    return Trial(fault, **facts)


def test_the_longest_pause_is_of_one_table_and_begins_with_the_act_before():
    claims = [
        Claim("", place, "act", answered - 0.1, "taken", 200, "", 1, 1, answered)
        for place, moments in (("T-01", (1.0, 2.0, 9.5, 10.0)), ("T-02", (3.0, 4.0, 5.0, 8.0)))
        for answered in moments
    ]
    claims.append(Claim("", "T-01", "act", 5.0, "refused", 422, "no", 0, 1, 5.1))
    assert longest_pause(claims, since=4.0) == 7.5
    assert longest_pause(claims, since=9.6) == 0.5


def test_the_page_counts_by_the_invariants_that_there_are_and_says_how_to_repeat_a_fault():
    names = {invariant.__name__ for invariant in INVARIANTS}
    assert {name for of in machines_report.COUNTS.values() for name in of} <= names
    violations = {name: list[str]() for name in names} | {"acknowledged_acts_are_recorded": ["one", "two"]}
    row = machines_report.row(trial(violations=violations, pause=7.25, problems=["one", "two"]))
    assert "| **no**: one; two | 2 | 0 | 0 | 0 | 7.2 |" in row and row.endswith("| nobody |")
    assert "| ? | ? | ? | ? |" in machines_report.row(trial())
    page = machines_report.page(
        [trial(violations=violations)], Price(Latency(9, 20, 30), Latency(9, 10, 15), 1.0), 7
    )
    assert "Seed 7: 1 of 1 faults held." in page and "| `true` | 9 | 20 ms | 30 ms |" in page
    assert "--faults -- --machines --seed 7 --only machine-lost" in how_to_repeat(trial(), 7)


def test_a_latency_is_of_acts_that_were_taken_at_once():
    claims = [
        Claim("", "T-01", "act", 1.0, fate, 200, "", 1, tries, 1.0 + seconds)
        for seconds, fate, tries in (
            (0.01, "taken", 1),
            (0.02, "taken", 1),
            (9.0, "taken", 2),
            (9.0, "refused", 1),
        )
    ]
    assert Latency.of(claims) == Latency(2, pytest.approx(20), pytest.approx(20))
    assert Latency.of([]) == Latency(0, 0.0, 0.0)


def test_the_committed_page_is_of_every_fault():
    page = machines_report.FILE.read_text()
    assert all(f"| `{fault.name}`: {fault.title} |" in page for fault in TWO_MACHINE_FAULTS)
    assert f"{len(TWO_MACHINE_FAULTS)} of {len(TWO_MACHINE_FAULTS)} faults held" in page
