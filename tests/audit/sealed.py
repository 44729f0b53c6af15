"""A record of two tables that a sealer sealed, its bundle, and a witness's key: what the outsider's tests are about."""

import datetime as dt
import io
import zipfile
from pathlib import Path

from audit import clock, export, notes
from audit.exporting import bundle
from audit.models import Cosignature, Incarnation
from audit.sealing import keys
from audit.sealing.sealer import Sealer

from .conftest import MOMENT

SECOND = dt.timedelta(seconds=1)
DAY = dt.timedelta(days=1)
WITNESS = notes.Signer("witness.example/w1", bytes(range(32)), notes.COSIGNATURE)


class House:
    """A record, and the sealer that seals it when told: `second` is the moment of each seal."""

    def __init__(self, folder: Path, write) -> None:
        self.write, self.folder = write, folder
        (folder / keys.FILES).mkdir(parents=True)
        with clock.at(MOMENT - DAY):
            self.key = keys.create(folder)
        self.sealer = Sealer(folder)

    @property
    def vkey(self) -> str:
        return keys.verifier_of(self.key).vkey

    def act(self, after: dt.timedelta, name: str = "larkfield/T-04", **fields) -> None:
        self.write(name, at=MOMENT + after, **fields)

    def seal(self, after: dt.timedelta):
        with clock.at(MOMENT + after):
            return self.sealer.second()

    def cosign(self, checkpoint, signer: notes.Signer = WITNESS, time: int = 1_800_000_000) -> str:
        note = notes.Note.read(checkpoint.note)
        line = signer.signature(note.text, time).line
        Cosignature.objects.create(checkpoint=checkpoint, name=signer.name, line=line, at=checkpoint.at)
        return line


def bundled(*names, since=None, until=None, incarnation: Incarnation | None = None, at=MOMENT) -> bytes:
    out = io.BytesIO()
    with clock.at(at):
        bundle.write(out, export.select(names, since, until), incarnation=incarnation)
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
