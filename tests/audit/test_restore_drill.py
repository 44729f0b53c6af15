"""A backup is restored, verified and compared before it is needed; what could not be done has never passed."""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError

from audit import clock, drill, notes
from audit.models import Entry
from audit.sealing.log import Log, current_incarnation
from audit.verification import verify
from script import services
from script.service_finder import end, run_to_end, run_until_the_end, throwaway_directory, unprivileged_user

from .conftest import MOMENT
from .sealed import DAY, SECOND, WITNESS, House

ROOT = Path(__file__).resolve().parents[2]
OTHER = notes.Signer("witness.example/w2", bytes(range(1, 33)), notes.COSIGNATURE)
NEW = drill.Backup("20261121-120000F", MOMENT)
OLD = drill.Backup("20261101-120000F_20261112-120000D", MOMENT - 8 * DAY)
WITNESSES = f"http://127.0.0.1:9 {WITNESS.verifier.vkey}"


@pytest.fixture
def house(write, tmp_path, settings):
    """Three seals, a second apart, of which a witness has cosigned the second."""
    settings.WITNESSES = WITNESSES
    house = House(tmp_path / "sealer", write)
    for number in range(3):
        house.act(number * SECOND)
        checkpoint = house.seal(number * SECOND)
        if number == 1:
            house.cosign(checkpoint)
    return house


def result(**options):
    """The result of a drill of the test's own database, and that its entry says the same."""
    options = {"monotonic": iter(range(0, 10_000, 7)).__next__, "sleep": lambda _seconds: None, **options}
    found = drill.Drill(options.pop("restored", "postgres://restored"), **options).run()
    entry = Entry.objects.filter(type="restore.drilled").latest("seq")
    assert (entry.stream.name, json.loads(bytes(entry.body))["data"]) == ("installation/system", vars(found))
    return found


@pytest.fixture
def restored(monkeypatch):
    """The test's own database as if it had been restored: what is examined may be replaced."""

    def examined(_restored, witnessed, **changes):
        return replace(drill.examine(witnessed), **changes)

    monkeypatch.setattr(drill, "live_lock", contextlib.nullcontext)
    monkeypatch.setattr(drill.Drill, "_wait_until_restored", lambda _self: NEW)
    monkeypatch.setattr(drill, "examine_apart", examined)
    return examined


@pytest.mark.both_databases
def test_a_backup_that_is_the_witnessed_record_passes(house, restored):
    with clock.override(MOMENT + 60 * SECOND):
        passed = result()
    assert (passed.outcome, passed.why, passed.bad, passed.behind_seconds) == ("passed", "", 0, 0)
    assert (passed.backup, passed.compared, passed.streams) == ("20261121-120000F", 1, 2)
    assert passed.entries == verify().entries - 1, "all but the entry of the drill itself"


@pytest.mark.both_databases
def test_a_backup_that_is_too_old_or_has_a_fault_fails(house, restored, monkeypatch):
    with clock.override(MOMENT + 60 * SECOND):
        monkeypatch.setattr(drill.Drill, "_wait_until_restored", lambda _self: OLD)
        assert result().why == "The newest backup is older than 8 days."
        monkeypatch.setattr(
            drill, "examine_apart", lambda *given: restored(*given, bad=5, findings=["Entry 4 was changed."])
        )
        failed = result(limits=drill.Limits(oldest_days=30))
    assert (failed.outcome, failed.bad) == ("failed", 5)
    assert failed.why == "Entry 4 was changed. 4 more faults."


def checked(change, most_lost=300):
    (witnessed,) = drill.witnessed_checkpoints()
    log = change(witnessed)
    behind = drill.seconds_behind(witnessed, log)
    return behind, drill.faults_of_log(witnessed, log, behind, most_lost)


@pytest.mark.both_databases
def test_a_log_must_be_the_witnessed_one_and_end_not_long_before(house):
    live = Log(current_incarnation())
    at = [clock.format_moment(MOMENT + number * SECOND) for number in range(3)]
    assert drill.witnessed_checkpoints()[0].size == 2
    whole = drill.RestoredLog(3, live.root(2).hex(), at[2])
    shorter = drill.RestoredLog(1, live.root(1).hex(), at[0])
    assert checked(lambda _: whole) == (0, [])
    assert checked(lambda _: shorter) == (1, [])
    assert checked(lambda _: shorter, most_lost=0) == (
        1,
        [f"The restored log {live.origin} ends 1 s before what was witnessed."],
    )
    for other in (
        replace(whole, root=live.root(3).hex()),
        replace(shorter, root="00" * 32),
        replace(whole, root=None),
    ):
        _, (fault,) = checked(lambda _, other=other: other)
        assert "is not the one that was witnessed" in fault
    assert checked(lambda _: drill.RestoredLog(0, None, None)) == (
        1,
        [f"The restored record has nothing of {live.origin}."],
    )


@pytest.mark.both_databases
def test_without_a_known_witness_a_drill_could_not_run(house, restored, settings):
    with clock.override(MOMENT + 60 * SECOND):
        settings.WITNESSES = ""
        assert result().why == "No witness is configured: set PITSIDE_WITNESSES."
        settings.WITNESSES = WITNESSES
        settings.WITNESSES = f"http://127.0.0.1:9 {OTHER.verifier.vkey}"
        could_not = result()
    assert (could_not.outcome, could_not.entries) == ("could-not-run", 0)
    assert "is cosigned by a witness that is configured here" in could_not.why


@pytest.mark.both_databases
def test_what_ends_a_drill_early_is_written_as_could_not_run(house, restored, monkeypatch):
    def fail(*_):
        raise OperationalError("the connection was closed\nby the server")

    with clock.override(MOMENT + 60 * SECOND):
        assert result(restored="").why.startswith("No backup was restored")
        monkeypatch.setattr(drill, "examine_apart", fail)
        could_not = result()
    assert (could_not.outcome, could_not.why) == (
        "could-not-run",
        "A database did not answer: the connection was closed",
    )


@pytest.mark.postgres
def test_it_waits_for_the_restored_database_and_says_why_it_did_not_come(house, monkeypatch):
    monkeypatch.setattr(
        drill.psycopg, "connect", lambda *_a, **_k: (_ for _ in ()).throw(psycopg.OperationalError("no"))
    )
    with clock.override(MOMENT + 60 * SECOND):
        could_not = result(limits=drill.Limits(wait_seconds=30))
    assert could_not.why == "The restored database did not answer within 30 s: no"


# Real backups


FILL = """
import sys
from pathlib import Path
import django; django.setup()
from django.db import transaction
from audit import clock, record
from audit.models import Cosignature
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tests.audit.sealed import WITNESS
from tests.services.entries import any_entry
folder = Path(sys.argv[1])
if not (folder / keys.KEY_FOLDER).exists():
    (folder / keys.KEY_FOLDER).mkdir(parents=True)
    keys.create(folder)
moment = clock.now()
with transaction.atomic():
    stream = record.lock_stream("larkfield/T-04")
    day = clock.gaming_day("larkfield", moment)
    record.append(stream, entry=any_entry("round.opened", {"round": 1}), moment=moment, gaming_day=day)
checkpoint = Sealer(folder).seal()
line = WITNESS.signature(checkpoint.note.partition("\\n\\n")[0] + "\\n", 1_800_000_000).line
Cosignature.objects.create(checkpoint=checkpoint, name=WITNESS.name, line=line, at=moment)
"""
STANZA = """[global]
repo1-path={home}/repo
lock-path={home}/lock
log-level-file=off
start-fast=y
compress-type=none
repo1-retention-full=2
[pitside]
pg1-path={home}/live
pg1-socket-path={home}
pg1-user=postgres
"""


class Casino:
    """A PostgreSQL that archives its log, and its backups. `home` belongs to the user who runs it."""

    is_backed_up = False
    copies = itertools.count(1)

    def __init__(self, home: Path, sealer: Path) -> None:
        self.home, self.sealer = home, sealer
        self.url = f"postgres://postgres@/pitside?host={home}"
        self.environment = {
            **os.environ,
            "DATABASE_URL": self.url,
            "DJANGO_SETTINGS_MODULE": "config.settings.local",
            "DEMO": "1",
            "PGBACKREST_CONFIG": str(home / "pgbackrest.conf"),
            "PITSIDE_WITNESSES": WITNESSES,
            "PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "RESTORED_LOGIN": "postgres",
            "TMPDIR": str(home),
            "HOME": str(home),
        }

    def pgbackrest(self, *arguments: str | Path) -> None:
        command = ["pgbackrest", "--stanza=pitside", *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd="/",
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
            **unprivileged_user(),
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def python(self, *arguments: str | Path) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def play(self) -> None:
        """An entry, sealed and cosigned."""
        self.python("-c", FILL, self.sealer)

    def back_up(self) -> None:
        """A backup, and an archived entry after it; once for all tests."""
        if not self.is_backed_up:
            self.play()
            assert "full backup" in self.run("backup.sh", "full").stdout
            self.play()
            self.archive()
            self.is_backed_up = True

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(ROOT / "deploy" / "backup" / script), *arguments]
        how = {
            "cwd": "/",
            "env": self.environment,
            "capture_output": True,
            "text": True,
            **unprivileged_user(),
        }
        return subprocess.run(command, check=False, **how)

    def execute(self, statement: str, url: str = "") -> tuple | None:
        with psycopg.connect(url or self.url, autocommit=True) as line:
            cursor = line.execute(statement)
            return cursor.fetchone() if cursor.description else None

    def archive(self) -> None:
        """Have all that is written archived."""
        (segment,) = self.execute("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.execute("SELECT pg_switch_wal()")
        deadline = time.monotonic() + 60
        while (self.execute("SELECT last_archived_wal FROM pg_stat_archiver")[0] or "") < segment:
            assert time.monotonic() < deadline, "the log was not archived"
            time.sleep(0.2)

    def copy(self, url: str) -> str:
        """The address of another database of the same server, with the same content."""
        name = f"altered_{next(self.copies)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE pitside", url.replace("/pitside?", "/postgres?"))
        return url.replace("/pitside?", f"/{name}?")

    def alter(self, url: str, statements: str) -> None:
        """Alter a restored record past its guards."""
        with psycopg.connect(url) as line:
            for table in ("audit_entry", "audit_stream"):
                line.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            for statement in statements.split(";"):
                changed = line.execute(statement).rowcount
                assert changed >= 1, statement

    def drill(self, *arguments: str) -> tuple[int, dict]:
        return self.result_of(self.run("drill.sh", "--wait", "60", *arguments))

    def drill_restored(self, url: str) -> tuple[int, dict]:
        """Drill a database that is restored already."""
        command = [sys.executable, "manage.py", "restore_drill", "--restored", url]
        return self.result_of(
            subprocess.run(
                command, cwd=ROOT, env=self.environment, check=False, capture_output=True, text=True
            )
        )

    def result_of(self, done: subprocess.CompletedProcess[str]) -> tuple[int, dict]:
        """The exit status of a drill, and what its entry says."""
        drills = "SELECT convert_from(body, 'UTF8') FROM audit_entry WHERE type = 'restore.drilled'"
        row = self.execute(f"{drills} ORDER BY seq DESC LIMIT 1")
        assert row is not None, done.stderr
        print(done.stderr)  # shown with a failure
        return done.returncode, json.loads(row[0])["data"]


@pytest.fixture(scope="module")
def casino(tmp_path_factory):
    binaries = services.postgres_binaries()
    if shutil.which("pgbackrest") is None or binaries is None:
        pytest.skip("pgBackRest and PostgreSQL's own binaries are not both on this machine")
    reads = subprocess.run(
        [sys.executable, "-c", "import django"], cwd="/", check=False, **unprivileged_user()
    )
    if reads.returncode:
        pytest.skip("the unprivileged user of temporary services cannot run this Python")
    with contextlib.ExitStack() as stack:
        home = throwaway_directory(stack, "backups")
        services.make_cluster(binaries, home / "live")
        conf = home / "pgbackrest.conf"
        conf.write_text(STANZA.format(home=home))
        push = f"pgbackrest --config={conf} --stanza=pitside archive-push %p"
        settings = ["listen_addresses=", "fsync=off", "archive_mode=on", f"archive_command={push}"]
        command = services.postgres_command(binaries, home / "live", settings)
        casino = Casino(home, tmp_path_factory.mktemp("keys") / "sealer")
        run_until_the_end(stack, command, lambda: services.postgres_answers(casino.url))
        run_to_end([binaries / "createdb", "--host", home, "--username", "postgres", "pitside"])
        casino.python("manage.py", "migrate", "--verbosity", "0")
        yield casino


@pytest.mark.postgres
def test_without_a_backup_a_drill_could_not_run(casino, monkeypatch):
    monkeypatch.setitem(casino.environment, "PITSIDE_STANZA", "another")
    status, could_not = casino.drill()
    assert (status, could_not["outcome"]) == (2, "could-not-run")
    assert could_not["why"].startswith("No backup was restored")


@pytest.mark.postgres
def test_the_newest_backup_passes_with_what_was_archived_since(casino):
    casino.back_up()
    status, passed = casino.drill()
    assert (status, passed["outcome"], passed["why"]) == (0, "passed", "")
    assert (passed["behind_seconds"], passed["bad"], passed["compared"]) == (0, 0, 1)
    assert passed["backup"].endswith("F") and passed["entries"] >= 4


@pytest.mark.postgres
def test_the_live_database_is_not_taken_for_a_restored_one(casino):
    casino.back_up()
    live = [sys.executable, "manage.py", "restore_drill", "--restored", casino.url]
    done = subprocess.run(live, cwd=ROOT, env=casino.environment, check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "is that of the live one" in done.stdout


@pytest.mark.postgres
def test_a_backup_that_lacks_the_newest_of_the_record_fails(casino):
    casino.back_up()
    casino.play()
    status, failed = casino.drill("--most-lost", "0")
    casino.archive()
    assert (status, failed["outcome"]) == (1, "failed"), "nothing of it was archived"
    assert failed["behind_seconds"] >= 1
    assert f"ends {failed['behind_seconds']} s before what was witnessed" in failed["why"]


@pytest.mark.postgres
def test_a_backup_is_restored_to_a_moment(casino):
    casino.back_up()
    before, moment = casino.execute("SELECT count(*), clock_timestamp()::text FROM audit_entry")
    casino.play()
    casino.archive()
    assert restored_entries(casino, moment) == before < casino.execute("SELECT count(*) FROM audit_entry")[0]


# Each statement alters the restored database as nobody may: the record that comes of it must never pass.
ALTERATIONS = {
    "a changed byte": """UPDATE audit_entry SET body = set_byte(body, 40, get_byte(body, 40) # 1)
        WHERE id = (SELECT min(id) FROM audit_entry WHERE type = 'round.opened')""",
    "a missing entry": """DELETE FROM audit_entry
        WHERE id = (SELECT min(id) FROM audit_entry WHERE type = 'round.opened')""",
    "a tail before what was witnessed": """DELETE FROM audit_entry WHERE stream_id = {stream} AND seq > 1;
        UPDATE audit_stream SET seq = 1, (head, last_at) = (SELECT hash, at FROM audit_entry WHERE stream_id = {stream})
        WHERE id = {stream}""",
}


@pytest.mark.postgres
def test_an_altered_backup_fails_and_never_passes(casino):
    casino.back_up()
    (began,) = casino.execute("SELECT extract(epoch FROM now())::int")
    with restored_server(casino) as url:
        (setting,) = casino.execute("SELECT current_setting('pitside.backup_began')::int", url)
        assert began - 3600 < setting <= began, "in UTC, whatever zone the label is in"
        (stream,) = casino.execute("SELECT id FROM audit_stream WHERE name = 'larkfield/T-04'", url)
        for name, statement in ALTERATIONS.items():
            altered = casino.copy(url)
            casino.alter(altered, statement.format(stream=stream))
            status, failed = casino.drill_restored(altered)
            assert (name, status, failed["outcome"]) == (name, 1, "failed"), failed
        status, passed = casino.drill_restored(url)
        assert (status, passed["outcome"]) == (0, "passed"), passed["why"]


CALLS = """
import django; django.setup()
from tables.monitoring import Installation
print(*(sample.labels["outcome"] for family in Installation("default").collect() for sample in family.samples
    if sample.name == "pitside_restore_drill" and sample.value == 1))
"""


@pytest.mark.postgres
def test_a_backup_of_an_altered_record_is_drilled_as_failed_and_calls(casino):
    """The repository's newest backup is whole and true to itself: the record in it is another one."""
    casino.back_up()
    with restored_server(casino) as url:
        casino.alter(url, ALTERATIONS["a changed byte"])
        folder = Path(url.partition("host=")[2])
    casino.pgbackrest("--pg1-path", folder / "data", "--no-online", "--type=full", "backup")
    newest = max((casino.home / "repo" / "backup" / "pitside").glob("*F")).name
    try:
        status, failed = casino.drill()
        assert (status, failed["outcome"], failed["backup"]) == (1, "failed", newest)
        assert failed["bad"] >= 1 and "T-04" in failed["why"]
        assert casino.python("-c", CALLS).split() == ["failed"], "for which the rule DrillFailed calls"
    finally:
        casino.pgbackrest(f"--set={newest}", "expire")


@pytest.mark.postgres
def test_a_backup_whose_file_is_damaged_could_not_run(casino):
    casino.back_up()
    newest = max((casino.home / "repo" / "backup" / "pitside").glob("*F"))
    bundle = max(newest.rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    content = bundle.read_bytes()
    place = len(content) // 2
    bundle.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    try:
        status, could_not = casino.drill()
    finally:
        bundle.write_bytes(content)
    assert (status, could_not["outcome"]) == (2, "could-not-run")


def restored_entries(casino: Casino, moment: str) -> int:
    """How many entries the record has that is restored to a moment."""
    with restored_server(casino, moment) as url:
        return int(casino.execute("SELECT count(*) FROM audit_entry", url)[0])


@contextlib.contextmanager
def restored_server(casino: Casino, *moment: str) -> Iterator[str]:
    """The address of a throwaway server with the newest backup, or the record of a moment."""
    folder = Path(tempfile.mkdtemp(prefix="restored", dir=casino.home))
    folder.chmod(0o777)
    command = [str(ROOT / "deploy" / "backup" / "restored.sh"), str(folder), *moment]
    server = subprocess.Popen(
        command,
        cwd="/",
        env=casino.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **unprivileged_user(),
    )
    url, deadline = f"postgres://postgres@/pitside?host={folder}", time.monotonic() + 120
    try:
        while not services.postgres_answers(url):
            assert server.poll() is None and time.monotonic() < deadline, "it was not restored"
            time.sleep(0.2)
        yield url
    finally:
        end(server)
