"""Acts that come on a socket: what a POST of the same act is answered, and what only a POST may be told."""

import asyncio
import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

from audit import devices, people
from audit.models import Device, Entry, Person
from config import handler
from games.engine import Refusal
from games.facility_runner import Forbidden
from tables.runner import table as table_runner
from tables.views import acts
from tables.views.acts import MAX_BODY_BYTES, UNKNOWN_ACT
from tests.tables.test_sockets import TABLE, Socket, browser

pytestmark = pytest.mark.both_databases

LAY = {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500}]}


@pytest.fixture(autouse=True)
async def nothing_left_open(committed, monkeypatch):
    """The threads of a test end with it: a SQLite database in memory is not closed at the end of a request."""
    with ThreadPoolExecutor(8) as threads:
        monkeypatch.setattr(handler, "_threads", threads)
        yield
    await database_sync_to_async(connections.close_all)()


class Tablet:
    """A dealer's tablet with its socket, which also sends by POST."""

    def __init__(self, scene: Any, client: Any) -> None:
        self.scene, self.client, self.acts = scene, client, 0
        self.socket = Socket(TABLE + "dealer?parts=2", client)

    async def send_text(self, text: str) -> None:
        await self.socket.send_input({"type": "websocket.receive", "text": text})

    async def begin(self, act: str, body: Any) -> int:
        """Send an act, and return its number."""
        self.acts += 1
        await self.send_text(f"act {self.acts} {act} {body if isinstance(body, str) else json.dumps(body)}")
        return self.acts

    async def answer(self) -> dict[str, Any]:
        """The next answer to an act, whatever is pushed before it."""
        while "answer" not in (message := await self.socket.heard()):
            pass
        return message

    async def ask(self, act: str, body: Any) -> tuple[int, dict[str, Any]]:
        number = await self.begin(act, body)
        answer = await self.answer()
        assert set(answer) == {"answer", "status", "date", "content"} and answer["answer"] == number
        return answer["status"], answer["content"]

    async def post(self, act: str, body: Any) -> tuple[int, dict[str, Any]]:
        self.client.raise_request_exception = False

        @database_sync_to_async
        def post() -> tuple[int, dict[str, Any]]:
            text = body if isinstance(body, str) else json.dumps(body)
            answer = self.client.post(
                f"/floor/larkfield/T-01/acts/{act}",
                text,
                "application/json",
                headers={"accept": "application/json"},
            )
            return answer.status_code, answer.json()

        return await post()

    @database_sync_to_async
    def body(self, params: Any = LAY, **changed: Any) -> dict[str, Any]:
        return {"command": str(uuid.uuid4()), "seen": self.scene.version, "params": params, **changed}

    @database_sync_to_async
    def version(self) -> int:
        return self.scene.version


@pytest.fixture
async def tablet(committed):
    tablet = Tablet(committed, await browser(committed, "tablet", "dealer"))
    await tablet.socket.opened()
    yield tablet
    await tablet.socket.leave()


async def nothing(tablet: Tablet, version: int) -> bool:
    """Whether nothing was written since a version."""
    return await tablet.version() == version


async def test_an_act_is_pushed_and_answered_as_a_post_is(tablet):
    body, before = await tablet.body(pushed=True), await tablet.version()
    await tablet.begin("place_wagers", body)
    pushed = await tablet.socket.heard()
    assert (pushed["table"], pushed["version"], pushed["base"]) == ("T-01", before + 1, before), (
        "before its answer"
    )
    answer = await tablet.answer()
    taken = {
        "version": before + 1,
        "answer": {"type": "wagers.placed", "round": 1},
        "again": False,
        "screen": None,
    }
    assert (answer["status"], answer["content"]) == (200, taken)
    assert await tablet.post("place_wagers", body) == (200, {**taken, "again": True})
    assert await nothing(tablet, before + 1)
    status, content = await tablet.ask("place_wagers", await tablet.body())
    assert (status, content["screen"]["version"]) == (200, before + 2), (
        "a page that does not say that it is pushed"
    )


async def test_an_act_does_not_wait_for_the_thread_that_asynchronous_code_shares(tablet):
    body, may_go_on = await tablet.body(pushed=True), threading.Event()
    busy = asyncio.create_task(sync_to_async(may_go_on.wait)(10))
    try:
        assert (await tablet.ask("place_wagers", body))[0] == 200 and not busy.done()
    finally:
        may_go_on.set()
        await busy


async def test_the_entry_says_the_same_as_that_of_a_post(tablet):
    for send in (tablet.ask, tablet.post):
        assert (await send("place_wagers", await tablet.body()))[0] == 200

    @database_sync_to_async
    def bodies() -> list[dict[str, Any]]:
        entries = Entry.objects.filter(type="wagers.placed").order_by("seq")
        return [json.loads(bytes(entry.body)) for entry in entries]

    on_socket, by_post = await bodies()
    different = {key for key in on_socket if on_socket[key] != by_post[key]}
    assert different <= {"at", "command", "seq", "data"} and on_socket.keys() == by_post.keys()
    assert on_socket["device"] == by_post["device"] is not None


@pytest.mark.parametrize(
    ("act", "changed", "status"),
    [
        ("no_such_act", {}, 404),
        ("place_wagers", {"params": {"wagers": [{"seat": 1, "wager": "nothing", "cents": 2_500}]}}, 422),
        ("place_wagers", {"params": "not an object"}, 422),
        ("place_wagers", {"params": {**LAY, "fill": "x" * MAX_BODY_BYTES}}, 422),
        ("place_wagers", {"command": "no id"}, 422),
        ("place_wagers", {"seen": 1_000}, 409),
        ("place_wagers", {"seen": True}, 422),
        ("shake", {"params": {"shakes": 3}, "seen": 0}, 409),
        ("shake", {"params": {"shakes": 2}}, 422),
    ],
)
async def test_a_refusal_is_that_of_a_post(tablet, act, changed, status):
    body, before = await tablet.body(**changed), await tablet.version()
    answered = await tablet.ask(act, body)
    assert answered == await tablet.post(act, body)
    assert answered[0] == status and await nothing(tablet, before)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"text"', "{" * 100_000, '{"command": "\\ud800"}'])
async def test_what_is_no_act_is_refused_as_a_post_is(tablet, text):
    before = await tablet.version()
    answered = await tablet.ask("place_wagers", text)
    assert answered[0] == 422 and answered == await tablet.post("place_wagers", text)
    assert await nothing(tablet, before)


@pytest.mark.parametrize(
    "text", ["act", "act 1", "act 1 shake", "act x shake {}", "act -1 shake {}", "act 1 a/b {}", "act 1  {}"]
)
async def test_a_message_without_a_number_and_a_name_is_no_act(tablet, text):
    before = await tablet.version()
    await tablet.send_text(text)
    await tablet.socket.send_input({"type": "websocket.receive", "bytes": b"act 1 shake {}"})
    assert (await tablet.ask("no_such_act", {}))[0] == 404, "the first that is answered"
    assert await nothing(tablet, before)


async def test_who_may_not_act_is_refused_as_by_a_post(tablet, monkeypatch):
    def forbid(*_arguments: Any) -> None:
        raise Forbidden(Refusal(UNKNOWN_ACT).code)

    monkeypatch.setattr(table_runner.RUNNER, "verify_permission", forbid)
    body = await tablet.body()
    answered = await tablet.ask("place_wagers", body)
    assert answered[0] == 403 and answered == await tablet.post("place_wagers", body)


def sign_off(scene: Any, tablet: Tablet) -> None:
    other = type(tablet.client)()
    other.cookies.update(tablet.client.cookies)
    other.post("/sign-off")


def lock(scene: Any, tablet: Tablet) -> None:
    people.lock(Device.objects.get(pk=scene.tablet.pk))


def revoke(scene: Any, tablet: Tablet) -> None:
    devices.revoke(Device.objects.get(pk=scene.tablet.pk))


def deactivate(scene: Any, tablet: Tablet) -> None:
    Person.objects.filter(pk=scene.people["dealer"].pk).update(is_active=False)


def sign_in_anew(scene: Any, tablet: Tablet) -> None:
    """The browser has cookies of its own of which the open socket knows nothing."""
    scene.browser("tablet", "dealer")


@pytest.mark.parametrize("end", [sign_off, lock, revoke, deactivate, sign_in_anew])
@pytest.mark.parametrize("has_acted", [True, False])
async def test_who_cannot_act_any_more_is_told_by_a_post_alone(tablet, end, has_acted):
    """Also where the worker remembers the sender of an act before, and has a copy of the table."""
    if has_acted:
        assert (await tablet.ask("place_wagers", await tablet.body()))[0] == 200
    body = await tablet.body()
    await database_sync_to_async(end)(tablet.scene, tablet)
    before = await tablet.version()
    entries = await database_sync_to_async(Entry.objects.count)()
    number = await tablet.begin("place_wagers", body)
    while (message := await tablet.socket.receive_output(5))["type"] == "websocket.send":
        if "answer" in (answer := json.loads(message["text"])):
            assert (answer["answer"], answer["status"], answer["content"]) == (number, 0, {})
            break
    assert await nothing(tablet, before)
    assert await database_sync_to_async(Entry.objects.count)() == entries, (
        "no alarm about a copied cookie either"
    )
    if end is not sign_in_anew:
        assert (await tablet.post("place_wagers", body))[0] in (401, 423)


async def test_an_act_whose_socket_closes_is_finished_and_a_retry_by_post_gets_its_answer(
    tablet, monkeypatch
):
    is_begun, may_go_on, is_done = threading.Event(), threading.Event(), threading.Event()
    execute = acts._execute_at_table

    def slowly(*arguments: Any) -> Any:
        is_begun.set()
        may_go_on.wait(5)
        try:
            return execute(*arguments)
        finally:
            is_done.set()

    monkeypatch.setattr(acts, "_execute_at_table", slowly)
    body, before = await tablet.body(), await tablet.version()
    await tablet.begin("place_wagers", body)
    assert await asyncio.to_thread(is_begun.wait, 5)
    await tablet.socket.leave()
    may_go_on.set()
    assert await asyncio.to_thread(is_done.wait, 5)
    status, content = await tablet.post("place_wagers", {**body, "retry": True})
    assert (status, content["version"], content["again"]) == (200, before + 1, True)
    assert await nothing(tablet, before + 1)


async def test_a_late_act_of_a_socket_is_not_taken_after_its_retry_was_refused(tablet):
    body = await tablet.body({"round": 1})
    status, content = await tablet.post("return_wagers", {**body, "retry": True})
    assert (status, content["refusal"]["code"], content["command"]) == (
        422,
        "nothing-to-return",
        body["command"],
    )
    status, late = await tablet.ask("return_wagers", body)
    assert (status, late["refusal"]["code"], late["command"]) == (422, "command-ended", body["command"])


async def test_acts_of_a_socket_are_executed_one_after_the_other_and_other_messages_are_read_meanwhile(
    tablet, monkeypatch
):
    running, most, may_go_on = 0, 0, threading.Event()
    execute = acts._execute_at_table

    def counted(*arguments: Any) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        may_go_on.wait(5)
        try:
            return execute(*arguments)
        finally:
            running -= 1

    monkeypatch.setattr(acts, "_execute_at_table", counted)
    is_read = asyncio.Event()
    monkeypatch.setattr("tables.views.sockets.BatteryReport.read", lambda _text: is_read.set())
    bodies = [await tablet.body() for _ in range(4)]
    numbers = [await tablet.begin("place_wagers", bodies[0])]
    await tablet.send_text('{"battery":{}}')
    await asyncio.wait_for(is_read.wait(), 5)
    numbers += [await tablet.begin("place_wagers", body) for body in bodies[1:]]
    may_go_on.set()
    answers = [await tablet.answer() for _ in numbers]
    assert [answer["answer"] for answer in answers] == numbers and most == 1
    assert [answer["status"] for answer in answers] == [200, 409, 409, 409], "tapped on the same screen"


@pytest.mark.parametrize(
    ("cause", "status", "line"),
    [
        (LockNotAvailable("canceling statement due to lock timeout"), 503, "Nothing was begun"),
        (psycopg.OperationalError("the connection is closed"), 500, "The database did not say what became"),
        (ZeroDivisionError("of our own"), 500, "An act on a socket failed"),
    ],
)
async def test_an_error_says_no_more_than_that_of_a_post(tablet, monkeypatch, caplog, cause, status, line):
    def fail(*_arguments: Any) -> None:
        raise OperationalError("busy") from cause

    def fail_otherwise(*_arguments: Any) -> None:
        raise cause

    is_of_database = isinstance(cause, psycopg.Error)
    monkeypatch.setattr(table_runner.RUNNER, "lock", fail if is_of_database else fail_otherwise)
    body = await tablet.body()
    answered = await tablet.ask("place_wagers", body)
    assert answered[0] == status
    said = [record.getMessage() for record in caplog.records if record.name == "tables.views.acts"]
    assert len(said) == 1 and said[0].startswith(line)
    if status == 503:
        assert answered == await tablet.post("place_wagers", body)
    else:
        assert answered[1] == {}, "no answer: the page asks again by the id of the act"


@pytest.mark.parametrize(
    "path", ["/ws/floor/larkfield", "/ws/floor/larkfield/locked", "/ws/table/larkfield/T-01/sign"]
)
async def test_no_other_socket_takes_acts(committed, path, monkeypatch):
    executed: list[Any] = []
    monkeypatch.setattr(acts, "_execute_at_table", lambda *arguments: executed.append(arguments))
    podium = await browser(committed, "podium", "floorperson")
    socket = await Socket(path, podium).connect()
    await socket.send_input({"type": "websocket.receive", "text": "act 1 place_wagers {}"})
    await asyncio.sleep(0.1)
    await socket.leave()
    assert executed == []
