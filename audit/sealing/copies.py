"""Copies of checkpoints in a plain folder, for write-once storage.

A copy is two files, named by the log and the size: `….txt` is the checkpoint's note with its cosignatures so far,
`….proof` is a c2sp.org/tlog-witness request that leads from the previous copy to this one. Neither is ever
overwritten. If the folder has a later checkpoint than the record, or a different one, the record was rolled back.
"""

import os
import re
from pathlib import Path

from audit import merkle, notes
from audit.models import Checkpoint
from audit.sealing.log import Log, MissingNode
from audit.sealing.problems import SealingProblem
from audit.sealing.witnesses import request_of

EVERY_SECONDS = 60
DIGITS = 12


def save_newest(folder: Path, log: Log) -> str:
    """Copy a log's newest checkpoint, preferably a cosigned one, if it is newer than the last copy.

    Returns the name of the newest copy, or "" if nothing is signed. Raises SealingProblem("copy-ahead") if the folder
    is ahead of the record, and OSError if it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    last = newest_copy(folder, log.origin)
    size = _verify_log_extends(folder, last, log) if last else 0
    checkpoint = _checkpoint_to_copy(log, size)
    if checkpoint is None:
        return last
    name = copy_name(log.origin, checkpoint.size)
    _write_once(folder / f"{name}.proof", request_of(checkpoint, size))
    _write_once(folder / f"{name}.txt", checkpoint.cosigned)
    return f"{name}.txt"


def copy_name(origin: str, size: int) -> str:
    """The name of a copy without its extension. Names sort by size."""
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '_', origin)}-{size:0{DIGITS}d}"


def newest_copy(folder: Path, origin: str) -> str:
    """The name of the largest copy of a log's checkpoints, or ""."""
    pattern = re.compile(re.escape(copy_name(origin, 0)[:-DIGITS]) + rf"[0-9]{{{DIGITS},}}\.txt")
    names = [name for name in os.listdir(folder) if pattern.fullmatch(name)]
    return max(names, key=lambda name: (len(name), name), default="")


def _checkpoint_to_copy(log: Log, beyond: int) -> Checkpoint | None:
    larger = log.checkpoints.filter(size__gt=beyond).order_by("-size")
    return larger.filter(cosignatures__isnull=False).first() or larger.first()


def _verify_log_extends(folder: Path, name: str, log: Log) -> int:
    """Check that the log extends a copy. Returns the copy's size."""
    ahead = SealingProblem("copy-ahead", log.facility, incarnation=log.incarnation.number, copy=name)
    try:
        checkpoint = notes.Checkpoint.read(notes.Note.read((folder / name).read_bytes()).text)
        extends = (
            log.root(checkpoint.size) == checkpoint.root
            if checkpoint.size
            else checkpoint.root == merkle.EMPTY
        )
    except (notes.Malformed, MissingNode) as error:
        raise ahead from error
    if not extends or checkpoint.origin != log.origin:
        raise ahead
    return checkpoint.size


def _write_once(path: Path, text: str) -> None:
    """Write a file, unless it exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
