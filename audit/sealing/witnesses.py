"""Asking witnesses to cosign each checkpoint, by c2sp.org/tlog-witness. Nothing waits for them.

A witness keeps the newest checkpoint that it saw, and cosigns the next one only with a proof that it goes on from
there. One that knows a longer log, or another story of ours, shows that this record has gone back or was forked. It
says so in an answer that nobody signed: so it is asked over TLS, and believed once it has said so twice.
"""

import datetime as dt
import http.client
import ipaddress
import logging
import threading
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, close_old_connections, transaction

from audit import clock, notes
from audit.models import Checkpoint, Cosignature
from audit.sealing.log import Log, current_incarnation
from audit.sealing.problems import SealingProblem

log = logging.getLogger(__name__)
TIMEOUT_SECONDS = 3
RETRY_SECONDS = 10  # a witness that was away is asked again, though nothing moved
DOUBT_SECONDS = 5.0  # after which one that would stop the sealer is asked again
DOUBTED_CODE = "asked-again"
NEAR = 1000
RESPONSE_BYTES_MAX = 64 * 1024
SIZE_TYPE = "text/x.tlog.size"
REFUSALS = {403: "key-not-known", 404: "log-not-known"}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows a witness nowhere: it would choose what the sealer's machine asks for within the house."""

    def redirect_request(self, *args: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirects)
DIRECT_OPENER = urllib.request.build_opener(
    NoRedirects, urllib.request.ProxyHandler({})
)  # without TLS, past no proxy


class NotCosigned(Exception):
    """A witness did not cosign. `code`: unreachable, key-not-known, log-not-known, bad-answer."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True, slots=True)
class Witness:
    """Where a witness is asked, and the key that its cosignatures are made with."""

    url: str
    verifier: notes.Verifier

    @property
    def name(self) -> str:
        """The name of its key."""
        return self.verifier.name


@dataclass(frozen=True, slots=True)
class WitnessResponse:
    """What came back: the status, what it is, and the body."""

    status: int
    kind: str
    body: str


def configured() -> list[Witness]:
    """The witnesses of PITSIDE_WITNESSES; ImproperlyConfigured where one is not `url vkey`, or is asked without TLS
    over a network and PITSIDE_WITNESSES_WITHOUT_TLS does not name its host.
    """
    return [_parse_witness(entry) for entry in settings.WITNESSES.split(";") if entry.strip()]


def _parse_witness(entry: str) -> Witness:
    url, _space, vkey = entry.strip().partition(" ")
    try:
        verifier = notes.Verifier.read(vkey)
    except notes.Malformed as error:
        raise ImproperlyConfigured(f"PITSIDE_WITNESSES: {url} has no verifier key: {error}") from error
    scheme, host = _split(url)
    if verifier.kind != notes.COSIGNATURE or scheme not in ("http", "https") or not host:
        raise ImproperlyConfigured(
            f"PITSIDE_WITNESSES: {url} is no address, or its key is not of cosignatures (type 4)."
        )
    if scheme == "http" and not (_is_loopback(host) or host in settings.WITNESSES_WITHOUT_TLS):
        raise ImproperlyConfigured(
            f"PITSIDE_WITNESSES: {url} would be asked without TLS, and whoever is on the way to it could answer in its "
            "place and stop the sealing of the record. Give it an address that begins with https://, or name "
            f"{host} in PITSIDE_WITNESSES_WITHOUT_TLS if you trust every machine on that network."
        )
    return Witness(url.rstrip("/"), verifier)


def _split(url: str) -> tuple[str, str]:
    """The scheme and the host of an address; empty where it is none."""
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


def request_cosignature(witness: Witness) -> Cosignature | None:
    """Have a witness cosign the newest checkpoint. None where there is none, or it has done so already.

    Raises NotCosigned, and SealingProblem ("witness-ahead", "witness-disagrees") where it says that it knows more than this
    record. Nobody signed that: `Asker` asks it again.
    """
    incarnation = current_incarnation()
    newest = Log(incarnation).newest() if incarnation else None
    if newest is None:
        return None
    old = last_size(witness, newest)
    if old == newest.size:
        return None
    answer = _post(witness, newest, old)
    if answer.status == 409 and (witness_size := _size_in(answer)) is not None and witness_size != old:
        _verify_is_not_ahead(witness, newest, witness_size)
        old = witness_size
        answer = _post(witness, newest, old)
    if answer.status == 422 or (answer.status == 409 and old == newest.size):
        raise SealingProblem(
            "witness-disagrees", incarnation=newest.incarnation_id, witness=witness.name, size=old
        )
    if answer.status != 200:
        raise NotCosigned(REFUSALS.get(answer.status, "bad-answer"))
    return _save_cosignature(witness, newest, answer.body)


def _verify_is_not_ahead(witness: Witness, newest: Checkpoint, witness_size: int) -> None:
    now = (
        Log(newest.incarnation).newest() if witness_size > newest.size else newest
    )  # a seal later, it may just be right
    if now is None or witness_size > now.size:
        raise SealingProblem(
            "witness-ahead",
            incarnation=newest.incarnation_id,
            witness=witness.name,
            size=witness_size,
            ours=newest.size,
        )


def last_size(witness: Witness, checkpoint: Checkpoint) -> int:
    """The size of the largest checkpoint of this log that the witness cosigned, as far as the last thousand tell; or 0.

    One that cosigned longer ago says itself where it is.
    """
    cosignatures = Cosignature.objects.filter(
        name=witness.name,
        checkpoint__incarnation_id=checkpoint.incarnation_id,
        checkpoint__size__gt=checkpoint.size - NEAR,
    ).order_by("-checkpoint__size")
    return cosignatures.values_list("checkpoint__size", flat=True).first() or 0


def request_of(checkpoint: Checkpoint, old: int) -> str:
    """The body that asks to go on from `old` leaves to this checkpoint."""
    proof = Log(checkpoint.incarnation).consistency(old, checkpoint.size)
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
    """Asks one witness in a thread of its own: at most one request in flight, always about the newest checkpoint.

    `report` is what the integrity page shows. `problem` stays once the witness has said twice that it knows more than
    this record, the second time of what was newest DOUBT_SECONDS later: one garbled answer stops nothing.
    """

    def __init__(self, witness: Witness) -> None:
        self.witness = witness
        self.report: dict[str, Any] = {"url": witness.url, "size": 0, "at": None, "said": ""}
        self.problem: SealingProblem | None = None
        self._doubted: int | None = None  # the incarnation of which it said so once
        self._requested = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"ask {witness.name}", daemon=True)
        self._thread.start()

    def request(self) -> None:
        """There is a new checkpoint."""
        self._requested.set()

    def stop(self) -> None:
        """Ask no more, after the request in flight."""
        self._stopped.set()
        self._requested.set()
        self._thread.join(2 * TIMEOUT_SECONDS)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._requested.wait(RETRY_SECONDS)
            self._requested.clear()
            if self._stopped.is_set():
                return
            close_old_connections()
            code = self._request()
            close_old_connections()
            if code and code != self.report["said"]:
                log.warning("witness %s: %s", self.witness.name, code)
            self.report = {**self.report, "said": code}
            if code == DOUBTED_CODE:
                self._stopped.wait(DOUBT_SECONDS)
                self._requested.set()
            elif code:
                self._stopped.wait(1)

    def _request(self) -> str:
        try:
            if cosignature := request_cosignature(self.witness):
                self._doubted = None
                moment: dt.datetime = cosignature.at
                self.report = {
                    **self.report,
                    "size": cosignature.checkpoint.size,
                    "at": clock.format_moment(moment),
                }
        except NotCosigned as error:
            return error.code
        except SealingProblem as problem:
            log.warning("witness %s: %s", self.witness.name, problem)
            return self._handle_problem(problem)
        except Exception:
            log.exception("witness %s was not asked", self.witness.name)
            return "failed"
        return ""

    def _handle_problem(self, problem: SealingProblem) -> str:
        """What a witness says that nobody signed: doubted the first time, and problem once it says so again."""
        about = problem.params["incarnation"]
        if self._doubted != about:
            self._doubted = about
            return DOUBTED_CODE
        self.problem = problem
        return problem.code
