"""What the sealer keeps of a log in its folder, and the reasons why it does not seal.

The state file has the last signed checkpoint, and the leaf that was about to be written. It is written before the
database, and atomically: a new file is flushed to the disk and replaces the old one. So a sealer that was killed at any
point finds here what it signed, and signs nothing else in its place. The file of the first log is beside the keys; each
other log has a folder of its own (`log_folder`).

A `SealingProblem` is a code with the sentence that the integrity page and the log show.
"""

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from audit import notes

PROBLEMS = {
    "no-key": "The sealer has no key that is on the record. Create one: manage.py sealer_key create.",
    "key-readable": "Other users can read the file of key %(key)s. Restrict it to its owner: chmod 600.",
    "key-missing": (
        "The sealer's folder does not have the key of %(log)s: keys/%(key)s.key. Restore that file from its copy. Only "
        "if it is lost for good, create another key, give its line to witnesses and readers, and retire the lost one: "
        "manage.py sealer_key rotate."
    ),
    "key-of-other-log": (
        "The file keys/%(key)s.key is the key of another log under the name of %(log)s, and a key serves one log. "
        "Delete it: another key is created."
    ),
    "state-missing": (
        "The record was sealed before, but the sealer's folder does not have the last signed state. Restore the "
        "folder, or declare a new incarnation: manage.py declare_incarnation."
    ),
    "folder-behind": (
        "This sealer's folder is out of date: it has %(signed)s seals, and the database has %(found)s. The others were "
        "sealed from another copy of the folder: start the sealer with that one, and stop this one. Only if it is lost "
        "for good, declare a new incarnation: manage.py declare_incarnation."
    ),
    "another-folder": (
        "This sealer's folder (%(own)s) is not the one from which the record is sealed (%(other)s). Stop this sealer, "
        "or start it with that folder. Only if that folder is lost for good, declare a new incarnation: "
        "manage.py declare_incarnation."
    ),
    "lease-lost": "Another sealer has taken over, because this one did not report for ten seconds.",
    "not-confirmed": (
        "The database has not confirmed a write on its standby (%(warning)s), so nothing is signed that a failover "
        "might lose. It is tried again every second."
    ),
    "database-read-only": (
        "The database is a standby, or read-only, so no sealer leads there. Give the sealer the address of the "
        "primary, or let the address choose: ?target_session_attrs=read-write."
    ),
    "lease-not-granted": "The sealer's login may not use audit_sealerlease. Run migrate, then provision_roles.",
    "no-database": "The database does not answer (%(error)s).",
    "folder-unwritable": "The sealer cannot write its folder: %(error)s. Free its disk, or restore its rights.",
    "sealing-failed": "The sealer failed with %(error)s, and tries again every second. See its log.",
    "clock-jumped": (
        "The clock of the record jumped ahead, and a seal keeps its time. Set the clock right, or restart the sealer "
        "if the new time is right."
    ),
    "state-broken": "The sealer cannot read its state file. Restore it from a copy.",
    "record-went-back": (
        "The record was rolled back: %(signed)s seals were signed, and the database has %(found)s of them. Find out "
        "why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "head-went-back": (
        "The record of %(stream)s was rolled back: entry %(seq)s was sealed, and is now missing or different. Find out "
        "why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "seals-differ": (
        "Of the seals from number %(number)s on, one in the database is missing or was changed. Find out why, then "
        "declare a new incarnation: manage.py declare_incarnation."
    ),
    "first-log-stopped": (
        "The first log of the record is not sealed, so the log of this facility cannot begin. See the sealer's log."
    ),
    "facility-malformed": "The record has a stream whose name does not begin with the code of a facility.",
    "undeclared": "Incarnation %(number)s is in the database, but nobody declared it on the record.",
    "witness-ahead": (
        "Witness %(witness)s has seen %(size)s seals of the log, and there are %(ours)s here: the record was rolled "
        "back. Find out why, then declare a new incarnation: manage.py declare_incarnation."
    ),
    "witness-disagrees": (
        "Witness %(witness)s has a different log at %(size)s seals. Find out why, then declare a new incarnation: "
        "manage.py declare_incarnation."
    ),
    "copy-ahead": (
        "Copy %(copy)s is newer than the database, or differs from it: the record was rolled back. Find out why, then "
        "declare a new incarnation: manage.py declare_incarnation."
    ),
    # About a witness or the folder of copies; the sealer continues.
    "unreachable": "The witness does not answer.",
    "key-not-known": "The witness does not know the signing key. Give it the key's line.",
    "log-not-known": "The witness does not know this log. Give it the log's name and key.",
    "bad-answer": "The witness did not return a valid cosignature.",
    "asked-again": "The witness claims to be ahead of this record. It is asked once more before sealing stops.",
    "failed": "The request to the witness failed. See the sealer's log.",
    "copy-failed": "The folder of copies cannot be written.",
}

# Why a log is not sealed because of what the record has: a verification that knows of one is not good.
RECORD_CODES = frozenset(
    {
        "record-went-back", "head-went-back", "seals-differ", "undeclared", "witness-ahead", "witness-disagrees",
        "copy-ahead", "facility-malformed",
    }
)  # fmt: skip


class SealingProblem(Exception):
    """The sealer must not seal. `code` is a key of SENTENCES, and `params` fill its sentence.

    `facility` is that of the log, as in `Log.facility`: "" for the first log.
    """

    def __init__(self, code: str, facility: str = "", **params: Any) -> None:
        self.code, self.facility, self.params = code, facility, params
        super().__init__(code, params)

    def __str__(self) -> str:
        return say_problem(self.code, self.params)


class _Params(dict[str, Any]):
    """The parameters of a sentence. A status that the release before stored may lack one that the sentence has now."""

    def __missing__(self, name: str) -> str:
        return "(not stated)"


def say_problem(code: str, params: dict[str, Any]) -> str:
    """The sentence of a problem, or the code itself if it has none."""
    return str(PROBLEMS[code]) % _Params(params) if code in PROBLEMS else code


# The state file


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
