"""A record of two tables that a sealer sealed, its bundle, and a witness's key: what the outsider's tests are about."""

import contextlib
import datetime as dt
import io
import secrets
import zipfile
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from audit import chain, clock, export, notes
from audit.exporting import bundle
from audit.models import Cosignature, Entry, Incarnation, SigningKey
from audit.sealing import keys, log
from audit.sealing.sealer import Sealer

from .conftest import MOMENT

SECOND = dt.timedelta(seconds=1)
DAY = dt.timedelta(days=1)
WITNESS = notes.Signer("witness.example/w1", bytes(range(32)), notes.COSIGNATURE)


class House:
    """A record, and the sealer that seals it when told: `second` is the moment of each seal."""

    def __init__(self, folder: Path, write, keyed_before=DAY, create_key=keys.create) -> None:
        self.write, self.folder = write, folder
        (folder / keys.KEY_FOLDER).mkdir(parents=True)
        with clock.override(MOMENT - keyed_before):
            self.key = create_key(folder)
        self.sealer = Sealer(folder)

    @property
    def vkey(self) -> str:
        return keys.verifier_of(self.key).vkey

    def act(self, after: dt.timedelta, name: str = "larkfield/T-04", **fields) -> None:
        self.write(name, moment=MOMENT + after, **fields)

    def seal(self, after: dt.timedelta):
        with clock.override(MOMENT + after):
            return self.sealer.seal()

    def cosign(self, checkpoint, signer: notes.Signer = WITNESS, time: int = 1_800_000_000) -> str:
        note = notes.Note.read(checkpoint.note)
        line = signer.signature(note.text, time).line
        Cosignature.objects.create(checkpoint=checkpoint, name=signer.name, line=line, at=checkpoint.at)
        return line


def create_shared_key(folder: Path) -> SigningKey:
    """A key as the release before created it: it has the name of the installation, and signs every log."""
    signer = notes.Signer(settings.LOG_ORIGIN, secrets.token_bytes(notes.KEY_BYTES))
    keys._save(folder, signer)
    return keys.record_key(signer)


@contextlib.contextmanager
def release_before(monkeypatch) -> Iterator[None]:
    """Inside the block, a log that begins gets no key: every active key signs every log."""
    with monkeypatch.context() as before:
        before.setattr(keys, "active_keys", lambda *_log: list(SigningKey.objects.filter(retired_at=None)))
        yield


def bundled(
    *names, since=None, until=None, incarnation: Incarnation | None = None, at=MOMENT, **how
) -> bytes:
    out = io.BytesIO()
    with clock.override(at):
        bundle.write(out, export.select(names, since, until, **how), incarnation=incarnation)
    return out.getvalue()


def files_of(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as held:
        return {name: held.read(name) for name in held.namelist()}


def archived(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as held:
        for name, data in files.items():
            held.writestr(name, data)
    return out.getvalue()


def proof_of(entry: Entry) -> bytes:
    """The proof of one entry, as FORMAT.md has it."""
    found = log.proof_of(entry)
    checkpoint = found.witnessed or found.checkpoint
    path = found.witnessed_path if found.witnessed else found.path
    said = {
        "_format": 1,
        "_type": "proof",
        "checkpoint": checkpoint.cosigned,
        "path": [digest.hex() for digest in path],
        "seal": bytes(found.seal.body).decode(),
    }
    linked = Entry.objects.filter(stream=entry.stream, seq__gte=entry.seq, seq__lte=found.head_seq).order_by(
        "seq"
    )
    lines = [export.format_line(bytes(one.hash), bytes(one.prev), bytes(one.body)) for one in linked]
    return b"".join([chain.canonical(said) + b"\n", *lines])
