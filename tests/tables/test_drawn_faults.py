"""Faults drawn from a seed: the real endpoint, one tablet, and a world in which everything may go wrong at any moment.

A try or an answer is lost, a copy arrives late, the worker dies between two statements or after its commit, the server
is busy for a while, a push does not arrive, the clock steps. The same seed draws the same schedule. At its end the
record is compared with what the tablet was told (`script/faults/invariants.py`).
"""

import contextlib
import datetime as dt
import heapq
import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from psycopg.errors import LockNotAvailable

from script.faults.invariants import read_facts, violations
from script.faults.load import STAKES_CENTS, WAGERS
from script.tablet import Claim, Json
from tables.runner.table import RUNNER
from tables.screens.snapshot import of_table
from tests.services.examples import of_today
from tests.tables.cast import Scene, make_scene

EVENTS = 120  # of one schedule; then nothing fails any more, and every act becomes known


class Crash(BaseException):
    """The worker died. Nothing in it can answer any more."""


class World:
    """One schedule: a queue of events, and the faults that the seed draws."""

    def __init__(self, scene: Scene, hands: Any, seed: int) -> None:
        self.scene, self.hands, self.draw = scene, hands, Random(seed)
        self.queue: list[tuple[dt.datetime, int, Callable[[], None]]] = []
        self.events, self.has_faults = 0, True
        self.now, self.busy_until = hands.now, hands.now
        self.clock_error = dt.timedelta()
        self.claims: list[Claim] = []
        self.faults: Counter[str] = Counter()

    def after(self, least: float, most: float, event: Callable[[], None]) -> None:
        self.events += 1
        moment = self.now + dt.timedelta(seconds=self.draw.uniform(least, most))
        heapq.heappush(self.queue, (moment, self.events, event))

    def fails(self, fault: str, chance: float) -> bool:
        has_failed = self.has_faults and self.draw.random() < chance
        self.faults[fault] += has_failed
        return has_failed

    def run(self) -> None:
        tablet = Tablet(self)
        self.after(0, 1, tablet.tap)
        while self.queue:
            self.has_faults = self.events < EVENTS
            self.now, _, event = heapq.heappop(self.queue)
            if self.fails("clock steps", 0.01):
                self.clock_error += dt.timedelta(seconds=self.draw.choice((-90, -1.5, 3, 90)))
            self.hands.now = self.now + (self.clock_error if self.has_faults else dt.timedelta(minutes=10))
            event()

    def serve(self, browser: Client, address: str, body: Json) -> tuple[int, Json]:
        """Let a worker answer a request: its status and its body. Raises Crash if the worker dies."""
        is_busy = self.now < self.busy_until
        statements = self.draw.randint(1, 14) if self.fails("crash in the transaction", 0.05) else 0

        def execute(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal statements
            statements -= 1
            if statements == 0:
                raise Crash
            return execute(sql, params, many, context)

        with connection.execute_wrapper(execute), busy() if is_busy else contextlib.nullcontext():
            response = browser.post(
                address,
                json.dumps(body),
                content_type="application/json",
                headers={"accept": "application/json"},
            )
        if self.fails("outage", 0.02):  # it begins before the answer leaves
            self.busy_until = self.now + dt.timedelta(seconds=self.draw.uniform(2, 40))
            raise Crash
        if self.fails("crash after the commit", 0.05):
            raise Crash
        is_ours = response["Content-Type"].startswith("application/json")
        return response.status_code, response.json() if is_ours else {}


@contextlib.contextmanager
def busy() -> Iterator[None]:
    """No lock is free in time: the worker begins nothing."""

    def refuse(_request: Any) -> None:
        raise OperationalError("lock timeout") from LockNotAvailable("lock timeout")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RUNNER, "lock", refuse)
        yield


class Tablet:
    """A tablet of the table: one act at a time, asked for by its id until an answer ends it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.stream = world.scene.table.stream.name
        self.browser = world.scene.browser("tablet", "dealer")
        self.browser.raise_request_exception = False
        self.look()

    def look(self) -> None:
        self.shown = of_table(self.world.scene.table.pk)

    def tap(self) -> None:
        """Do what the screen invites, as long as the schedule goes on."""
        world = self.world
        if not world.has_faults:
            return
        act, params = self.choose()
        claim = Claim(str(uuid.UUID(int=world.draw.getrandbits(128), version=4)), self.stream, act, 0.0)
        world.claims.append(claim)
        self.ask(claim, {"command": claim.command, "seen": self.shown["version"], "params": params})

    def choose(self) -> tuple[str, dict[str, Any]]:
        draw, shown = self.world.draw, self.shown
        step = shown["next"]
        is_open = "place_wagers" in shown["offers"]
        if step is None or (is_open and (not shown["round"]["wagers"] or draw.random() < 0.2)):
            wager = {
                "seat": draw.randint(1, 7),
                "wager": draw.choice(WAGERS),
                "cents": draw.choice(STAKES_CENTS),
            }
            return "place_wagers", {"wagers": [wager]}
        if step["act"] == "call_dice":
            return "call_dice", {"dice": [draw.randint(1, 6) for _ in range(3)]}
        return step["act"], dict(step["params"])

    def ask(self, claim: Claim, body: Json) -> None:
        """One try. What gets no final answer is asked for again by its id."""
        world = self.world
        claim.tries += 1
        sent = claim.say_retry(body)
        if world.fails("late copy", 0.05):
            world.after(0.1, 20, lambda: self.arrive_late(claim, sent))
        claim.judge(*self.answer(claim, sent))
        if not claim.is_over:
            world.after(0.3, 4, lambda: self.ask(claim, body))
            return
        if world.fails("push lost", 0.1):
            world.after(5, 5, self.look)
        else:
            self.look()
        world.after(0.1, 1, self.tap)

    def answer(self, claim: Claim, body: Json) -> tuple[int, Json]:
        """The status and the body that reach the tablet; 0 and nothing where none does."""
        if self.world.fails("try lost", 0.05):
            return 0, {}
        try:
            answer = self.world.serve(self.browser, f"/floor/{self.stream}/acts/{claim.act}", body)
        except Crash:
            return 0, {}
        return (0, {}) if self.world.fails("answer lost", 0.05) else answer

    def arrive_late(self, claim: Claim, body: Json) -> None:
        """A copy of an earlier try. Nobody hears its answer."""
        with contextlib.suppress(Crash):
            self.world.serve(self.browser, f"/floor/{self.stream}/acts/{claim.act}", body)


def test_no_act_is_lost_taken_twice_or_called_not_taken_although_it_was(db, hands):
    faults: Counter[str] = Counter()
    fates: Counter[str] = Counter()
    problems: list[str] = []
    began = hands.now
    for seed in of_today(range(12)):
        before, hands.now = transaction.savepoint(), began
        world = World(make_scene(), hands, seed)
        world.run()
        problems += [f"seed {seed}: {sentence}" for sentence in violations(read_facts(world.claims))]
        problems += [f"seed {seed}: {claim} still waits" for claim in world.claims if not claim.is_over]
        faults += world.faults
        fates += Counter(claim.fate for claim in world.claims)
        transaction.savepoint_rollback(before)
    assert problems == []
    assert len(faults) == 8, f"some faults were never drawn: {faults}"
    assert fates["taken"] > 100 and fates["refused"], fates
