"""A connection to one Pitside as one client: its token, when a request is sent again, and acts."""

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import httpx
from pitside_api.client import AuthenticatedClient

from pitside_client.problems import NotAnswered, Refused, refusal_of
from pitside_client.record import Reader

WAITS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # seconds before each further try
LONGEST_WAIT = 60.0
TRY_AGAIN = frozenset({429, 502, 503, 504})
SPARE_SECONDS = 30.0  # a token is not used in the last seconds of its time
KEY, AGAIN = "Idempotency-Key", "Idempotency-Retry"


class _Token(httpx.Auth):
    """Gets a token by the client's id and secret, and another one when it ends or is refused.

    While a person is signed in (`begin_sign_in`), it is that of their sign-in, and the next one is asked for with it.

    Only the answers to these requests are read here: a stream of entries has no end to read to.
    """

    def __init__(self, url: str, client_id: str, secret: str, scopes: Iterable[str]) -> None:
        self.url, self.basic, self.scope = url, httpx.BasicAuth(client_id, secret), " ".join(scopes)
        self.person_url = url.removesuffix("oauth/token") + "person"
        self.token, self.ends_at, self.is_of_person = "", 0.0, False

    def begin_sign_in(self, token: str, seconds: float) -> None:
        """Go on with the token of a person who signed in."""
        self.token, self.ends_at, self.is_of_person = token, time.monotonic() + seconds - SPARE_SECONDS, True

    def end_sign_in(self) -> None:
        """Go on with a token of the machine."""
        self.token, self.ends_at, self.is_of_person = "", 0.0, False

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        if self.is_of_person and time.monotonic() >= self.ends_at:
            yield from self._ask_for_person()
        if time.monotonic() >= self.ends_at:
            yield from self._ask()
        request.headers["Authorization"] = f"Bearer {self.token}"
        response = yield request
        if response.status_code == 401:
            self.end_sign_in()
            yield from self._ask()
            request.headers["Authorization"] = f"Bearer {self.token}"
            yield request

    def _ask_for_person(self) -> Generator[httpx.Request, httpx.Response, None]:
        headers = {"Authorization": f"Bearer {self.token}"}
        response = yield httpx.Request("GET", self.person_url, headers=headers)
        response.read()
        person = response.json() if response.status_code == 200 else {}
        if person.get("token"):
            self.begin_sign_in(person["token"], person["expires_in"])
        else:
            self.end_sign_in()

    def _ask(self) -> Generator[httpx.Request, httpx.Response, None]:
        form = {"grant_type": "client_credentials"} | ({"scope": self.scope} if self.scope else {})
        ask = next(self.basic.auth_flow(httpx.Request("POST", self.url, data=form)))
        response = yield ask
        response.read()
        if response.status_code != 200:
            raise _token_refusal(response)
        given = response.json()
        self.token, self.ends_at = (
            given["access_token"],
            time.monotonic() + given["expires_in"] - SPARE_SECONDS,
        )


def _token_refusal(response: httpx.Response) -> Exception:
    """The token endpoint refuses by RFC 6749, not by a problem."""
    try:
        said = response.json()
        return Refused(response.status_code, said["error"], said.get("error_description", said["error"]))
    except (ValueError, KeyError, TypeError):
        return NotAnswered(f"No token: the server answered {response.status_code}.")


class _Patient(httpx.BaseTransport):
    """Sends a request again after a lost connection, or when the server says that it is busy.

    Only what may be done twice is sent twice: reads, requests for a token, and acts, which have a key.
    """

    def __init__(
        self, inner: httpx.BaseTransport, waits: Sequence[float], sleep: Callable[[float], None]
    ) -> None:
        self.inner, self.waits, self.sleep = inner, waits, sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        waits = iter(self.waits if _may_repeat(request) else ())
        while True:
            try:
                response = self.inner.handle_request(request)
            except httpx.TransportError as error:
                wait = next(waits, None)
                if wait is None:
                    raise NotAnswered(f"{request.method} {request.url}: {error}") from error
            else:
                wait = next(waits, None) if response.status_code in TRY_AGAIN else None
                if wait is None:
                    return response
                response.close()
                wait = max(wait, _asked_wait(response))
            if KEY in request.headers:
                request.headers[AGAIN] = "true"
            self.sleep(wait)

    def close(self) -> None:
        self.inner.close()


def _may_repeat(request: httpx.Request) -> bool:
    return (
        request.method in ("GET", "HEAD")
        or KEY in request.headers
        or request.url.path.endswith("/oauth/token")
    )


def _asked_wait(response: httpx.Response) -> float:
    asked = response.headers.get("Retry-After", "")
    return min(float(asked), LONGEST_WAIT) if asked.isdecimal() else 0.0


@dataclass(frozen=True)
class Act:
    """An act, with the key by which the server knows it again. Send the same one for each try of the same act.

    `params` are those of `GET /api/v1/acts/{act}`; `seen` is the version of the table on which the decision rests.
    `table` is "" for an act of the facility.
    """

    facility: str
    table: str
    act: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seen: int | None = None
    key: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def path(self) -> str:
        place = f"/tables/{self.table}" if self.table else ""
        return f"/api/v1/facilities/{self.facility}{place}/acts/{self.act}"


@dataclass(frozen=True)
class Done:
    """What became of an act. `again`: it had been done before by this key, and this is the first answer."""

    version: int
    answer: dict[str, Any]
    again: bool


class Pitside:
    """A connection as one client. `client` is for the functions of `pitside_api`.

    `url`: of the server, such as https://pitside.example. `scopes`: those to ask for; all of the client's if empty.
    `waits`: seconds before each further try. Use it in one thread at a time, and close it at the end.
    """

    def __init__(
        self,
        url: str,
        client_id: str,
        secret: str,
        *,
        scopes: Iterable[str] = (),
        timeout: float = 20.0,
        waits: Sequence[float] = WAITS,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = url.rstrip("/")
        self._token = _Token(f"{url}/api/v1/oauth/token", client_id, secret, scopes)
        self.http = httpx.Client(
            base_url=url,
            auth=self._token,
            timeout=timeout,
            transport=_Patient(transport or httpx.HTTPTransport(), waits, sleep),
        )
        self.sleep = sleep
        self.client = AuthenticatedClient(base_url=url, token="").set_httpx_client(self.http)

    def __enter__(self) -> "Pitside":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def sign_in(self, person: str, pin: str) -> None:
        """Sign a person in at this machine: from now on acts are theirs. Raises Refused for a wrong PIN."""
        response = self.http.post("/api/v1/person", json={"person": person, "pin": pin})
        if response.status_code != 200:
            raise refusal_of(response)
        answer = response.json()
        self._token.begin_sign_in(answer["token"], answer["expires_in"])

    def sign_off(self) -> None:
        """Sign the person off. Raises Refused where they must be relieved first."""
        response = self.http.delete("/api/v1/person")
        if response.status_code != 200:
            raise refusal_of(response)
        self._token.end_sign_in()

    def do(self, act: Act, *, again: bool = False) -> Done:
        """Do an act, once however often it is sent. Raises Refused, or NotAnswered: nobody knows what became of it.

        `again`: an earlier `do` of the same act ended with NotAnswered. If it is refused now, that earlier try is not
        taken later either.
        """
        body = {"params": dict(act.params), "seen": act.seen}
        response = self.http.post(
            act.path, json=body, headers={KEY: str(act.key)} | ({AGAIN: "true"} if again else {})
        )
        if response.status_code >= 500:  # an earlier try, or this one, may have been taken
            raise NotAnswered(
                f"The server answered {response.status_code}. Do the same act again, by its key."
            )
        if response.status_code != 200:
            raise refusal_of(response)
        return Done(**response.json())

    def read_record(self, after: str = "0", *, stream: str = "", types: Sequence[str] = ()) -> Reader:
        """A reader of the record's entries after a position: as pages (`pages`), or as they are written (`follow`)."""
        return Reader(self.http, after, stream, tuple(types), self.sleep)
