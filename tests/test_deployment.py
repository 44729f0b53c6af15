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
BUILT = ("migrate", "roles", "web-1", "web-2", "ticker", "exporter", "sealer", "declare")
KEYS = "sealer"  # the volume of them


@pytest.fixture(scope="module")
def services():
    return installation.compose()["services"]


def test_it_names_every_part_of_an_installation(services):
    assert set(services) >= {*BUILT, "postgres", "redis", "caddy"}


@pytest.mark.parametrize("name", ["web-1", "web-2", "postgres", "redis", "caddy"])
def test_it_asks_after_the_health_of_what_serves(services, name):
    assert services[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", ["sealer", "ticker", "exporter"])
def test_it_asks_after_the_health_of_what_serves_no_address(services, name):
    assert services[name]["healthcheck"]["test"] == ["CMD", "python", "manage.py", name, "--check"]


def test_it_says_to_all_who_ask_witnesses_which_may_be_asked_without_tls(services):
    asking = {name for name in services if "PITSIDE_WITNESSES" in services[name].get("environment", {})}
    told = {
        name for name in services if "PITSIDE_WITNESSES_WITHOUT_TLS" in services[name].get("environment", {})
    }
    assert asking == told == {"sealer", "exporter"}
    default = services["sealer"]["environment"]["PITSIDE_WITNESSES_WITHOUT_TLS"]
    assert default == "${PITSIDE_WITNESSES_WITHOUT_TLS:-}"


def test_it_runs_two_workers_that_can_be_replaced_one_after_the_other(services):
    assert services["web-1"] == services["web-2"]
    command = services["web-1"]["command"]
    assert command[:2] == ["uvicorn", "config.asgi:application"]
    assert {"--proxy-headers", "--ws=websockets-sansio", "--timeout-graceful-shutdown=5"} <= set(command)
    assert not any("--workers" in word for word in command)  # its health would be that of either
    assert services["web-1"]["healthcheck"]["test"][-1].endswith("/readyz")
    assert {"web-1", "web-2"} <= set(services["caddy"]["depends_on"])


def test_its_proxy_tries_the_other_worker_and_polls_both():
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    block = text[text.index("reverse_proxy") :]
    assert block.startswith("reverse_proxy web-1:8000 web-2:8000 {")
    options = dict(re.findall(r"^\t\t\t?([a-z_]+) ([^{\n]+)$", block, re.MULTILINE))
    assert options["health_uri"] == "/healthz"
    seconds = {
        name: _seconds(options[name]) for name in ("health_interval", "dial_timeout", "lb_try_duration")
    }
    assert (
        seconds["health_interval"] <= 1 and seconds["dial_timeout"] <= 0.5 and seconds["lb_try_duration"] >= 5
    )
    assert "lb_retry_match" not in options  # an act may have been taken: only its tablet knows its id


def test_its_proxy_alone_says_which_certificate_a_machine_showed(services):
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    assert text.count("reverse_proxy ") == 1  # every request has the header, which replaces one that was sent
    said = 'header_up X-Client-Certificate-Sha256 "{http.request.tls.client.fingerprint}"'
    assert said in text[text.index("reverse_proxy ") :]
    sites = re.findall(
        r"^(\S+) \{\n\ttls internal(?: \{\n\t\tclient_auth \{\n\t\t\tmode (\w+)\n)?", text, re.MULTILINE
    )
    assert sites == [("{$SITE_NAME}", ""), ("{$SITE_NAME}:8443", "require")]
    assert all(
        services[name]["environment"]["PITSIDE_CLIENT_CERTIFICATES"] == "${PITSIDE_CLIENT_CERTIFICATES:-1}"
        for name in ("web-1", "web-2")
    )
    assert not any("ports" in services[name] for name in ("web-1", "web-2"))


def _seconds(text: str) -> float:
    return float(text[:-2]) / 1000 if text.endswith("ms") else float(text[:-1])


@pytest.mark.parametrize("name", BUILT)
def test_it_uses_production_settings(services, name):
    module = "config.settings.sealer" if name == "sealer" else "config.settings.production"
    assert services[name]["environment"]["DJANGO_SETTINGS_MODULE"] == module


def test_redis_asks_for_a_password(services):
    command = services["redis"]["command"]
    assert command[command.index("--requirepass") + 1].startswith("${REDIS_PASSWORD:?")
    assert services["web-1"]["environment"]["REDIS_URL"].startswith("${REDIS_URL:?")


def test_it_migrates_as_the_owner_and_serves_as_the_web_role(services):
    assert "OWNER_DATABASE_URL" in services["migrate"]["environment"]["DATABASE_URL"]
    for name in ("web-1", "web-2", "ticker"):
        assert services[name]["environment"]["DATABASE_URL"].startswith("${DATABASE_URL")
        assert services[name]["depends_on"]["roles"]["condition"] == "service_completed_successfully"


def test_it_seals_as_the_sealers_role(services):
    sealer = services["sealer"]
    assert sealer["command"] == ["python", "manage.py", "sealer"]
    assert sealer["environment"]["DATABASE_URL"].startswith("${SEALER_DATABASE_URL")


def test_only_the_sealer_has_its_folder_and_who_declares_reads_it(services):
    """A web worker never sees a key: neither the volume nor the setting that would name it."""
    mounted = {
        name: [volume for volume in service.get("volumes", []) if _source(volume) == KEYS]
        for name, service in services.items()
    }
    assert {name for name, volumes in mounted.items() if volumes} == {"sealer", "declare"}
    assert mounted["declare"][0]["read_only"] is True
    assert services["declare"]["profiles"] == ["by-hand"]
    named = {name for name in services if "PITSIDE_SEALER_DIR" in services[name].get("environment", {})}
    assert named == {"sealer", "declare"}


def test_the_exporter_writes_the_files_that_the_web_workers_only_read(services):
    assert services["exporter"]["command"] == ["python", "manage.py", "exporter"]
    assert services["exporter"]["environment"]["DATABASE_URL"].startswith("${DATABASE_URL")
    mounted = {
        name: [volume for volume in service.get("volumes", []) if _source(volume) == "exports"]
        for name, service in services.items()
    }
    assert {name for name, volumes in mounted.items() if volumes} == {"exporter", "web-1", "web-2"}
    assert mounted["web-1"][0]["read_only"] is True
    assert mounted["exporter"] == [f"exports:{services['web-1']['environment']['PITSIDE_EXPORTS_DIR']}"]


def _source(volume) -> str:
    return volume["source"] if isinstance(volume, dict) else volume.split(":")[0]


def test_everybody_names_the_same_log(services):
    origins = {services[name]["environment"]["PITSIDE_LOG_ORIGIN"] for name in BUILT}
    assert len(origins) == 1


def test_it_publishes_only_the_proxy(services):
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]


def test_its_example_names_every_variable_that_compose_asks_for():
    asked = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    named = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert asked == named


def test_it_asks_in_the_ways_that_every_compose_reads():
    """Docker Compose 1.29, which Debian has, knows no `${NAME:+text}`, and starts nothing of a file that has one."""
    text = (ROOT / "docker-compose.yml").read_text()
    ways = re.findall(r"\$\{[A-Z_]+(:?[^A-Z_:}]?)", text)
    assert len(ways) > 40 and set(ways) <= {"", ":-", ":?"}


NOT_OF_COMPOSE = {"PITSIDE_SEALER_DIR", "PITSIDE_CHECKPOINT_COPIES"}  # its volumes, not in .env


def test_it_passes_on_every_setting_that_the_page_documents(services):
    """A setting in .env that no process gets would be taken for set."""
    page = (ROOT / "docs" / "deployment.md").read_text()
    rows = page[page.index("## Settings") : page.index("## Database roles")].splitlines()
    documented = {
        name
        for row in rows
        if row.startswith("| `")
        for name in re.findall(r"`([A-Z_]+)`", row.split("|")[1])
    }
    passed_on = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    assert len(documented) > 30 and documented - passed_on == {*NOT_OF_COMPOSE, "PITSIDE_EXPORTS_DIR"}
    settings_text = "".join(path.read_text() for path in (ROOT / "config" / "settings").glob("*.py"))
    asked = set(re.findall(r'env(?:\.[a-z]+)?\(\s*"([A-Z_]+)"', settings_text))
    web = (
        services["web-1"]["environment"]
        | services["ticker"]["environment"]
        | services["sealer"]["environment"]
    )
    assert asked - set(web) == {"DEBUG", "DEMO", "EVENING", "EMBEDDED_TICKER"}, "only a demo has these"


def test_the_sealer_has_no_key_of_sessions_and_no_address_of_redis(services):
    environment = services["sealer"]["environment"]
    assert environment["DJANGO_SETTINGS_MODULE"] == "config.settings.sealer"
    assert not {"SECRET_KEY", "SECRET_KEY_FALLBACKS", "REDIS_URL", "ALLOWED_HOSTS"} & set(environment)


def test_no_service_takes_the_whole_disk_or_the_whole_memory(services):
    for name, service in services.items():
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        assert service["mem_limit"].endswith(("m", "g")), name


def test_each_image_of_others_may_be_named_by_its_digest(services):
    images = {services[name]["image"] for name in ("postgres", "redis", "caddy")}
    assert all(re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[a-z]+:[0-9.]+\}", image) for image in images), images
    assert services["web-1"]["build"]["args"]["PYTHON_IMAGE"].startswith("${PYTHON_IMAGE:-python:")
    from_lines = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert set(from_lines) == {"${PYTHON_IMAGE}"}


def test_its_image_is_compiled_before_it_becomes_read_only():
    text = (ROOT / "Dockerfile").read_text()
    assert text.index("python -m compileall") > text.index("COPY . .")
    assert text.index("python -m compileall") < text.index("USER pitside")


@pytest.mark.parametrize(
    ("version", "status"),
    [("v2.6.2 h1:x", 1), ("2.6.2", 1), ("v1.0.5", 1), ("v2.7.0 h1:x", 0), ("v2.10.2", 0), ("v3.0.0", 0)],
)
def test_a_caddy_that_is_too_old_is_refused_with_a_sentence(services, tmp_path, version, status):
    assert services["caddy"]["command"] == ["/bin/sh", "/etc/caddy/start-caddy.sh"]
    fake = tmp_path / "caddy"
    fake.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "{version}" || echo "runs: $*"\n')
    fake.chmod(0o755)
    started = subprocess.run(
        ["/bin/sh", "deploy/start-caddy.sh"],
        cwd=ROOT,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert started.returncode == status
    if status:
        assert "is too old for deploy/Caddyfile. Use 2.7 or newer" in started.stderr
    else:
        assert started.stdout == "runs: run --config /etc/caddy/Caddyfile --adapter caddyfile\n"


def test_its_proxy_speaks_tls_of_its_own_authority(services):
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    assert text.count("{") == text.count("}")
    assert "tls internal" in text
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
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"},
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


def may_only_seal(address: str) -> bool:
    """Whether the sealer's login is kept from everything but sealing."""
    refused = [
        "INSERT INTO audit_entry DEFAULT VALUES",
        "UPDATE audit_seal SET number = number",
        "DELETE FROM audit_checkpoint",
        "SELECT password FROM audit_person",
        "SELECT * FROM tables_table",
        "SET ROLE pitside_owner",
        "SET ROLE pitside_web",
    ]
    with psycopg.connect(address, autocommit=True) as sealer:
        for statement in refused:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sealer.execute(statement.encode())
    return True


def sealed(address: str) -> int:
    with psycopg.connect(address) as reader:
        row = reader.execute("SELECT count(*) FROM audit_checkpoint").fetchone()
    return row[0]


@pytest.mark.postgres
@pytest.mark.redis
def test_its_processes_run_as_compose_would_start_them(environment, tmp_path):
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
    assert may_only_seal(environment["seal"]["DATABASE_URL"])
    sealing = {**environment["seal"], "PITSIDE_SEALER_DIR": str(tmp_path / "sealer")}
    sealing["DJANGO_SETTINGS_MODULE"] = installation.compose()["services"]["sealer"]["environment"][
        "DJANGO_SETTINGS_MODULE"
    ]
    for name in ("SECRET_KEY", "REDIS_URL", "ALLOWED_HOSTS"):
        del sealing[name]
    made = subprocess.run(
        [sys.executable, "manage.py", "sealer_key", "create"],
        cwd=ROOT,
        env={**os.environ, **sealing},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert made.returncode == 0, made.stderr
    port = installation.free_port()
    web = installation.command_of("web-1", host="127.0.0.1", port=str(port))
    url = f"http://127.0.0.1:{port}/healthz"
    with (
        installation.process(web, environment["app"]) as serving,
        installation.process(installation.command_of("ticker"), environment["app"]) as ticking,
        installation.process(installation.command_of("sealer"), sealing) as at_seals,
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
        deadline = time.monotonic() + 20
        while not sealed(environment["roles"]["DATABASE_URL"]) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert sealed(environment["roles"]["DATABASE_URL"]) == 1
        assert at_seals.poll() is None, at_seals.communicate()
        time.sleep(2)
        assert serving.poll() is None, serving.communicate()
        assert ticking.poll() is None, ticking.communicate()
    assert ticking.returncode == 0, "a process 1 that does not handle SIGTERM is killed a minute later"
