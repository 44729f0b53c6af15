"""The state file of a log: the last signed checkpoint, and the leaf that was about to be written.

It is written before the database, and atomically: a new file is flushed to the disk and replaces the old one. So a
sealer that was killed at any point finds here what it signed, and signs nothing else in its place. The file of the
first log is beside the keys; each other log has a folder of its own (`log_folder`).
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from audit import notes
from audit.sealing.problems import SealingProblem

NAME = "state.json"
LOGS_FOLDER = "logs"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Pending:
    """A leaf that was signed but may not be written: its number, its body, and the note of the log including it."""

    number: int
    body: str
    note: str


@dataclass(frozen=True, slots=True)
class State:
    """The state of the signed log: its incarnation and size, and the note of its newest checkpoint ("" at size 0).

    `problem` is the code and params of a SealingProblem that lasts until a new incarnation.
    """

    incarnation: int
    size: int = 0
    note: str = ""
    pending: Pending | None = None
    problem: tuple[str, dict[str, Any]] | None = None

    @property
    def signed(self) -> str:
        """The note of the last signed checkpoint, written or not; "" before the first."""
        return self.pending.note if self.pending else self.note

    @property
    def root(self) -> bytes | None:
        """The root (32 bytes) at `size`, or None before the first seal."""
        return notes.Checkpoint.read(notes.Note.read(self.note).text).root if self.note else None

    def with_pending(self, pending: Pending) -> "State":
        """This state with a leaf that is about to be written."""
        return replace(self, pending=pending)

    def with_written(self) -> "State":
        """This state after its pending leaf was written to the database."""
        assert self.pending is not None
        return State(self.incarnation, self.pending.number + 1, self.pending.note)

    def with_problem(self, problem: SealingProblem) -> "State":
        """This state with a problem that lasts until a new incarnation."""
        return replace(self, problem=(problem.code, problem.params))


def log_folder(folder: Path, facility: str) -> Path:
    """The folder of the state of a facility's log in the sealer's folder. That of the first log ("") is this itself."""
    return folder / LOGS_FOLDER / facility if facility else folder


def saved_facilities(folder: Path) -> list[str]:
    """The facilities of the logs, other than the first one, whose state was ever saved, in order."""
    return sorted(path.parent.name for path in (folder / LOGS_FOLDER).glob(f"*/{NAME}"))


def read(folder: Path) -> State | None:
    """Read the saved state in a log's folder; None if nothing was ever signed.

    Raises SealingProblem("state-broken") if it cannot be read.
    """
    try:
        content = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SealingProblem("state-broken") from error
    try:
        pending = Pending(**content["pending"]) if content["pending"] else None
        problem = (content["trouble"][0], content["trouble"][1]) if content["trouble"] else None
        state = State(content["incarnation"], content["size"], content["note"], pending, problem)
        _ = state.root
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise SealingProblem("state-broken") from error
    return state


def write(folder: Path, state: State) -> None:
    """Replace the saved state in a log's folder, which is made if necessary. It is on the disk when this returns."""
    _make(folder)
    fields = asdict(state)
    fields["trouble"] = fields.pop("problem")  # the file keeps its first name
    content = json.dumps({"format": FORMAT, **fields}, ensure_ascii=False, indent=1)
    fresh = folder / f".{NAME}.new"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, folder / NAME)
    _sync_folder(folder)


def _make(folder: Path) -> None:
    """Make a folder and those above it that are missing. Their names are on the disk when this returns."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
