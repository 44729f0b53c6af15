"""The first day in production settings, as docs/first-day.md says: from an empty database to the first round.

The processes and settings are those of docker-compose.yml. TLS ends in the web worker, for there is no Caddy here, and
its certificate is the test's own. The database begins empty; tests/test_deployment.py
migrates one as compose does. The commands are those of the document, in their order. Everything else is done in
Chromium. `PITSIDE_PICTURES=docs/img` takes the pictures of the document again.
"""

import contextlib
import datetime as dt
import ipaddress
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings
from playwright.sync_api import expect

from tests.e2e.first_day import DAY, FACILITY, Server, deal_the_first_round
from tests.services import chromium as chrome
from tests.services import installation
from tests.services.installation import ROOT

# tests/tables/test_first_day.py walks the same day by its endpoints in every run.
pytestmark = [pytest.mark.browser, pytest.mark.postgres, pytest.mark.redis, pytest.mark.repeated]
HOST = "127.0.0.1"
BUILD = "2026.11.3"
# One process runs the commands that a person types at the server: each would take two seconds to start.
SHELL = """
import io, json, sys
import django
django.setup()
from django.core.management import call_command
lines = sys.stdin
for line in lines:
    words, typed = json.loads(line)
    sys.stdin, out = io.StringIO(typed), io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO())
    print(json.dumps(out.getvalue().strip()), flush=True)
"""


class Production(Server):
    """The processes of an installation on an empty database, and the commands of the document."""

    build = BUILD

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        super().__init__()
        addresses = stack.enter_context(installation.database())
        self.database, self.folder = addresses["roles"], folder
        shared = {
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "REDIS_URL": settings.CHANNEL_LAYERS["default"]["CONFIG"]["hosts"][0],
            "SECRET_KEY": "a value of this test alone, as long as production asks for",
            "ALLOWED_HOSTS": HOST,
            "PITSIDE_BUILD": BUILD,
            "PITSIDE_LOG_ORIGIN": "first-day.test/record",
        }
        environment = {key: value for key, value in os.environ.items() if key != "DEBUG"} | shared
        self.environments = {
            role: {**environment, "DATABASE_URL": address} for role, address in addresses.items()
        }
        self.environments["seal"]["PITSIDE_SEALER_DIR"] = str(folder / "sealer")
        collect_files()
        self.run(installation.command_of("migrate"), "migrate")
        self.run(installation.command_of("roles"), "roles")
        self.port = installation.free_port()
        web = installation.command_of("web-1", host=HOST, port=str(self.port))
        self.web = stack.enter_context(
            installation.process([*web, *own_certificate(folder)], self.environments["app"])
        )
        self.shell = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", SHELL], cwd=ROOT, env=self.environments["app"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        self.wait_until_it_serves()

    @property
    def url(self) -> str:
        return f"https://{HOST}:{self.port}"

    def wait_until_it_serves(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            assert self.web.poll() is None, self.web.communicate()
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1):
                return
            time.sleep(0.1)

    def run(self, command: list[str], role: str) -> str:
        done = subprocess.run(
            command, cwd=ROOT, env=self.environments[role], capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def type(self, words: list[str], typed: str = "") -> str:
        assert self.shell.stdin and self.shell.stdout
        self.shell.stdin.write(json.dumps([words, typed]) + "\n")
        self.shell.stdin.flush()
        answer = self.shell.stdout.readline()
        assert answer, words
        return str(json.loads(answer))

    def rounds(self) -> list[Any]:
        with psycopg.connect(self.database) as reader:
            query = "SELECT number, ending, wagered_cents FROM tables_round ORDER BY number"
            return reader.execute(query).fetchall()


def collect_files() -> None:
    """Collect the static files as the image does, without compressed copies, which take ten seconds."""
    files = {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": files}):
        call_command("collectstatic", interactive=False, verbosity=0)


def own_certificate(folder: Path) -> list[str]:
    """Write a certificate that only this test trusts. Returns the options with which uvicorn uses it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = dt.datetime.now(dt.UTC)
    alternatives = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - DAY).not_valid_after(now + DAY)
    certificate = builder.add_extension(alternatives, critical=False).sign(key, hashes.SHA256())
    encoding = serialization.Encoding.PEM
    clear = serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, clear))
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(encoding))
    return [f"--ssl-keyfile={folder / 'key.pem'}", f"--ssl-certfile={folder / 'certificate.pem'}"]


@pytest.fixture
def production(db: None, tmp_path: Path) -> Iterator[Production]:
    with ExitStack() as stack:
        yield Production(stack, tmp_path)


@pytest.fixture
def pages(production: Production, contexts: chrome.Contexts) -> Iterator[chrome.Pages]:
    own = chrome.Contexts(contexts.browser, trust_all=True)
    pages = chrome.Pages(own, production.url)
    expect.set_options(timeout=4 * chrome.EXPECT_TIME)  # PINs hash as slowly as in production
    yield pages
    expect.set_options(timeout=chrome.EXPECT_TIME)
    for context in own.kinds:
        context.close()
    assert pages.errors == []


def test_a_facility_opens_its_first_table_and_deals_a_round(production, pages):
    deal_the_first_round(production, pages)
    assert production.rounds() == [(1, "settled", 2_500)]
    assert production.type(["verify_record", "--read-only"]).startswith("good: ")
    lines = production.folder / "record.jsonl"
    production.type(["audit_export", "--facility", FACILITY, "--output", str(lines)])
    production.run([sys.executable, "audit/verify.py", str(lines)], "app")
