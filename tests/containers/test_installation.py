"""docker-compose.yml in containers: a first day, an upgrade and the way back in play, new keys, a restored backup.

Everything runs as docs/deployment.md says, through Caddy with its own certificate, and people work in Chromium. The
tests follow each other on one installation. `script/test --containers` runs them where Docker or podman is
(docs/testing.md).
"""

import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import expect

from audit import release
from audit.notes import Signer
from script.containers import ROOT, Composition, Engine, Failed, run
from tests.e2e.first_day import FACILITY, People, Podium, Server, deal_the_first_round
from tests.e2e.floor import Tablet
from tests.services import chromium as chrome
from tests.services.installation import free_port
from tests.tables.cast import PIN

pytestmark = [pytest.mark.containers, pytest.mark.browser]
OLD, NEW = "0.1.0", "0.1.1"
APPLICATION = ("web-1", "web-2", "ticker", "exporter", "sealer")
SERVICES = (*APPLICATION, "postgres", "redis", "caddy")
CHIP = 2_500
SEATS = 4  # whose wagers a tablet shows without scrolling when they are paid
NAME = "localhost"


class Installation(Server):
    """The services of docker-compose.yml on an empty database."""

    build = OLD

    def __init__(self, engine: Engine, folder: Path) -> None:
        super().__init__()
        self.engine, self.folder, self.port = engine, folder, free_port()
        passwords = {
            name: secrets.token_urlsafe(16) for name in ("POSTGRES", "MIGRATE", "APP", "SEALER", "REDIS")
        }

        def database(role: str, password: str) -> str:
            return f"postgres://{role}:{passwords[password]}@postgres:5432/pitside"

        settings = {
            **{f"{name}_PASSWORD": password for name, password in passwords.items()},
            "DATABASE_URL": database("pitside_app", "APP"),
            "OWNER_DATABASE_URL": database("pitside_migrate", "MIGRATE"),
            "SEALER_DATABASE_URL": database("pitside_seal", "SEALER"),
            "ADMIN_DATABASE_URL": database("postgres", "POSTGRES"),
            "REDIS_URL": f"redis://:{passwords['REDIS']}@redis:6379/0",
            "SECRET_KEY": secrets.token_urlsafe(64),
            "ALLOWED_HOSTS": NAME,
            "SITE_NAME": NAME,
            "HTTP_PORT": f"127.0.0.1:{free_port()}",
            "HTTPS_PORT": f"127.0.0.1:{self.port}",
            "CLIENTS_PORT": f"127.0.0.1:{free_port()}",
            "PITSIDE_LOG_ORIGIN": "containers.test/record",
            "DEVICE_IDLE_LOCK_SECONDS": "86400",  # nobody taps while services are replaced
            "PITSIDE_BUILD": OLD,
            **engine.base_images(),
        }
        self.composition = Composition(engine, f"pitside-{secrets.token_hex(3)}", settings, ROOT)

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}"

    def make_image(self, build: str, source: Path) -> None:
        """The image of a version, from the files of `source`."""
        python = self.composition.settings.get("PYTHON_IMAGE", "python:3.12-slim")
        self.engine.build(f"pitside:{build}", source, {"PITSIDE_BUILD": build, "PYTHON_IMAGE": python})

    def type(self, words: list[str], typed: str = "") -> str:
        return self.composition.type("web-1", "python", "manage.py", *words, typed=typed)

    def query(self, statement: str) -> list[str]:
        """The lines that psql prints for a query, their columns separated by commas."""
        command = ["psql", "--username=postgres", "--dbname=pitside", "--csv", "--tuples-only"]
        return self.composition.type("postgres", *command, f"--command={statement}").splitlines()

    def rounds(self) -> list[tuple[str, ...]]:
        """Number, ending and wagered cents of each round."""
        lines = self.query("SELECT number, ending, wagered_cents FROM tables_round ORDER BY number")
        return [tuple(line.split(",")) for line in lines]

    def upgrade(self, build: str, *, migrates: bool) -> None:
        """Replace the software service by service, as docs/deployment.md says."""
        self.composition.settings["PITSIDE_BUILD"] = build
        if migrates:
            for service in ("migrate", "roles"):
                self.composition.run_to_end(service)
        self.composition.replace(*APPLICATION)


class Day(NamedTuple):
    """The installation, and the people at their pages."""

    server: Installation
    people: People


def source_of(revision: str, folder: Path) -> Path:
    """The files of a revision, for the software that is replaced; without one, those of this tree."""
    if not revision:
        return ROOT
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    installation = Installation(
        Engine.read(os.environ["TEST_CONTAINERS"]), tmp_path_factory.mktemp("containers")
    )
    older = source_of(os.environ.get("TEST_UPGRADE_FROM", ""), tmp_path_factory.mktemp("older"))
    installation.make_image(OLD, older)
    installation.make_image(NEW, ROOT)
    with installation.composition.running():
        installation.composition.type("sealer", "python", "manage.py", "sealer_key", "create")
        yield installation


@pytest.fixture(scope="module")
def day(server: Installation, contexts: chrome.Contexts) -> Iterator[Day]:
    own = chrome.Contexts(contexts.browser, trust_all=True)
    pages = chrome.Pages(own, server.url)
    expect.set_options(timeout=4 * chrome.EXPECT_TIME)
    yield Day(server, deal_the_first_round(server, pages))
    expect.set_options(timeout=chrome.EXPECT_TIME)
    for context in own.kinds:
        context.close()
    assert pages.errors == []


def test_every_service_is_healthy_and_may_do_little(server):
    server.composition.wait_until_healthy(*SERVICES)
    for service in SERVICES:
        host = server.composition.inspect(service)["HostConfig"]
        assert host["ReadonlyRootfs"], service
        assert host["Memory"] > 0, service
        assert any("no-new-privileges" in option for option in host["SecurityOpt"]), service
    for service in APPLICATION:
        container = server.composition.inspect(service)
        assert container["Config"]["User"] == "pitside"
        assert (
            server.composition.type(service, "sh", "-c", "grep CapEff /proc/self/status").split()[1]
            == "0" * 16
        )


def test_an_inspector_compares_every_file_with_the_list_of_the_release(server):
    """Made in the image of the release, with a key that is not in it."""
    key = Signer("releases.example", secrets.token_bytes(32))
    composition = server.composition
    sign = "cat > /tmp/key && python manage.py manifest --sign /tmp/key"
    listed = composition.type("web-1", "sh", "-c", sign, typed=key.private) + "\n"
    check = 'cat > /tmp/list && python manage.py manifest --check /tmp/list --key "$0"'
    said = composition.type("web-2", "sh", "-c", check, key.verifier.vkey, typed=listed)
    assert said == f"good: every file is that of pitside {OLD}, signed by releases.example."
    changed = listed.replace("  audit/chain.py\n", "  audit/chains.py\n")
    with pytest.raises(Failed, match="signature"):
        composition.type("web-2", "sh", "-c", check, key.verifier.vkey, typed=changed)
    tampered = f"cp -r /pitside /tmp/pitside && cd /tmp/pitside && echo >> audit/chain.py && {check}"
    with pytest.raises(Failed):
        composition.type("web-2", "sh", "-c", tampered, key.verifier.vkey, typed=listed)


def test_the_bill_of_materials_names_every_package_of_the_lock():
    made = run([sys.executable, "-m", "script.sbom"])
    named = {component["name"] for component in json.loads(made)["components"]}
    assert named == set(re.findall(r"^([a-z0-9-]+)==", (ROOT / release.LOCK).read_text(), re.MULTILINE))


def test_the_first_day_ends_with_a_settled_round(day):
    assert day.server.rounds() == [("1", "settled", "2500")]
    assert is_verified(day.server)


def is_verified(server: Installation) -> bool:
    """Whether the record verifies, in the installation and by an export that an outsider checks."""
    assert server.type(["verify_record", "--read-only"]).startswith("good: ")
    lines = server.folder / "record.jsonl"
    lines.write_text(server.type(["audit_export", "--facility", FACILITY]) + "\n")
    checked = subprocess.run(
        ["python3", str(ROOT / "audit" / "verify.py"), str(lines)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
    return True


def play_on_while(tablet: Tablet, replace: Callable[[], None]) -> int:
    """Deal a round whose wagers are placed while something is replaced. Returns how many were placed."""
    failures: list[Exception] = []

    def run() -> None:
        try:
            replace()
        except Exception as error:  # shown by the thread that waits for it
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    placed = 0
    while thread.is_alive() or not placed:
        tablet.place((1 + placed % SEATS, "big", CHIP))
        placed += 1
        tablet.page.wait_for_timeout(1_000)
    thread.join()
    assert failures == []
    finish_round(tablet)
    return placed


def finish_round(tablet: Tablet) -> None:
    for label in ("Shaken", "No more bets"):
        tablet.step(label)
    tablet.call(2, 5, 6)
    tablet.pay_all()
    tablet.step("Layout cleared")
    tablet.is_in("open")


def approve_version(office: Podium, compliance: Podium, build: str) -> None:
    """Noah records the approval of a version at the table, and Carla approves it."""
    office.follow("Equipment")
    office.record_approval('.software [data-open="approve"]', f"AP-{build}", versions=build)
    compliance.approve(1)


def builds_of(server: Installation, number: int) -> Counter[str]:
    """The versions that wrote the entries of a round, and how many each."""
    statement = (
        "SELECT convert_from(body, 'UTF8')::json ->> 'build' FROM audit_entry "
        f"WHERE round = {number} AND type LIKE 'wager%' ORDER BY seq"
    )
    return Counter(server.query(statement))


def test_a_round_is_dealt_while_the_software_is_replaced_and_another_on_the_way_back(day):
    server, people = day
    approve_version(people.office, people.compliance, NEW)
    assert "the way back is open" in server.type(["check_upgrade", NEW])
    for number, (build, migrates) in enumerate(((NEW, True), (OLD, False)), start=2):
        placed = play_on_while(
            people.tablet, lambda build=build, migrates=migrates: server.upgrade(build, migrates=migrates)
        )
        assert server.rounds()[-1] == (str(number), "settled", str(placed * CHIP))
        wrote = builds_of(server, number)
        assert set(wrote) == {OLD, NEW}
        assert wrote.total() == placed
        people.tablet.page.reload()
        people.tablet.is_live()
    assert is_verified(server)


def test_keys_are_replaced_while_tablets_stay_signed_in(day):
    server, people = day
    composition = server.composition
    said = composition.type("sealer", "python", "manage.py", "sealer_key", "rotate")
    old = [line.split()[1] for line in said.splitlines() if "still signs" in line]
    assert len(old) >= 1
    people.tablet.place((1, "big", CHIP))
    finish_round(people.tablet)
    for key in old:
        composition.type("sealer", "python", "manage.py", "sealer_key", "retire", key)
    settings = composition.settings
    old_key, new_key = settings["SECRET_KEY"], secrets.token_urlsafe(64)
    # A worker with the old key alone would take what one with the new key signed for a forgery.
    for key, fallback in ((old_key, new_key), (new_key, old_key)):
        settings["SECRET_KEY"], settings["SECRET_KEY_FALLBACKS"] = key, fallback
        composition.replace("web-1", "web-2", "ticker", "exporter")
    people.tablet.place((1, "big", CHIP))
    finish_round(people.tablet)
    people.tablet.page.reload()
    people.tablet.is_live()
    composition.wait_until_healthy("sealer")
    assert is_verified(server)


def test_after_a_restored_backup_the_table_halts_until_two_people_declare_it(day):
    server, people = day
    composition, tablet = server.composition, people.tablet
    backup = composition.type("postgres", "pg_dump", "--username=postgres", "pitside")
    kept = server.rounds()
    tablet.place((1, "big", CHIP))
    finish_round(tablet)
    composition.compose("stop", *APPLICATION)
    for command in (["dropdb", "pitside"], ["createdb", "--owner=pitside_owner", "pitside"]):
        composition.type("postgres", *command[:1], "--username=postgres", *command[1:])
    restore = ["psql", "--username=postgres", "--dbname=pitside", "--quiet", "--set=ON_ERROR_STOP=1"]
    composition.type("postgres", *restore, typed=backup)
    composition.compose("start", *APPLICATION)
    composition.wait_until_healthy("web-1", "web-2")
    assert server.rounds() == kept

    tablet.page.reload()
    tablet.is_live()
    with contextlib.suppress(AssertionError):
        tablet.place((1, "big", CHIP))
    expect(tablet.page.locator("#side-halted")).to_contain_text("The record of T-01 was rolled back.")
    words = ["declare_incarnation", "carla", "teo", "--why", "The backup was restored", "--pins-from-stdin"]
    said = composition.once("declare", "python", "manage.py", *words, typed=f"{PIN}\n{PIN}\n")
    assert "Incarnation 2 is declared" in said
    expect(tablet.page.locator("#side-halted")).to_have_count(0)
    tablet.page.reload()
    tablet.is_live()
    tablet.place((1, "big", CHIP))
    finish_round(tablet)
    assert server.rounds()[-1] == (str(len(kept) + 1), "settled", str(CHIP))
    composition.wait_until_healthy("sealer", "ticker", "exporter")
    assert server.type(["verify_record", "--read-only"]).startswith("good: ")
