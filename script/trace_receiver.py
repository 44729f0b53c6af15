"""A receiver of traces on this machine, for tests and measurements: OTLP over HTTP, as any collector takes it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

HOST = "127.0.0.1"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as it was sent. Ids are hexadecimal; `parent` is empty for the first one of a trace."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    began_ns: int
    ended_ns: int


@dataclass
class Receiver:
    """What came to a receiver. `status`: what it answers. While `may_answer` is cleared, it says nothing."""

    port: int = 0
    status: int = 200
    may_answer: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)
    spans: list[ReceivedSpan] = field(default_factory=list)

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}/v1/traces"

    def take(self, body: bytes) -> None:
        self.came.set()
        self.may_answer.wait(30)
        if self.status == 200:
            self.spans += _spans(body)


def _spans(body: bytes) -> Iterator[ReceivedSpan]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                attributes = {
                    sent.key: getattr(sent.value, sent.value.WhichOneof("value") or "string_value")
                    for sent in span.attributes
                }
                yield ReceivedSpan(
                    span.name,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    attributes,
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                )


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that answers, until the block ends."""
    receiver = Receiver()
    receiver.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(receiver.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer((HOST, 0), Handler)
    receiver.port = server.server_port
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield receiver
    finally:
        receiver.may_answer.set()
        server.shutdown()
        server.server_close()
        serving.join()
