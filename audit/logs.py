"""Logs of production: one JSON object a line, with the request that the line belongs to.

`time` (UTC), `level`, `logger` and `message`; `request`, its id, which the answer has as `X-Request-ID` and the page of
an error shows; `facility`, `table`, `act` and `command` where the request is an act; `trace` where it is traced
(`config/tracing.py`); `error`, a traceback. What keeps failing is one line when it begins and one when it ends
(`OutageLog`), however often it is tried meanwhile.
"""

import datetime as dt
import json
import logging
import random
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# Ids only have to differ: they take nothing from the randomness that keys and commands are made of.
_ids = random.Random()
ABOUT = ("facility", "table", "act")
MINUTE = 60.0
_about: ContextVar[dict[str, str] | None] = ContextVar("about_the_request", default=None)


def begin(**facts: str) -> str:
    """Give every later line of a request an id, and these facts. Returns the id."""
    request_id = f"{_ids.getrandbits(48):012x}"
    _about.set({"request": request_id, **facts})
    return request_id


def note(**facts: str) -> None:
    """Add facts to every later line of the request that is handled now."""
    about = _about.get()
    if about is not None:
        about.update(facts)


def about_the_request() -> dict[str, str]:
    """What is known of the request that is handled now; empty outside one."""
    return dict(_about.get() or {})


class OutageLog:
    """Logs one line when something begins to fail, and one when it works again. Used from any thread.

    `subject` begins both sentences; `consequence` is a sentence about the time in between. An error of another class
    during the outage is one more line. It counts as working again once nothing has failed for `settle_seconds`.
    """

    def __init__(
        self,
        log: logging.Logger,
        subject: str,
        consequence: str = "",
        *,
        traceback: bool = False,
        settle_seconds: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.log, self.subject, self.consequence = log, subject, consequence
        self.traceback, self.settle_seconds, self.monotonic = traceback, settle_seconds, monotonic
        self.failures = 0
        self._lock = threading.Lock()
        self._errors: set[str] = set()
        self._began_at = self._failed_at = 0.0

    def failed(self, error: BaseException) -> None:
        """Note a failure."""
        name = type(error).__name__
        with self._lock:
            self._failed_at = self.monotonic()
            if not self.failures:
                self._began_at = self._failed_at
            self.failures += 1
            is_new = name not in self._errors
            self._errors.add(name)
        if is_new:
            reason = f"{name}: {error}".strip(": .")
            self.log.error(
                "%s failed: %s. %s",
                self.subject,
                reason,
                self.consequence,
                exc_info=error if self.traceback else None,
            )

    def worked(self) -> None:
        """Note a success."""
        with self._lock:
            now = self.monotonic()
            if not self.failures or now - self._failed_at < self.settle_seconds:
                return
            failures, seconds = self.failures, now - self._began_at
            self.failures = 0
            self._errors.clear()
        self.log.warning("%s works again after %.0f s; it failed %d times.", self.subject, seconds, failures)


class OnceAMinute(logging.Filter):
    """Lets a message of another library pass once a minute, however its values differ."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.monotonic = monotonic
        self._passed_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, message = self.monotonic(), str(record.msg)
        passed_at = self._passed_at.get(message)
        if passed_at is not None and now - passed_at < MINUTE:
            return False
        self._passed_at[message] = now
        return True


class JsonFormatter(logging.Formatter):
    """Formats a line as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about_the_request(),
        }
        if trace := getattr(record, "trace", ""):
            line["trace"] = trace
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class RequestLogMiddleware:
    """Gives each request an id, and notes what it is about for the lines that it logs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = begin()
        response = self.get_response(request)
        response[HEADER] = request_id
        return response

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]) -> None:
        note(**{name: str(kwargs[name]) for name in ABOUT if name in kwargs})


def settings(level: str = "INFO") -> dict[str, Any]:
    """The logging of a process of production: everything to standard error, exceptions included."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "audit.logs.JsonFormatter"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "filters": {"once_a_minute": {"()": "audit.logs.OnceAMinute"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own handlers show errors only with DEBUG on, or send mail
            "django": {"handlers": [], "level": level, "propagate": True},
            # The server's own handler writes text, and a traceback as many lines. Its log of requests stays as its
            # options say: configuring "uvicorn" itself would undo --no-access-log.
            "uvicorn.error": {"handlers": ["stderr"], "level": level, "propagate": False},
            # The pool logs each connection that it lends, and while the database is away each try
            "psycopg.pool": {"filters": ["once_a_minute"], "level": "WARNING"},
        },
    }
