"""The Python client of the API: what it sends again, what it never sends twice, and its examples."""

import hashlib
import importlib
import json
import subprocess
import sys
import time
from base64 import b64encode
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.wsgi import get_wsgi_application

from tests.tables.cast import PIN

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients/python"
TOKEN = {"access_token": "t-1", "token_type": "Bearer", "expires_in": 600}


@pytest.fixture(scope="session")
def client_package(tmp_path_factory) -> ModuleType:
    """The package as an installation builds it, generated from the document of today."""
    target = tmp_path_factory.mktemp("client")
    build = target / "source/clients/python"
    build.parent.mkdir(parents=True)
    subprocess.run(["cp", "-r", PACKAGE, build], check=True)
    (build / "openapi.json").write_bytes((ROOT / "docs/openapi.json").read_bytes())
    command = [sys.executable, "setup.py", "--quiet", "build", "--build-lib", str(target / "site")]
    subprocess.run(command, cwd=build, check=True)
    sys.path.insert(0, str(target / "site"))
    try:
        yield importlib.import_module("pitside_client")
    finally:
        sys.path.remove(str(target / "site"))


class Server:
    """A server of these answers, each an answer or an error, for anything but the token."""

    def __init__(self, *answers):
        self.answers, self.tokens = list(answers), 0
        self.requests: list[httpx.Request] = []
        self.shown: list[str] = []

    def __call__(self, request):
        if request.url.path.endswith("/oauth/token"):
            self.tokens += 1
            return httpx.Response(200, json=TOKEN | {"access_token": f"t-{self.tokens}"})
        if not self.requests:
            self.first_headers = dict(request.headers)
        self.requests.append(request)
        self.shown.append(request.headers["Authorization"])
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def connect(client_package):
    """`connect(answer, …)` is a connection to such a server, the server, and what the client waited."""

    def make(*answers):
        server = Server(*answers)
        slept: list[float] = []
        pitside = client_package.Pitside(
            "https://pitside.test",
            "larkfield/CMS",
            "secret",
            transport=httpx.MockTransport(server),
            sleep=slept.append,
        )
        return pitside, server, slept

    return make


DONE = {"version": 8, "answer": {"type": "wagers.placed"}, "again": True}


def problem(status, code="busy", **headers):
    body = {
        "type": f"/api/v1/problems/{code}",
        "title": "",
        "status": status,
        "detail": "Not so.",
        "code": code,
    }
    return httpx.Response(status, json=body | {"section": "§ 625a.7"}, headers=headers)


def test_an_act_whose_answer_was_lost_is_sent_again_with_the_same_key_and_done_once(connect, client_package):
    lost = httpx.ReadTimeout("no answer")
    pitside, server, slept = connect(
        lost, problem(503, **{"Retry-After": "2"}), httpx.Response(200, json=DONE)
    )
    act = client_package.Act("larkfield", "T-01", "shake", seen=7)
    assert pitside.do(act) == client_package.Done(8, {"type": "wagers.placed"}, again=True)
    assert [request.headers["Idempotency-Key"] for request in server.requests] == [str(act.key)] * 3
    assert {request.read() for request in server.requests} == {b'{"params":{},"seen":7}'}
    assert ("idempotency-retry" in server.first_headers, slept) == (False, [0.2, 2.0])
    assert server.requests[-1].headers["Idempotency-Retry"] == "true"


def test_an_act_without_any_answer_is_not_called_refused(connect, client_package):
    pitside, server, _slept = connect(*[httpx.ConnectError("cut")] * 7)
    with pytest.raises(client_package.NotAnswered):
        pitside.do(client_package.Act("larkfield", "T-01", "shake", seen=7))
    assert len(server.requests) == 7


def test_a_refused_act_says_the_sentence_and_the_section_and_is_not_sent_again(connect, client_package):
    pitside, server, slept = connect(problem(422, "bets-closed"))
    with pytest.raises(client_package.Refused, match="Not so") as refused:
        pitside.do(client_package.Act("larkfield", "T-01", "shake", seen=7))
    assert (refused.value.code, refused.value.section, slept) == ("bets-closed", "§ 625a.7", [])
    assert len(server.requests) == 1


def test_a_page_of_a_proxy_is_no_answer_to_an_act(connect, client_package):
    pitside, _server, _slept = connect(httpx.Response(500, text="<h1>Oops</h1>"))
    with pytest.raises(client_package.NotAnswered):
        pitside.do(client_package.Act("larkfield", "T-01", "shake", seen=7))


def test_a_write_without_a_key_is_sent_once(connect, client_package):
    pitside, server, _slept = connect(httpx.ReadTimeout("no answer"))
    with pytest.raises(client_package.NotAnswered):
        pitside.http.post("/api/v1/person", json={})
    assert len(server.requests) == 1


def test_a_token_that_is_refused_is_replaced_once(connect):
    ended = problem(401, "invalid-token")
    pitside, server, _slept = connect(ended, httpx.Response(200, json={}), ended, ended)
    assert pitside.http.get("/api/v1/facilities").status_code == 200
    assert server.shown == ["Bearer t-1", "Bearer t-2"]
    assert pitside.http.get("/api/v1/facilities").status_code == 401


def entry(number, prev, text):
    from audit import chain

    body = json.dumps({"_type": "round.settled", "text": text}, separators=(",", ":"))
    digest = chain.entry_hash(prev, body.encode())
    shape = {"position": f"{number}.{digest.hex()[:8]}", "stream": "larkfield/T-01", "number": number}
    return shape | {"hash": digest.hex(), "prev": prev.hex(), "body": body, "entry": json.loads(body)}, digest


def chained(count):
    from audit import chain

    entries: list[dict[str, object]] = []
    prev = chain.genesis("larkfield/T-01")
    for number in range(1, count + 1):
        made, prev = entry(number, prev, f"Round {number}")
        entries.append(made)
    return entries


def events(*entries, end=""):
    lines = "".join(f"id: {one['position']}\nevent: entry\ndata: {json.dumps(one)}\n\n" for one in entries)
    return httpx.Response(
        200, text=f"retry: 2000\n\n{lines}{end}", headers={"Content-Type": "text/event-stream"}
    )


def test_a_stream_that_is_cut_goes_on_after_the_last_entry_and_ends_with_its_client(connect, client_package):
    first, second, third = chained(3)
    end = 'event: end\ndata: {"code":"client-ended"}\n\n'
    lost = httpx.ReadError("cut")
    pitside, server, _slept = connect(events(first, second), lost, events(third, end=end))
    read: list[int] = []
    with pytest.raises(client_package.Refused):
        read.extend(one.number for one in pitside.read_record().follow())
    assert read == [1, 2, 3]
    asked = [request.url.params["after"] for request in server.requests]
    assert asked == ["0", second["position"], second["position"]]


def test_a_changed_text_and_a_missing_entry_are_not_passed_on(connect, client_package):
    first, _second, third = chained(3)
    pitside, _server, _slept = connect(events(first | {"body": first["body"].replace("Round", "Sound")}))
    with pytest.raises(client_package.Interrupted):
        next(pitside.read_record().follow())
    pitside, _server, _slept = connect(events(first, third))
    reader = pitside.read_record().follow()
    assert next(reader).number == 1
    with pytest.raises(client_package.Interrupted):
        next(reader)


# The examples of its README


def examples_of_readme() -> list[str]:
    text = (PACKAGE / "README.md").read_text("utf-8")
    return [block.partition("```")[0] for block in text.split("```python\n")[1:]]


@pytest.fixture
def served(client_package, machine, scene, monkeypatch):
    """`served(scopes)` are the names of an example that reads and acts at the application itself."""

    def make(*scopes):
        own = machine(*scopes)
        transport = httpx.WSGITransport(app=get_wsgi_application())
        monkeypatch.setattr(client_package, "Pitside", partial(client_package.Pitside, transport=transport))
        return {"url": "http://testserver", "client_id": own.id, "secret": own.secret}

    return make


@pytest.mark.django_db
def test_the_examples_of_reading_and_acting_run_as_they_stand(client_package, served, scene, capsys):
    read, act, _follow, _receive = examples_of_readme()
    names = served("floor", "acts")
    exec(read, names)
    assert capsys.readouterr().out == "T-01 Sic Bo 1000 100000\n"
    with client_package.Pitside(names["url"], names["client_id"], names["secret"]) as pitside:
        names |= {"pitside": pitside, "save_for_later": None}
        wager = {"seat": 1, "wager": "small", "cents": 2_500, "made_in": "chips"}
        exec(act, names | {"params": {"wagers": [wager]}})
        assert capsys.readouterr().out.startswith("role-may-not ")
        pitside.sign_in("dealer", PIN)
        taken = names | {"params": {"wagers": [wager]}}
        taken["table"] = client_package.answered(read_table("larkfield", "T-01", pitside))
        exec(act, taken)
        pitside._token.ends_at = 0.0  # the next token of the same sign-in is asked for
        call = client_package.Act("larkfield", "T-01", "call_floor", {"to": "floor"})
        assert pitside.do(call).answer["type"] == "floor.called"
    assert (taken["done"].answer["type"], scene.round.number) == ("wagers.placed", 1)


def read_table(facility, table, pitside):
    from pitside_api.api.floor import read_table

    return read_table.sync(facility, table, client=pitside.client)


def test_the_example_of_following_saves_the_position_of_each_entry(connect, client_package):
    _read, _act, follow, _receive = examples_of_readme()
    first, second = chained(2)
    end = 'event: end\ndata: {"code":"client-ended"}\n\n'
    pitside, _server, _slept = connect(events(first, second, end=end))
    handled: list[tuple[object, ...]] = []
    saved: list[str] = []
    names = {"handle": lambda *said: handled.append(said), "save_position": saved.append}
    with pytest.raises(client_package.Refused):
        exec(follow, names | {"pitside": pitside, "saved_position": "0"})
    assert [said[:3] for said in handled] == [
        ("larkfield/T-01", number, "round.settled") for number in (1, 2)
    ]
    assert saved == [first["position"], second["position"]]


def test_the_example_of_a_webhook_takes_what_is_signed_now_and_nothing_else(client_package):
    *_others, receive = examples_of_readme()
    key = Ed25519PrivateKey.generate()
    public = "whpk_" + b64encode(key.public_key().public_bytes_raw()).decode()
    body, now = b'{"type":"entries.more"}', int(time.time())

    def headers(at, signed):
        signature = b64encode(key.sign(f"m-1.{at}.".encode() + signed)).decode()
        return {
            "Webhook-Id": "m-1",
            "Webhook-Timestamp": str(at),
            "Webhook-Signature": f"v1,x v1a,{signature}",
        }

    woken: list[bool] = []
    names: dict[str, Any] = {"public_keys": [public], "wake_reader": lambda: woken.append(True)}
    exec(receive, names)
    assert names["receive"](headers(now, body), body) == 204
    assert names["receive"](headers(now, body + b" "), body) == 400
    assert names["receive"](headers(now - 301, body), body) == 400
    assert names["receive"]({}, body) == 400
    for no_object in (b"hello", b"\xff\xfe", b"[1]", b""):
        assert names["receive"](headers(now, no_object), no_object) == 400
    assert woken == [True]


def test_an_entry_is_given_out_before_the_next_one_is_written(connect, client_package):
    body = '{"_type":"round.opened"}'
    digest = hashlib.sha256(b"pitside/entry/v1\n" + bytes(32) + body.encode()).hexdigest()
    entry = {"position": "7.00000000", "stream": "larkfield/T-01", "number": 1, "hash": digest}
    entry |= {"prev": "00" * 32, "body": body, "entry": json.loads(body)}

    def written():
        yield f"id: 7.00000000\nevent: entry\ndata: {json.dumps(entry)}\n\n".encode()
        raise AssertionError("the stream was read to its end, which it does not have")

    class Written(httpx.SyncByteStream):
        def __iter__(self):
            return written()

    answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Written())
    pitside, _server, _slept = connect(answer)
    assert next(pitside.read_record().follow()).number == 1
