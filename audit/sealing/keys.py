"""The sealer's signing keys: files in its folder that nobody else may read, and their public halves on the record.

Every active key signs each checkpoint; during a rotation, both do. In production only the sealer's process has the
folder: a web worker that has it refuses to start (config/asgi.py).
"""

import datetime as dt
import os
import secrets
from pathlib import Path

from django.conf import settings
from django.db import transaction

from audit import clock, entries, notes
from audit.errors import AuditRefusal
from audit.models import SigningKey
from audit.refusal_codes import RefusalCode
from audit.sealing import system
from audit.sealing.problems import SealingProblem

KEY_FOLDER = "keys"


NO_FOLDER = RefusalCode(
    "no-folder", "This process has no folder of keys. PITSIDE_SEALER_DIR names it, for the sealer only."
)
KEY_KNOWN = RefusalCode("key-known", "Key %(key)s is on the record already.")
KEY_UNKNOWN = RefusalCode("key-unknown", "No key %(key)s is on the record. See: manage.py sealer_key list.")
KEY_RETIRED = RefusalCode("key-retired", "Key %(key)s was retired already.")
LAST_KEY = RefusalCode(
    "last-key", "Key %(key)s is the only active key. Create another one first: manage.py sealer_key rotate."
)


class KeyRefused(AuditRefusal):
    """An operation on a key was refused. The code says why."""

    code = RefusalCode("key-refused", "This cannot be done with this key.")


def folder() -> Path:
    """The sealer's folder, created if necessary. Raises KeyRefused(NO_FOLDER) in a process that has none."""
    if not settings.SEALER_DIR:
        raise KeyRefused(NO_FOLDER)
    path = Path(settings.SEALER_DIR)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    (path / KEY_FOLDER).mkdir(exist_ok=True, mode=0o700)
    return path


def create(folder: Path) -> SigningKey:
    """Create a key, save it in the folder, and record its public half. It is active from now on."""
    signer = notes.Signer(settings.LOG_ORIGIN, secrets.token_bytes(notes.KEY_BYTES))
    path = _save(folder, signer)
    try:
        return record_key(signer)
    except BaseException:
        path.unlink()
        raise


def record_key(signer: notes.Signer) -> SigningKey:
    """Record a key, active from now on. Raises KeyRefused(KEY_KNOWN) if it is on the record already."""
    key = signer.verifier
    with transaction.atomic():
        if SigningKey.objects.filter(name=key.name, key_id=key.key_id.hex()).exists():
            raise KeyRefused(KEY_KNOWN, key=key.key_id.hex())
        moment = clock.now()
        system.write(entries.KEY_CREATED(_key_data(key)), moment)
        return SigningKey.objects.create(
            name=key.name, key_id=key.key_id.hex(), public_key=key.public, created_at=moment
        )


def retire(folder: Path, key_id: str) -> SigningKey:
    """Retire a key: it stops signing, and its private half is deleted.

    Raises KeyRefused: KEY_UNKNOWN, KEY_RETIRED, or LAST_KEY if no other key would sign.
    """
    with transaction.atomic():
        key = SigningKey.objects.filter(key_id=key_id).first()
        if key is None:
            raise KeyRefused(KEY_UNKNOWN, key=key_id)
        if key.retired_at is not None:
            raise KeyRefused(KEY_RETIRED, key=key_id)
        if not SigningKey.objects.filter(retired_at=None).exclude(pk=key.pk).exists():
            raise KeyRefused(LAST_KEY, key=key_id)
        moment = clock.now()
        system.write(entries.KEY_RETIRED(_key_data(verifier_of(key))), moment)
        _mark_retired(key, moment)
    (folder / KEY_FOLDER / f"{key_id}.key").unlink(missing_ok=True)
    return key


def verifier_of(key: SigningKey) -> notes.Verifier:
    """The key as a verifier of notes. Its `.vkey` is the line to give to others."""
    return notes.Verifier(key.name, bytes(key.public_key))


def signers(folder: Path) -> list[notes.Signer]:
    """The active keys of the record whose private halves are in the folder, oldest first.

    Raises SealingProblem: "no-key" if there is none, "key-readable" if others may read one.
    """
    active = SigningKey.objects.filter(retired_at=None).values_list("name", "key_id")
    mine = [signer for name, key_id in active if (signer := _read(folder, key_id)) and signer.name == name]
    if not mine:
        raise SealingProblem("no-key")
    return mine


def unrecorded_signers(folder: Path) -> list[notes.Signer]:
    """The keys in the folder that are not on the record: those created after a backup that was then restored."""
    recorded_ids = set(SigningKey.objects.values_list("key_id", flat=True))
    files = sorted((folder / KEY_FOLDER).glob("*.key"))
    signers = (_read(folder, path.stem) for path in files if path.stem not in recorded_ids)
    return [signer for signer in signers if signer]


def _key_data(key: notes.Verifier) -> entries.SealerKey:
    return {"key": key.key_id.hex(), "name": key.name, "public": key.public.hex(), "vkey": key.vkey}


def _mark_retired(key: SigningKey, moment: dt.datetime) -> None:
    key.retired_at = moment
    key.save(update_fields=["retired_at"])


def _save(folder: Path, signer: notes.Signer) -> Path:
    path = folder / KEY_FOLDER / f"{signer.verifier.key_id.hex()}.key"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(signer.private + "\n")
        file.flush()
        os.fsync(file.fileno())
    return path


def _read(folder: Path, key_id: str) -> notes.Signer | None:
    path = folder / KEY_FOLDER / f"{key_id}.key"
    try:
        if path.stat().st_mode & 0o077:
            raise SealingProblem("key-readable", key=key_id)
        signer = notes.Signer.read(path.read_text(encoding="ascii"))
    except (FileNotFoundError, UnicodeDecodeError, notes.Malformed):
        return None
    return signer if signer.verifier.key_id.hex() == key_id else None
