"""What a demo answers while its floor is made, and from then on."""

import asyncio
import re
import threading

import pytest

from tables.demo import evening


async def answer(server, path="/"):
    """The status, headers and body of what the server answers to a request."""
    sent = []

    async def send(message):
        sent.append(message)

    await server({"type": "http", "path": path}, None, send)
    start, body = sent
    return start["status"], dict(start["headers"]), body["body"].decode()


@pytest.fixture
def dealt(monkeypatch):
    """Whether programs deal the floor."""
    begun = []

    async def run_evening():
        begun.append(True)

    monkeypatch.setattr(evening, "run_evening", run_evening)
    return begun


async def application(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"the landing"})


async def test_a_page_says_that_the_floor_opens_until_it_is_made_and_then_it_is_dealt(dealt):
    made = threading.Event()
    told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    complete: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    server = evening.DemoServer(application, made.wait)
    living = asyncio.create_task(server({"type": "lifespan"}, told.get, complete.put))
    await told.put({"type": "lifespan.startup"})
    assert await complete.get() == {"type": "lifespan.startup.complete"}

    status, headers, page = await answer(server)
    assert status == 200 and "The floor opens" in page and 'http-equiv="refresh"' in page
    (sheet,) = re.findall('<link rel="stylesheet" href="([^"]+)">', page)
    assert headers[b"content-security-policy"] == b"default-src 'none'; style-src 'self'"
    status, headers, style = await answer(server, sheet)
    assert (status, headers[b"content-type"]) == (
        200,
        b"text/css; charset=utf-8",
    ) and "min-block-size" in style
    assert (await answer(server, "/floor/larkfield/"))[0] == 503 and not dealt

    made.set()
    for _ in range(100):
        if server.is_open:
            break
        await asyncio.sleep(0.01)
    assert (await answer(server))[2] == "the landing"
    await told.put({"type": "lifespan.shutdown"})
    await living
    assert dealt


async def test_a_floor_that_cannot_be_made_says_so_and_its_log_says_why(dealt, caplog):
    def fail():
        raise RuntimeError("the disk is full")

    told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    complete: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    server = evening.DemoServer(application, fail)
    living = asyncio.create_task(server({"type": "lifespan"}, told.get, complete.put))
    await told.put({"type": "lifespan.startup"})
    for _ in range(100):
        if caplog.records:
            break
        await asyncio.sleep(0.01)
    assert "could not be made" in caplog.text and "the disk is full" in caplog.text
    status, _, page = await answer(server)
    assert status == 503 and "The floor could not be opened" in page and "refresh" not in page
    await told.put({"type": "lifespan.shutdown"})
    await living
    assert not dealt
