"""Traces: one act of a tablet is one trace at a real receiver; without one nothing of them is there."""

import json
import logging
import os
import subprocess
import sys
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.db import connections

from audit.logs import JsonFormatter
from audit.runner import ActRunner
from config import tracing
from config.handler import OneThreadHandler
from config.tracing import PLACES, SpansToReceiver, TracedHandler, Tracing
from script.service_finder import ROOT
from script.trace_receiver import receiving
from tables.runner import copies
from tables.screens import push
from tests.services.later import set_clock_of_entries
from tests.services.suites import has_postgres
from tests.tables.test_sockets import TABLE, Socket, browser

KEY = "k" * 32
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
LAY = {"wagers": [{"seat": 1, "wager": "small", "cents": 777_700}]}


@pytest.fixture(autouse=True)
def no_sender_is_left():
    """A thread that still tries to send draws random waits, in the middle of what another test draws."""
    yield
    senders = [thread for thread in threading.enumerate() if thread.name.startswith("OtelBatch")]
    for sender in senders:
        sender.join(30)
    assert not [sender for sender in senders if sender.is_alive()]


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def traced(receiver):
    """A tracing of this process that sends everything at its end."""
    before = logging.getLogger("opentelemetry").level
    tracing = Tracing(SpansToReceiver(receiver.endpoint), 1.0)
    tracing.begin()
    yield tracing
    tracing.end(10)
    logging.getLogger("opentelemetry").setLevel(before)


class Tablet:
    """A tablet of the table's dealer, whose requests come to the handler of the server."""

    def __init__(self, scene, browser):
        self.scene, self.browser = scene, browser

    async def post(self, handler, params=LAY, *, behind=0, traceparent=""):
        """The status and the headers of the answer to an act. `behind`: by how many entries its screen is."""
        seen = await database_sync_to_async(lambda: self.scene.version)() - behind
        content = {"command": str(uuid.uuid4()), "seen": seen, "params": params, "station": "dealer"}
        body = json.dumps(content).encode()
        cookies = [f"{name}={cookie.value}" for name, cookie in self.browser.cookies.items()]
        headers = {
            "host": "testserver", "content-type": "application/json", "content-length": str(len(body)),
            "cookie": "; ".join([*cookies, f"csrftoken={KEY}"]), "x-csrftoken": KEY, "traceparent": traceparent,
        }  # fmt: skip
        return await answer_of(handler, "POST", "/floor/larkfield/T-01/acts/place_wagers", headers, body)


async def answer_of(handler, method, path, headers, body=b""):
    """The status and the headers of the answer to a request."""
    encoded = [(name.encode(), text.encode()) for name, text in headers.items() if text]
    scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "query_string": b""}
    client = ApplicationCommunicator(handler, {**scope, "headers": encoded})
    await client.send_input({"type": "http.request", "body": body})
    begun = await client.receive_output(20)
    await client.wait(20)
    return begun["status"], dict(begun["headers"])


@pytest.fixture
def threads(monkeypatch):
    """Threads of requests for one test: their connections to the database in memory end with them."""
    with ThreadPoolExecutor(2) as threads:
        monkeypatch.setattr("config.handler._threads", threads)
        yield


@pytest.fixture
async def tablet(committed, threads):
    yield Tablet(committed, await browser(committed, "tablet", "dealer"))
    await database_sync_to_async(connections.close_all)()


@pytest.mark.both_databases
async def test_one_act_of_a_tablet_is_one_trace_from_the_request_to_the_push(tablet, receiver, traced):
    socket = Socket(TABLE + "dealer", tablet.browser)
    await socket.opened()
    status, headers = await tablet.post(TracedHandler(traced), traceparent=f"00-{TRACE}-{PARENT}-01")
    assert status == 200
    while "versions" in await socket.heard():
        pass  # a heartbeat
    await push.delivery().flush()
    await socket.leave()
    traced.end(10)

    spans = {span.id: span for span in receiver.spans}
    assert {span.trace for span in spans.values()} == {TRACE}
    (request,) = (span for span in spans.values() if span.parent == PARENT)
    assert (
        request.name
        == "POST floor/<slug:facility>/<code:table>/acts/<str:act>"
        == f"POST {request.attributes['http.route']}"
    )
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["pitside.request"].encode() == headers[b"X-Request-ID"]
    lines = {f"{spans[span.parent].name} > {span.name}" for span in spans.values() if span is not request}
    names = {span.name for span in spans.values()}
    assert {f"{request.name} > {name}" for name in ("execute", "show")} | {
        "execute > load",
        "execute > act",
    } <= lines
    assert "show > push" in lines
    assert {"load", "execute"} & {spans[span.parent].name for span in spans.values() if span.name == "SELECT"}
    if has_postgres():
        flushed = [span.attributes["db.query.text"] for span in spans.values() if span.name == "flush"]
        assert "INSERT INTO audit_command" in "; ".join(flushed) and flushed[-1].endswith("COMMIT")
    else:
        assert "execute > INSERT" in lines and "flush" not in names
    execute = next(span for span in spans.values() if span.name == "execute")
    assert execute.attributes["pitside.on_copy"] is False
    assert execute.attributes["pitside.act"] == "place_wagers"
    assert execute.attributes["pitside.place"] == "larkfield/T-01"


@pytest.mark.both_databases
async def test_an_act_on_a_socket_begins_its_own_trace(tablet, receiver, traced):
    socket = Socket(TABLE + "dealer", tablet.browser)
    await socket.opened()
    seen = await database_sync_to_async(lambda: tablet.scene.version)()
    content = {"command": str(uuid.uuid4()), "seen": seen, "params": LAY, "station": "dealer"}
    await socket.send_input(
        {"type": "websocket.receive", "text": f"act 1 place_wagers {json.dumps(content)}"}
    )
    while "answer" not in (message := await socket.heard()):
        pass
    assert message["status"] == 200
    await push.delivery().flush()
    await socket.leave()
    traced.end(10)
    (begun,) = (span for span in receiver.spans if not span.parent)
    assert (begun.name, begun.attributes["pitside.act"]) == ("act on socket", "place_wagers")
    assert begun.attributes["http.response.status_code"] == 200 and begun.attributes["pitside.request"]
    names = {span.name for span in receiver.spans if span.trace == begun.trace}
    assert {"execute", "load", "act", "show", "push"} <= names and len(
        {span.trace for span in receiver.spans}
    ) == 1


@pytest.fixture
async def worker_with_copies(tablet, settings):
    """The worker keeps tables as acts leave them, by the clock of the database."""
    settings.KEEPS_COPIES = True
    copies.drop_all()
    await database_sync_to_async(set_clock_of_entries)("clock_timestamp()")
    yield
    copies.drop_all()
    await database_sync_to_async(set_clock_of_entries)()


@pytest.mark.postgres
async def test_an_act_on_the_copy_has_the_same_spans_and_one_flush(
    tablet, worker_with_copies, receiver, traced
):
    handler = TracedHandler(traced)
    assert [(await tablet.post(handler))[0] for _ in range(3)] == [200, 200, 200]
    traced.end(10)
    on_copy, *_ = (span for span in receiver.spans if span.attributes.get("pitside.on_copy"))
    assert [span.name for span in receiver.spans if span.parent == on_copy.id] == ["load", "act", "flush"]


@pytest.mark.both_databases
async def test_no_span_has_a_person_an_amount_or_a_secret(tablet, receiver, traced):
    handler = TracedHandler(traced)
    assert (await tablet.post(handler))[0] == 200
    assert (await tablet.post(handler, behind=-1))[0] == 409
    assert (await tablet.post(handler, {"patron": "Amelia Ford"}))[0] == 422
    traced.end(10)
    written = json.dumps([[span.name, span.attributes] for span in receiver.spans])
    assert len(receiver.spans) > 10
    assert {"Stale"} <= {span.attributes.get("error.type") for span in receiver.spans}
    person, session = tablet.scene.people["dealer"], tablet.browser.cookies["sessionid"].value
    for secret in (f"'{person.code}'", f'"{person.code}"', person.name, "Amelia", "7777", KEY, session):
        assert secret not in written, secret


async def test_a_request_is_traced_by_the_share_unless_the_proxy_has_decided(tablet, receiver):
    none = Tracing(SpansToReceiver(receiver.endpoint), 0.0)
    none.begin()
    handler = TracedHandler(none)
    await tablet.post(handler, traceparent=f"00-{TRACE}-{PARENT}-00")
    await tablet.post(handler)
    none.end(10)
    assert receiver.spans == []
    none = Tracing(SpansToReceiver(receiver.endpoint), 0.0)
    none.begin()
    await tablet.post(TracedHandler(none), traceparent=f"00-{TRACE}-{PARENT}-01")
    none.end(10)
    assert {span.trace for span in receiver.spans} == {TRACE}


async def test_what_machines_ask_again_and_again_is_not_traced(transactional_db, threads, receiver, traced):
    assert (await answer_of(TracedHandler(traced), "GET", "/healthz", {"host": "testserver"}))[0] == 200
    traced.end(10)
    assert receiver.spans == []


def test_a_line_of_the_log_has_the_id_of_its_trace(receiver, traced):
    lines = []

    class Lines(logging.Handler):
        def emit(self, record):
            lines.append(json.loads(JsonFormatter().format(record)))

    log, handler = logging.getLogger("tests.traced"), Lines()
    log.addHandler(handler)
    log.warning("before")
    with traced.span("one"):
        log.warning("within")
    log.removeHandler(handler)
    traced.end(10)
    before, within = lines
    assert "trace" not in before
    assert [within["trace"]] == [span.trace for span in receiver.spans]


async def test_no_act_waits_for_a_receiver_that_takes_and_says_nothing(tablet, receiver, traced):
    receiver.may_answer.clear()
    handler = TracedHandler(traced)
    assert (await tablet.post(handler))[0] == 200
    assert receiver.came.wait(20), "the first spans are on their way, and nothing comes back"
    for _ in range(2 * tracing.MOST_WAITING):
        with traced.span("one more than has room"):
            pass
    assert (await tablet.post(handler))[0] == 200
    queue = traced._provider._active_span_processor._span_processors[0]._batch_processor._queue
    assert len(queue) <= tracing.MOST_WAITING
    traced.end(0.1)  # the process ends without it


async def test_a_receiver_that_is_down_is_one_line_and_another_when_it_is_back(receiver, caplog):
    exporter = SpansToReceiver(receiver.endpoint)
    sent = Tracing(exporter, 1.0)
    with sent.span("one") as span:
        pass
    receiver.status = 500
    exporter.export([span])
    exporter.export([span])
    receiver.status = 200
    exporter.export([span])
    sent.end(10)
    begun, ended = (record.getMessage() for record in caplog.records)
    assert begun.startswith("Sending traces failed") and "works again" in ended


def test_at_its_end_every_function_is_as_it_was_written(receiver):
    def functions():
        return [vars(place.owner)[place.function] for place in PLACES]

    before, traced = functions(), Tracing(SpansToReceiver(receiver.endpoint), 1.0)
    traced.begin()
    assert not set(before) & set(functions())
    traced.end(10)
    assert functions() == before and not hasattr(ActRunner.execute, "__wrapped__")


STARTED = """
import sys
{before}
from config import asgi
from audit.runner import ActRunner
handler = asgi.handler()
print(type(handler).__name__, hasattr(ActRunner.execute, "__wrapped__"), "opentelemetry.exporter" in sys.modules)
"""


def started(endpoint, before=""):
    """What a process says that has started with this setting, and what it logged."""
    environment = {
        **os.environ,
        "PITSIDE_TRACES_ENDPOINT": endpoint,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    done = subprocess.run(
        [sys.executable, "-c", STARTED.format(before=before)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split(), done.stderr


def test_without_a_receiver_nothing_is_imported_and_nothing_wrapped():
    assert started("") == ([OneThreadHandler.__name__, "False", "False"], "")


def test_with_one_requests_are_traced(receiver):
    assert started(receiver.endpoint)[0] == [TracedHandler.__name__, "True", "True"]


def test_a_worker_without_the_packages_serves_and_says_so(receiver):
    answer, logged = started(receiver.endpoint, 'sys.modules["opentelemetry"] = None')
    assert answer[:2] == [OneThreadHandler.__name__, "False"]
    assert "Nothing is traced: there is no opentelemetry" in logged
