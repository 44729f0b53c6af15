"""The process: `python -m script.generator` reads a plan from standard input and answers with one line of JSON.

It writes the line `ready` once every screen is open, and begins when it reads a line; so a measurement can read the
server's processor time first.
"""

import asyncio
import gc
import json
import re
import resource
import sys
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from script.generator.plan import Outcome, Plan, Screen, SentAct, Tablet
from script.generator.schedule import DueAct
from script.generator.wire import (
    HEARTBEAT,
    TEXT,
    Answer,
    HttpPool,
    NoAnswer,
    SocketConnection,
    frame,
    open_socket,
    request_bytes,
)

TABLE = re.compile(rb'"table":\s*"([^"]*)"')
VERSION = re.compile(rb'"version":\s*(\d+)')
BASE = re.compile(rb'"base":\s*(\d+)')
CODE = re.compile(rb'"code":\s*"([^"]*)"')
TILE = re.compile(rb'"([^"]+)":\s*\{"version":\s*(\d+)')
HEAD = re.compile(
    rb'data-head=\\"(?P<head>[^"\\]*)\\".{0,80}?data-incarnation=\\"(?P<incarnation>\d+)\\"'
    rb'.{0,80}?data-mac=\\"(?P<mac>[^"\\]*)\\"',
    re.DOTALL,
)
REQUEST_SECONDS = 10.0
RETRY_SECONDS = 0.3
TRIES = 8
OPEN_AT_ONCE = 20
OPEN_SECONDS = 180.0
GATHER_SECONDS = 5.0  # until every screen shows an act that others wait for


class Display:
    """What one page shows: the newest version of each table."""

    def __init__(self, load: "Load", screen: Screen) -> None:
        self.load, self.screen = load, screen
        self.versions: dict[str, int] = {}
        self.received: dict[str, int] = {}  # on the socket, which may be less than what was fetched
        self.socket: SocketConnection | None = None
        self.is_fetching = False
        self.has_state = asyncio.Event()

    def receive(self, opening: bytes, length: int, moment: float) -> None:
        load, kind = self.load, self.screen.kind
        self.has_state.set()
        if opening.startswith(HEARTBEAT):
            load.count("heartbeats", length)
            self.compare(json.loads(opening)["versions"])
            return
        load.count(kind, length)
        if load.plan.text:
            self.display("", self.versions.get("", 0) + 1, moment)
        elif (version := VERSION.search(opening)) and (table := TABLE.search(opening)):
            self.apply(table[1].decode(), int(version[1]), BASE.search(opening), moment)

    def apply(self, table: str, version: int, base: re.Match[bytes] | None, moment: float) -> None:
        """Show a fragment, or changes to the one before; changes to another one are of no use, and it is fetched."""
        if base and int(base[1]) != self.received.get(table):
            self.start_fetching()
            return
        self.received[table] = version
        self.display(table, version, moment)

    def display(self, table: str, version: int, moment: float) -> None:
        shown_before = self.versions.get(table, 0)
        if version > shown_before:
            self.versions[table] = version
            self.load.note_display(table, shown_before, version, moment)

    def compare(self, versions: dict[str, int]) -> None:
        """Fetch the state if the server is ahead of this page, as `isBehind` of static/js/live.js has it."""
        if any(self.versions.get(table, version) != version for table, version in versions.items()):
            self.start_fetching()
        for table, version in versions.items():
            self.versions.setdefault(table, version)

    def start_fetching(self) -> None:
        if self.screen.fallback and not self.is_fetching:
            self.is_fetching = True
            self.load.start(self.fetch())

    async def fetch(self) -> None:
        screen = self.screen
        headers = f"Cookie: {screen.cookie}\r\nX-Forwarded-Proto: https\r\nAccept: application/json\r\n"
        try:
            answer = await self.load.pool(screen.port).send(
                request_bytes("GET", screen.port, screen.fallback, headers)
            )
        except NoAnswer:
            return
        finally:
            self.is_fetching = False
        moment = time.monotonic()
        self.load.outcome.resyncs += 1
        self.load.count("resyncs", len(answer.body))
        if screen.table:
            if version := VERSION.search(answer.body):
                self.display(screen.table, int(version[1]), moment)
            return
        for table, number in TILE.findall(answer.body):
            self.display(table.decode(), int(number), moment)


class Player:
    """A tablet: it sends one act at a time, and asks again by the same id until the act is final."""

    def __init__(self, load: "Load", tablet: Tablet) -> None:
        self.load, self.tablet = load, tablet
        self.version = 0
        self.head: dict[str, object] | None = None

    async def act(self, act: DueAct, due: float) -> SentAct:
        """Send an act; after a refusal as stale once more, as the dealer would tap again on the fresh screen."""
        sent = await self.send(act, due)
        if sent.status == 409:
            self.load.outcome.acts.append(sent)
            sent = await self.send(act, due)
        self.load.outcome.acts.append(sent)
        return sent

    async def send(self, act: DueAct, due: float) -> SentAct:
        tablet = self.tablet
        command = str(uuid.uuid4())
        body = {"command": command, "seen": self.version, "params": act.params}
        if self.head:
            body["head"] = {"seq": self.version, **self.head}
            self.load.outcome.heads_sent += 1
        request = request_bytes(
            "POST", tablet.port, f"{tablet.path}{act.name}", tablet.headers, json.dumps(body).encode()
        )
        sent = SentAct(command, tablet.table, act.name, due, time.monotonic())
        for number in range(TRIES):
            sent.tries = number + 1
            try:
                answer = await self.load.pool(tablet.port).send(request)
            except NoAnswer:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            sent.answered, sent.status = time.monotonic(), answer.status
            self.load.count("answers", len(answer.body))
            if answer.status < 500:
                break
            await asyncio.sleep(RETRY_SECONDS)
        else:
            return sent
        self.read(sent, answer)
        return sent

    def read(self, sent: SentAct, answer: Answer) -> None:
        version = VERSION.search(answer.body)
        if sent.is_taken and version:
            sent.version = int(version[1])
        elif code := CODE.search(answer.body):
            sent.code = code[1].decode()
        if version:
            self.version = int(version[1])
        if head := HEAD.search(answer.body):
            self.head = {
                "head": head["head"].decode(),
                "incarnation": int(head["incarnation"]),
                "mac": head["mac"].decode(),
            }


@dataclass(slots=True)
class DisplayCount:
    """How many screens have shown a version of a table, and the moment of the last of them."""

    screens: int = 0
    newest: float = 0.0


class Load:
    """All screens and tablets of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.outcome = plan, Outcome()
        self.pools: dict[int, HttpPool] = {}
        self.displays = [Display(self, screen) for screen in plan.screens]
        self.bytes: Counter[str] = Counter()
        self.messages: Counter[str] = Counter()
        # By table and version: on how many screens, and when on the first and on the last.
        self.displayed: dict[str, dict[int, DisplayCount]] = defaultdict(dict)
        self.watchers: Counter[str] = Counter(screen.table for screen in plan.screens if screen.table)
        self.dashboards = sum(not screen.table for screen in plan.screens)
        self.waiter: tuple[str, int, int, asyncio.Future[None]] | None = None
        self.tasks: set[asyncio.Task[None]] = set()

    def count(self, kind: str, length: int) -> None:
        self.bytes[kind] += length
        self.messages[kind] += 1

    def pool(self, port: int) -> HttpPool:
        if port not in self.pools:
            self.pools[port] = HttpPool(port, REQUEST_SECONDS)
        return self.pools[port]

    def start(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def note_display(self, table: str, before: int, version: int, moment: float) -> None:
        """Note that one more screen shows these versions: a screen that skips one shows it with the next."""
        displayed = self.displayed[table]
        for number in range(before + 1, version + 1) if before else (version,):
            count = displayed.setdefault(number, DisplayCount())
            count.screens += 1
            count.newest = moment
        if self.waiter and self.waiter[0] == table:
            _, awaited, screens, reached = self.waiter
            if awaited <= version and self.screens_of(table, awaited) >= screens and not reached.done():
                reached.set_result(None)

    def screens_of(self, table: str, version: int) -> int:
        """How many screens have shown this version of a table."""
        count = self.displayed[table].get(version)
        return count.screens if count else 0

    async def wait_for_screens(self, table: str, version: int, screens: int) -> None:
        """Wait until so many screens show a version of a table."""
        if self.screens_of(table, version) >= screens:
            return
        reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiter = (table, version, screens, reached)
        try:
            await asyncio.wait_for(reached, GATHER_SECONDS)
        except TimeoutError:
            pass
        finally:
            self.waiter = None

    async def open(self) -> None:
        """Open every screen, some at a time, and wait for their state."""
        gate = asyncio.Semaphore(OPEN_AT_ONCE)

        async def open_screen(display: Display) -> None:
            async with gate:
                screen = display.screen
                display.socket = await open_socket(screen.port, screen.path, screen.cookie, display.receive)

        await asyncio.gather(*map(open_screen, self.displays))
        if not self.plan.text:
            try:
                async with asyncio.timeout(OPEN_SECONDS):
                    await asyncio.gather(*(display.has_state.wait() for display in self.displays))
            except TimeoutError:
                empty = [display for display in self.displays if not display.has_state.is_set()]
                ended = sum(display.socket is None or display.socket.is_lost for display in empty)
                raise SystemExit(
                    f"{len(empty)} of {len(self.displays)} screens got no state within {OPEN_SECONDS:.0f} s, "
                    f"{ended} of them because their sockets ended; the first is {empty[0].screen.path}"
                ) from None
        await asyncio.sleep(self.plan.lead)

    async def run(self) -> None:
        """Play the plan. Sets the outcome."""
        self.bytes.clear()
        self.messages.clear()
        self.displayed.clear()
        outcome, used = self.outcome, processor_seconds()
        outcome.started = time.monotonic()
        if self.plan.text:
            await self.send_texts()
        else:
            await asyncio.gather(*(self.play(tablet) for tablet in self.plan.tablets))
        outcome.ended = time.monotonic()
        outcome.processor_seconds = processor_seconds() - used
        outcome.bytes, outcome.messages = dict(self.bytes), dict(self.messages)
        await asyncio.sleep(self.plan.tail)
        for act in outcome.acts:
            count = self.displayed[act.table].get(act.version) if act.is_taken else None
            if count:
                act.screens, act.displayed = count.screens, count.newest
        outcome.displays = [display.versions for display in self.displays]
        outcome.lost_sockets = sum(
            display.socket is None or display.socket.is_lost for display in self.displays
        )

    async def play(self, tablet: Tablet) -> None:
        player = Player(self, tablet)
        player.version = max((display.versions.get(tablet.table, 0) for display in self.displays), default=0)
        screens = self.watchers[tablet.table] + self.dashboards
        for act in tablet.acts:
            if self.plan.pause is None:
                due = self.outcome.started + act.due
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                await player.act(act, due)
                continue
            sent = await player.act(act, time.monotonic())
            if sent.is_taken:
                await self.wait_for_screens(tablet.table, sent.version, screens)
            await asyncio.sleep(self.plan.pause)

    async def send_texts(self) -> None:
        """Send texts on the first socket, each once every socket has received the one before."""
        first, text = self.displays[0].socket, frame(TEXT, b"x" * self.plan.text)
        assert first is not None and first.transport is not None
        for number in range(1, self.plan.texts + 1):
            sent = SentAct("", "", "text", time.monotonic(), time.monotonic(), status=200, version=number)
            first.transport.write(text)
            await self.wait_for_screens("", number, len(self.displays))
            self.outcome.acts.append(sent)
            await asyncio.sleep(self.plan.pause or 0)

    def close(self) -> None:
        for display in self.displays:
            if display.socket:
                display.socket.abort()
        for pool in self.pools.values():
            pool.close()


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def main() -> None:
    plan = Plan.from_json(sys.stdin.readline())
    load = Load(plan)
    await load.open()
    gc.freeze()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await load.run()
    load.close()
    print(load.outcome.to_json(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
