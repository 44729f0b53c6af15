"""Measure acts over the API beside a tablet's, how fast the record is read over it, and what an idle subscriber costs.

One web worker answers with production settings. A dealer deals whole rounds of one table, in turns at the tablet, whose
screen is open, and at a machine without a screen: each act follows the answer to the one before. Then a client pages
through a long record beside a bare COPY, and reads it as Server-Sent Events. The idle subscribers of the last figures
read nothing: nobody acts.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import random
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from script.bench_load import Load, deal_round, percentiles, sign_in
from script.faults.scene import HOST
from script.figures import Figure, ms, ratio, size
from script.installation import Installation

TITLE = "Acts and the record over the API: one uvicorn worker, PostgreSQL; a client on the same machine"
WEB = "web-1"
ROUNDS = 20
WAGERS = 10
WARM_ROUNDS = 2
PAGE = 500
SUBSCRIBERS = 400
SETTLE_SECONDS, IDLE_SECONDS = 5.0, 20.0
COPY = """COPY (SELECT e.seq, e.prev, e.hash, e.body FROM audit_entry e JOIN audit_stream s ON s.id = e.stream_id
    WHERE s.name LIKE 'larkfield/%' AND s.real_play ORDER BY e.id) TO STDOUT (FORMAT BINARY)"""


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The rates over `options.entries` entries, and memory and processor time of an idle subscriber."""
    with contextlib.ExitStack() as stack:
        scene = Installation(stack, 1)
        yield from _acts(scene, scene.start(), options.rounds)
        secret = _client("Bench", "entries")
        _write(scene, options.entries)
        port = scene.ports[WEB]
        headers = {"Authorization": f"Bearer {_token(port, *secret)}", "X-Forwarded-Proto": "https"}
        copied, copy_seconds = min((_copy(scene) for _ in range(3)), key=lambda run: run[1])
        before = scene.processor_seconds()[WEB]
        paged, page_seconds = _page(port, headers)
        page_ms = 1000 * (scene.processor_seconds()[WEB] - before) / paged
        before = scene.processor_seconds()[WEB]
        streamed, stream_seconds = _read_events(port, headers, paged)
        stream_ms = 1000 * (scene.processor_seconds()[WEB] - before) / streamed
        yield f"{copied} entries; COPY {copied / copy_seconds:,.0f} entries/s"
        for name, count, seconds, cost in (
            ("pages", paged, page_seconds, page_ms),
            ("events", streamed, stream_seconds, stream_ms),
        ):
            yield f"{name:<8}{count / seconds:9,.0f} entries/s, of {count}"
            label = f"`COPY`, as a multiple of the API's {name}, entries a second"
            yield ratio(f"api.copy_beside_{name}", label, (copied / copy_seconds) / (count / seconds))
            yield ms(f"api.{name}_processor_ms", f"server processor time for an entry, by {name}", cost)
        yield from asyncio.run(_idle(scene, port, headers))


@dataclass
class Acts:
    """The seconds from the POST of each act to its answer, and what the worker used for them."""

    seconds: list[float] = field(default_factory=list)
    used: float = 0.0
    refused: int = 0

    @property
    def a_second(self) -> float:
        return len(self.seconds) / sum(self.seconds)


class Machine:
    """A dealer who signed in at a machine, and deals over the API on one connection."""

    def __init__(self, port: int, table: str, person: str, pin: str) -> None:
        self.line = http.client.HTTPConnection(HOST, port)
        facility, _, code = table.partition("/")
        self.table_address = f"/api/v1/facilities/{facility}/tables/{code}"
        self.token = _token(port, *_client("Bench dealer", "acts", "floor", place=table))
        _status, signed_in = self.ask("POST", "/api/v1/person", {"person": person, "pin": pin})
        self.token = str(signed_in["token"])

    def ask(
        self, method: str, path: str, body: object = None, key: str = ""
    ) -> tuple[int, dict[str, object]]:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "X-Forwarded-Proto": "https",
            "Idempotency-Key": key,
        }
        content = None if body is None else json.dumps(body)
        self.line.request(method, path, content, headers | {"Content-Type": "application/json"})
        answer = self.line.getresponse()
        return answer.status, json.loads(answer.read())

    def deal(self, acts: Acts, draw: random.Random) -> None:
        """Deal one round."""
        version = self.ask("GET", self.table_address)[1]["version"]
        for act in deal_round(draw, WAGERS):
            key, began = str(uuid.UUID(int=draw.getrandbits(128), version=4)), time.perf_counter()
            status, answer = self.ask(
                "POST", f"{self.table_address}/acts/{act.name}", {"params": act.params, "seen": version}, key
            )
            acts.seconds.append(time.perf_counter() - began)
            acts.refused += status != 200
            version = answer.get("version", version)


def _acts(scene: Installation, tokens: dict[str, str], rounds: int) -> Iterator[str | Figure]:
    """Rounds over the API and at the tablet, in turns."""
    from script.faults.floor import DEALERS

    draw, seat, port = random.Random(14), DEALERS[0], scene.ports[WEB]
    (browser,) = asyncio.run(sign_in([(seat, tokens[seat.place], port)], draw))
    machine = Machine(port, seat.place, seat.person, seat.pin)

    async def deal_at_the_tablet(acts: Acts) -> None:
        load = Load(draw)
        tablet = await load.tablet(browser, port)
        load.begin()
        await load.deal(tablet, deal_round(draw, WAGERS), screens=1, pause=0.0)
        await load.end()
        await load.close()
        acts.seconds += [act.claim.answered - act.claim.started for act in load.acts]
        acts.refused += sum(not act.is_taken for act in load.acts)

    def used() -> float:
        return scene.processor_seconds()[WEB]

    for number in range(WARM_ROUNDS + rounds):
        if number in (0, WARM_ROUNDS):
            tablets, machines = Acts(), Acts()
        before = used()
        asyncio.run(deal_at_the_tablet(tablets))
        between = used()
        machine.deal(machines, draw)
        tablets.used, machines.used = tablets.used + between - before, machines.used + used() - between
    yield f"{len(machines.seconds)} acts over the API, {machines.refused} refused; {tablets.refused} at the tablet"
    beside = "acts a second over the API, as a multiple of the tablet's"
    yield Figure("api.acts_a_second", "acts a second over the API", machines.a_second, "", "higher")
    yield ratio("api.acts_beside_tablet", beside, machines.a_second / tablets.a_second, better="higher")
    for name, acts in (("over the API", machines), ("at the tablet", tablets)):
        (median,) = percentiles([1000 * seconds for seconds in acts.seconds], (0.5,))
        key = "act" if acts is machines else "tablet_act"
        yield ms(f"api.{key}_p50_ms", f"p50 from the POST of an act to its answer, {name}", median)
    used_a = "processor time of the worker for an act over the API, beside the tablet's with its screen"
    yield ratio("api.act_processor_ratio", used_a, machines.used / tablets.used)


def _client(name: str, *scopes: str, place: str = "") -> tuple[str, str]:
    """The id and the secret of a client."""
    from django.db import connection

    from audit import clients

    client = clients.make(name, "larkfield", scopes, place)
    _secret, text = clients.make_secret(client)
    connection.close()
    return clients.client_id(client.device), text


def _write(scene: Installation, entries: int) -> None:
    """Write about so many entries: streams like one of simulated play."""
    from django.db import connection

    from games.models import Facility
    from script import history
    from tables.demo.simulation import play_round, simulated_tables

    played = simulated_tables(Facility.objects.get(code="larkfield"), 1, "RS-0009")[0]
    draw = random.Random(7)
    for _ in range(ROUNDS):
        play_round(played, draw)
    samples = history.samples_of(played.table.stream)
    connection.close()
    with scene.admin(autocommit=False) as admin, admin.cursor() as cursor, history.guards_disabled(cursor):
        for number in range(max(1, entries // len(samples))):
            history.write_stream(cursor, f"larkfield/B-{number:05d}", len(samples), samples)
    with scene.admin() as admin:
        admin.execute("VACUUM ANALYZE audit_entry")


def _copy(scene: Installation) -> tuple[int, float]:
    """How many entries a bare COPY reads, and in how many seconds."""
    with scene.admin() as admin, admin.cursor() as cursor:
        began = time.perf_counter()
        with cursor.copy(COPY.encode()) as rows:
            for _block in rows:
                pass
        return cursor.rowcount, time.perf_counter() - began


def _token(port: int, client_id: str, secret: str) -> str:
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    connection = http.client.HTTPConnection(HOST, port)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-Proto": "https"}
    connection.request("POST", "/api/v1/oauth/token", urllib.parse.urlencode(form), headers)
    answer = json.load(connection.getresponse())
    return str(answer["access_token"])


def _page(port: int, headers: dict[str, str]) -> tuple[int, float]:
    """Read all entries by pages. Returns how many, and in how many seconds."""
    connection, after, more, count = http.client.HTTPConnection(HOST, port), "0", True, 0
    began = time.perf_counter()
    while more:
        connection.request("GET", f"/api/v1/entries?limit={PAGE}&after={after}", headers=headers)
        page = json.load(connection.getresponse())
        count, after, more = count + len(page["items"]), page["next"], page["more"]
    return count, time.perf_counter() - began


async def _subscribe(port: int, headers: dict[str, str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a stream that has nothing to read yet."""
    reader, writer = await asyncio.open_connection(HOST, port)
    lines = ["GET /api/v1/entries/stream?after=newest HTTP/1.1", f"Host: {HOST}:{port}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def _read_events(port: int, headers: dict[str, str], count: int) -> tuple[int, float]:
    """Read so many entries as events. Returns how many, and in how many seconds."""
    connection, read = http.client.HTTPConnection(HOST, port), 0
    began = time.perf_counter()
    connection.request("GET", "/api/v1/entries/stream", headers=headers)
    for line in connection.getresponse():
        read += line == b"event: entry\n"
        if read == count:
            break
    seconds = time.perf_counter() - began
    connection.close()
    return read, seconds


async def _idle(scene: Installation, port: int, headers: dict[str, str]) -> list[Figure]:
    """The memory and processor time of the worker for one of many subscribers, beside one alone."""
    subscribers = [await _subscribe(port, headers)]
    await asyncio.sleep(SETTLE_SECONDS)
    memory, used_alone = scene.memory()[WEB], await _used(scene)
    subscribers += [await _subscribe(port, headers) for _ in range(SUBSCRIBERS)]
    await asyncio.sleep(SETTLE_SECONDS)
    more = 1024 * 1024 * (scene.memory()[WEB] - memory) / SUBSCRIBERS
    used = (await _used(scene) - used_alone) / SUBSCRIBERS
    for _reader, writer in subscribers:
        writer.close()
    return [
        size("api.idle_bytes", "memory of the worker for an idle subscriber", more),
        ms("api.idle_ms", "processor time of the worker for an idle subscriber, a second", used),
        ms("api.poll_ms", "the same for the poll that all subscribers share, a second", used_alone),
    ]


async def _used(scene: Installation) -> float:
    """Milliseconds of processor time that the worker uses in a second."""
    before = scene.processor_seconds()[WEB]
    await asyncio.sleep(IDLE_SECONDS)
    return 1000 * (scene.processor_seconds()[WEB] - before) / IDLE_SECONDS
