"""The sealer's signing keys: files in its folder that nobody else may read, and their public halves on the record.

A key serves one log, and its name is the log's origin (c2sp.org/tlog-policy), so that no checkpoint of one log can pass
for one of another. Every active key of a log signs each of its checkpoints; during a rotation, both do. In production
only the sealer's process has the folder: a web worker that has it refuses to start (config/asgi.py).

A key from before has the name of the installation and signed all of its logs. It goes on signing those that it began,
until a rotation gives them keys of their own; it signs no new log.
"""

import hashlib
import os
import secrets
from pathlib import Path

from django.conf import settings
from django.db import transaction

from audit import clock, entries, notes
from audit.entry_types import EntryBody
from audit.models import Incarnation, SigningKey
from audit.record import current_incarnation_number
from audit.refusals import AuditRefusal, RefusalCode
from audit.sealing.declarations import origin_of, write_on_system
from audit.sealing.log import Log, current_incarnation, logs_of
from audit.sealing.state import SealingProblem

KEY_FOLDER = "keys"


NO_FOLDER = RefusalCode(
    "no-folder", "This process has no folder of keys. PITSIDE_SEALER_DIR names it, for the sealer only."
)
KEY_KNOWN = RefusalCode("key-known", "Key %(key)s is on the record already.")
KEY_OF_OTHER_LOG = RefusalCode(
    "key-of-other-log",
    "Key %(key)s is the key of %(other)s under another name, and a key serves one log. Delete its file, and create "
    "another one for %(log)s.",
)
KEY_UNKNOWN = RefusalCode("key-unknown", "No key %(key)s is on the record. See: manage.py sealer_key list.")
KEY_RETIRED = RefusalCode("key-retired", "Key %(key)s was retired already.")
LAST_KEY = RefusalCode(
    "last-key",
    "Key %(key)s is the only active key of %(log)s. Create another one first: manage.py sealer_key rotate.",
)
LOG_HAS_KEY = RefusalCode(
    "log-has-key", "%(log)s already has a key. To change it, run: manage.py sealer_key rotate."
)
LOG_HAS_BEGUN = RefusalCode(
    "log-has-begun",
    "%(log)s began with a key from before. To give it a key of its own, run: manage.py sealer_key rotate.",
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


def first_log() -> Log:
    """The first log of the current incarnation, which is the first one before the first seal."""
    number = current_incarnation_number()
    return Log(current_incarnation() or Incarnation(number=number, origin=origin_of(number)))


def current_logs() -> list[Log]:
    """The logs of the current incarnation that the database has, the first one first."""
    incarnation = current_incarnation()
    return logs_of(incarnation) if incarnation else [first_log()]


def create(folder: Path, log: Log | None = None) -> SigningKey:
    """Create a key of a log (the first one unless one is given), save it in the folder, and record its public half.

    It is active from now on.
    """
    signer = notes.Signer((log or first_log()).origin, secrets.token_bytes(notes.KEY_BYTES))
    path = _save(folder, signer)
    try:
        return record_key(signer)
    except BaseException:
        path.unlink()
        raise


def begin(folder: Path, log: Log) -> SigningKey:
    """Create the first key of a log that begins. One that a crash left in the folder alone is recorded instead.

    Raises SealingProblem("key-of-other-log") if that is the key of another log under this one's name.
    """
    for signer in unrecorded_signers(folder):
        if signer.name == log.origin:
            try:
                return record_key(signer)
            except KeyRefused as refusal:
                key = signer.verifier.key_id.hex()
                raise SealingProblem("key-of-other-log", log.facility, key=key, log=log.origin) from refusal
    return create(folder, log)


def record_key(signer: notes.Signer) -> SigningKey:
    """Record a key, active from now on.

    Raises KeyRefused: KEY_KNOWN if it is on the record already, KEY_OF_OTHER_LOG if it is under another name.
    """
    key = signer.verifier
    with transaction.atomic():
        for other in SigningKey.objects.filter(public_key=key.public):
            if other.name == key.name:
                raise KeyRefused(KEY_KNOWN, key=key.key_id.hex())
            raise KeyRefused(KEY_OF_OTHER_LOG, key=key.key_id.hex(), other=other.name, log=key.name)
        moment = clock.now()
        write_on_system(created_entry(key), moment)
        return SigningKey.objects.create(
            name=key.name, key_id=key.key_id.hex(), public_key=key.public, created_at=moment
        )


def retire(folder: Path, key_id: str) -> SigningKey:
    """Retire a key: it stops signing, and its private half is deleted.

    Raises KeyRefused: KEY_UNKNOWN, KEY_RETIRED, or LAST_KEY if no other key would sign a current log.
    """
    with transaction.atomic():
        key = SigningKey.objects.filter(key_id=key_id).first()
        if key is None:
            raise KeyRefused(KEY_UNKNOWN, key=key_id)
        if key.retired_at is not None:
            raise KeyRefused(KEY_RETIRED, key=key_id)
        for log in logs_signed_by(key):
            if keys_signing(log) == [key]:
                raise KeyRefused(LAST_KEY, key=key_id, log=log.origin)
        moment = clock.now()
        write_on_system(_retired_entry(verifier_of(key)), moment)
        key.retired_at = moment
        key.save(update_fields=["retired_at"])
    (folder / KEY_FOLDER / f"{key_id}.key").unlink(missing_ok=True)
    return key


def verifier_of(key: SigningKey) -> notes.Verifier:
    """The key as a verifier of notes. Its `.vkey` is the line to give to others."""
    return notes.Verifier(key.name, bytes(key.public_key))


def keys_of(log: Log) -> list[SigningKey]:
    """The keys on the record that may have signed a log, oldest first: its own alone, if it began with one."""
    stated = [
        key for key in SigningKey.objects.order_by("created_at", "pk") if notes.may_sign(key.name, log.origin)
    ]
    own = [key for key in stated if key.name == log.origin]
    began_at = log.checkpoints.order_by("size").values_list("at", flat=True).first()
    return own if any(began_at is None or key.created_at <= began_at for key in own) else stated


def active_keys(log: Log, signed: str) -> list[SigningKey]:
    """The keys on the record that sign a log now, oldest first.

    `signed` is the note of its last signed checkpoint, "" before the first. A log that began without a key of its own
    goes on with those from before.
    """
    began = log.checkpoints.order_by("size").values_list("note", flat=True).first() or signed
    names = {signature.name for signature in notes.Note.read(began).signatures} if began else {log.origin}
    return [
        key
        for key in SigningKey.objects.filter(retired_at=None).order_by("created_at", "pk")
        if key.name == log.origin or (log.origin not in names and notes.may_sign(key.name, log.origin))
    ]


def is_from_before(key: SigningKey) -> bool:
    """Whether a key is from before each log had its own: it has the name of the installation."""
    return key.name == settings.LOG_ORIGIN or not key.name.startswith(f"{settings.LOG_ORIGIN}/")


def logs_signed_by(key: SigningKey) -> list[Log]:
    """The current logs that a key signs."""
    return [log for log in current_logs() if key in keys_signing(log)]


def keys_signing(log: Log) -> list[SigningKey]:
    """The keys on the record that sign a log now, by its newest checkpoint in the database, oldest first."""
    newest = log.newest()
    return active_keys(log, newest.note if newest else "")


def signers(folder: Path, log: Log, signed: str = "") -> list[notes.Signer]:
    """The active keys of a log whose private halves are in the folder, oldest first. `signed` as in `active_keys`.

    A log that has keys of its own is never signed without one of them. Raises SealingProblem: "no-key" if the log has
    none on the record, "key-missing" if the folder has none of them, "key-readable" if others may read one.
    """
    active = active_keys(log, signed)
    if not active:
        raise SealingProblem("no-key", log.facility)
    needed = [key for key in active if key.name == log.origin] or active
    in_folder = ((key, _read(folder, key.key_id)) for key in active)
    mine = [signer for key, signer in in_folder if signer and signer.name == key.name]
    if not {signer.name for signer in mine} & {key.name for key in needed}:
        raise SealingProblem("key-missing", log.facility, log=log.origin, key=needed[-1].key_id)
    return mine


def unrecorded_signers(folder: Path) -> list[notes.Signer]:
    """The keys in the folder that are not on the record: those created after a backup that was then restored."""
    recorded_ids = set(SigningKey.objects.values_list("key_id", flat=True))
    files = sorted((folder / KEY_FOLDER).glob("*.key"))
    signers = (_read(folder, path.stem) for path in files if path.stem not in recorded_ids)
    return [signer for signer in signers if signer]


def created_entry(key: notes.Verifier) -> EntryBody:
    """The entry that states the creation of a key. Every facility's readers have it, so it names no other facility."""
    if _names_a_facility(key.name):
        return entries.LOG_KEY_CREATED(_digest(key))
    return entries.KEY_CREATED(_key_data(key))


def _retired_entry(key: notes.Verifier) -> EntryBody:
    if _names_a_facility(key.name):
        return entries.LOG_KEY_RETIRED(_digest(key))
    return entries.KEY_RETIRED(_key_data(key))


def _names_a_facility(name: str) -> bool:
    """Whether a key is of a log that has the code of its facility in its name.

    First logs have none, and neither has the key of an installation from before.
    """
    named = name.removeprefix(f"{settings.LOG_ORIGIN}/")
    is_first = named.isdecimal() or Incarnation.objects.filter(origin=name).exists()
    return name != settings.LOG_ORIGIN and not is_first and named.rpartition("/")[2].isdecimal()


def _digest(key: notes.Verifier) -> entries.FacilityLogKey:
    """What other facilities' readers may know of a key. They lack its public half, so they cannot guess it."""
    return {"sha256": hashlib.sha256(key.vkey.encode()).hexdigest()}


def _key_data(key: notes.Verifier) -> entries.SealerKey:
    return {"key": key.key_id.hex(), "name": key.name, "public": key.public.hex(), "vkey": key.vkey}


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
