"""Exports and bundles that our own code wrote once: who tests the checkers against them needs no database.

A test beside each writes it anew and compares, so that its format cannot change unseen. With PITSIDE_WRITE_STORED=1
that test stores what it wrote.
"""

import itertools
import os
from pathlib import Path
from unittest.mock import patch

from audit import verify

from .sealed import files_of

FOLDER = Path(__file__).parent / "stored"


def read(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def assert_stored(name: str, data: bytes) -> None:
    """These bytes are the stored ones; of an archive, the files of evidence in it are, not its papers."""
    if os.environ.get("PITSIDE_WRITE_STORED"):
        (FOLDER / name).write_bytes(data)
    if name.endswith(".zip"):
        assert evidence(data) == evidence(read(name))
    else:
        assert data == read(name)


def evidence(archive: bytes) -> dict[str, bytes]:
    left_out = {
        *verify.DOCUMENTS,
        verify.SCHEMAS,
        "manifest.json",
    }  # the manifest has the digests of the papers
    return {name: data for name, data in files_of(archive).items() if name not in left_out}


def same_keys():
    """Inside the block every key of the log that is made is the first, second … of always the same ones."""
    numbers = itertools.count(1)
    return patch("audit.sealing.keys.secrets.token_bytes", lambda count: bytes([next(numbers)] * count))
