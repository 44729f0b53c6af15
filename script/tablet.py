"""A tablet of the casino as its scripts make it: real sign-ins, acts on sockets and by POST, and what is pushed.

It behaves as static/js/acts.js and static/js/live.js do. It sends one act at a time and asks again by the same id until
it is final; it resyncs when a heartbeat names another version, replaces a silent socket, and polls meanwhile. Every act
is written down with what the tablet was told. The fault suite and the benchmark play with it.
"""

import asyncio
import contextlib
import html
import itertools
import json
import random
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, Literal

import httpx
import websockets

from script.faults.floor import Seat

Json = dict[str, Any]
Trouble = Literal["", "lost", "repeated", "reordered"]
Fate = Literal["unknown", "taken", "refused"]

REQUEST_SECONDS = 8.0
SILENCE_SECONDS = 12.0
POLL_SECONDS = 2.0
PUSH_SECONDS = 0.4  # from the answer to an act to the push of its screen
BUSY_TRIES = 5
SIGNED_OUT = ("signed-out", "locked", "signed-out-since", "locked-since")
LEAVING_CODES = (4401, 4423)


class NoAnswer(Exception):
    """A request got no answer that can be read."""


@dataclass
class Claim:
    """One act, and what its tablet says of it: what static/js/acts.js would say after the same answers.

    `tests/js/answers.json` has sequences of answers, and what both say after them. `is_over`: the tablet asks no more;
    a fate that is unknown then is what its person reads.
    """

    command: str
    place: str
    act: str
    started: float
    fate: Fate = "unknown"
    status: int = 0
    code: str = ""
    version: int = 0
    tries: int = 0
    answered: float = 0.0
    is_over: bool = False
    # Whether a try ended without an answer about the act: it may have been taken.
    may_be_taken: bool = False
    answer: Json = field(default_factory=dict)

    def judge(self, status: int, answer: Json) -> None:
        """Take the answer to one try; status 0 is no answer at all."""
        refusal = answer.get("refusal") or {}
        self.status, self.code = status, refusal.get("code", "")
        names_the_act = answer.get("command") == self.command
        is_unknown = (self.may_be_taken or self.tries > 1) and not names_the_act
        if (status == 200 and "version" in answer) or answer.get("recorded") == self.command:
            self.fate, self.version, self.answer = "taken", answer["version"], answer.get("answer", {})
            self.is_over = True
        elif 400 <= status < 500:
            self.fate, self.is_over = "unknown" if is_unknown else "refused", True
        elif self.tries >= BUSY_TRIES and names_the_act:
            self.fate, self.is_over = "refused", True
        self.may_be_taken |= not names_the_act
        if self.is_over:
            self.answered = time.monotonic()

    def say_retry(self, body: Json) -> Json:
        """The body of this try: whether earlier ones, or copies of them, may still be taken."""
        is_retry = self.may_be_taken or self.tries >= BUSY_TRIES
        return {**body, "once": True, **({"retry": True} if is_retry else {})}


async def ask_until_final(
    claim: Claim, ask: Callable[[], Awaitable[tuple[int, Json]]], draw: random.Random
) -> None:
    """Ask by the same id until the answer is final, as ActQueue does. `ask` returns a status and the answer."""
    while not claim.is_over:
        claim.tries += 1
        claim.judge(*await ask())
        if not claim.is_over:
            await asyncio.sleep(min(4.0, 0.3 * 2 ** (claim.tries - 1)) * draw.uniform(0.5, 1.0))


@dataclass
class Ledger:
    """What all tablets were told, in the order in which they acted."""

    claims: list[Claim] = field(default_factory=list)

    def begin(self, place: str, act: str, draw: random.Random) -> Claim:
        """Write down that somebody acts now, by a new id."""
        command = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        self.claims.append(Claim(command, place, act, time.monotonic()))
        return self.claims[-1]

    def since(self, moment: float) -> list[Claim]:
        return [claim for claim in self.claims if claim.started >= moment]


class Front:
    """What stands before the workers: sends a request to the next worker, or another if it cannot connect.

    `trouble` is what it does to acts: loses requests and answers, repeats them, or lets a copy arrive late.
    """

    def __init__(
        self, ports: Sequence[int], draw: random.Random, ledger: Ledger, host: str = "127.0.0.1"
    ) -> None:
        self.ports, self.draw, self.ledger, self.host = list(ports), draw, ledger, host
        self.trouble: Trouble = ""
        self.troubled = 0  # acts that met trouble
        self.turn = itertools.count()
        self.late: set[asyncio.Task[None]] = set()
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=20)
        self.client = httpx.AsyncClient(timeout=REQUEST_SECONDS, limits=limits)

    def order(self) -> list[int]:
        """The workers in the order in which the next request tries them."""
        first = next(self.turn) % len(self.ports)
        return self.ports[first:] + self.ports[:first]

    async def send(
        self, method: str, path: str, headers: Json, ports: Sequence[int] = (), **options: Any
    ) -> httpx.Response:
        """Send a request to the first worker that accepts the connection. Raises NoAnswer."""
        for port in ports or self.order():
            origin = f"{self.host}:{port}"
            own = {**headers, "X-Forwarded-Proto": "https", "Referer": f"https://{origin}/"}
            try:
                async with asyncio.timeout(REQUEST_SECONDS):
                    return await self.client.request(method, f"http://{origin}{path}", headers=own, **options)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
            except (httpx.HTTPError, TimeoutError) as error:
                raise NoAnswer(type(error).__name__) from error
        raise NoAnswer("no worker")

    async def send_act(self, path: str, headers: Json, body: Json) -> httpx.Response:
        """Send an act, with the trouble of the moment. Raises NoAnswer."""

        async def send() -> httpx.Response:
            return await self.send("POST", path, headers, json=body)

        if not self.trouble or self.draw.random() < 0.4:
            return await send()
        self.troubled += 1
        if self.trouble == "lost":
            if self.draw.random() < 0.5:
                raise NoAnswer("the request was lost")
            await send()
            raise NoAnswer("the answer was lost")
        if self.trouble == "repeated":
            answers = await asyncio.gather(send(), send(), return_exceptions=True)
            answer = self.draw.choice(answers)
            if isinstance(answer, BaseException):
                raise NoAnswer(str(answer))
            return answer
        self.send_late(path, headers, body)
        if self.draw.random() < 0.5:
            raise NoAnswer("the request is late")
        return await send()

    async def send_on_socket(self, send: Callable[[], Awaitable[Json]]) -> Json | None:
        """Send an act on a socket, with the trouble of the moment; None where it is to be a POST. Raises NoAnswer."""
        if not self.trouble or self.draw.random() < 0.4:
            return await send()
        if self.trouble != "lost":
            return None
        self.troubled += 1
        if self.draw.random() < 0.5:
            await send()
        raise NoAnswer("the act or its answer was lost")

    def send_late(self, path: str, headers: Json, body: Json) -> None:
        """Let a copy of a request arrive when later ones have long been answered."""

        async def send() -> None:
            await asyncio.sleep(self.draw.uniform(0.5, 3.0))
            with contextlib.suppress(NoAnswer):
                await self.send("POST", path, headers, json=body)

        task = asyncio.create_task(send())
        self.late.add(task)
        task.add_done_callback(self.late.discard)

    async def close(self) -> None:
        for task in list(self.late):
            task.cancel()
        await self.client.aclose()


MOST_STORED = 6  # heads of a table, as in static/js/heads.js


class StoredHeads:
    """The heads of each table that a device has shown: what static/js/heads.js stores beyond page and session."""

    def __init__(self) -> None:
        self.stored: dict[str, list[Json]] = {}
        self.held: set[str] = set()

    def hold(self) -> None:
        """What is stored now stays until the server has judged it."""
        self.held = set(self.stored)

    def store(self, stream: str, head: Json) -> None:
        stored = self.stored.get(stream, [])
        heads = [earlier for earlier in stored if earlier["incarnation"] >= head["incarnation"]]
        if heads and heads[-1] == head:
            return
        if stream not in self.held:
            heads = heads[:-1]
        self.held.discard(stream)
        if len(heads) >= MOST_STORED:
            del heads[1]
        self.stored[stream] = [*heads, head]

    def unjudged(self, stream: str, head_of_screen: Json | None) -> list[Json]:
        """Those that an act has to bring beside that of its screen."""
        return [head for head in self.stored.get(stream, []) if head != head_of_screen]

    def mark_judged(self, stream: str, judged: Sequence[Json | None]) -> None:
        if heads := self.stored.get(stream):
            self.stored[stream] = [*(head for head in heads[:-1] if head not in judged), heads[-1]]
            if heads[-1] in judged:
                self.held.discard(stream)


class Browser:
    """A device with its cookies: it enrolls, signs in, and sends what its pages send."""

    def __init__(self, seat: Seat, token: str, front: Front) -> None:
        self.seat, self.token, self.front = seat, token, front
        self.cookies: dict[str, str] = {}
        self.heads = StoredHeads()
        self.is_signing_in = asyncio.Lock()

    @property
    def headers(self) -> Json:
        pairs = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Cookie": pairs, "X-CSRFToken": self.cookies.get("__Host-csrf", "")}

    async def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        response = await self.front.send(
            method, path, {**self.headers, **options.pop("headers", {})}, **options
        )
        self.keep_cookies(response)
        return response

    async def try_act(self, path: str, body: Json) -> tuple[int, Json]:
        """One try of an act. Returns the status and the answer; 0 without one, {} for what is no JSON."""
        headers = {**self.headers, "Accept": "application/json"}
        try:
            response = await self.front.send_act(path, headers, body)
        except NoAnswer:
            return 0, {}
        self.keep_cookies(response)
        try:
            return response.status_code, response.json()
        except ValueError:
            return response.status_code, {}

    def keep_cookies(self, response: httpx.Response) -> None:
        for header in response.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(header).items():
                self.cookies[name] = morsel.value

    async def enroll(self) -> None:
        await self.request("GET", "/enrol")
        response = await self.request("POST", "/enrol", data={"token": self.token})
        if response.status_code != 302:
            raise RuntimeError(f"{self.seat.place} could not be enrolled: {response.status_code}")

    async def sign_in(self) -> bool:
        """Sign in with the person's PIN, unless another task of this browser just did. Returns whether it worked."""
        if self.is_signing_in.locked():
            async with self.is_signing_in:
                return True
        async with self.is_signing_in:
            with contextlib.suppress(NoAnswer):
                await self.request("GET", "/sign-in")
                form = {
                    "person": self.seat.person,
                    "pin": self.seat.pin,
                    "heads": json.dumps(self.heads.stored),
                }
                response = await self.request("POST", "/sign-in", data=form)
                return response.status_code == 302
        return False


def read_state(text: str) -> Json:
    """What the scripts of a console read, with the wagers of all seats in one list, as `static/js/console.js` does."""
    state: Json = json.loads(text)
    wagers = state["round"]["wagers"]
    return {**state, "round": {**state["round"], "wagers": [wager for seat in wagers for wager in seat]}}


@dataclass
class Fragment:
    """What a screen shows of one table."""

    version: int = 0
    head: str = ""
    incarnation: int = 0
    mac: str = ""
    is_halted: bool = False
    phase: str = ""
    state: Json = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "Fragment":
        """Read a fragment of the console, of the table page or of a tile."""
        attributes = dict(re.findall(r'\bdata-([a-z-]+)="([^"]*)"', text[:4_000]))
        tag = re.search(r"<[^>]* data-incarnation=[^>]*>", text)
        state = re.search(r'<script type="application/json" id="state">(.*?)</script>', text, re.DOTALL)
        return cls(
            int(attributes.get("version", 0)),
            attributes.get("head", ""),
            int(attributes.get("incarnation", 0)),
            attributes.get("mac", ""),
            bool(tag and re.search(r"\sdata-halted[\s>]", tag[0])),
            html.unescape(attributes.get("phase", "")),
            read_state(state[1]) if state else {},
        )

    @property
    def claimed_head(self) -> Json | None:
        """What an act sends back."""
        if not self.head:
            return None
        return {"seq": self.version, "head": self.head, "incarnation": self.incarnation, "mac": self.mac}

    def is_newer(self, before: "Fragment") -> bool:
        """As `isNewer` of static/js/live.js."""
        halted = self.is_halted - before.is_halted
        if halted > 0 or self.incarnation > before.incarnation:
            return True
        return halted == 0 and self.incarnation == before.incarnation and self.version > before.version


Parts = dict[str, str]  # of a fragment, each text by its name


def edited(text: str, edits: list[Any]) -> str:
    """Return a text after its edits: how many characters stay, how many go, and what comes there; again and again."""
    parts, place = [], 0
    for stay, go, come in zip(edits[::3], edits[1::3], edits[2::3], strict=True):
        parts += [text[place : place + stay], come]
        place += stay + go
    return "".join([*parts, text[place:]])


def with_changes(parts: Parts, changes: dict[str, Any]) -> Parts:
    """Return the parts with the changes of a push (`tables/screens/edits.py`), as `static/js/live.js` applies them."""
    fresh = {
        name: change if isinstance(change, str) else edited(parts[name], change)
        for name, change in changes.items()
    }
    return parts | fresh


def text_of(parts: Parts) -> str:
    """Return the fragment of these parts."""
    return "\n".join(parts.values())


class Screen(Browser):
    """A page with its socket: what it shows, and when it last heard a heartbeat."""

    def __init__(
        self, seat: Seat, token: str, front: Front, station: str = "dealer", table: str = ""
    ) -> None:
        super().__init__(seat, token, front)
        self.station, self.table = station, table or seat.table
        self.shown: dict[str, Fragment] = {}
        self.received: dict[str, tuple[int, Parts]] = {}  # on this socket: version and parts by table
        self.heartbeats = 0
        self.closed: list[int] = []
        self.message_time = time.monotonic()
        self.is_fetching = False
        self.stopped = False
        self.socket: Any = None
        self.acts = itertools.count(1)  # that were sent on sockets
        self.unanswered: dict[int, asyncio.Future[Json]] = {}
        self.connected = asyncio.Event()
        self.applied = asyncio.Event()  # whenever it shows a newer state
        self.tasks: list[asyncio.Task[None]] = []

    @property
    def is_podium(self) -> bool:
        return not self.table

    @property
    def path(self) -> str:
        return f"/floor/{self.seat.facility}/" + (self.table and f"{self.table}/")

    @property
    def socket_path(self) -> str:
        if self.is_podium:
            return f"/ws/floor/{self.seat.facility}?parts=2"
        return f"/ws/table/{self.seat.facility}/{self.table}/{self.station}?parts=2"

    @property
    def fragment(self) -> Fragment:
        """What a page of one table shows."""
        return self.shown.setdefault(self.table, Fragment())

    def open(self) -> None:
        """Open the page: listen to its socket, and watch over it, until closed."""
        self.tasks = [asyncio.create_task(self.listen()), asyncio.create_task(self.watch())]

    async def close(self) -> None:
        self.stopped = True
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def listen(self) -> None:
        failures = 0
        while not self.stopped:
            code = 0
            try:
                port = self.front.order()[0]
                async with websockets.connect(
                    f"ws://{self.front.host}:{port}{self.socket_path}",
                    origin=f"https://{self.front.host}:{port}",  # type: ignore[arg-type]
                    additional_headers={"Cookie": self.headers["Cookie"], "X-Forwarded-Proto": "https"},
                    compression=None,
                    open_timeout=REQUEST_SECONDS,
                    close_timeout=0.2,
                    ping_interval=None,
                    max_size=None,
                ) as self.socket:
                    self.received.clear()
                    self.connected.set()
                    async for message in self.socket:
                        failures = 0
                        await self.hear(message)
                    code = self.socket.close_code or 0
            except websockets.ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else 0
            except (OSError, TimeoutError, websockets.WebSocketException):
                pass
            self.socket = None
            for future in self.unanswered.values():
                future.cancel()
            self.closed.append(code)
            if code in LEAVING_CODES:
                await self.leave()
            self.heads.hold()
            failures += 1
            longest = min(15.0, 0.5 * 2**failures)
            await asyncio.sleep(0.5 + self.front.draw.random() * (longest - 0.5))

    async def leave(self) -> None:
        """Sign in again, which loads the page again."""
        if await self.sign_in():
            self.shown.clear()
            self.heads.hold()
            await self.resync()

    async def hear(self, text: str) -> None:
        """Take a message of the socket: a state, changes to it, the answer to an act, or a heartbeat with versions."""
        message = json.loads(text)
        self.message_time = time.monotonic()
        if "answer" in message:
            future = self.unanswered.get(message["answer"])
            if future is not None and not future.done():
                future.set_result(message)
            return
        if "versions" not in message:
            await self.apply_or_fetch(message)
            return
        self.heartbeats += 1
        if any(
            table in self.shown
            and (self.shown[table].version, self.shown[table].incarnation)
            != (version, message.get("incarnation", self.shown[table].incarnation))
            for table, version in message["versions"].items()
        ):
            await self.resync()

    async def apply_or_fetch(self, message: Json) -> None:
        """Apply a complete fragment, or what changed in the one before, as `live.js` does."""
        table, parts, base = message["table"], message["parts"], message.get("base")
        if base is not None:
            version, before = self.received.get(table, (0, {}))
            if version != base:
                await self.resync()
                return
            parts = with_changes(before, parts)
        self.received[table] = message["version"], parts
        self.apply(table, text_of(parts))

    def apply(self, table: str, text: str) -> None:
        fragment = Fragment.read(text)
        if fragment.is_newer(self.shown.get(table, Fragment())):
            self.shown[table] = fragment
            self.applied.set()
            if head := fragment.claimed_head:
                self.heads.store(f"{self.seat.facility}/{table}", head)

    async def resync(self) -> bool | None:
        """Fetch the state, as the page does when it is behind or its socket silent."""
        if self.is_fetching:
            return None
        self.is_fetching = True
        try:
            path = f"{self.path}tiles" if self.is_podium else f"{self.path}screen/{self.station}"
            response = await self.request("GET", path, headers={"Accept": "application/json"})
            if response.status_code in (401, 423):
                self.is_fetching = False
                await self.leave()
            if response.status_code != 200:
                return False
            body = response.json()
            for table, tile in body.get("tiles", {}).items():
                self.apply(table, tile["html"])
            if "html" in body:
                self.apply(self.table, body["html"])
            return True
        except (NoAnswer, ValueError):
            return False
        finally:
            self.is_fetching = False

    @property
    def is_told(self) -> bool:
        """Whether its socket has told the first state, or on a floor the versions."""
        return bool(self.received or self.heartbeats)

    @property
    def is_pushed(self) -> bool:
        """Whether pushes bring its screens, so that no answer has to."""
        return self.socket is not None and time.monotonic() - self.message_time < SILENCE_SECONDS

    async def reach(self, version: int) -> None:
        """Wait until it shows a version. A push that does not come soon is fetched, as `live.js` does."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PUSH_SECONDS):
                while self.fragment.version < version:
                    self.applied.clear()
                    await self.applied.wait()
        if self.fragment.version < version:
            await self.resync()

    async def watch(self) -> None:
        """Replace a silent socket, and poll meanwhile."""
        while True:
            await asyncio.sleep(1.0)
            if time.monotonic() - self.message_time < SILENCE_SECONDS:
                continue
            if self.socket is not None:
                self.socket.transport.abort()
            await self.resync()
            await asyncio.sleep(POLL_SECONDS)


class Tablet(Screen):
    """A dealer's tablet, which acts on what it shows."""

    def __init__(self, seat: Seat, token: str, front: Front, ledger: Ledger, draw: random.Random) -> None:
        super().__init__(seat, token, front)
        self.ledger, self.draw = ledger, draw
        self.last_taken = 0.0

    async def act(self, name: str, params: Json, witness: Json | None = None) -> Claim:
        """Send one act until it is final, as ActQueue does. An act may stay unknown until the network is back."""
        shown = self.fragment
        state = shown.state["round"] if shown.state else {"number": 0, "phase": ""}
        claim = self.ledger.begin(self.seat.place, name, self.draw)
        body = {
            "command": claim.command,
            "seen": shown.version,
            "round": state["number"],
            "phase": state["phase"],
            "params": params,
            **({"witness": witness} if witness else {}),
        }

        def ask() -> Awaitable[tuple[int, Json]]:
            return self.ask(name, claim.say_retry(body), is_first=claim.tries == 1 and not witness)

        await ask_until_final(claim, ask, self.draw)
        if claim.code in SIGNED_OUT:
            await self.leave()
        if claim.fate == "taken" and self.fragment.version < claim.version:
            await self.reach(claim.version)
        return claim

    async def ask(self, name: str, body: Json, *, is_first: bool = False) -> tuple[int, Json]:
        """One try, with the head that the screen shows. Shows the screen of the answer, if it has one.

        The first try goes by the socket, if pushes come by it.
        """
        stream = self.seat.place
        head = self.fragment.claimed_head
        stored = self.heads.unjudged(stream, head)
        heads = {"head": head, **({"stored_heads": stored} if stored else {})}
        body = {**body, **heads, **({"pushed": True} if self.is_pushed else {})}
        tried = await self.try_on_socket(name, body) if is_first and self.is_pushed else None
        status, answer = tried or await self.try_act(f"{self.path}acts/{name}", body)
        if status >= 500 or not answer:
            self.heads.hold()
        elif not body.get("retry") and (
            status == 200 or body["command"] in (answer.get("command"), answer.get("recorded"))
        ):
            self.heads.mark_judged(stream, [head, *stored])
        if status == 200:
            self.last_taken = time.monotonic()
        if answer.get("screen"):
            self.apply(self.table, answer["screen"]["html"])
        return status, answer

    async def try_on_socket(self, name: str, body: Json) -> tuple[int, Json] | None:
        """One try of an act on the socket. Returns what `try_act` returns; None where it has to be a POST."""
        number = next(self.acts)
        answered = self.unanswered[number] = asyncio.get_running_loop().create_future()

        async def send() -> Json:
            await self.socket.send(f"act {number} {name} {json.dumps(body)}")
            message: Json = await answered
            return message

        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                message = await self.front.send_on_socket(send)
        except (NoAnswer, TimeoutError, websockets.ConnectionClosed):
            return 0, {}
        except asyncio.CancelledError:
            if not answered.cancelled():  # its socket has not ended, so this task was canceled
                raise
            return 0, {}
        finally:
            del self.unanswered[number]
        return (message["status"], message["content"]) if message and message["status"] else None


class Desk(Browser):
    """A device from which a person acts at several tables, and which shows none of them."""

    def __init__(self, seat: Seat, token: str, front: Front, ledger: Ledger, draw: random.Random) -> None:
        super().__init__(seat, token, front)
        self.ledger, self.draw = ledger, draw

    async def act(self, table: str, name: str, params: Json, witness: tuple[str, str] | None = None) -> Claim:
        """Send one act at a table until it is final. `witness`: the person who signs it, with their PIN."""
        claim = self.ledger.begin(f"{self.seat.facility}/{table}", name, self.draw)
        body: Json = {"command": claim.command, "seen": 0, "round": 0, "phase": "", "params": params}
        if witness is not None:
            body["witness"] = dict(zip(("person", "pin"), witness, strict=True))
        path = f"/floor/{claim.place}/acts/{name}"
        await ask_until_final(claim, lambda: self.try_act(path, claim.say_retry(body)), self.draw)
        if claim.code in SIGNED_OUT:
            await self.sign_in()
        return claim
