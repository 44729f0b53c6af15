"""The sealer's keys: files that nobody else may read, named on the record, several at once while one gives way."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from audit import notes
from audit.models import SigningKey
from audit.sealing import keys
from audit.sealing.declarations import entries_on_system
from audit.sealing.sealer import Sealer
from audit.sealing.state import SealingProblem

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ROOT = Path(__file__).resolve().parents[2]


def command(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("sealer_key", *arguments, stdout=out)
    return out.getvalue().splitlines()


def said_on_record(type: str) -> list[dict]:
    return [json.loads(bytes(entry.body))["data"] for entry in entries_on_system(type)]


def test_a_key_is_a_file_that_its_owner_alone_may_read(folder):
    key = keys.create(folder)
    path = folder / "keys" / f"{key.key_id}.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "keys").stat().st_mode) == stat.S_IMODE(folder.stat().st_mode) == 0o700
    signer = notes.Signer.read(path.read_text())
    assert signer.verifier == keys.verifier_of(key)
    assert path.read_text().startswith(f"PRIVATE+KEY+pitside.local/record/1+{key.key_id}+")


def test_a_key_that_others_may_read_signs_nothing(folder):
    key = keys.create(folder)
    os.chmod(folder / "keys" / f"{key.key_id}.key", 0o640)
    with pytest.raises(SealingProblem) as raised:
        keys.signers(folder, keys.first_log())
    assert raised.value.code == "key-readable"


def test_creating_and_retiring_a_key_is_recorded(folder):
    first, other = keys.create(folder), keys.create(folder)
    keys.retire(folder, first.key_id)
    created, retired = said_on_record("key.created"), said_on_record("key.retired")
    assert [said["key"] for said in created] == [first.key_id, other.key_id]
    assert retired == [created[0]]
    assert created[0] == {
        "key": first.key_id,
        "name": "pitside.local/record/1",
        "public": bytes(first.public_key).hex(),
        "vkey": keys.verifier_of(first).vkey,
    }
    first.refresh_from_db()
    assert first.retired_at is not None
    assert not (folder / "keys" / f"{first.key_id}.key").exists()
    assert [signer.verifier for signer in keys.signers(folder, keys.first_log())] == [keys.verifier_of(other)]


def test_both_keys_sign_while_one_gives_way(folder, write):
    old = keys.verifier_of(keys.create(folder))
    sealer = Sealer(folder)

    def signed_by(*verifiers: notes.Verifier) -> list[notes.Verifier]:
        return notes.Note.read(sealer.seal().note).signed_by(verifiers)

    assert signed_by(old) == [old]
    new = keys.verifier_of(keys.create(folder))
    assert signed_by(old, new) == [old, new]
    keys.retire(folder, old.key_id.hex())
    assert signed_by(old, new) == [new]


def test_a_key_that_the_record_does_not_take_leaves_no_file(folder, monkeypatch):
    def fails(*_args, **_fields):
        raise DatabaseError("gone")

    monkeypatch.setattr(SigningKey.objects, "create", fails)
    with pytest.raises(DatabaseError):
        keys.create(folder)
    assert list((folder / "keys").iterdir()) == []


def test_the_last_key_cannot_be_retired_and_an_unknown_key_is_refused(folder):
    key = keys.create(folder)
    refusals = {}
    for asked in (key.key_id, "00000000"):
        with pytest.raises(keys.KeyRefused) as raised:
            keys.retire(folder, asked)
        refusals[raised.value.code] = raised.value.sentence
    other = keys.create(folder)
    keys.retire(folder, other.key_id)
    with pytest.raises(keys.KeyRefused) as raised:
        keys.retire(folder, other.key_id)
    refusals[raised.value.code] = raised.value.sentence
    assert refusals == {
        "last-key": (
            f"Key {key.key_id} is the only active key of pitside.local/record/1. Create another one first: "
            "manage.py sealer_key rotate."
        ),
        "key-unknown": "No key 00000000 is on the record. See: manage.py sealer_key list.",
        "key-retired": f"Key {other.key_id} was retired already.",
    }


def test_the_command_makes_changes_lists_and_ends_keys(folder):
    vkey = command("create")[1]
    with pytest.raises(CommandError, match="rotate"):
        command("create")
    made = command("rotate")
    old = notes.Verifier.read(vkey).key_id.hex()
    assert made[2] == f"Key {old} still signs. To retire it, run: manage.py sealer_key retire {old}"
    command("retire", old)
    listed = command("list")
    assert [line.split()[0] for line in listed] == [vkey, made[1]]
    assert ("retired" in listed[0], listed[1].endswith("signs")) == (True, True)


def test_a_key_of_the_folder_that_a_restored_record_forgot_is_named_again(folder, django_db_blocker):
    seed = bytes(range(32))
    signer = notes.Signer("pitside.local/record/1", seed)
    keys._save(folder, signer)
    with pytest.raises(SealingProblem):
        keys.signers(folder, keys.first_log())
    assert command("found")[1] == signer.verifier.vkey
    assert keys.signers(folder, keys.first_log()) == [signer]
    with pytest.raises(CommandError, match="already on the record"):
        command("found")


def test_without_a_folder_there_is_no_key(settings):
    with pytest.raises(CommandError, match="PITSIDE_SEALER_DIR"):
        command("create")


@pytest.mark.parametrize("folder_given", [True, False])
def test_a_web_worker_of_production_does_not_start_with_the_keys(tmp_path, folder_given):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.production",
        "SECRET_KEY": "a value of this test alone, as long as production asks for",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "ALLOWED_HOSTS": "pitside.casino.internal",
        "DEBUG": "",
        "PITSIDE_SEALER_DIR": str(tmp_path) if folder_given else "",
    }
    say_loaded = "import config.asgi, sys; print('audit.sealing.process' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", say_loaded], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if folder_given:
        assert ran.returncode != 0
        assert "may have its keys" in ran.stderr
    else:
        assert (ran.returncode, ran.stdout.strip()) == (0, "False"), ran.stderr
