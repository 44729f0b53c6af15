"""Production refuses to start in any state that only a demo may be in."""

import datetime as dt
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.settings.base import database_from

ROOT = Path(__file__).resolve().parents[1]
SOUND = {
    "DATABASE_URL": "postgres://pitside_web@127.0.0.1/pitside",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "SECRET_KEY": "a value of this test alone, as long as production asks for",
    "ALLOWED_HOSTS": "pitside.casino.internal",
}
ASKED = {
    *SOUND,
    "SECRET_KEY_FALLBACKS",
    "DEBUG",
    "SECURE_SSL_REDIRECT",
    "EMBEDDED_TICKER",
    "DJANGO_SETTINGS_MODULE",
}


def environment(**changes: str) -> dict[str, str]:
    """An environment of production with these changes, and nothing that this run's own says of it."""
    rest = {name: value for name, value in os.environ.items() if name not in ASKED}
    return {**rest, **SOUND, "DJANGO_SETTINGS_MODULE": "config.settings.production", **changes}


def start(**changes: str) -> subprocess.CompletedProcess[str]:
    """`manage.py check --deploy` under production settings, in an environment of its own."""
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_it_starts_with_addresses_and_a_key_of_its_own():
    done = start()
    assert done.returncode == 0, done.stderr


def test_each_name_that_settings_ask_the_environment_for_is_documented():
    settings = "".join(path.read_text() for path in (ROOT / "config" / "settings").glob("*.py"))
    asked = set(re.findall(r'env(?:\.[a-z]+)?\(\s*"([A-Z_]+)"', settings))
    told = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs" / "deployment.md").read_text()))
    assert len(asked) > 15 and asked <= told


def test_a_key_of_before_still_counts_where_it_is_named():
    said = "from django.conf import settings; print(settings.SECRET_KEY_FALLBACKS)"
    named = environment(SECRET_KEY_FALLBACKS="the key of last year")
    done = subprocess.run(
        [sys.executable, "-c", said], cwd=ROOT, env=named, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['the key of last year']"


def test_every_connection_keeps_the_hosts_and_options_of_an_address_with_several():
    address = (
        "postgres://web:none@10.77.0.1:5432,10.77.0.2:5433/pitside"
        "?target_session_attrs=read-write&application_name=web-1&sslmode=require"
    )
    said = (
        "import django; django.setup(); import json; from django.db import connection; "
        "from tables.monitoring import _settings_of_own; from config.postgresql.base import DatabaseWrapper; "
        "own = DatabaseWrapper(_settings_of_own(), 'own'); "
        "print(json.dumps([c.get_connection_params() for c in (connection, own)], default=str))"
    )
    done = subprocess.run(
        [sys.executable, "-c", said],
        cwd=ROOT,
        env=environment(DATABASE_URL=address),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for params in json.loads(done.stdout):
        assert (params["host"], params["port"]) == ("10.77.0.1,10.77.0.2", "5432,5433")
        assert params["target_session_attrs"] == "read-write"
        assert (params["application_name"], params["sslmode"]) == ("web-1", "require")
        assert (params["tcp_user_timeout"], params["keepalives_idle"]) == (5_000, 5)


def test_several_redis_are_separated_by_commas():
    said = (
        "from django.conf import settings; "
        "print(settings.CHANNEL_LAYERS['default']['CONFIG']['hosts'], settings.CACHES['api']['LOCATION'])"
    )
    named = environment(REDIS_URL="redis://:pw@10.77.0.1:6379/0, redis://:pw@10.77.0.2:6379/0")
    done = subprocess.run(
        [sys.executable, "-c", said], cwd=ROOT, env=named, capture_output=True, text=True, check=True
    )
    first, second = (f"redis://:pw@10.77.0.{number}:6379/0" for number in (1, 2))
    assert done.stdout.strip() == f"{[first, second]} {first}"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"SECRET_KEY": "demo-key-for-the-seeded-floor-only"}, "SECRET_KEY"),
        ({"SECRET_KEY": ""}, "SECRET_KEY"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY"),
        ({"DEBUG": "on"}, "DEBUG"),
        ({"REDIS_URL": ""}, "REDIS_URL"),
        ({"DATABASE_URL": "sqlite:///db.sqlite3"}, "DATABASE_URL"),
        ({"DATABASE_URL": ""}, "DATABASE_URL"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS"),
    ],
    ids=lambda value: (
        ",".join(f"{k}={v[:12]}" for k, v in value.items()) if isinstance(value, dict) else None
    ),
)
def test_it_refuses_the_state_of_a_demo(changes, word):
    done = start(**changes)
    assert done.returncode != 0
    assert "ImproperlyConfigured" in done.stderr
    assert word in done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"SECRET_KEY": ""}, ""),
        ({}, "Unset SECRET_KEY"),
        ({"SECRET_KEY": "", "DATABASE_URL": "sqlite:///db.sqlite3"}, "DATABASE_URL"),
    ],
)
def test_the_sealer_starts_only_without_the_key_of_sessions(changes, word):
    started = start(DJANGO_SETTINGS_MODULE="config.settings.sealer", **changes)
    last = started.stderr.strip().splitlines()[-1]
    if word:
        assert started.returncode != 0 and word in last
    code = "from django.conf import settings; print(settings.DEBUG, settings.DEMO); settings.SECRET_KEY"
    given = environment(DJANGO_SETTINGS_MODULE="config.settings.sealer", **changes)
    asked = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True)
    assert asked.returncode != 0
    if not word:
        assert asked.stdout == "False False\n" and "SECRET_KEY setting must not be empty" in asked.stderr


ASKED_SETTINGS = """
import os
{start}
from django.conf import settings
print(os.environ["DJANGO_SETTINGS_MODULE"], settings.DEBUG, settings.DEMO)
"""
STARTS = {
    "asgi": "import config.asgi",
    "manage": "import manage, sys; sys.argv = ['manage.py', 'version']; manage.main()",
}


def asked_settings(start: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """The settings of a process, with or without `DJANGO_SETTINGS_MODULE`."""
    given = {**environment(**changes)}
    if "DJANGO_SETTINGS_MODULE" not in changes:
        del given["DJANGO_SETTINGS_MODULE"]
    code = ASKED_SETTINGS.format(start=STARTS[start])
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("start", STARTS)
def test_a_process_without_the_name_of_its_settings_serves_the_live_database_as_production(start):
    started = asked_settings(start)
    assert started.stdout.split()[-3:] == ["config.settings.production", "False", "False"], started.stderr


def test_the_settings_of_the_demo_refuse_postgresql_unless_the_demo_is_asked_for():
    for changes in ({}, {"DEMO": "off"}):
        refused = asked_settings("asgi", DJANGO_SETTINGS_MODULE="config.settings.local", **changes)
        assert refused.returncode != 0 and "set DEMO=1" in refused.stderr
    by_name = asked_settings("asgi", DJANGO_SETTINGS_MODULE="config.settings.local", DEMO="1")
    assert by_name.stdout.split()[-3:] == ["config.settings.local", "True", "True"], by_name.stderr


def test_a_sqlite_file_is_served_as_the_demo():
    started = asked_settings("asgi", DATABASE_URL="sqlite:///floor.sqlite3", REDIS_URL="")
    assert started.stdout.split()[-3:] == ["config.settings.local", "True", "True"], started.stderr


def test_production_logs_every_exception_as_one_line_of_json():
    code = """
import django, logging
django.setup()
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("django.request").exception("Internal Server Error: %s", "/floor/")
logging.getLogger("tables.ticker.ticker").warning("a tick failed")
"""
    # As uvicorn does: it sets its own logging up, and imports the application then.
    code = f"from uvicorn import Config; Config('config.asgi:application', access_log=False)\n{code}"
    code += "logging.getLogger('uvicorn.error').error('Exception in ASGI application')\n"
    code += "logging.getLogger('uvicorn.access').info('a request')\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60
    )
    first, second, third = map(json.loads, done.stderr.splitlines())
    assert (first["level"], first["logger"], first["message"]) == (
        "error",
        "django.request",
        "Internal Server Error: /floor/",
    )
    assert "ZeroDivisionError" in first["error"] and dt.datetime.fromisoformat(first["time"])
    assert (second["level"], second["message"]) == ("warning", "a tick failed")
    assert (third["logger"], third["message"]) == ("uvicorn.error", "Exception in ASGI application")


def test_only_a_demo_hashes_its_public_pins_with_little_work(tmp_path):
    """A visitor of a new demo waited six seconds for them; everywhere else Django's own work protects a PIN."""
    asked = "from django.contrib.auth.hashers import get_hasher; print(get_hasher().iterations)"
    on_sqlite = {
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
        "REDIS_URL": "",
    }

    def iterations(**changes: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", asked],
            cwd=ROOT,
            env=environment(**changes),
            capture_output=True,
            text=True,
            check=True,
        )
        return int(done.stdout)

    of_django = PBKDF2PasswordHasher.iterations
    assert iterations() == iterations(**on_sqlite, DEMO="off") == of_django >= 1_000_000
    assert iterations(**on_sqlite, DEMO="on") == 1_000


def test_an_option_of_the_address_replaces_no_other_one_of_the_product():
    """What docs/deployment.md appends for a migration that takes long: it still waits two seconds for a lock."""
    options = database_from("postgres://owner@/pitside?options=-c%20statement_timeout%3D0")["OPTIONS"][
        "options"
    ]
    assert options.startswith("-c lock_timeout=2s ")
    assert options.rindex("statement_timeout=0") > options.rindex(
        "statement_timeout=5s"
    )  # the last one counts
