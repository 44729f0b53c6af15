"""What others keep of a log: the cosignatures of witnesses, copies of its checkpoints, and a policy to check them by.

Each checkpoint is cosigned by witnesses (c2sp.org/tlog-witness). Nothing waits for them. A witness remembers the newest
checkpoint that it saw, and cosigns the next one only with a proof that it extends that one. If a witness has a longer
or different log of ours, this record was rolled back or forked. Its answer is not signed, so we ask over TLS and
believe it only when it says so twice.

Copies lie in a plain folder, for write-once storage (`save_newest_copy`). A copy is two files, named by the log and the
size: `….txt` is the checkpoint's note with its cosignatures so far, `….proof` is a c2sp.org/tlog-witness request that
leads from the previous copy to this one. Neither is ever overwritten. If the folder has a later checkpoint than the
record, or a different one, the record was rolled back.

`policy_of` names the logs and witnesses for programs of others that check checkpoints (c2sp.org/tlog-policy).
"""

import contextlib
import datetime as dt
import http.client
import ipaddress
import logging
import os
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, IntegrityError, close_old_connections, transaction

from audit import clock, merkle, notes
from audit.models import Checkpoint, Cosignature
from audit.sealing import keys
from audit.sealing.log import Log, MissingNode, current_incarnation, logs_of
from audit.sealing.state import SealingProblem

log = logging.getLogger(__name__)
TIMEOUT_SECONDS = 3
RETRY_SECONDS = 10  # ask again even if there is no new checkpoint: the witness may have been down
DOUBT_SECONDS = 5.0  # before asking again a witness whose answer would stop the sealer
DOUBTED_CODE = "asked-again"
NEAR = 1000
RESPONSE_BYTES_MAX = 64 * 1024
SIZE_TYPE = "text/x.tlog.size"
REFUSALS = {403: "key-not-known", 404: "log-not-known"}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a witness could otherwise make the sealer's machine request internal addresses."""

    def redirect_request(self, *args: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirects)
DIRECT_OPENER = urllib.request.build_opener(
    NoRedirects, urllib.request.ProxyHandler({})
)  # no proxy without TLS


class NotCosigned(Exception):
    """A witness did not cosign. `code` is unreachable, key-not-known, log-not-known or bad-answer."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness's address, and the key of its cosignatures."""

    url: str
    verifier: notes.Verifier

    @property
    def name(self) -> str:
        """The name of its key."""
        return self.verifier.name


@dataclass(frozen=True, slots=True)
class WitnessResponse:
    """An HTTP response: status, content type and body."""

    status: int
    kind: str
    body: str


def configured() -> list[Witness]:
    """The witnesses in PITSIDE_WITNESSES.

    Raises ImproperlyConfigured if one is not `url vkey`, or would be asked without TLS over a network and
    PITSIDE_WITNESSES_WITHOUT_TLS does not name its host.
    """
    return [_parse_witness(entry) for entry in settings.WITNESSES.split(";") if entry.strip()]


def _parse_witness(entry: str) -> Witness:
    url, _space, vkey = entry.strip().partition(" ")
    try:
        verifier = notes.Verifier.read(vkey)
    except notes.Malformed as error:
        raise ImproperlyConfigured(f"PITSIDE_WITNESSES: {url} has no valid verifier key: {error}") from error
    scheme, host = _split(url)
    if verifier.kind != notes.COSIGNATURE or scheme not in ("http", "https") or not host:
        raise ImproperlyConfigured(
            f"PITSIDE_WITNESSES: {url} is not a valid address, or its key is not for cosignatures (type 4)."
        )
    if scheme == "http" and not (_is_loopback(host) or host in settings.WITNESSES_WITHOUT_TLS):
        raise ImproperlyConfigured(
            f"PITSIDE_WITNESSES: {url} has no TLS, so any machine on the network could answer in its place and stop "
            "the sealing of the record. Use an address that begins with https://, or name "
            f"{host} in PITSIDE_WITNESSES_WITHOUT_TLS if you trust every machine on that network."
        )
    return Witness(url.rstrip("/"), verifier)


def _split(url: str) -> tuple[str, str]:
    """The scheme and host of an address, or empty texts if it is malformed."""
    try:
        parts = urllib.parse.urlsplit(url)
        return parts.scheme, parts.hostname or ""
    except ValueError:
        return "", ""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def request_cosignature(witness: Witness, record_log: Log | None = None) -> Cosignature | None:
    """Have a witness cosign the newest checkpoint of a log, the current first log unless one is given.

    One that it cosigned before is returned without asking again. Returns None if there is no checkpoint.

    Raises NotCosigned, and SealingProblem ("witness-ahead", "witness-disagrees") if the witness claims to be ahead of
    this record or to have a different log. That claim is not signed, so `WitnessClient` asks again.
    """
    if record_log is None:
        incarnation = current_incarnation()
        record_log = Log(incarnation) if incarnation else None
    newest = record_log.newest() if record_log else None
    if record_log is None or newest is None:
        return None
    last = last_cosignature(witness, newest)
    old = last.checkpoint.size if last else 0
    if old == newest.size:
        return last
    answer = _post(witness, newest, old)
    if answer.status == 409 and (witness_size := _size_in(answer)) is not None and witness_size != old:
        _verify_is_not_ahead(witness, record_log, newest, witness_size)
        old = witness_size
        answer = _post(witness, newest, old)
    if answer.status == 422 or (answer.status == 409 and old == newest.size):
        raise SealingProblem(
            "witness-disagrees",
            record_log.facility,
            incarnation=newest.incarnation_id,
            witness=witness.name,
            size=old,
        )
    if answer.status != 200:
        raise NotCosigned(REFUSALS.get(answer.status, "bad-answer"))
    return _save_cosignature(witness, newest, answer.body)


def _verify_is_not_ahead(witness: Witness, record_log: Log, newest: Checkpoint, witness_size: int) -> None:
    now = record_log.newest() if witness_size > newest.size else newest  # a seal was made meanwhile
    if now is None or witness_size > now.size:
        raise SealingProblem(
            "witness-ahead",
            record_log.facility,
            incarnation=newest.incarnation_id,
            witness=witness.name,
            size=witness_size,
            ours=newest.size,
        )


def last_cosignature(witness: Witness, checkpoint: Checkpoint) -> Cosignature | None:
    """The one of the largest of the last thousand checkpoints of this log that the witness cosigned.

    If it last cosigned before that, its answer says the size.
    """
    cosignatures = Cosignature.objects.filter(
        name=witness.name,
        checkpoint__incarnation_id=checkpoint.incarnation_id,
        checkpoint__facility=checkpoint.facility,
        checkpoint__size__gt=checkpoint.size - NEAR,
    ).order_by("-checkpoint__size")
    return cosignatures.select_related("checkpoint").first()


def request_of(checkpoint: Checkpoint, old: int) -> str:
    """The body of a request to cosign this checkpoint, with the proof that it extends a log of `old` leaves."""
    proof = Log(checkpoint.incarnation, checkpoint.facility).consistency(old, checkpoint.size)
    return (
        f"old {old}\n" + "".join(f"{notes.base64_of(digest)}\n" for digest in proof) + "\n" + checkpoint.note
    )


def _post(witness: Witness, checkpoint: Checkpoint, old: int) -> WitnessResponse:
    data = request_of(checkpoint, old).encode()
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    request = urllib.request.Request(f"{witness.url}/add-checkpoint", data, headers, method="POST")
    opener = OPENER if witness.url.startswith("https:") else DIRECT_OPENER
    try:
        with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
            return _read_response(answer.status, answer)
    except urllib.error.HTTPError as refused:
        with refused:
            return _read_response(refused.code, refused)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotCosigned("unreachable") from error


def _read_response(status: int, answer: Any) -> WitnessResponse:
    body = answer.read(RESPONSE_BYTES_MAX).decode(errors="replace")
    return WitnessResponse(status, answer.headers.get_content_type(), body)


def _size_in(answer: WitnessResponse) -> int | None:
    text = answer.body.removesuffix("\n")
    return int(text) if answer.kind == SIZE_TYPE and notes.SIZE.fullmatch(text) and len(text) < 19 else None


def _save_cosignature(witness: Witness, checkpoint: Checkpoint, body: str) -> Cosignature:
    text = notes.Note.read(checkpoint.note).text
    for line in body.splitlines():
        try:
            signature = notes.Signature.read(line)
        except notes.Malformed:
            continue
        if witness.verifier.verifies(text, signature):
            return _create_cosignature(witness, checkpoint, line)
    raise NotCosigned("bad-answer")


def _create_cosignature(witness: Witness, checkpoint: Checkpoint, line: str) -> Cosignature:
    try:
        with transaction.atomic():
            return Cosignature.objects.create(
                checkpoint=checkpoint, name=witness.name, line=line, at=clock.now()
            )
    except IntegrityError:
        return Cosignature.objects.get(checkpoint=checkpoint, name=witness.name)


class WitnessClient:
    """Asks one witness in its own thread: one request at a time, always about a log's newest checkpoint.

    `reports` are for the integrity page, by the log's facility ("": the first log). `problem` is set when the witness
    has claimed twice to be ahead of this record, the second time about the checkpoint that was newest DOUBT_SECONDS
    later: a single garbled answer stops nothing.
    """

    def __init__(self, witness: Witness) -> None:
        self.witness = witness
        self.reports: dict[str, dict[str, Any]] = {"": self._new_report()}
        self.problem: SealingProblem | None = None
        # The facilities and incarnations of the logs about which it has claimed so once.
        self._doubted: set[tuple[str, int]] = set()
        self._requested = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"ask {witness.name}", daemon=True)
        self._thread.start()

    @property
    def report(self) -> dict[str, Any]:
        """The report about the first log."""
        return self.reports[""]

    def request(self) -> None:
        """Request a cosignature of each log's newest checkpoint."""
        self._requested.set()

    def stop(self) -> None:
        """Stop after the current request."""
        self._stopped.set()
        self._requested.set()
        self._thread.join(2 * TIMEOUT_SECONDS)

    def _new_report(self) -> dict[str, Any]:
        return {"url": self.witness.url, "size": 0, "at": None, "said": "", "since": ""}

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._requested.wait(RETRY_SECONDS)
            self._requested.clear()
            if self._stopped.is_set():
                return
            close_old_connections()
            codes = self._request_each()
            with contextlib.suppress(DatabaseError):  # whose clock is asked: noted the next time
                for facility, code in codes.items():
                    self._note(facility, code)
            close_old_connections()
            if DOUBTED_CODE in codes.values():
                self._stopped.wait(DOUBT_SECONDS)
                self._requested.set()
            elif any(codes.values()):
                self._stopped.wait(1)

    def _request_each(self) -> dict[str, str]:
        """Ask about each log of the current incarnation. Returns the codes of failures, or "", by facility.

        A witness that does not answer about one log is not asked about the others.
        """
        try:
            incarnation = current_incarnation()
            logs = logs_of(incarnation) if incarnation else []
        except Exception:
            log.exception("witness %s: the logs cannot be read", self.witness.name)
            return {"": "failed"}
        codes: dict[str, str] = {}
        for record_log in logs:
            silent = "unreachable" in codes.values()
            codes[record_log.facility] = "unreachable" if silent else self._request(record_log)
            if self._stopped.is_set():
                break
        return codes

    def _note(self, facility: str, code: str) -> None:
        """Report the code of the last request about a log, and log a change."""
        report = self.reports.get(facility) or self._new_report()
        if code != report["said"]:
            about = f"{self.witness.name} about {facility}" if facility else self.witness.name
            log.warning("witness %s: %s", about, code or "cosigns again")
            since = clock.format_moment(clock.now()) if code else ""
            report = {**report, "said": code, "since": since}
        self._set_report(facility, report)

    def _set_report(self, facility: str, report: dict[str, Any]) -> None:
        self.reports = {**self.reports, facility: report}  # never changed in place: another thread reads it

    def _request(self, record_log: Log | None = None) -> str:
        """Ask about a log, the first one unless one is given. Returns the code of the failure, or ""."""
        facility = record_log.facility if record_log else ""
        try:
            if cosignature := request_cosignature(self.witness, record_log):
                self._doubted = {doubt for doubt in self._doubted if doubt[0] != facility}
                moment: dt.datetime = cosignature.at
                size = cosignature.checkpoint.size
                report = self.reports.get(facility) or self._new_report()
                self._set_report(facility, {**report, "size": size, "at": clock.format_moment(moment)})
        except NotCosigned as error:
            return error.code
        except SealingProblem as problem:
            log.warning("witness %s: %s", self.witness.name, problem)
            return self._handle_problem(problem)
        except Exception:
            log.exception("witness %s: the request failed", self.witness.name)
            return "failed"
        return ""

    def _handle_problem(self, problem: SealingProblem) -> str:
        """Doubt the first claim of a witness about a log. Set `problem` at the second."""
        about = (problem.facility, problem.params["incarnation"])
        if about not in self._doubted:
            self._doubted.add(about)
            return DOUBTED_CODE
        self.problem = problem
        return problem.code


# Copies


COPY_EVERY_SECONDS = 60
COPY_NAME_DIGITS = 12


def save_newest_copy(folder: Path, log: Log) -> str:
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
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '_', origin)}-{size:0{COPY_NAME_DIGITS}d}"


def newest_copy(folder: Path, origin: str) -> str:
    """The name of the largest copy of a log's checkpoints, or ""."""
    pattern = re.compile(
        re.escape(copy_name(origin, 0)[:-COPY_NAME_DIGITS]) + rf"[0-9]{{{COPY_NAME_DIGITS},}}\.txt"
    )
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


# The policy


POLICY_GROUP = "witnesses"


def policy_of(logs: Iterable[Log]) -> str:
    """The policy's text: a line for each active key of these logs, and for each witness, all of which must cosign.

    A log that only keys from before sign cannot be in a policy, which knows a log by the name of its key: a comment
    says so. Raises ImproperlyConfigured for malformed witnesses.
    """
    lines = []
    for log in logs:
        own = [keys.verifier_of(key).vkey for key in keys.keys_signing(log) if key.name == log.origin]
        lines += [f"log {vkey}" for vkey in own] or [
            f"# {log.origin} has no key of its own yet: manage.py sealer_key rotate"
        ]
    named: dict[str, Witness] = {}
    for number, witness in enumerate(configured(), 1):
        is_taken = witness.name in ("none", POLICY_GROUP, *named)
        named[f"{witness.name}-{number}" if is_taken else witness.name] = witness
    lines += [f"witness {name} {witness.verifier.vkey} {witness.url}" for name, witness in named.items()]
    if len(named) > 1:
        lines.append(f"group {POLICY_GROUP} all {' '.join(named)}")
    lines.append(f"quorum {POLICY_GROUP if len(named) > 1 else next(iter(named), 'none')}")
    return "".join(f"{line}\n" for line in lines)
