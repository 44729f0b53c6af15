"""Logs of production: one JSON object a line, with the request that the line belongs to.

`time` (UTC), `level`, `logger` and `message`; `request`, its id, which the answer has as `X-Request-ID` and the page of
an error shows; `facility`, `table`, `act` and `command` where the request is an act; `error`, a traceback.
"""

import datetime as dt
import json
import logging
import random
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# Ids only have to differ: they take nothing from the randomness that keys and commands are made of.
_ids = random.Random()
ABOUT = ("facility", "table", "act")
_about: ContextVar[dict[str, str] | None] = ContextVar("about_the_request", default=None)


def note(**facts: str) -> None:
    """Add facts to every later line of the request that is handled now."""
    about = _about.get()
    if about is not None:
        about.update(facts)


def about_the_request() -> dict[str, str]:
    """What is known of the request that is handled now; empty outside one."""
    return dict(_about.get() or {})


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
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class RequestLogMiddleware:
    """Gives each request an id, and notes what it is about for the lines that it logs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = f"{_ids.getrandbits(48):012x}"
        _about.set({"request": request_id})
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
        "root": {"handlers": ["stderr"], "level": level},
        # Django's own handlers show errors only with DEBUG on, or send mail
        "loggers": {"django": {"handlers": [], "level": level, "propagate": True}},
    }
