"""A table with its people, and machines that use the API there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.cache import caches
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connection
from django.test import Client

from audit import clients
from audit.models import ApiClient
from tables.api import access
from tests.tables.cast import Scene, make_scene
from tests.tables.conftest import Hands, hands

__all__ = ["Hands", "hands"]
TOKEN_URL = "/api/v1/oauth/token"


@dataclass
class Machine:
    """A client with its secret and a token: `get` and `post` send the token, below `/api/v1/`."""

    client: ApiClient
    secret: str
    token: str

    @property
    def id(self) -> str:
        return clients.client_id(self.client.device)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(
        self, address: str, query: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> Any:
        return Client().get(f"/api/v1/{address}", query or {}, headers=self.headers | (headers or {}))

    def post(self, address: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        return Client().post(
            f"/api/v1/{address}",
            body,
            content_type="application/json",
            headers=self.headers | (headers or {}),
        )

    def delete(self, address: str) -> Any:
        return Client().delete(f"/api/v1/{address}", headers=self.headers)

    def ask_token(self, **form: str) -> Any:
        """What the token endpoint answers to id and secret in the form, and to what the test adds."""
        own = {"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret}
        return Client().post(TOKEN_URL, own | form)


Machines = Callable[..., Machine]


@pytest.fixture(autouse=True)
def no_request_is_counted_yet(monkeypatch) -> None:
    caches["api"].clear()
    caches["default"].clear()
    monkeypatch.setattr(access, "request_counts", access.RequestCounts())


@pytest.fixture
def application(db) -> Iterator[Callable[..., Any]]:
    """The server as a WSGI application, whose requests are in the transaction of the test and leave it open.

    Django's test client connects the handler that closes a connection again after each of its requests. On PostgreSQL
    it would close that of the test, and PostgreSQL itself ends one that waits for long for the next request.
    """
    server = get_wsgi_application()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    signals = (request_started, request_finished)

    def serve(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        for signal in signals:
            signal.disconnect(close_old_connections)
        return server(environ, start_response)

    yield serve
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def scene(db, hands) -> Scene:
    """A live table under § 625a at 10:00 in the morning: open, a dealer at it, no round yet."""
    return make_scene()


def make_machine(*scopes: str, place: str = "", name: str = "") -> Machine:
    """A client of Larkfield with these scopes and a token; `place` is the stream of its only table."""
    name = name or f"System {ApiClient.objects.count() + 1}"
    client = clients.make(name, "larkfield", scopes, place)
    _secret, text = clients.make_secret(client)
    machine = Machine(client, text, "")
    machine.token = machine.ask_token().json()["access_token"]
    return machine


@pytest.fixture
def machine(scene) -> Machines:
    """`machine("floor", "money")`, as `make_machine`, beside an open table."""
    return make_machine
