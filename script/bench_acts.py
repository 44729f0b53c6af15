"""Measure an act over HTTP at one web worker, from the POST to its screens, against the Channels tutorial.

Whole rounds are dealt at a table with one and with fifty screens, each act once all screens show the one before. Blocks
of acts and blocks of the tutorial's messages, which are as long as what a screen gets, take turns.
"""

import argparse
import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from script.figures import Figure
from script.generator.plan import Outcome, Plan, Screen, SentAct, Tablet
from script.generator.schedule import deal_round, percentiles
from script.installation import TUTORIAL, Installation, generator, headers_of, screen_of

TITLE = "One uvicorn worker, PostgreSQL and Redis: whole rounds dealt over HTTP with sockets open"
COUNTS = (1, 50)
KINDS = ("dealer", "table", "sign", "floor")
WAGERS = 10
BLOCKS = 4
PAUSE_SECONDS = 0.02
WARM_ROUNDS = 3
KIND_ROUNDS = 2
IDLE_SECONDS = 10.0
HEARTBEAT_SECONDS = 5.0
CHAT_FRAME = len('{"message": ""}')
WEB = "web-1"


@dataclass
class Block:
    """What some acts, or some messages of the tutorial, took."""

    acts: list[SentAct] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)  # processor seconds by process
    bytes: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    resyncs: int = 0
    heads: int = 0

    def add(self, outcome: Outcome, used: dict[str, float]) -> None:
        self.acts += outcome.taken
        self.refused.update(
            f"{act.name}: {act.status} {act.code}" for act in outcome.acts if not act.is_taken
        )
        self.used.update({**used, "generator": outcome.processor_seconds})
        self.bytes.update(outcome.bytes)
        self.messages.update(outcome.messages)
        self.resyncs += outcome.resyncs
        self.heads += outcome.heads_sent

    def milliseconds(self, process: str) -> float:
        """Processor time of a process for each act."""
        return 1_000 * self.used[process] / len(self.acts)

    def to_last(self) -> list[float]:
        return [1_000 * (act.displayed - act.sent) for act in self.acts if act.displayed]

    def to_answer(self) -> list[float]:
        return [1_000 * (act.answered - act.sent) for act in self.acts if act.answered]


class ActBench:
    """The scene, and the people who are signed in."""

    def __init__(self, scene: Installation) -> None:
        self.draw, self.scene = random.Random(14), scene
        self.tokens = self.scene.start()

    async def sign_in(self) -> None:
        """Enroll and sign in the dealer's tablet and the podium."""
        from script.faults.floor import DEALERS, PODIUM
        from script.faults.load import Browser, Front, Ledger

        self.seat = DEALERS[0]
        front = Front([self.scene.ports[WEB]], self.draw, Ledger())
        self.tablet, self.podium = (
            Browser(seat, self.tokens[seat.place], front) for seat in (self.seat, PODIUM)
        )
        for browser in (self.tablet, self.podium):
            await browser.enroll()
            if not await browser.sign_in():
                raise RuntimeError(f"{browser.seat.person} could not sign in")
        await front.close()

    def play(self, block: Block, kinds: dict[str, int], rounds: int) -> None:
        """Deal rounds with so many screens of each kind open."""
        port = self.scene.ports[WEB]
        screens = [
            screen_of(self.tablet if kind == "dealer" else self.podium, port, self.seat, kind)
            for kind, count in kinds.items()
            for _ in range(count)
        ]
        acts = tuple(act for _ in range(rounds) for act in deal_round(self.draw, WAGERS))
        path = f"/floor/{self.seat.facility}/{self.seat.table}/acts/"
        tablet = Tablet(port, self.seat.table, path, headers_of(self.tablet, port), acts)
        self.run(block, Plan(tuple(screens), (tablet,), PAUSE_SECONDS))

    def chat(self, block: Block, count: int, length: int, texts: int) -> None:
        """Send the tutorial's messages to so many sockets, each as long as what a screen gets for an act."""
        screens = tuple(Screen(self.scene.ports[TUTORIAL], "/", "chat") for _ in range(count))
        plan = Plan(screens, pause=PAUSE_SECONDS, text=max(1, length - CHAT_FRAME), texts=texts)
        self.run(block, plan)

    def heartbeats(self, count: int) -> Figure:
        """What the worker uses for one heartbeat of a socket while nobody acts."""
        port = self.scene.ports[WEB]
        screens = tuple(screen_of(self.tablet, port, self.seat, "dealer") for _ in range(count))
        with generator(Plan(screens)) as load:
            before = self.scene.processor_seconds()[WEB]
            time.sleep(IDLE_SECONDS)
            used = self.scene.processor_seconds()[WEB] - before
            load.run()
        beats = count * IDLE_SECONDS / HEARTBEAT_SECONDS
        label = "server processor time for one heartbeat of a socket"
        return Figure("acts.heartbeat_ms", label, 1_000 * used / beats, "ms")

    def run(self, block: Block, plan: Plan) -> None:
        with generator(plan) as load:
            before = self.scene.processor_seconds()
            outcome = load.run()
            after = self.scene.processor_seconds()
        block.add(outcome, {name: after[name] - before[name] for name in after})


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Deal `options.rounds` rounds for each number of screens."""
    rounds: int = options.rounds
    with contextlib.ExitStack() as stack:
        bench = ActBench(Installation(stack, 1, has_tutorial=True))
        asyncio.run(bench.sign_in())
        warm = Block()
        bench.play(warm, {"dealer": 1}, WARM_ROUNDS)
        bench.chat(Block(), 1, 1_000, 50)
        blocks: dict[int, Block] = {}
        for count in COUNTS:
            ours, tutorials = Block(), Block()
            for _ in range(BLOCKS):
                before = len(ours.acts)
                bench.play(ours, {"dealer": count}, max(1, rounds // BLOCKS))
                length = ours.bytes["dealer"] // max(1, ours.messages["dealer"])
                bench.chat(tutorials, count, length, len(ours.acts) - before)
            blocks[count] = ours
            yield from _figures(count, ours, tutorials)
        yield from _kinds(bench)
        yield bench.heartbeats(max(COUNTS))


def _figures(count: int, ours: Block, tutorials: Block) -> Iterator[str | Figure]:
    """The figures with so many screens open."""
    screens = "one screen" if count == 1 else f"{count} screens"
    name = f"acts.{count}_"
    used, chat_used = ours.milliseconds(WEB), tutorials.milliseconds(TUTORIAL)
    lacking = sum(act.screens < count for act in ours.acts)
    yield (
        f"{screens}: {len(ours.acts)} acts, {sum(ours.refused.values())} refused {dict(ours.refused) or ''}, "
        f"{lacking} not on every screen within 5 s, {ours.resyncs} resyncs, {ours.heads} with a head"
    )
    yield Figure(
        f"{name}processor_ms",
        f"server processor time for an act, {screens}",
        used,
        "ms",
        goal=5.0 if count == 1 else None,
    )
    yield Figure(
        f"{name}tutorial_processor_ms",
        f"the tutorial's for a message of the same length, {screens}",
        chat_used,
        "ms",
    )
    yield Figure(
        f"{name}processor_ratio",
        f"the act's as a multiple of the tutorial's, {screens}",
        used / chat_used,
        "×",
        goal=3.0 if count == 1 else None,
        is_portable=True,
    )
    latencies = list(percentiles(ours.to_last(), (0.5, 0.95)))
    chat_latencies = list(percentiles(tutorials.to_last(), (0.5, 0.95)))
    answers = list(percentiles(ours.to_answer(), (0.5, 0.95)))
    goals = (6.0, 9.0) if count == 1 else (None, None)
    place = "to one screen" if count == 1 else f"to the last of {count} screens"
    for share, latency, answer, chat, goal in zip(
        ("p50", "p95"), latencies, answers, chat_latencies, goals, strict=True
    ):
        yield Figure(f"{name}{share}_ms", f"{share} from the POST {place}", latency, "ms", goal=goal)
        yield Figure(
            f"{name}answer_{share}_ms", f"{share} from the POST to its answer, {screens}", answer, "ms"
        )
        yield Figure(f"{name}tutorial_{share}_ms", f"{share} of the tutorial's message {place}", chat, "ms")
    yield Figure(
        f"{name}p95_ratio",
        f"p95 {place}, beside the tutorial's",
        latencies[1] / chat_latencies[1],
        "×",
        goal=1.1 if count > 1 else None,
        is_portable=True,
    )
    for process in ("postgres", "redis", "generator"):
        yield Figure(
            f"{name}{process}_ms",
            f"processor time of {process} for an act, {screens}",
            ours.milliseconds(process),
            "ms",
        )


def _kinds(bench: ActBench) -> Iterator[str | Figure]:
    """Bytes of an act on each kind of socket, with one of each open."""
    block = Block()
    bench.play(block, dict.fromkeys(KINDS, 1), KIND_ROUNDS)
    acts = len(block.acts)
    for kind in KINDS:
        yield Figure(
            f"acts.bytes_{kind}",
            f"bytes sent for an act on a socket of the kind `{kind}`",
            block.bytes[kind] / acts,
            "B",
            is_portable=True,
        )
    yield Figure(
        "acts.bytes_answer",
        "bytes of the answer to an act",
        block.bytes["answers"] / acts,
        "B",
        is_portable=True,
    )
