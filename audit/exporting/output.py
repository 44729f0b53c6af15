"""The output of a job: the file of an export, or the findings of a verification."""

import datetime as dt
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from audit import clock, export, verification
from audit.entries import VerificationFigures
from audit.exporting import bundle
from audit.models import Job

from . import sealed, workbook

EXTENSIONS = {"evidence": "zip", "csv": "csv", "xlsx": "xlsx"}
MEDIA_TYPES = {
    "evidence": "application/zip",
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
PROGRESS_ENTRIES = 500  # between two calls of `beat`
EXTENSION_MEDIA_TYPES = {"zip": MEDIA_TYPES["evidence"], "xlsx": MEDIA_TYPES["xlsx"]}


class Heartbeat(Protocol):
    """Reports progress in entries. Raises if the job must stop."""

    def __call__(self, completed: int | None = None, total: int | None = None) -> None: ...


@dataclass(frozen=True)
class JobOutput:
    """The result of a job: figures for its row and its entry, and a file's name, size and SHA-256 (hex)."""

    entries: int
    details: dict[str, Any] = field(default_factory=dict)
    filename: str = ""
    size_bytes: int = 0
    sha256: str = ""
    figures: VerificationFigures | None = None  # of a verification


@dataclass(frozen=True)
class FileWriter:
    """How a kind of export is written that another app knows.

    `write` writes the file and returns figures for the job's row, among them `entries` and `streams`. `name` is the
    last part of the file's name.
    """

    extension: str
    write: Callable[[Job, Path, Heartbeat], dict[str, Any]]
    name: Callable[[Job], str]


FILE_WRITERS: dict[str, FileWriter] = {}


def register_writer(kind: str, writer: FileWriter) -> None:
    """Add a kind of export, at startup. Raises ValueError for a kind that has a writer."""
    if kind in FILE_WRITERS or kind in WRITERS:
        raise ValueError(f"registered twice: {kind}")
    FILE_WRITERS[kind] = writer
    EXTENSIONS[kind], MEDIA_TYPES[kind] = writer.extension, EXTENSION_MEDIA_TYPES[writer.extension]


def produce(job: Job, path: Path, beat: Heartbeat) -> JobOutput:
    """Do a job. An export is written to `path`. Raises what `beat` raises, and OSError."""
    if job.kind == Job.Kind.VERIFICATION:
        return _verification(job, beat)
    if writer := FILE_WRITERS.get(job.kind):
        figures = writer.write(job, path, beat)
        size, sha256 = _sync_and_hash(path)
        return JobOutput(figures["entries"], figures, filename(job), size, sha256)
    selection = job_selection(job)
    beat(0, selection.entries)
    details = WRITERS[job.kind](path, selection, beat)
    size, sha256 = _sync_and_hash(path)
    details |= {"entries": selection.entries, "streams": len(selection.spans)}
    return JobOutput(selection.entries, details, filename(job), size, sha256)


def job_selection(job: Job) -> export.Selection:
    """The entries that a job exports, as the record is now. Raises UnknownStream, MixedPlay and MissingEntry."""
    since, until = (_moment(job.params.get(edge)) for edge in ("from", "to"))
    names, training = job.params.get("streams", []), bool(job.params.get("training"))
    return export.select(names, since, until, training=training, facility=job.facility)


def filename(job: Job) -> str:
    """The name of the downloaded file: facility, stream, gaming days, and the kind of export."""
    names = [str(name).rpartition("/")[2] for name in job.params.get("streams", [])]
    writer = FILE_WRITERS.get(job.kind)
    parts = [
        job.facility,
        *(names if len(names) == 1 and writer is None else []),
        *(["training"] if job.params.get("training") else []),
        "-to-".join(dict.fromkeys(_days(job))),
        writer.name(job) if writer else "evidence" if job.kind == Job.Kind.EVIDENCE else "reading-copy",
    ]
    return f"{'-'.join(parts)}.{EXTENSIONS[job.kind]}"


def _days(job: Job) -> list[str]:
    """The gaming days on which the job's range begins and ends; if it has no end, the day of the request."""
    if job.params.get("day"):
        return [job.params["day"], job.params["last_day"]]
    since, until = (_moment(job.params.get(edge)) for edge in ("from", "to"))
    last = until - dt.timedelta(microseconds=1) if until else job.asked_at
    return [str(clock.gaming_day(job.facility, moment)) for moment in (since, last) if moment]


def _moment(text: Any) -> dt.datetime | None:
    return dt.datetime.fromisoformat(text) if text else None


def _evidence(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    sealed.wait_for_seals(selection, beat)
    with path.open("wb") as out:
        written = bundle.write(out, selection, beat)
    return {"record_sha256": written.record_sha256, "unsealed": written.unsealed}


def _csv(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    with path.open("wb") as out:
        for count, row in enumerate(export.csv_lines(selection)):
            out.write(row)
            if count % PROGRESS_ENTRIES == 0:
                beat(count)
    return {}


def _xlsx(path: Path, selection: export.Selection, beat: Heartbeat) -> dict[str, Any]:
    return {"cut": workbook.write(path, selection, beat)["cut"]}


WRITERS: dict[str, Callable[[Path, export.Selection, Heartbeat], dict[str, Any]]] = {
    "evidence": _evidence,
    "csv": _csv,
    "xlsx": _xlsx,
}


def _sync_and_hash(path: Path) -> tuple[int, str]:
    """Flush a file to the disk. Returns its size and SHA-256."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _verification(job: Job, beat: Heartbeat) -> JobOutput:
    verified = verification.verify(beat, job.facility)
    figures = verified.as_data()
    return JobOutput(verified.entries, dict(figures), figures=figures)
