"""Traces by OpenTelemetry of what a web worker does (docs/operation.md#traces).

`config/asgi.py` imports this module only where `PITSIDE_TRACES_ENDPOINT` names a receiver. Then `Tracing.begin` puts a
span around the few functions of `PLACES`, each SQL statement and each request; elsewhere these functions are called as
they are written, and nothing of OpenTelemetry's SDK is imported. A trace that the proxy began (W3C `traceparent`) goes
on; one of an act on a socket begins with it. Each line of the log has the id of its trace (`trace`).

A span says what was done: the act, its place and command, statements without their values, status, an error's kind.
Never a person, an amount, or words that somebody typed: errors' messages have them, so only their class is told.

Spans that ended wait in memory, `MOST_WAITING` of them; a thread sends them. Whatever the receiver does, no act waits
for it: what has no room is dropped.
"""

import atexit
import functools
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.backends.signals import connection_created
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from audit.logs import HEADER, OutageLog, about_the_request
from audit.runner import ActRequest, ActRunner
from config.handler import OneThreadHandler
from config.postgresql import base as postgresql
from games.facility_runner import StreamRunner
from tables.runner.table import TableRunner
from tables.screens import push
from tables.views import sockets

log = logging.getLogger(__name__)
Attributes = Mapping[str, str | int | bool]
MOST_WAITING = 2_048  # spans
SEND_SECONDS = 2.0
EVERY_MS = 1_000
MOST_OF_A_STATEMENT = 2_000  # characters
NOT_TRACED = ("/static/", "/healthz", "/readyz")  # asked for by machines, again and again
W3C = TraceContextTextMapPropagator()


# What has a span


def of_act(_runner: Any, request: ActRequest) -> Attributes:
    return {
        "pitside.act": request.act,
        "pitside.place": f"{request.facility}/{request.place}",
        "pitside.command": str(request.command),
        "pitside.on_copy": request.copy is not None,
    }


def of_socket(_scope: Any, facility: str, table: str, act: str, _body: bytes) -> Attributes:
    return {"pitside.act": act, "pitside.place": f"{facility}/{table}"}


def of_statements(_connection: Any, statements: Sequence[tuple[str, Any]]) -> Attributes:
    return {
        "db.system.name": "postgresql",
        "db.operation.batch.size": len(statements),
        "db.query.text": "; ".join(sql[:MOST_OF_A_STATEMENT] for sql, _ in statements),
    }


@dataclass(frozen=True)
class Place:
    """A function by its owner, a class or a module, and the span around its calls. `describe` gets its arguments.

    `begins`: it is called for a page, outside of a request, so a trace may begin with it.
    """

    owner: Any
    function: str
    span: str
    describe: Callable[..., Attributes] | None = None
    begins: bool = False


# As docs/acts.md tells it. `execute` is one try: on the worker's copy, or from the rows.
PLACES = (
    Place(sockets, "act_on_socket", "act on socket", of_socket, begins=True),
    Place(ActRunner, "execute", "execute", of_act),
    Place(TableRunner, "lock", "load"),
    Place(StreamRunner, "lock", "load"),
    Place(TableRunner, "do", "act"),
    Place(StreamRunner, "do", "act"),
    Place(postgresql, "execute_together", "flush", of_statements),
    Place(push, "publish_from_thread", "show"),
    Place(push, "_send", "push"),
)


# Spans


def is_traced() -> bool:
    """Whether what is done now belongs to a request that is traced. That one may have ended: a push comes after it."""
    return trace.get_current_span().get_span_context().trace_flags.sampled


class Tracing:
    """The spans of this process, from `begin` to `end`."""

    def __init__(self, exporter: SpanExporter, share: float) -> None:
        """`share`: of the requests that come without a trace, from 0 to 1."""
        resource = Resource.create({"service.name": "pitside", "service.version": settings.BUILD})
        self._provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(share)), resource=resource, shutdown_on_exit=False
        )
        self._provider.add_span_processor(
            BatchSpanProcessor(exporter, max_queue_size=MOST_WAITING, schedule_delay_millis=EVERY_MS)
        )
        self.tracer = self._provider.get_tracer("pitside")
        self._replaced: list[tuple[Any, str, Any]] = []
        self._make_record = logging.getLogRecordFactory()

    def begin(self) -> None:
        """Put the spans around their functions."""
        for place in PLACES:
            function = vars(place.owner)[place.function]
            self._replaced.append((place.owner, place.function, function))
            setattr(place.owner, place.function, self._traced(function, place))
        connection_created.connect(self._trace_statements)
        logging.setLogRecordFactory(self._make_traced_record)

    def end(self, seconds: float = SEND_SECONDS) -> None:
        """Take the spans away, and send those that wait, for so long at most."""
        connection_created.disconnect(self._trace_statements)
        for owner, name, function in self._replaced:
            setattr(owner, name, function)
        self._replaced.clear()
        logging.setLogRecordFactory(self._make_record)
        sending = threading.Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(seconds)

    @contextmanager
    def span(
        self, name: str, attributes: Attributes | None = None, kind: SpanKind = SpanKind.INTERNAL
    ) -> Iterator[trace.Span]:
        """A span of what is done in the block. An error that leaves it is told by its class."""
        with self.tracer.start_as_current_span(
            name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                raise

    def _traced(self, function: Callable[..., Any], place: Place) -> Callable[..., Any]:
        @functools.wraps(function)
        def traced(*args: Any, **kwargs: Any) -> Any:
            if not (place.begins or is_traced()):
                return function(*args, **kwargs)
            attributes = place.describe(*args, **kwargs) if place.describe else None
            kind = SpanKind.SERVER if place.begins else SpanKind.INTERNAL
            with self.span(place.span, attributes, kind) as span:
                result = function(*args, **kwargs)
                if place.begins:
                    span.set_attribute("http.response.status_code", result.status)
                    span.set_attribute("pitside.request", about_the_request().get("request", ""))
                return result

        return traced

    def _trace_statements(self, connection: Any, **_signal: Any) -> None:
        if self._statement not in connection.execute_wrappers:
            connection.execute_wrappers.insert(0, self._statement)

    def _statement(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, scene: dict[str, Any]
    ) -> Any:
        if not self._replaced or not is_traced():
            return execute(sql, params, many, scene)
        attributes = {
            "db.system.name": scene["connection"].vendor,
            "db.query.text": sql[:MOST_OF_A_STATEMENT],
        }
        with self.span(sql.split(maxsplit=1)[0].upper(), attributes, SpanKind.CLIENT):
            return execute(sql, params, many, scene)

    def _make_traced_record(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = self._make_record(*args, **kwargs)
        now = trace.get_current_span().get_span_context()
        if now.is_valid:
            record.__dict__["trace"] = trace.format_trace_id(now.trace_id)
        return record


class TracedHandler(OneThreadHandler):
    """The handler, with a span around each request. It goes on with the trace that its `traceparent` names."""

    def __init__(self, tracing: Tracing) -> None:
        super().__init__()
        self.tracing = tracing

    async def handle(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["path"].startswith(NOT_TRACED):
            await super().handle(scope, receive, send)
            return
        headers = {name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]}
        token = context.attach(W3C.extract(headers))
        try:
            with self.tracing.span(
                scope["method"], {"http.request.method": scope["method"]}, SpanKind.SERVER
            ):
                await super().handle(scope, receive, send)
        finally:
            context.detach(token)

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        response = super().get_response(request)
        span, match = trace.get_current_span(), request.resolver_match
        if match is not None:
            span.update_name(f"{request.method} {match.route}")
            span.set_attribute("http.route", match.route)
        span.set_attribute("http.response.status_code", response.status_code)
        span.set_attribute("pitside.request", response.headers.get(HEADER, ""))
        if response.status_code >= 500:
            span.set_status(Status(StatusCode.ERROR))
        return response


# The receiver


class NotSent(Exception):
    """The receiver did not take spans."""


class SpansToReceiver(SpanExporter):
    """Sends spans by OTLP over HTTP. What a receiver does not take is dropped, with one line of the log for an outage.

    OpenTelemetry's own lines, several for each try, are not logged.
    """

    def __init__(self, endpoint: str) -> None:
        self._otlp = OTLPSpanExporter(endpoint, timeout=SEND_SECONDS)
        self._outage = OutageLog(log, "Sending traces", "They are dropped until it works again.")
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._otlp.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._outage.worked()
        else:
            self._outage.failed(NotSent("the receiver does not take them"))
        return result

    def shutdown(self) -> None:
        self._otlp.shutdown()


def traced_handler() -> TracedHandler:
    """Begin to trace this process, until it ends. Returns the handler of its requests."""
    tracing = Tracing(SpansToReceiver(settings.TRACES_ENDPOINT), settings.TRACES_SHARE)
    tracing.begin()
    atexit.register(tracing.end)
    return TracedHandler(tracing)
