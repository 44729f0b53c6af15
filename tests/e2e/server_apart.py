"""A server in a process of its own, on a file of its own, that a test may stop, freeze and start again."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.services.installation import ROOT, free_port

SEED = """
import json, sys, django
django.setup()
from django.core.management import call_command
from audit.devices import enroll
from tests.tables.cast import make_scene
call_command("migrate", verbosity=0)
rules, more = json.loads(sys.argv[1])
tokens = make_scene(rules, **more).tokens
for name in ("second", "third"):
    tokens[name] = enroll(f"{name.title()} tablet of T-01", "larkfield", "dealer", "larkfield/T-01")[1]
print(json.dumps(tokens))
"""
COMMANDS = """
import json, sys, django
django.setup()
from audit.models import Entry
bodies = Entry.objects.filter(type=sys.argv[1]).values_list("body", flat=True)
print(json.dumps([json.loads(bytes(body))["command"] for body in bodies]))
"""
LYING = """
import json, django
django.setup()
from tables.models import Round
rounds = Round.objects.order_by("number")
print(json.dumps([[one.number, one.phase, one.wagered_cents] for one in rounds]))
"""


APPROVE = """
import sys, django
django.setup()
from tables.models import Approval
for approval in Approval.objects.filter(subject="device"):
    approval.pk, approval.version, approval.reference = None, sys.argv[1], f"BGL-{sys.argv[1]}"
    approval.save()
"""
WITHDRAW = """
import sys, django
django.setup()
from audit import clock
from tables.models import Approval
Approval.objects.filter(subject="device").exclude(version=sys.argv[1]).update(withdrawn_at=clock.now())
"""
BUILDS = """
import json, django
django.setup()
from audit.models import Entry
bodies = Entry.objects.filter(type="wagers.placed").order_by("stream", "seq").values_list("body", flat=True)
print(json.dumps([json.loads(bytes(body))["build"] for body in bodies]))
"""


class ServerApart:
    """uvicorn on a database with a scene in it: a SQLite file in the folder, or `database`, which is empty yet, with
    `redis`. There it keeps copies of tables, as in a casino. `more` is what `make_scene` takes beside the rules.
    """

    def __init__(
        self, folder: Path, rules: str = "pa-625a/A", *, database: str = "", redis: str = "", **more: Any
    ) -> None:
        self.port = free_port()
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "TEST_DATABASE_URL": database or f"sqlite:///{folder / 'apart.sqlite3'}",
            "TEST_REDIS_URL": redis,
            "TEST_KEEPS_COPIES": "1" if database else "",
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.tokens: dict[str, str] = json.loads(self._python("-c", SEED, json.dumps([rules, more])))

    def beside(self) -> "ServerApart":
        """A second server on the same database, not started."""
        second = copy.copy(self)
        second.port, second.process = free_port(), None
        return second

    def change_build(self, build: str) -> None:
        """The version of the software that this server has from its next start on."""
        self.environment = {**self.environment, "PITSIDE_BUILD": build}

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `manage.py` with these words, with this server's version."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=60
        )

    def approve_build(self, build: str) -> None:
        """File the approval of a version at every table, beside those on file."""
        self._python("-c", APPROVE, build)

    def withdraw_builds_but(self, build: str) -> None:
        """Withdraw the approvals of every other version."""
        self._python("-c", WITHDRAW, build)

    def builds_of_wagers(self) -> list[str]:
        """The version that took each act with wagers, in order."""
        builds: list[str] = json.loads(self._python("-c", BUILDS))
        return builds

    def wait(self) -> None:
        """Wait until the process has ended."""
        assert self.process is not None
        self.process.wait(20)

    def commands(self, type_: str) -> list[str]:
        """The commands of the entries of this type."""
        commands: list[str] = json.loads(self._python("-c", COMMANDS, type_))
        return commands

    def _python(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--host=127.0.0.1"]
        command += [f"--port={self.port}", "--lifespan=off", "--ws=websockets-sansio", "--log-level=warning"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.url}/healthz", timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("The server did not start.")

    def send(self, number: signal.Signals) -> None:
        """A signal to this one process, by its id."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """No goodbye: as when the power fails."""
        if self.process is not None and self.process.poll() is None:
            self.send(signal.SIGCONT)
            self.send(signal.SIGKILL)
            self.process.wait(10)

    def rounds(self) -> list[list[object]]:
        """Number, phase and cents wagered of every round, as another process reads them."""
        found: list[list[object]] = json.loads(self._python("-c", LYING))
        return found
