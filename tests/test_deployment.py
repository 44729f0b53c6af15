"""docker-compose.yml and Caddyfile as written, and the processes they name, started by hand without Docker."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command

from tests.services import installation

ROOT = Path(__file__).resolve().parents[1]
HOST = "pitside.casino.internal"
BUILT = ("migrate", "roles", "web", "ticker")


@pytest.fixture(scope="module")
def services():
    return installation.compose()["services"]


def test_it_names_every_part_of_an_installation(services):
    assert set(services) == {"migrate", "roles", "web", "ticker", "postgres", "redis", "caddy"}


@pytest.mark.parametrize("name", ["web", "postgres", "redis", "caddy"])
def test_it_asks_after_the_health_of_what_serves(services, name):
    assert services[name]["healthcheck"]["test"][0] == "CMD"


def test_it_runs_two_workers_behind_the_proxy(services):
    command = services["web"]["command"]
    assert command[:2] == ["uvicorn", "config.asgi:application"]
    assert {"--workers=2", "--proxy-headers", "--ws=websockets-sansio"} <= set(command)


@pytest.mark.parametrize("name", BUILT)
def test_it_uses_production_settings(services, name):
    assert services[name]["environment"]["DJANGO_SETTINGS_MODULE"] == "config.settings.production"


def test_it_migrates_as_the_owner_and_serves_as_the_web_role(services):
    assert "OWNER_DATABASE_URL" in services["migrate"]["environment"]["DATABASE_URL"]
    for name in ("web", "ticker"):
        assert services[name]["environment"]["DATABASE_URL"].startswith("${DATABASE_URL")
        assert services[name]["depends_on"]["roles"]["condition"] == "service_completed_successfully"


def test_it_publishes_only_the_proxy(services):
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]


def test_its_example_names_every_variable_that_compose_asks_for():
    asked = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    named = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert asked == named


def test_its_proxy_speaks_tls_of_its_own_authority(services):
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    assert text.count("{") == text.count("}")
    assert "tls internal" in text
    assert "reverse_proxy web:8000" in text
    assert set(re.findall(r"\{\$([A-Z_]+)\}", text)) <= set(services["caddy"]["environment"])


def test_its_image_runs_as_nobody_special():
    text = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^USER (?!root)", text, re.MULTILINE)
    assert "--require-hashes" in text
    assert "collectstatic" in text


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_its_static_files_can_all_be_hashed(tmp_path, settings):
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    assert (tmp_path / "staticfiles.json").exists()


@pytest.fixture
def environment():
    """What compose would give each process, with this run's PostgreSQL and Redis."""
    redis = settings.CHANNEL_LAYERS["default"]["CONFIG"]["hosts"][0]
    with installation.database() as addresses:
        shared = {
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "REDIS_URL": redis,
            "SECRET_KEY": "a value of this test alone, as long as production asks for",
            "ALLOWED_HOSTS": HOST,
            "PITSIDE_BUILD": "test",
            "DEBUG": "",
        }
        shared = {key: value for key, value in shared.items() if value}
        yield {role: {**shared, "DATABASE_URL": address} for role, address in addresses.items()}


def may_not_rewrite(address: str) -> bool:
    """Whether the web role is kept from every way around `audit_append`."""
    refused = [
        "INSERT INTO audit_entry DEFAULT VALUES",
        "UPDATE audit_entry SET seq = seq",
        "DELETE FROM audit_entry",
        "TRUNCATE audit_entry",
        "UPDATE audit_stream SET seq = seq",
        "DELETE FROM audit_command",
        "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
        "SET ROLE pitside_owner",
    ]
    with psycopg.connect(address, autocommit=True) as web:
        for statement in refused:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                web.execute(statement.encode())
    return True


@pytest.mark.postgres
@pytest.mark.redis
def test_its_processes_run_as_compose_would_start_them(environment):
    for service in ("migrate", "roles"):
        once = subprocess.run(
            installation.command_of(service),
            cwd=ROOT,
            env={**os.environ, **environment[service]},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert once.returncode == 0, once.stderr
    assert may_not_rewrite(environment["app"]["DATABASE_URL"])
    port = installation.free_port()
    web = installation.command_of("web", host="127.0.0.1", port=str(port))
    url = f"http://127.0.0.1:{port}/healthz"
    with (
        installation.process(web, environment["app"]) as serving,
        installation.process(installation.command_of("ticker"), environment["app"]) as ticking,
    ):
        deadline = time.monotonic() + 30
        while installation.ask(url, HOST) != 200 and serving.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        assert installation.ask(url, HOST) == 200
        assert installation.ask(url, "elsewhere.example") == 400
        healthy = subprocess.run(
            [sys.executable, "deploy/healthy.py", url],
            cwd=ROOT,
            env={**os.environ, **environment["app"]},
            timeout=20,
        )
        assert healthy.returncode == 0
        time.sleep(2)
        assert serving.poll() is None, serving.communicate()
        assert ticking.poll() is None, ticking.communicate()
    assert ticking.returncode in (0, -15, 143)
