"""Measure an act at one web worker, from the tap to its screens, against the Channels tutorial.

Whole rounds are dealt at a table with one and with fifty screens, each act once all screens show the one before. Blocks
of acts and blocks of the tutorial's messages, which are as long as what a screen gets, take turns. With one screen so
do bare acts (`script/bare_act.py`), and rounds in which thirty wagers more lie on the layout.
"""

import argparse
import asyncio
import contextlib
import json
import random
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from typing import Any

from script.bench_load import (
    ChatDisplay,
    Display,
    DueAct,
    Load,
    PlayedAct,
    deal_round,
    percentiles,
    sign_in,
)
from script.faults.scene import HOST
from script.figures import Figure, ms, ratio, size
from script.installation import BARE, TUTORIAL, Installation

TITLE = "One uvicorn worker, PostgreSQL and Redis: whole rounds dealt with sockets open"
COUNTS = (1, 50)
KINDS = ("dealer", "table", "sign", "floor")
WAGERS = 10
MORE_WAGERS = 30
MOST_BYTES = {"answer": 1_000, "dealer": 4_000, "floor": 1_000}
BLOCKS = 4
PAUSE_SECONDS = 0.02
WARM_ROUNDS = 3
KIND_ROUNDS = 2
IDLE_SECONDS = 30.0
HEARTBEAT_SECONDS = 5.0
CHAT_FRAME = len('{"message": ""}')
WEB = "web-1"


@dataclass
class Block:
    """What some acts, or some messages of the tutorial, took."""

    acts: list[PlayedAct] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)  # processor seconds by process
    bytes: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    resyncs: int = 0

    def add(self, load: Load, used: dict[str, float]) -> None:
        self.acts += [act for act in load.acts if act.is_taken]
        refused = (act.claim for act in load.acts if not act.is_taken)
        self.refused.update(f"{claim.act}: {claim.status} {claim.code}" for claim in refused)
        self.used.update({**used, "generator": load.processor_seconds})
        self.bytes.update(load.bytes)
        self.messages.update(load.messages)
        self.resyncs += load.resyncs

    def milliseconds(self, process: str) -> float:
        """Processor time of a process for each act."""
        return 1_000 * self.used[process] / len(self.acts)

    def to_last(self) -> list[float]:
        """Milliseconds from the first try of each act to its last screen."""
        return [1_000 * (act.displayed - act.claim.started) for act in self.acts if act.displayed]

    def to_answer(self) -> list[float]:
        return [1_000 * (act.claim.answered - act.claim.started) for act in self.acts]


class ActBench:
    """The scene, and the dealer and pit boss who are signed in."""

    def __init__(self, scene: Installation) -> None:
        from script.faults.floor import DEALERS, PODIUM, Seat

        self.draw, self.scene, self.seat = random.Random(14), scene, DEALERS[0]
        tokens = scene.start()
        self.port = scene.ports[WEB]
        people: list[Seat] = [self.seat, PODIUM, bare_seat()]
        signed_in = asyncio.run(
            sign_in([(seat, tokens[seat.place], self.port) for seat in people], self.draw)
        )
        self.dealer, self.podium, self.bare = signed_in
        asyncio.run(self._begin_bare_round())

    async def _begin_bare_round(self) -> None:
        """Begin the round of bare acts."""
        load = Load(self.draw)
        tablet = await load.tablet(self.bare, self.port)
        await load.deal(tablet, deal_round(self.draw, 1)[:1])
        await load.close()
        if not all(act.is_taken for act in load.acts):
            raise RuntimeError(f"no round at {tablet.table}: {[act.claim for act in load.acts]}")

    async def open(self, load: Load, kinds: dict[str, int]) -> None:
        """Open so many screens of each kind: those of dealers at the tablet, others at the podium."""
        browsers = {kind: self.dealer if kind == "dealer" else self.podium for kind in kinds}
        tables = {kind: "" if kind == "floor" else self.seat.table for kind in kinds}
        await load.open(
            Display(load, browsers[kind], self.port, kind, tables[kind])
            for kind, count in kinds.items()
            for _ in range(count)
        )

    def play(self, block: Block, kinds: dict[str, int], rounds: int, *, more: int = 0) -> None:
        """Deal rounds with so many screens of each kind open, the dealer's own among them. `more`: so many wagers lie
        on the layout beforehand, which are one act that is not measured; then it is one round.
        """

        async def play(load: Load) -> None:
            await self.open(load, {**kinds, "dealer": kinds["dealer"] - 1})
            tablet = await load.tablet(self.dealer, self.port)
            acts = [act for _ in range(rounds) for act in deal_round(self.draw, WAGERS + more)]
            if more:
                before = [line for act in acts[:more] for line in act.params["wagers"]]
                await load.deal(tablet, [DueAct(0, "place_wagers", {"wagers": before})])
            dealt = load.deal(tablet, acts[more:], screens=len(load.displays), pause=PAUSE_SECONDS)
            await self.measure(load, block, dealt)

        asyncio.run(play(Load(self.draw)))

    def chat(self, block: Block, count: int, length: int, texts: int) -> None:
        """Send the tutorial's messages to so many sockets, each as long as what a screen gets for an act."""

        async def chat(load: Load) -> None:
            await load.open(ChatDisplay(load, self.scene.ports[TUTORIAL]) for _ in range(count))
            text = "x" * max(1, length - CHAT_FRAME)
            await self.measure(load, block, load.chat(text, texts, PAUSE_SECONDS))

        asyncio.run(chat(Load(self.draw)))

    def bare_acts(self, block: Block, length: int, acts: int) -> None:
        """Send bare acts, whose answers are as long as what a screen gets for an act."""

        async def act(load: Load) -> None:
            await load.open([ChatDisplay(load, self.scene.ports[BARE])])
            text = json.dumps({"seat": 1, "cents": 2_500, "fill": "x" * length})
            await self.measure(load, block, load.chat(text, acts, PAUSE_SECONDS))

        asyncio.run(act(Load(self.draw)))

    def acts_run(self) -> Counter[str]:
        """How the worker ran its acts: on a copy of the table, or why not (`/readyz`)."""
        address = f"http://{HOST}:{self.port}/readyz"
        request = urllib.request.Request(address, headers={"X-Forwarded-Proto": "https"})
        with urllib.request.urlopen(request) as answer:
            return Counter(json.load(answer)["acts"])

    def heartbeats(self, count: int) -> Figure:
        """What one heartbeat of a socket adds to what the worker uses while nobody acts."""

        async def idle(load: Load, block: Block, screens: int) -> None:
            await self.open(load, {"dealer": screens})
            await self.measure(load, block, asyncio.sleep(IDLE_SECONDS))

        alone, heard = Block(), Block()
        for block, screens in ((alone, 0), (heard, count)):
            asyncio.run(idle(Load(self.draw), block, screens))
        beats = count * IDLE_SECONDS / HEARTBEAT_SECONDS
        label = "server processor time that one heartbeat of a socket adds"
        return ms("acts.heartbeat_ms", label, 1_000 * (heard.used[WEB] - alone.used[WEB]) / beats, 0.1)

    async def measure(self, load: Load, block: Block, play: Awaitable[None]) -> None:
        """Play, add what it took to the block, and close the screens."""
        before = self.scene.processor_seconds()
        load.begin()
        await play
        await load.end()
        after = self.scene.processor_seconds()
        block.add(load, {name: after[name] - before[name] for name in after})
        await load.close()


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Deal `options.rounds` rounds for each number of screens."""
    with contextlib.ExitStack() as stack:
        bench = ActBench(Installation(stack, 1, has_tutorial=True, bare_table=bare_seat().place))
        bench.play(Block(), {"dealer": 1}, WARM_ROUNDS)
        bench.chat(Block(), 1, 1_000, 50)
        bench.bare_acts(Block(), 1_000, 50)
        for count in COUNTS:
            ours, tutorials, bare, ran = Block(), Block(), Block(), bench.acts_run()
            for _ in range(BLOCKS):
                before = len(ours.acts)
                bench.play(ours, {"dealer": count}, max(1, options.rounds // BLOCKS))
                length = ours.bytes["dealer"] // max(1, ours.messages["dealer"])
                acts = len(ours.acts) - before
                bench.chat(tutorials, count, length, acts)
                if count == 1:
                    bench.bare_acts(bare, length, acts)
            yield from _figures(count, ours, tutorials)
            if count == 1:
                yield from _figures_of_bare_acts(ours, bare)
                yield _share_on_copies(bench.acts_run() - ran)
        yield from _figures_of_many_wagers(bench, max(1, options.rounds // 2))
        kinds = Block()
        bench.play(kinds, dict.fromkeys(KINDS, 1), KIND_ROUNDS)
        acts = len(kinds.acts)
        for kind in KINDS:
            label = f"bytes sent for an act on a socket of the kind `{kind}`"
            yield size(f"acts.bytes_{kind}", label, kinds.bytes[kind] / acts, MOST_BYTES.get(kind))
        label = "bytes of the answer to an act"
        yield size("acts.bytes_answer", label, kinds.bytes["answers"] / acts, MOST_BYTES["answer"])
        yield bench.heartbeats(max(COUNTS))


def bare_seat() -> Any:
    """The seat of a dealer at whose table bare acts are done: of the same game."""
    from script.faults.floor import DEALERS

    return DEALERS[-1]


def _figures_of_bare_acts(ours: Block, bare: Block) -> Iterator[Figure]:
    least = bare.milliseconds(BARE)
    yield ms("acts.bare_ms", "processor time of the least that an act can take", least)
    multiple = ours.milliseconds(WEB) / least
    yield ratio("acts.bare_ratio", "an act's as a multiple of the least", multiple, 7.0)
    yield ms(
        "acts.bare_postgres_ms", "processor time of postgres for a bare act", bare.milliseconds("postgres")
    )


def _share_on_copies(ran: Counter[str]) -> Figure:
    share = 100 * ran["copy"] / ran.total()
    label = "acts that ran on the worker's copy of the table"
    return Figure("acts.on_copies", label, share, "%", "higher", 95.0, is_portable=True)


def _figures_of_many_wagers(bench: ActBench, rounds: int) -> Iterator[Figure]:
    """The same acts, with ten wagers on the layout at the end of their round and with forty, in turns."""
    few, many = Block(), Block()
    for _ in range(rounds):
        bench.play(few, {"dealer": 1}, 1)
        bench.play(many, {"dealer": 1}, 1, more=MORE_WAGERS)
    label = f"an act with {WAGERS + MORE_WAGERS} wagers on the layout, beside one with {WAGERS}"
    yield ratio("acts.wagers_ratio", label, many.milliseconds(WEB) / few.milliseconds(WEB), 1.03)


def _figures(count: int, ours: Block, tutorials: Block) -> Iterator[str | Figure]:
    """The figures with so many screens open."""
    is_alone, name = count == 1, f"acts.{count}_"
    screens = "one screen" if is_alone else f"{count} screens"
    place = "to one screen" if is_alone else f"to the last of {count} screens"
    lacking = sum(act.screens < count for act in ours.acts)
    yield (
        f"{screens}: {len(ours.acts)} acts, {sum(ours.refused.values())} refused {dict(ours.refused) or ''}, "
        f"{lacking} not on every screen within 5 s, {ours.resyncs} resyncs"
    )
    used, chat_used = ours.milliseconds(WEB), tutorials.milliseconds(TUTORIAL)
    yield ms(
        f"{name}processor_ms", f"server processor time for an act, {screens}", used, 2.5 if is_alone else None
    )
    tutorial = f"the tutorial's for a message of the same length, {screens}"
    yield ms(f"{name}tutorial_processor_ms", tutorial, chat_used)
    multiple = f"the act's as a multiple of the tutorial's, {screens}"
    yield ratio(f"{name}processor_ratio", multiple, used / chat_used, 2.2 if is_alone else 0.5)
    for share, part, goal in (("p50", 0.5, 4.0), ("p95", 0.95, 7.0)):
        (latency,), (answer,), (chat,) = (
            percentiles(times, (part,)) for times in (ours.to_last(), ours.to_answer(), tutorials.to_last())
        )
        yield ms(f"{name}{share}_ms", f"{share} from the tap {place}", latency, goal if is_alone else None)
        yield ms(f"{name}answer_{share}_ms", f"{share} from the tap to its answer, {screens}", answer)
        yield ms(f"{name}tutorial_{share}_ms", f"{share} of the tutorial's message {place}", chat)
    beside = f"p95 {place}, beside the tutorial's"
    yield ratio(f"{name}p95_ratio", beside, latency / chat, None if is_alone else 0.8)
    for process in ("postgres", "redis", "generator"):
        label = f"processor time of {process} for an act, {screens}"
        most = 1.0 if is_alone and process == "postgres" else None
        yield ms(f"{name}{process}_ms", label, ours.milliseconds(process), most)
