"""script/run for a newcomer: what it says where it cannot serve."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import environ

from script import serve

ROOT = Path(__file__).resolve().parents[1]


def served(database: Path, **more: str) -> tuple[int, str]:
    """How `script/run` ends, and what it says, with a database of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    given = {**kept, "DATABASE_URL": f"sqlite:///{database}", **more}
    command = [sys.executable, "-m", "script.serve"]
    ran = subprocess.run(
        command, cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60
    )
    return ran.returncode, ran.stdout + ran.stderr


def free_port() -> str:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return str(trial.getsockname()[1])


def test_without_the_demo_it_says_so_in_a_sentence_and_makes_nothing(tmp_path):
    status, said = served(tmp_path / "db.sqlite3", DEMO="off", PORT=free_port())
    assert status == 1 and said.count("\n") == 1 and "DEMO is off" in said
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_told_with_another_one(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, said = served(tmp_path / "db.sqlite3", PORT=str(port))
    assert status == 1 and f"PORT={port + 1} script/run" in said


def test_who_can_be_reached_from_other_machines_shows_them_no_settings_and_no_code(tmp_path):
    status, said = served(tmp_path / "db.sqlite3", PORT=free_port(), HOST="0.0.0.0", DEBUG="on")
    assert status == 1 and said.count("\n") == 1 and "DEBUG shows them settings and code" in said
    assert list(tmp_path.iterdir()) == []


def test_debug_is_refused_there_by_each_word_that_settings_take_for_on(monkeypatch, capsys):
    monkeypatch.setattr(serve, "make_the_floor", lambda: False)
    monkeypatch.setattr(serve, "environment_for", lambda hosts: {})
    monkeypatch.setenv("HOST", "0.0.0.0")
    monkeypatch.setenv("PORT", free_port())
    for word in environ.Env.BOOLEAN_TRUE_STRINGS:
        monkeypatch.setenv("DEBUG", word.title())
        assert serve.main() == 1
        assert "DEBUG shows them settings and code" in capsys.readouterr().err, word


def test_errors_are_the_products_own_pages_unless_debug_is_asked_for_on_the_loopback(monkeypatch):
    monkeypatch.delenv("DEBUG", raising=False)
    assert serve.environment_for(["192.0.2.7"])["DEBUG"] == serve.environment_for([])["DEBUG"] == "off"
    monkeypatch.setenv("DEBUG", "on")
    assert serve.environment_for(["192.0.2.7"])["DEBUG"] == "off"
    assert serve.environment_for([])["DEBUG"] == "on"


def test_the_sign_ins_are_printed_before_the_product_is_loaded():
    """A model in the module of the sign-ins stopped `script/run` with AppRegistryNotReady."""
    printed = subprocess.run(
        [sys.executable, "-c", "from tables.demo.floor import sign_ins; print(*sign_ins(), sep='\\n')"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.local"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert printed.returncode == 0, printed.stderr[-500:]
    assert "110011  Mei Tran" in printed.stdout
