"""Each request is handled in one thread, to its end, and gives back what it used."""

import asyncio
import threading

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.signals import request_finished
from django.http import HttpResponse, StreamingHttpResponse
from django.test import override_settings
from django.urls import path

from config.handler import OneThreadHandler

threads: list[int] = []
events: list[str] = []
may_answer = threading.Event()


class NoteThread:
    """Middleware that notes its thread before and after the view."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        threads.append(threading.get_ident())
        response = self.get_response(request)
        threads.append(threading.get_ident())
        return response


def plain(request):
    threads.append(threading.get_ident())
    return HttpResponse("plain")


async def on_the_loop(request):
    return HttpResponse(str(threading.get_ident()))


def slow(request):
    may_answer.wait(5)
    events.append("ended")
    return HttpResponse("slow")


def stream(request):
    async def pieces():
        try:
            while True:
                yield b"piece"
                await asyncio.sleep(0.01)
        finally:
            events.append("closed")

    return StreamingHttpResponse(pieces())


def file(request):
    def pieces():
        for number in range(3):
            threads.append(threading.get_ident())
            events.append(f"read {number}")
            yield b"%d" % number

    return StreamingHttpResponse(pieces())


urlpatterns = [
    path("plain", plain),
    path("on-the-loop", on_the_loop),
    path("slow", slow),
    path("stream", stream),
    path("file", file),
]
MIDDLEWARE = ["tests.test_handler.NoteThread", "django.middleware.security.SecurityMiddleware"]


@pytest.fixture
def handler():
    threads.clear()
    events.clear()
    may_answer.clear()

    def finished(sender, **_signal):
        threads.append(threading.get_ident())
        events.append("finished")

    request_finished.connect(finished)
    with override_settings(ROOT_URLCONF=__name__, MIDDLEWARE=MIDDLEWARE):
        yield OneThreadHandler()
    request_finished.disconnect(finished)


async def client_of(handler, address):
    """A client that has sent its request whole."""
    scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": address, "query_string": b""}
    client = ApplicationCommunicator(handler, {**scope, "headers": [(b"host", b"testserver")]})
    await client.send_input({"type": "http.request", "body": b""})
    return client


async def test_middleware_view_and_closing_share_one_thread(handler):
    client = await client_of(handler, "/plain")
    assert (await client.receive_output())["status"] == 200
    assert (await client.receive_output())["body"] == b"plain"
    await client.wait()
    assert len(threads) == 4 and set(threads) == {threads[0]} != {threading.get_ident()}


async def test_an_asynchronous_view_runs_on_the_loop_of_the_server(handler):
    client = await client_of(handler, "/on-the-loop")
    await client.receive_output()
    assert (await client.receive_output())["body"] == str(threading.get_ident()).encode()
    await client.wait()


async def test_a_view_whose_client_has_gone_is_ended_all_the_same(handler):
    client = await client_of(handler, "/slow")
    await client.send_input({"type": "http.disconnect"})
    await asyncio.sleep(0.05)
    assert events == []
    may_answer.set()
    await client.wait()
    assert events == ["ended", "finished"]


async def test_a_stream_ends_with_its_connection_and_is_closed(handler):
    client = await client_of(handler, "/stream")
    assert (await client.receive_output())["status"] == 200
    assert (await client.receive_output())["body"] == b"piece"
    assert events == []
    await client.send_input({"type": "http.disconnect"})
    await client.wait()
    assert events == ["closed", "finished"]


async def test_the_pieces_of_a_file_are_read_in_threads_each_when_the_one_before_was_sent(handler, recwarn):
    client = await client_of(handler, "/file")
    threads.clear()
    await client.receive_output()
    bodies = []
    for number in range(3):
        bodies.append((await client.receive_output())["body"])
        assert events[0] == "read 0" and f"read {number + 2}" not in events
    await client.receive_output()
    await client.wait()
    assert bodies == [b"0", b"1", b"2"] and threading.get_ident() not in threads
    assert not recwarn.list
