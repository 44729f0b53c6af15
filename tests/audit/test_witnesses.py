"""Each checkpoint is cosigned by a real witness; one that knows more than the record, or another story, stops the
sealer; one that is away, slow or strange stops nothing."""

import contextlib
import http.server
import threading
import time
import urllib.request
from collections.abc import Iterator

import pytest

from audit import clock, merkle, notes
from audit import witness as witness_program
from audit.models import Checkpoint, Cosignature, SigningKey
from audit.sealing import keys, state, witnesses
from audit.sealing.log import Log, current_incarnation, logs_of, proof_of
from audit.sealing.process import SealerSession
from audit.sealing.state import SealingProblem
from audit.sealing.status import sealer_status
from audit.sealing.witnesses import RETRY_SECONDS, NotCosigned, Witness

from .conftest import MOMENT
from .gone_back import forget

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ORIGIN = "pitside.local/record/1"


@contextlib.contextmanager
def listening(server: http.server.HTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


@pytest.fixture
def serve(tmp_path, signer):
    """Starts the witness that we give away, audit/witness.py, which knows these logs by these keys."""
    with contextlib.ExitStack() as stack:

        def serve(*vkeys: str, origin: str = ORIGIN, name: str = "w1") -> Witness:
            key = tmp_path / f"{name}.key"
            if not key.exists():
                key.touch(0o600)
                key.write_text(signer.private + "\n")
            state_kept = witness_program.State(str(tmp_path / f"{name}.state"))
            served = witness_program.Witness(
                [witness_program.LogKey(vkey) for vkey in vkeys or ours()],
                [origin],
                witness_program.Cosigner.read(str(key)),
                state_kept,
                None,
            )
            stack.callback(state_kept.close)
            url = stack.enter_context(listening(witness_program.Server(("127.0.0.1", 0), served)))
            return Witness(url, signer.verifier)

        yield serve


def ours() -> list[str]:
    return [keys.verifier_of(key).vkey for key in SigningKey.objects.all()]


def test_the_witness_that_we_give_away_cosigns_each_checkpoint(serve, seal, signer, stream):
    seal()
    witness = serve()
    cosignature = witnesses.request_cosignature(witness)
    assert (cosignature.checkpoint.size, cosignature.name) == (1, "witness.example/w1")
    signature = notes.Signature.read(cosignature.line)
    text = notes.Note.read(cosignature.checkpoint.note).text
    assert signer.verifier.verifies(text, signature)
    assert witnesses.request_cosignature(witness) == cosignature
    seal(3)
    assert witnesses.request_cosignature(witness).checkpoint.size == 4
    assert list(Cosignature.objects.values_list("checkpoint__size", flat=True)) == [1, 4]
    proof = proof_of(stream.entries.get(seq=5))
    assert (proof.checkpoint.size, proof.cosignatures, proof.witnessed.size) == (2, [], 4)


def test_the_witness_cosigns_the_log_of_each_facility_under_its_own_name(serve, seal, sealer, write):
    seal()
    write("seabright/T-09")
    with clock.override(MOMENT):
        sealer.seal()
    first, second = logs_of(current_incarnation())
    key = SigningKey.objects.get(name=second.origin)
    witness = serve(keys.verifier_of(key).vkey, origin=second.origin)
    cosignature = witnesses.request_cosignature(witness, second)
    assert (cosignature.checkpoint.facility, cosignature.checkpoint.size) == ("seabright", 1)
    with pytest.raises(NotCosigned, match="log-not-known"):
        witnesses.request_cosignature(witness, first)


def test_no_witness_is_asked_before_anything_is_signed(serve, sealer):
    assert witnesses.request_cosignature(serve()) is None


def test_a_witness_gets_a_proof_from_its_last_cosigned_size(serve, seal):
    """Its cosignature was lost on the way: it says at which size it is, and gets the proof from there."""
    seal(2)
    witness = serve()
    assert witnesses.request_of(Checkpoint.objects.get(size=1), 0).startswith("old 0\n\n")
    assert witnesses._post(witness, Checkpoint.objects.get(size=1), 0).status == 200
    assert witnesses.request_cosignature(witness).checkpoint.size == 2


def test_a_witness_that_was_away_for_long_answers_with_its_size(serve, seal, monkeypatch):
    witness = serve()
    seal()
    witnesses.request_cosignature(witness)
    monkeypatch.setattr(witnesses, "NEAR", 2)
    newest = seal(3)
    assert witnesses.last_cosignature(witness, newest) is None
    assert witnesses.request_cosignature(witness).checkpoint == newest


def test_a_witness_that_is_ahead_stops_the_sealer_until_a_new_incarnation(serve, seal, sealer, write, folder):
    witness = serve()
    seal(3)
    witnesses.request_cosignature(witness)
    saved = state.read(folder)
    forget(1, 2)
    with pytest.raises(SealingProblem) as raised:
        witnesses.request_cosignature(witness)
    assert raised.value.code == "witness-ahead"
    assert raised.value.params == {"incarnation": 1, "witness": witness.name, "size": 3, "ours": 2}
    assert state.read(folder) == saved
    sealer.record_problem(raised.value)
    with pytest.raises(SealingProblem) as raised:
        sealer.seal()
    assert raised.value.code == "witness-ahead"


@pytest.mark.parametrize("size", [3, 5])
def test_a_fork_signed_with_the_stolen_key_is_found(serve, seal, sealer, folder, write, size):
    """A thief signs a story of three, or of five, leaves of his own, and the witness sees his first."""
    seal(2)
    witness = serve()
    witnesses.request_cosignature(witness)
    thief = keys.signers(folder, keys.first_log())
    leaves = [b"one", b"two", b"three", b"four", b"five"][:size]
    grown: dict[tuple[int, int], bytes] = {}
    log = Log(current_incarnation())

    def node(level: int, index: int) -> bytes:
        return grown.get((level, index)) or log.with_nodes(lambda look: look(level, index))

    for number, body in list(enumerate(leaves))[2:]:
        for level, index, digest in merkle.completed(number, merkle.leaf_hash(body), node):
            grown[level, index] = digest
    forged = notes.sign(notes.Checkpoint(ORIGIN, size, merkle.root(size, node)).text, thief)
    proof = [notes.base64_of(digest) + "\n" for digest in merkle.consistency(2, size, node)]
    request = f"old 2\n{''.join(proof)}\n{forged}"
    assert _send(witness, request) == 200
    seal(2 if size == 3 else 3)
    with pytest.raises(SealingProblem) as raised:
        witnesses.request_cosignature(witness)
    assert (raised.value.code, raised.value.params["size"]) == ("witness-disagrees", size)


def _send(witness: Witness, request: str) -> int:
    message = urllib.request.Request(f"{witness.url}/add-checkpoint", request.encode(), method="POST")
    with urllib.request.urlopen(message, timeout=5) as answer:
        return answer.status


def test_a_witness_that_does_not_know_the_key_or_the_log_is_distinguished(serve, seal):
    seal()
    stranger = notes.Signer("pitside.local/record", b"s" * 32).verifier.vkey
    other = notes.Signer("pitside.local/record/9", b"o" * 32).verifier.vkey
    for witness, code in (
        (serve(stranger, name="a"), "key-not-known"),
        (serve(other, origin="pitside.local/record/9", name="b"), "log-not-known"),
        (Witness("http://127.0.0.1:1", serve(name="c").verifier), "unreachable"),
    ):
        with pytest.raises(NotCosigned) as raised:
            witnesses.request_cosignature(witness)
        assert raised.value.code == code


class Strange(http.server.BaseHTTPRequestHandler):
    answer: tuple[int, str, bytes] = (200, "text/plain", b"")
    requests = 0

    def do_POST(self):
        Strange.requests += 1
        status, kind, body = self.answer
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


SIZE = witnesses.SIZE_TYPE


@pytest.mark.parametrize(
    "answer",
    [
        (200, "text/plain", b""),
        (200, "text/plain", "— witness.example/w1 AAAAAAAA\n".encode()),
        (200, "text/plain", b"\xff\xfe" * 99),
        (200, "text/plain", b"x" * 300_000),
        (409, "text/plain", b"7\n"),
        (409, SIZE, b"07\n"),
        (409, SIZE, b"-7\n"),
        (409, SIZE, b"9" * 40),
        (409, SIZE, b"0\n"),
        (500, "text/plain", b"oh"),
        (302, "text/plain", b""),
    ],
)
def test_an_answer_without_a_cosignature_is_reported_and_not_stored(seal, signer, answer):
    seal()
    Strange.answer = answer
    with (
        listening(http.server.HTTPServer(("127.0.0.1", 0), Strange)) as url,
        pytest.raises(NotCosigned) as raised,
    ):
        witnesses.request_cosignature(Witness(url, signer.verifier))
    assert raised.value.code == "bad-answer"
    assert not Cosignature.objects.exists()


def test_a_witness_sends_the_sealer_nowhere_else(seal, signer):
    seal()
    went = []

    class Elsewhere(Strange):
        def send_response(self, code, message=None):
            super().send_response(code, message)
            self.send_header("Location", "/within-the-house")

        def do_GET(self):
            went.append(self.path)
            self.send_response(200)
            self.end_headers()

    for status in (301, 302, 303, 307, 308):
        Elsewhere.answer = (status, "text/plain", b"")
        with (
            listening(http.server.HTTPServer(("127.0.0.1", 0), Elsewhere)) as url,
            pytest.raises(NotCosigned) as raised,
        ):
            witnesses.request_cosignature(Witness(url, signer.verifier))
        assert raised.value.code == "bad-answer"
    assert went == []


def test_a_cosignature_of_another_checkpoint_is_not_stored(seal, signer):
    checkpoint = seal()
    changed = notes.Note.read(checkpoint.note).text.replace("\n1\n", "\n2\n")
    Strange.answer = (200, "text/plain", signer.signature(changed, 1_800_000_000).line.encode())
    with listening(http.server.HTTPServer(("127.0.0.1", 0), Strange)) as url, pytest.raises(NotCosigned):
        witnesses.request_cosignature(Witness(url, signer.verifier))


def test_a_witness_without_tls_is_asked_without_a_proxy(serve, seal, monkeypatch):
    seal()
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert witnesses.request_cosignature(serve()).checkpoint.size == 1


# An unsigned answer is believed the second time.


@contextlib.contextmanager
def client_of(witness: Witness) -> Iterator[witnesses.WitnessClient]:
    """A client of this witness that asks when a test says so, in no thread of its own."""
    client = witnesses.WitnessClient(witness)
    client.stop()
    yield client


@pytest.mark.parametrize("answer", [(409, SIZE, b"7\n"), (422, "text/plain", b"")])
def test_one_garbled_answer_stops_nothing(serve, seal, answer):
    seal()
    Strange.answer = answer
    witness = serve()
    with (
        listening(http.server.HTTPServer(("127.0.0.1", 0), Strange)) as url,
        client_of(Witness(url, witness.verifier)) as client,
    ):
        assert client._request() == "asked-again"
        client.witness = witness
        seal()
        assert client._request() == "" and client.report["size"] == 2
        client.witness = Witness(url, witness.verifier)
        seal()
        assert client._request() == "asked-again"
        assert client.problem is None


def test_a_sealer_that_was_restarted_reports_what_was_cosigned_before_though_nothing_is_written(serve, seal):
    """A report of nothing would say that the witness is behind by the whole log, for as long as the log is idle."""
    witness = serve()
    seal(3)
    with client_of(witness) as client:
        assert client._request() == ""
        before = client.report
    with client_of(witness) as restarted:
        assert restarted.report["size"] == 0
        assert restarted._request() == ""
        assert (restarted.report["size"], restarted.report["at"]) == (3, before["at"])


def test_a_witness_that_is_ahead_is_believed_after_a_second_answer_about_the_newest_checkpoint(serve, seal):
    witness = serve()
    seal(4)
    witnesses.request_cosignature(witness)
    forget(1, 2)
    with client_of(witness) as client:
        assert client._request() == "asked-again" and client.problem is None
        assert client._request() == "witness-ahead"
        assert client.problem.params == {"incarnation": 1, "witness": witness.name, "size": 4, "ours": 2}


def test_a_doubt_about_one_incarnation_does_not_count_for_the_next(serve):
    with client_of(serve(notes.Signer("log", b"1" * 32).verifier.vkey)) as client:
        first, second = (
            SealingProblem("witness-ahead", incarnation=number, witness="w", size=9, ours=1)
            for number in (1, 2)
        )
        assert [client._handle_problem(problem) for problem in (first, second, second)] == [
            "asked-again",
            "asked-again",
            "witness-ahead",
        ]


@pytest.mark.django_db(transaction=True)
def test_a_doubted_witness_is_asked_again_without_a_new_checkpoint(
    sealer, write, settings, signer, folder, monkeypatch
):
    monkeypatch.setattr(witnesses, "DOUBT_SECONDS", 0.3)
    Strange.answer, Strange.requests = (422, "text/plain", b""), 0
    with listening(http.server.HTTPServer(("127.0.0.1", 0), Strange)) as url:
        settings.WITNESSES = f"{url} {signer.verifier.vkey}"
        shift = SealerSession(folder)
        shift.run_once()
        deadline = time.monotonic() + 8
        while shift.clients[0].problem is None and time.monotonic() < deadline:
            time.sleep(0.02)
        requests, waited = Strange.requests, time.monotonic() - deadline + 8
        shift.run_once()
        shift.end()
    assert requests == 2 and waited >= 0.3
    assert sealer_status().problem == "witness-disagrees"


# The shift: sealing, asking and copying together.


@pytest.mark.django_db(transaction=True)
def test_a_witness_that_hangs_delays_no_second(sealer, write, settings, signer, folder):
    release = threading.Event()

    class Hangs(Strange):
        def do_POST(self):
            release.wait(10)
            super().do_POST()

    with listening(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hangs)) as url:
        settings.WITNESSES = f"{url} {signer.verifier.vkey}"
        shift = SealerSession(folder)
        began = time.monotonic()
        for _ in range(5):
            write(moment=clock.now())
            shift.run_once()
        took = time.monotonic() - began
        release.set()
        shift.end()
    assert Checkpoint.objects.count() == 5
    assert took < 2.5


@pytest.mark.django_db(transaction=True)
def test_the_status_names_the_witnesses_and_their_problems(sealer, write, settings, serve, folder):
    witness = serve()
    settings.WITNESSES = f"{witness.url} {witness.verifier.vkey}"
    shift = SealerSession(folder)
    try:
        shift.run_once()
        deadline = (
            time.monotonic() + 2.5 * RETRY_SECONDS
        )  # SQLite may refuse its thread once: a table is locked
        while shift.clients[0].report["size"] < 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        shift.run_once()
        status = sealer_status()
        shift.clients[0].problem = SealingProblem("witness-ahead", incarnation=1, witness="w", size=9, ours=1)
        shift.run_once()
    finally:
        shift.end()
    assert (
        status.problem,
        status.witnesses[witness.name]["size"],
        status.witnesses[witness.name]["said"],
    ) == (
        "",
        1,
        "",
    )
    status = sealer_status()
    assert (status.problem, status.params["size"], status.since is None) == ("witness-ahead", 9, False)
